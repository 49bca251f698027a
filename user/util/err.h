/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ERR_H
#define ERR_H

/* An error in one sentence: what happened, why, what to try. */
struct err {
	char text[1024];
};

/* Sets the text of err. Returns -1, so that a caller can return the result. */
int err_set(struct err *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
