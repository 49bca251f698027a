/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TO_SINKS_H
#define TO_SINKS_H

#include <stdbool.h>

#include "cmd/opt.h"
#include "report/format.h"
#include "stream/streamer.h"

/*
 * Checks --to beside the other options for output, and chooses the format of the documents that
 * rows are taken from. Returns 0, or -1 with err set.
 */
int to_sinks_check(const struct opt_words *to, const struct output *output,
		   const struct output_format **format, bool has_program, struct err *err);

/* Passes on the rows of a document, from its text. The window is in ns, CLOCK_MONOTONIC. */
void to_sinks_pass(struct streamer *streamer, const char *text, uint64_t from, uint64_t upto);

#endif
