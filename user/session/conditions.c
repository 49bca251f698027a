// SPDX-License-Identifier: GPL-2.0
/* Parses the conditions on the tasks of a session: threads, names, users and a cgroup. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "session/conditions.h"
#include "system/accounts.h"
#include "util/mem.h"
#include "util/number.h"

#define ROOT "/sys/fs/cgroup"
#define UNIFIED ROOT "/unified"	/* version 2, where ROOT has version 1 */
#define CGROUP2_MAGIC 0x63677270

static bool is_any(const char *text)
{
	return !strcmp(text, "any");
}

typedef int (*word_fn)(struct conditions *conditions, const char *word, struct err *err);

static int each_word(struct conditions *conditions, const char *text, word_fn fn,
		     struct err *err)
{
	char *copy = mem_string(text), *rest = copy, *word;
	int error = 0;

	while (!error && (word = strsep(&rest, ",")))
		error = fn(conditions, word, err);
	free(copy);
	return error;
}

/* --- threads ------------------------------------------------------------ */

static int add_thread(struct conditions *conditions, const char *word, struct err *err)
{
	uint64_t tid;
	char *path;
	bool is_there;

	if (!number_parse(word, INT32_MAX, &tid) || !tid)
		return err_set(err, "'%s' is not a thread id; give numbers, as in --thread 12,34, or any.",
			       word);
	if (conditions->nr_tids == KTRACE_MAX_PIDS)
		return err_set(err, "At most %d threads can be named; use --pid or --comm for more.",
			       KTRACE_MAX_PIDS);
	path = mem_format("/proc/%d/task/%d", (int)tid, (int)tid);
	is_there = !access(path, F_OK);
	free(path);
	if (!is_there)
		return err_set(err, "Thread %d is gone; list running ones with: ps -L -p PID.",
			       (int)tid);
	conditions->tids[conditions->nr_tids++] = tid;
	return 0;
}

int conditions_add_threads(struct conditions *conditions, const char *text, struct err *err)
{
	conditions->has_tids = true;
	return is_any(text) ? 0 : each_word(conditions, text, add_thread, err);
}

/* --- users -------------------------------------------------------------- */

static int add_user(struct conditions *conditions, const char *word, struct err *err)
{
	struct account account;
	uint64_t uid = 0;

	if (conditions->nr_uids == KTRACE_MAX_PIDS)
		return err_set(err, "At most %d users can be named.", KTRACE_MAX_PIDS);
	if (!number_parse(word, UINT32_MAX - 1, &uid)) {
		if (account_find(&account, word, err))
			return -1;
		uid = account.uid;
		free(account.name);
	}
	conditions->uids[conditions->nr_uids++] = uid;
	return 0;
}

int conditions_add_users(struct conditions *conditions, const char *text, struct err *err)
{
	conditions->has_uids = true;
	return is_any(text) ? 0 : each_word(conditions, text, add_user, err);
}

/* --- names -------------------------------------------------------------- */

int conditions_set_comm(struct conditions *conditions, const char *text, struct err *err)
{
	const char *star = strchr(text, '*');

	conditions->comm = is_any(text) ? "" : text;
	if (!*text)
		return err_set(err, "--comm needs a thread's name; omit it for any.");
	if (strlen(text) > 15)
		return err_set(err, "'%s' is longer than the 15 bytes that the kernel keeps of a thread's name; cut it, or end it with a *.",
			       text);
	if (star && (star == text || star[1]))
		return err_set(err, "--comm takes a * only at the end of a name, as in 'redis*', not '%s'.",
			       text);
	return 0;
}

/* --- cgroups ------------------------------------------------------------ */

static bool is_version_2(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && fs.f_type == CGROUP2_MAGIC;
}

/* Returns the path as given, or below the mount point of cgroups; the caller frees it. */
static char *cgroup_path(const char *text)
{
	static const char *const roots[] = { UNIFIED, ROOT };
	char *path;
	size_t i;

	if (is_version_2(text))
		return mem_string(text);
	for (i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		path = mem_format("%s/%s", roots[i], text);
		if (is_version_2(path))
			return path;
		free(path);
	}
	return mem_string(text);
}

int conditions_set_cgroup(struct conditions *conditions, const char *text, struct err *err)
{
	char *path = cgroup_path(text);
	struct stat st;
	int error = 0;

	conditions->has_cgroup = true;
	conditions->cgroup = 0;
	if (is_any(text))
		;
	else if (stat(path, &st))
		error = err_set(err, "There is no cgroup '%s'; give its folder, as in --cgroup " ROOT "/NAME (a process's own is in /proc/PID/cgroup).",
				text);
	else if (!is_version_2(path) || !S_ISDIR(st.st_mode))
		error = err_set(err, "'%s' is not a folder of the cgroup hierarchy of version 2, which --cgroup needs; mount points: grep cgroup2 /proc/mounts.",
				text);
	else
		conditions->cgroup = st.st_ino;
	free(path);
	return error;
}

/* --- for the module ------------------------------------------------------ */

struct ktr_conditions conditions_of(const struct conditions *conditions)
{
	struct ktr_conditions of = { .comm = conditions->comm };

	if (conditions->has_tids) {
		of.tids = conditions->tids;
		of.nr_tids = conditions->nr_tids;
	}
	if (conditions->has_uids) {
		of.uids = conditions->uids;
		of.nr_uids = conditions->nr_uids;
	}
	if (conditions->has_cgroup)
		of.cgroup = &conditions->cgroup;
	return of;
}

bool conditions_are_given(const struct conditions *conditions)
{
	return conditions->has_tids || conditions->has_uids || conditions->has_cgroup ||
	       conditions->comm;
}
