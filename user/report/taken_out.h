/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TAKEN_OUT_H
#define TAKEN_OUT_H

#include <stdio.h>

#include "client/client.h"
#include "session/names.h"

/* The functions that were removed to keep a session's budget. */
struct taken_out {
	struct ktr_func *funcs;
	size_t nr;
};

void taken_out_read(struct taken_out *out, struct ktr *ktr, const struct ktr_session *session);
void taken_out_free(struct taken_out *out);

/* Prints one line for each, at most ten, which begins with before. */
void taken_out_print(FILE *to, const char *before, const struct taken_out *out,
		     const struct ktr_session *session, const struct names *names);
/* Reads and reports them. */
void taken_out_tell(FILE *to, struct ktr *ktr, const struct ktr_session *session,
		    const struct names *names);

#endif
