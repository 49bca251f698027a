/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KEPT_SUMMARY_H
#define KEPT_SUMMARY_H

#include <stdio.h>

#include "keep/recording.h"

/*
 * Prints what was recorded, where, when and by which sessions, after the records were read.
 * only: the session that was read; NULL: all were.
 */
void summary_print(FILE *out, const struct recording *recording, const struct kept_session *only);

#endif
