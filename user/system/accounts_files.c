// SPDX-License-Identifier: GPL-2.0
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/accounts.h"
#include "util/mem.h"

#define USERS "/etc/passwd"
#define GROUPS "/etc/group"

/* Finds a user by name, or by uid if name is NULL. */
static bool find(struct account *account, const char *name, uid_t uid)
{
	FILE *users = fopen(USERS, "re");
	struct passwd *entry = NULL;

	while (users && (entry = fgetpwent(users)) &&
	       (name ? strcmp(entry->pw_name, name) : entry->pw_uid != uid))
		;
	if (entry) {
		account->name = mem_string(entry->pw_name);
		account->uid = entry->pw_uid;
		account->gid = entry->pw_gid;
	}
	if (users)
		fclose(users);
	return entry;
}

int account_find(struct account *account, const char *name, struct err *err)
{
	if (find(account, name, 0))
		return 0;
	return err_set(err, "There is no user '%s' in " USERS ", the only file where a static ktrace looks; if another service has the user, give its number, which id %s prints.",
		       name, name);
}

bool account_find_uid(struct account *account, uid_t uid)
{
	return find(account, NULL, uid);
}

int account_find_group(gid_t *gid, const char *name, struct err *err)
{
	FILE *groups = fopen(GROUPS, "re");
	struct group *entry = NULL;

	while (groups && (entry = fgetgrent(groups)) && strcmp(entry->gr_name, name))
		;
	if (entry)
		*gid = entry->gr_gid;
	if (groups)
		fclose(groups);
	return entry ? 0 : err_set(err, "There is no group '%s' in " GROUPS ", the only file where a static ktrace looks; if another service has the group, give its number, which getent group %s prints.",
				   name, name);
}

static bool has_member(const struct group *group, const char *name)
{
	char **member = group->gr_mem;

	while (*member && strcmp(*member, name))
		member++;
	return *member;
}

static void add(gid_t **groups, size_t *nr, gid_t gid)
{
	*groups = mem_grow(*groups, *nr, sizeof(**groups));
	(*groups)[(*nr)++] = gid;
}

size_t account_groups(gid_t **groups, const char *name, gid_t gid)
{
	FILE *file = fopen(GROUPS, "re");
	struct group *entry;
	size_t nr = 0;

	*groups = NULL;
	add(groups, &nr, gid);
	while (file && (entry = fgetgrent(file)))
		if (entry->gr_gid != gid && has_member(entry, name))
			add(groups, &nr, entry->gr_gid);
	if (file)
		fclose(file);
	return nr;
}
