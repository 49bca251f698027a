/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ACCOUNTS_H
#define ACCOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "util/err.h"

/*
 * Users and groups of this machine. accounts_nss.c asks NSS, which knows those of LDAP, SSSD and
 * systemd too. accounts_files.c reads /etc/passwd and /etc/group, for a static binary: NSS loads
 * libraries. The Makefile chooses.
 */
struct account {
	char *name;	/* to be freed */
	uid_t uid;
	gid_t gid;
};

/* Returns 0, or -1 with err set if there is no such user or it cannot be looked up. */
int account_find(struct account *account, const char *name, struct err *err);

/* Returns whether the user is known. */
bool account_find_uid(struct account *account, uid_t uid);

/* Returns 0, or -1 with err set if there is no such group or it cannot be looked up. */
int account_find_group(gid_t *gid, const char *name, struct err *err);

/* gid itself, and the groups that have the user as a member; to be freed. Returns how many. */
size_t account_groups(gid_t **groups, const char *name, gid_t gid);

#endif
