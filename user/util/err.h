/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ERR_H
#define ERR_H

/* What went wrong, in one sentence: what, why, what to try. */
struct err {
	char text[1024];
};

/* Fills err; returns -1, so that a function may return it. */
int err_set(struct err *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
