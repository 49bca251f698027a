// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mem.h"
#include "user.h"

/* All ones is what the calls take for "no change". */
static bool parse_id(const char *text, uint32_t *id)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	*id = value;
	return *text >= '0' && *text <= '9' && !*end && !errno && value < UINT32_MAX;
}

/* The name of the user, to be freed; NULL: only the number is known, if that. */
static char *find_user(struct user *user, const char *text, bool *is_known)
{
	FILE *file = fopen("/etc/passwd", "re");
	bool is_number = parse_id(text, &user->uid);
	struct passwd *entry;
	char *name = NULL;

	*is_known = is_number;
	while (file && !name && (entry = fgetpwent(file))) {
		if (is_number ? entry->pw_uid != user->uid : strcmp(entry->pw_name, text))
			continue;
		*is_known = true;
		user->uid = entry->pw_uid;
		user->gid = entry->pw_gid;
		name = mem_string(entry->pw_name);
	}
	if (file)
		fclose(file);
	return name;
}

static bool find_group(struct user *user, const char *text)
{
	bool is_found = parse_id(text, &user->gid);
	FILE *file = fopen("/etc/group", "re");
	struct group *entry;

	while (file && !is_found && (entry = fgetgrent(file))) {
		is_found = !strcmp(entry->gr_name, text);
		user->gid = entry->gr_gid;
	}
	if (file)
		fclose(file);
	return is_found;
}

static void add_group(struct user *user, gid_t gid)
{
	user->groups = mem_grow(user->groups, user->nr_groups, sizeof(*user->groups));
	user->groups[user->nr_groups++] = gid;
}

/* As initgroups() does: the group itself, and those that name the user. */
static void find_groups(struct user *user, const char *name)
{
	FILE *file = fopen("/etc/group", "re");
	struct group *entry;
	char **member;

	add_group(user, user->gid);
	while (file && (entry = fgetgrent(file)))
		for (member = entry->gr_mem; *member; member++)
			if (!strcmp(*member, name) && entry->gr_gid != user->gid)
				add_group(user, entry->gr_gid);
	if (file)
		fclose(file);
}

static int find(struct user *user, const char *text, const char *group, struct err *err)
{
	bool is_known;
	char *name = find_user(user, text, &is_known);
	int result = 0;

	if (!is_known)
		result = err_set(err, "There is no user '%s' in /etc/passwd; if another service knows it, give numbers: -u UID:GID, as id %s says them.",
				 text, text);
	else if (group && !find_group(user, group))
		result = err_set(err, "There is no group '%s' in /etc/group; give its number.",
				 group);
	else if (!group && !name)
		result = err_set(err, "User %s is not in /etc/passwd, so its group is not known; give it too: -u %s:GID.",
				 text, text);
	else if (name)
		find_groups(user, name);
	free(name);
	return result;
}

int user_find(struct user *user, const char *text, struct err *err)
{
	char *copy = mem_string(text), *group = copy, *name = strsep(&group, ":");
	int result = find(user, name, group, err);

	free(copy);
	return result;
}

void user_free(struct user *user)
{
	free(user->groups);
	memset(user, 0, sizeof(*user));
}

int user_become(const struct user *user)
{
	if (setgroups(user->nr_groups, user->groups) ||
	    setresgid(user->gid, user->gid, user->gid))
		return -1;
	return setresuid(user->uid, user->uid, user->uid);
}
