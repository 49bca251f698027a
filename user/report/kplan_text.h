/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KPLAN_TEXT_H
#define KPLAN_TEXT_H

#include <stdio.h>

#include "client/client.h"
#include "session/kplan.h"

/* Prints the traced functions, and the names that are not traced, with the reason. */
void kplan_print(FILE *out, const struct kplan *plan);

/*
 * Reports the functions that could not be probed. Returns 0, or -1 with err set if
 * nothing is left that could be recorded.
 */
int kplan_check_probed(FILE *to, const struct kplan *plan, struct ktr *ktr,
		       const struct ktr_session *session, struct err *err);

#endif
