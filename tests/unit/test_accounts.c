// SPDX-License-Identifier: GPL-2.0
/*
 * Names of -u and --uid. "test_accounts nss": looked up by the services of the machine, one of
 * which is nss_service.c. "test_accounts files": looked up as by a static binary.
 */
#include <grp.h>
#include <nss.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../user/session/conditions.h"
#include "../../user/system/user.h"

/* Sets where glibc looks up an entry, regardless of /etc/nsswitch.conf. */
static void ask(const char *services)
{
	assert_int_equal(__nss_configure_lookup("passwd", services), 0);
	assert_int_equal(__nss_configure_lookup("group", services), 0);
	assert_int_equal(__nss_configure_lookup("initgroups", services), 0);
}

static void finds(const char *text, uid_t uid, gid_t gid, size_t nr_groups)
{
	struct user user = { .groups = NULL };
	struct err err = { "" };

	if (user_find(&user, text, &err))
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(user.uid, uid);
	assert_int_equal(user.gid, gid);
	assert_int_equal(user.nr_groups, nr_groups);
	if (nr_groups)
		assert_int_equal(user.groups[0], gid);
	user_free(&user);
}

static void refuses(const char *text, const char *words)
{
	struct user user = { .groups = NULL };
	struct err err = { "" };

	assert_int_equal(user_find(&user, text, &err), -1);
	if (!strstr(err.text, words))
		fail_msg("%s: %s", text, err.text);
	user_free(&user);
}

static void test_numbers(void **state)
{
	(void)state;
	finds("4711:4712", 4711, 4712, 0);
	refuses("4711", "User 4711 is unknown here, so its group is unknown, too; give both: -u 4711:GID.");
	refuses("4294967295:1", "There is no user '4294967295'");
	refuses("-1:1", "There is no user '-1'");
	refuses("", "There is no user ''");
	refuses("root:", "There is no group ''");
}

/* Each user of the machine's files, with the groups that login(1) would set. */
static void test_users_of_files(void **state)
{
	struct user user = { .groups = NULL };
	struct passwd *entry;
	gid_t groups[1000];
	struct err err;
	int nr, nr_users = 0;

	(void)state;
	ask("files");
	setpwent();
	while ((entry = getpwent())) {
		nr = 1000;
		assert_true(getgrouplist(entry->pw_name, entry->pw_gid, groups, &nr) > 0);
		assert_int_equal(user_find(&user, entry->pw_name, &err), 0);
		assert_int_equal(user.uid, entry->pw_uid);
		assert_int_equal(user.gid, entry->pw_gid);
		assert_int_equal(user.nr_groups, nr);
		assert_memory_equal(user.groups, groups, nr * sizeof(*groups));
		user_free(&user);
		nr_users++;
	}
	endpwent();
	assert_true(nr_users > 1);
	nr = 1000;
	assert_true(getgrouplist("root", 0, groups, &nr) > 0);
	finds("0", 0, 0, nr);
}

static void test_users_of_other_services(void **state)
{
	(void)state;
	ask("files ktrace");
	finds("elsewhere", 70001, 70001, 101);
	finds("70001", 70001, 70001, 101);
	finds("elsewhere:others", 70001, 70002, 100);
	finds("elsewhere:0", 70001, 0, 101);
	refuses("nobdy", "There is no user 'nobdy'; list them with: getent passwd.");
	refuses("root:nogrp", "There is no group 'nogrp'; list them with: getent group.");
	refuses("broken", "The user 'broken' cannot be looked up: Input/output error; give its number");
	refuses("root:broken", "The group 'broken' cannot be looked up: Input/output error;");
}

static void test_other_services_are_not_asked(void **state)
{
	(void)state;
	ask("files ktrace");
	refuses("elsewhere", "There is no user 'elsewhere' in /etc/passwd");
	refuses("root:others", "There is no group 'others' in /etc/group");
	finds("70001:70002", 70001, 70002, 0);
}

/* --uid looks names up like -u. */
static void check_conditions(int expected)
{
	struct conditions conditions;
	struct err err;

	memset(&conditions, 0, sizeof(conditions));
	ask("files ktrace");
	assert_int_equal(conditions_add_users(&conditions, "root,4711,elsewhere", &err), expected);
	assert_int_equal(conditions.nr_uids, expected ? 2 : 3);
	assert_int_equal(conditions.uids[0], 0);
	assert_int_equal(conditions.uids[1], 4711);
	if (!expected)
		assert_int_equal(conditions.uids[2], 70001);
	else
		assert_non_null(strstr(err.text, "There is no user 'elsewhere' in /etc/passwd"));
}

static void test_conditions_by_nss(void **state)
{
	(void)state;
	check_conditions(0);
}

static void test_conditions_by_files(void **state)
{
	(void)state;
	check_conditions(-1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest nss[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_users_of_files),
		cmocka_unit_test(test_users_of_other_services),
		cmocka_unit_test(test_conditions_by_nss),
	};
	const struct CMUnitTest files[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_users_of_files),
		cmocka_unit_test(test_other_services_are_not_asked),
		cmocka_unit_test(test_conditions_by_files),
	};

	if (argc == 2 && !strcmp(argv[1], "nss"))
		return cmocka_run_group_tests(nss, NULL, NULL);
	return cmocka_run_group_tests(files, NULL, NULL);
}
