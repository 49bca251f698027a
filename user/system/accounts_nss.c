// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "system/accounts.h"
#include "util/mem.h"

/* Some services report a missing entry by an error. */
static int explain(const char *what, const char *database, const char *name, int error,
		   struct err *err)
{
	if (!error || error == ENOENT || error == ESRCH)
		return err_set(err, "There is no %s '%s'; list them with: getent %s.",
			       what, name, database);
	return err_set(err, "The %s '%s' cannot be looked up: %s; give its number, or see the services in /etc/nsswitch.conf.",
		       what, name, strerror(error));
}

static void take(struct account *account, const struct passwd *entry)
{
	account->name = mem_string(entry->pw_name);
	account->uid = entry->pw_uid;
	account->gid = entry->pw_gid;
}

int account_find(struct account *account, const char *name, struct err *err)
{
	const struct passwd *found;

	errno = 0;
	found = getpwnam(name);
	if (!found)
		return explain("user", "passwd", name, errno, err);
	take(account, found);
	return 0;
}

bool account_find_uid(struct account *account, uid_t uid)
{
	const struct passwd *found = getpwuid(uid);

	if (found)
		take(account, found);
	return found;
}

int account_find_group(gid_t *gid, const char *name, struct err *err)
{
	const struct group *found;

	errno = 0;
	found = getgrnam(name);
	if (!found)
		return explain("group", "group", name, errno, err);
	*gid = found->gr_gid;
	return 0;
}

size_t account_groups(gid_t **groups, const char *name, gid_t gid)
{
	int room = 0, nr;

	*groups = NULL;
	do {
		room = 2 * room + 16;
		*groups = mem_resize(*groups, room * sizeof(**groups));
		nr = room;
	} while (getgrouplist(name, gid, *groups, &nr) < 0);
	return nr;
}
