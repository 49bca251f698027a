// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "system/accounts.h"
#include "util/mem.h"

#define MAX_ROOM (16 << 20)

/* Memory for the strings of an entry. It grows until they fit, as their length is unknown. */
struct room {
	char *data;
	size_t len;
};

static void grow(struct room *room)
{
	room->len = room->len ? 2 * room->len : 1024;
	room->data = mem_resize(room->data, room->len);
}

static bool is_too_small(const struct room *room, int error)
{
	return error == ERANGE && room->len < MAX_ROOM;
}

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
	struct passwd entry, *found;
	struct room room = { NULL, 0 };
	int error;

	do {
		grow(&room);
		error = getpwnam_r(name, &entry, room.data, room.len, &found);
	} while (is_too_small(&room, error));
	if (found)
		take(account, found);
	free(room.data);
	return found ? 0 : explain("user", "passwd", name, error, err);
}

bool account_find_uid(struct account *account, uid_t uid)
{
	struct passwd entry, *found;
	struct room room = { NULL, 0 };
	int error;

	do {
		grow(&room);
		error = getpwuid_r(uid, &entry, room.data, room.len, &found);
	} while (is_too_small(&room, error));
	if (found)
		take(account, found);
	free(room.data);
	return found;
}

int account_find_group(gid_t *gid, const char *name, struct err *err)
{
	struct group entry, *found;
	struct room room = { NULL, 0 };
	int error;

	do {
		grow(&room);
		error = getgrnam_r(name, &entry, room.data, room.len, &found);
	} while (is_too_small(&room, error));
	if (found)
		*gid = found->gr_gid;
	free(room.data);
	return found ? 0 : explain("group", "group", name, error, err);
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
