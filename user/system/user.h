/* SPDX-License-Identifier: GPL-2.0 */
#ifndef USER_H
#define USER_H

#include <stddef.h>
#include <sys/types.h>

#include "util/err.h"

/* Whom a program runs as. */
struct user {
	uid_t uid;
	gid_t gid;
	gid_t *groups;
	size_t nr_groups;
};

/*
 * "USER[:GROUP]", names or numbers. Names are looked up by accounts.h; numbers of both need not
 * be known, and have no supplementary groups then. Returns 0, or -1 with err set; user_free() in
 * either case.
 */
int user_find(struct user *user, const char *text, struct err *err);
void user_free(struct user *user);

/* The process becomes that user for good. Returns 0, or -1 with errno set. */
int user_become(const struct user *user);

#endif
