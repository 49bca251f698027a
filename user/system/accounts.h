/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ACCOUNTS_H
#define ACCOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "util/err.h"

/*
 * Users and groups of this machine. accounts_nss.c uses NSS, which includes LDAP, SSSD and systemd.
 * accounts_files.c reads only /etc/passwd and /etc/group; it is for a static binary, which cannot
 * load the libraries of NSS. The Makefile chooses one of both files.
 */
struct account {
	char *name;	/* the caller frees it */
	uid_t uid;
	gid_t gid;
};

/* Returns 0, or -1 with err set if there is no such user or it cannot be looked up. */
int account_find(struct account *account, const char *name, struct err *err);

/* Returns true if the user exists. */
bool account_find_uid(struct account *account, uid_t uid);

/* Returns 0, or -1 with err set if there is no such group or it cannot be looked up. */
int account_find_group(gid_t *gid, const char *name, struct err *err);

/* Lists gid and the groups of the user. Returns how many. The caller frees the list. */
size_t account_groups(gid_t **groups, const char *name, gid_t gid);

#endif
