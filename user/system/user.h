/* SPDX-License-Identifier: GPL-2.0 */
#ifndef USER_H
#define USER_H

#include <stddef.h>
#include <sys/types.h>

#include "util/err.h"

/* The user that a program runs as. */
struct user {
	uid_t uid;
	gid_t gid;
	gid_t *groups;
	size_t nr_groups;
};

/*
 * Parses "USER[:GROUP]", names or numbers. accounts.h looks up names. A number need not be known;
 * the number of an unknown user needs a GROUP, and gets no supplementary groups. Returns 0, or -1
 * with err set. The caller calls user_free() in either case.
 */
int user_find(struct user *user, const char *text, struct err *err);
void user_free(struct user *user);

/* Changes the user of this process for good. Returns 0, or -1 with errno set. */
int user_become(const struct user *user);

#endif
