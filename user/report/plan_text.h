/* SPDX-License-Identifier: GPL-2.0 */
/* Which functions are probed, which are not, and why. */
#ifndef PLAN_TEXT_H
#define PLAN_TEXT_H

#include <stdio.h>

#include "client/client.h"
#include "plan/plan.h"
#include "session/trace.h"

/* Prints a plan: the probed functions with their places, the others with the reason. */
void plan_print(FILE *out, const struct plan *plan);

/* Prints the patterns of options that matched nothing when the plan was made. */
void plan_print_unmatched(FILE *out, const struct trace *trace);

/* Reports the functions that --below and --not-below match without effect. */
void plan_tell_unbound(FILE *to, const struct plan *plan);

/* Reports the functions in writable code. Returns how many. */
size_t plan_tell_writable(FILE *to, const struct plan *plan);

/* Reports what is not probed in a program that was built with ThreadSanitizer. */
void plan_tell_tsan(FILE *to, const struct plan *plan);
/* Reports the functions that --function names and that are not probed. */
void plan_tell_named(FILE *to, const struct plan *plan);
/* Reports how many other functions are not probed, without odd ones. */
void plan_tell_left_out(FILE *to, const struct plan *plan);

/* Reports the libraries that could not be read. Returns how many. */
size_t plan_tell_unopened(FILE *to, const struct plan *plan);

/* Reports the functions that could not be probed. Returns how many. */
size_t plan_tell_failed(FILE *to, struct ktr *ktr, const struct ktr_session *session,
			const struct plan *plan);

#endif
