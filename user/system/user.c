// SPDX-License-Identifier: GPL-2.0
#include <grp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "system/accounts.h"
#include "system/user.h"
#include "util/mem.h"
#include "util/number.h"

#define MAX_ID (UINT32_MAX - 1)	/* for the system calls, UINT32_MAX means "no change" */

/* The account's name stays NULL if text is a number that no account has. */
static int find_account(struct account *account, const char *text, struct err *err)
{
	uint64_t uid;

	if (!number_parse(text, MAX_ID, &uid))
		return account_find(account, text, err);
	account->uid = uid;
	account_find_uid(account, uid);
	return 0;
}

/* text NULL selects the user's own group. */
static int find_group(const struct account *account, gid_t *gid, const char *text,
		      struct err *err)
{
	uint64_t number;

	if (!text && !account->name)
		return err_set(err, "User %u is unknown here, so its group is unknown, too; give both: -u %u:GID.",
			       account->uid, account->uid);
	if (text && !number_parse(text, MAX_ID, &number))
		return account_find_group(gid, text, err);
	*gid = text ? number : account->gid;
	return 0;
}

static int find(struct user *user, const char *text, const char *group, struct err *err)
{
	struct account account = { .name = NULL };
	int error = find_account(&account, text, err);

	if (!error)
		error = find_group(&account, &user->gid, group, err);
	user->uid = account.uid;
	if (!error && account.name)
		user->nr_groups = account_groups(&user->groups, account.name, user->gid);
	free(account.name);
	return error;
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
