// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "system/maps.h"
#include "system/procs.h"
#include "util/clock.h"
#include "util/lines.h"
#include "util/mem.h"
#include "util/number.h"
#include "util/root.h"

/* --- files of processes ------------------------------------------------- */

/* Compares the mapped file itself, or its path if the kernel does not let the file be opened. */
static bool is_mapping_of(const struct maps *maps, const struct mapping *mapping,
			  const char *path, const struct stat *file)
{
	char *name = maps_file(maps, mapping);
	struct stat st;
	bool is_same;

	if (root_look(name, &st))
		is_same = !mapping->is_deleted && !strcmp(mapping->path, path);
	else
		is_same = st.st_dev == file->st_dev && st.st_ino == file->st_ino;
	free(name);
	return is_same;
}

static const struct mapping *find_code(const struct maps *maps, const char *path)
{
	const struct mapping *mapping;
	struct stat file;

	if (stat(path, &file))
		memset(&file, 0, sizeof(file));
	for (mapping = maps->all; mapping < maps->all + maps->nr; mapping++)
		if (mapping->is_code && is_mapping_of(maps, mapping, path, &file))
			return mapping;
	return NULL;
}

static const struct mapping *find_path(const struct maps *maps, const char *path)
{
	const struct mapping *mapping;

	for (mapping = maps->all; mapping < maps->all + maps->nr; mapping++)
		if (mapping->is_code && !strcmp(mapping->path, path))
			return mapping;
	return NULL;
}

bool procs_maps(pid_t pid, const char *path)
{
	struct maps maps;
	bool is_mapped;

	maps_read(&maps, pid);
	is_mapped = find_code(&maps, path);
	maps_free(&maps);
	return is_mapped;
}

char *procs_file(pid_t pid, const char *path)
{
	char *inside = mem_format("/proc/%d/root/%s", (int)pid, path), *file = NULL;
	const struct mapping *mapping;
	struct maps maps;

	maps_read(&maps, pid);
	mapping = find_code(&maps, path);
	if (!mapping)
		mapping = find_code(&maps, inside);
	if (!mapping)
		mapping = find_path(&maps, path);
	if (mapping)
		file = maps_file(&maps, mapping);
	maps_free(&maps);
	free(inside);
	return file;
}

/* --- all processes ------------------------------------------------------ */

typedef bool (*is_wanted_fn)(pid_t pid, const char *path);

static size_t list(const char *path, is_wanted_fn is_wanted, pid_t **pids)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	uint64_t pid;
	size_t nr = 0;

	*pids = NULL;
	while (proc && (entry = readdir(proc))) {
		if (!number_parse(entry->d_name, INT32_MAX, &pid) || !is_wanted(pid, path))
			continue;
		*pids = mem_grow(*pids, nr, sizeof(**pids));
		(*pids)[nr++] = pid;
	}
	if (proc)
		closedir(proc);
	return nr;
}

static size_t count(const char *path, is_wanted_fn is_wanted, pid_t *first)
{
	pid_t *pids;
	size_t nr = list(path, is_wanted, &pids);

	*first = nr ? pids[0] : 0;
	free(pids);
	return nr;
}

size_t procs_count(const char *path)
{
	pid_t first;

	return count(path, procs_maps, &first);
}

size_t procs_list(const char *path, pid_t **pids)
{
	return list(path, procs_maps, pids);
}

/* --- a process to learn from ---------------------------------------------- */

static bool is_at(pid_t pid, const char *what, const struct stat *wanted)
{
	char *path = mem_format("/proc/%d/%s", (int)pid, what);
	bool is_same;
	struct stat st;

	is_same = !root_look(path, &st) && st.st_dev == wanted->st_dev && st.st_ino == wanted->st_ino;
	free(path);
	return is_same;
}

static bool is_in_namespace_of(pid_t pid, const char *whose)
{
	struct stat namespace;

	return !stat(whose, &namespace) && is_at(pid, "ns/mnt", &namespace);
}

/*
 * In another mount namespace, a user may have put other files at the same paths. The one of process
 * 1 is root's as well: a service has one of its own, with the same files.
 */
static bool has_our_files(pid_t pid)
{
	struct stat root;

	return (is_in_namespace_of(pid, "/proc/self/ns/mnt") ||
		is_in_namespace_of(pid, "/proc/1/ns/mnt")) &&
	       !stat("/", &root) && is_at(pid, "root", &root);
}

/*
 * Returns true if all user IDs of the process (real, effective, saved, of files) are those of root
 * or of owner. The owner of /proc/PID does not tell: it is root if the process cannot be dumped.
 */
static bool belongs_to(pid_t pid, uid_t owner)
{
	char *ids = line_find("Uid:", "/proc/%d/status", (int)pid), *at = ids, *end = ids;
	size_t nr = 0;
	uid_t id;

	for (; at; nr++, at = end) {
		id = strtoul(at, &end, 10);
		if (end == at || (id && id != owner))
			break;
	}
	free(ids);
	return nr == 4;
}

static bool is_trusted(pid_t pid, const char *path)
{
	struct stat file;

	return !stat(path, &file) && has_our_files(pid) && belongs_to(pid, file.st_uid);
}

static bool is_trusted_program(pid_t pid, const char *path)
{
	struct stat file;

	return !stat(path, &file) && is_at(pid, "exe", &file) && is_trusted(pid, path);
}

