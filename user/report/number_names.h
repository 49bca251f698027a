/* SPDX-License-Identifier: GPL-2.0 */
/* The names of numbers of the module and of the kernel. */
#ifndef NUMBER_NAMES_H
#define NUMBER_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "uapi/ktrace.h"

#define ERRNO_NAME_LEN 24

/*
 * Formats an error as "ENOENT", or as "errno 4000" if it has no name. Errors that exist only inside
 * the kernel have names, too. Returns text.
 */
const char *errno_text(char text[ERRNO_NAME_LEN], int error);

/* The whole request is the last stage, Q2C, after these. */
#define IO_STAGES(S) S("q2g") S("g2i") S("i2d") S("d2c")
#define IO_NR_STAGES (KTRACE_BLOCK_Q2C + 1)

extern const char *const number_stages[IO_NR_STAGES], *const number_periods[KTRACE_NR_SCHED];

const char *io_op_name(uint32_t op);		/* "read" */
/* Return names such as "q2g" and "sleep", or NULL for a number that only a newer module has. */
const char *io_stage_name(uint32_t stage);
const char *sched_kind(uint32_t what);
int io_stage_find(const char *name);		/* -1 if there is none */
bool fault_is_known(uint32_t kind);
const char *fault_name(uint32_t kind);		/* "major read"; "unknown" */
const char *profile_mode(uint32_t mode);	/* "user" */

#endif