static bool is_trusted_user(pid_t pid, const char *path)
{
	return is_trusted(pid, path) && procs_maps(pid, path);
}

pid_t procs_reference(const char *path)
{
	pid_t first;

	if (!count(path, is_trusted_program, &first))
		count(path, is_trusted_user, &first);
	return first;
}

/* --- replaced files -------------------------------------------------------- */

static bool runs_replaced(pid_t pid, const char *path)
{
	const struct mapping *mapping;
	bool is_replaced = false;
	struct maps maps;

	maps_read(&maps, pid);
	for (mapping = maps.all; mapping < maps.all + maps.nr; mapping++)
		is_replaced |= mapping->is_code && mapping->is_deleted &&
			       !strcmp(mapping->path, path);
	maps_free(&maps);
	return is_replaced;
}

size_t procs_count_replaced(const char *path)
{
	pid_t first;

	return count(path, runs_replaced, &first);
}

/* --- one process -------------------------------------------------------- */

/* Returns the value of a line of /proc/PID/status, or NULL. The caller frees it. */
static char *status_of(pid_t pid, const char *key)
{
	return line_find(key, "/proc/%d/status", (int)pid);
}

/* The last number of NSpid is the pid in the process's own pid namespace. */
static bool is_called(pid_t pid, const char *number)
{
	char *numbers = status_of(pid, "NSpid:"), *last;
	bool is_called;

	last = numbers ? strrchr(numbers, '\t') : NULL;
	is_called = last && !strcmp(last + 1, number);
	free(numbers);
	return is_called;
}

static int is_gone(pid_t pid, struct err *err)
{
	char *number = mem_format("%d", (int)pid);
	pid_t here;

	if (count(number, is_called, &here))
		err_set(err, "There is no process %d here; process %d has that number in its own pid namespace: use --pid %d.",
			pid, here, here);
	else
		err_set(err, "Process %d is gone; list running ones with: pgrep -a NAME.", pid);
	free(number);
	return -1;
}

static bool has_threads(pid_t pid)
{
	char *threads = status_of(pid, "Threads:");
	uint64_t nr;
	bool has = threads && number_parse(threads, INT32_MAX, &nr) && nr > 1;

	free(threads);
	return has;
}

/* If the first thread ends before the others, it stays as a zombie. */
bool procs_is_alive(pid_t pid)
{
	char *state = status_of(pid, "State:");
	bool is_alive = state && ((*state != 'Z' && *state != 'X') || has_threads(pid));

	free(state);
	return is_alive;
}

int procs_check(pid_t pid, struct err *err)
{
	char *state = status_of(pid, "State:"), *memory = status_of(pid, "VmSize:");
	int result = 0;

	if (!state)
		result = is_gone(pid, err);
	else if (*state == 'Z' || *state == 'X')
		result = err_set(err, "Process %d has ended and only waits for its parent (a zombie): it runs no program any more.",
				 pid);
	else if (!memory)
		result = err_set(err, "Process %d is a kernel thread: it runs no program whose functions could be probed.",
				 pid);
	free(state);
	free(memory);
	return result;
}

/* /proc/self leads to the reader's pid in the pid namespace of /proc. */
int procs_check_namespace(struct err *err)
{
	char self[32];
	ssize_t len = readlink("/proc/self", self, sizeof(self) - 1);
	uint64_t pid;

	self[len > 0 ? len : 0] = 0;
	if (number_parse(self, INT32_MAX, &pid) && (pid_t)pid == getpid())
		return 0;
	return err_set(err, "/proc is missing or belongs to another pid namespace, where the numbers mean other processes; mount it again (mount -t proc proc /proc), or run ktrace outside the container.");
}

static int check_all(const int32_t *pids, size_t nr, bool may_be_alive, struct err *err)
{
	size_t i;

	if (nr && procs_check_namespace(err))
		return -1;
	for (i = 0; i < nr; i++)
		if (!(may_be_alive && procs_is_alive(pids[i])) && procs_check(pids[i], err))
			return -1;
	return 0;
}

int procs_check_all(const int32_t *pids, size_t nr, struct err *err)
{
	return check_all(pids, nr, false, err);
}

int procs_check_alive(const int32_t *pids, size_t nr, struct err *err)
{
	return check_all(pids, nr, true, err);
}

uint64_t procs_cpu_time(const pid_t *pids, size_t nr)
{
	struct timespec time;
	uint64_t ns = 0;
	clockid_t clock;
	size_t i;

	for (i = 0; i < nr; i++)
		if (!clock_getcpuclockid(pids[i], &clock) && !clock_gettime(clock, &time))
			ns += time.tv_sec * CLOCK_SECOND + time.tv_nsec;
	return ns;
}

/* --- names ----------------------------------------------------------------- */

#define NAMED 2

static char *add_process(char *before, pid_t pid)
{
	char comm[17] = "", *text;

	line_read(comm, sizeof(comm), "/proc/%d/comm", pid);
	text = mem_format(*comm ? "%s%s%s (%d)" : "%s%s%s%d", before, *before ? ", " : "", comm,
			  pid);
	free(before);
	return text;
}

char *procs_describe(const int32_t *pids, size_t nr)
{
	char *text = mem_string(""), *whole;
	size_t i;

	for (i = 0; i < nr && i < NAMED; i++)
		text = add_process(text, pids[i]);
	if (nr <= NAMED)
		return text;
	whole = mem_format("%s and %zu more", text, nr - NAMED);
	free(text);
	return whole;
}
