// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/jit_map.h"
#include "system/server.h"
#include "util/bound.h"
#include "util/effort.h"
#include "util/lines.h"
#include "util/mem.h"
#include "util/root.h"

#define LONGEST_NAME 512
#define LONGEST_LINE (LONGEST_NAME + 2 * 18 + 2)	/* "0x" and 16 digits, twice */
#define MOST_AROUND 32	/* how many functions may begin between an address and its function */

/* --- lines -------------------------------------------------------------------- */

static void forget(struct jit_map *map)
{
	while (map->nr)
		free(map->all[--map->nr].name);
	map->read_to = 0;
	map->nr_lines = 0;
}

static void take_line(struct jit_map *map, const char *line)
{
	struct jit_code code = { .nr = map->nr_lines++ };
	char *at;
	size_t len;

	code.start = strtoull(line, &at, 16);
	if (at == line || *at != ' ')
		return;
	line = at + 1;
	code.end = strtoull(line, &at, 16);
	if (at == line || *at != ' ' || !code.end || __builtin_add_overflow(code.start, code.end, &code.end))
		return;
	at += strspn(at, " ");
	len = strnlen(at, LONGEST_NAME);
	if (!len || map->nr >= JIT_MAP_LINES)
		return;
	code.name = mem_format("%.*s", (int)len, at);
	map->all = mem_grow(map->all, map->nr, sizeof(*map->all));
	map->all[map->nr++] = code;
}

/* A line without its end may not be complete yet. What is longer than a name is skipped. */
struct reading {
	char line[LONGEST_LINE + 1];
	size_t len;
	uint64_t at, line_at;	/* in the file */
};

static void take_bytes(struct jit_map *map, struct reading *reading, const char *bytes, size_t nr)
{
	const char *end = bytes + nr;

	for (; bytes < end; bytes++, reading->at++) {
		if (*bytes != '\n') {
			if (reading->len < LONGEST_LINE)
				reading->line[reading->len++] = *bytes;
			continue;
		}
		reading->line[reading->len] = 0;
		take_line(map, reading->line);
		reading->len = 0;
		reading->line_at = reading->at + 1;
	}
}

static void read_lines(struct jit_map *map, int fd)
{
	struct reading reading = { .at = map->read_to, .line_at = map->read_to };
	char bytes[16384];
	ssize_t nr = 1;

	while (nr > 0 && map->nr_bytes < JIT_MAP_BYTES && !effort_is_spent()) {
		nr = pread(fd, bytes, sizeof(bytes), reading.at);
		if (nr > 0) {
			map->nr_bytes += nr;
			take_bytes(map, &reading, bytes, nr);
		}
	}
	map->read_to = reading.line_at;
}

static int by_address(const void *a, const void *b)
{
	const struct jit_code *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

/* --- the file ------------------------------------------------------------------- */

/* A link to a file of another user must not be read for this one. */
static bool is_of(const struct stat *st, uid_t uid)
{
	return S_ISREG(st->st_mode) && st->st_nlink == 1 && (st->st_uid == uid || !st->st_uid);
}

void jit_map_take(struct jit_map *map, int fd, uid_t uid)
{
	struct stat st;

	if (fstat(fd, &st) || !is_of(&st, uid))
		return;
	if (map->dev != st.st_dev || map->inode != st.st_ino || (uint64_t)st.st_size < map->read_to)
		forget(map);
	map->dev = st.st_dev;
	map->inode = st.st_ino;
	if ((uint64_t)st.st_size <= map->read_to)
		return;
	effort_begin();
	read_lines(map, fd);
	if (map->nr)
		qsort(map->all, map->nr, sizeof(*map->all), by_address);
	effort_end();
}

/* Returns a folder, or -1. No link leads out of it, and no server can keep us waiting. */
static int own_tmp(pid_t pid)
{
	int root = root_of_process(pid), folder = -1;
	struct stat st;

	if (root < 0)
		return -1;
	if (!root_look_at(root, ".", &st) && !server_has(pid, st.st_dev))
		folder = openat(root, "tmp", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	root_close(root);
	if (folder < 0 || (!root_look_at(folder, ".", &st) && !server_has(pid, st.st_dev)))
		return folder;
	close(folder);
	return -1;
}

/* Returns the last number of the line, which is that of the innermost namespace, or 0. */
static unsigned int own_number(pid_t pid)
{
	char *text = line_find("NSpid:", "/proc/%d/status", (int)pid), *last;
	unsigned int number = 0;

	if (!text)
		return pid;	/* before Linux 4.1 */
	last = strrchr(text, '\t');
	sscanf(last ? last + 1 : text, "%u", &number);
	free(text);
	return number;
}

/* Returns false if the process has ended. */
static bool find_user(uid_t *uid, pid_t pid)
{
	char *text = line_find("Uid:", "/proc/%d/status", (int)pid);
	bool is_found = text && sscanf(text, "%*u %u", uid) == 1;

	free(text);
	return is_found;
}

/* Opens a file only when it is known to be one: devices and fifos are never opened. */
static int open_file(pid_t pid, int folder, const char *name)
{
	int found = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), fd = -1;
	struct stat st;
	char way[32];

	if (found < 0)
		return -1;
	snprintf(way, sizeof(way), "/proc/self/fd/%d", found);
	/* The file may be a mount of its own. */
	if (!root_look(way, &st) && !server_has(pid, st.st_dev) && !fstat(found, &st) &&
	    S_ISREG(st.st_mode))
		fd = open(way, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	close(found);
	return fd;
}

void jit_map_read(struct jit_map *map, pid_t pid)
{
	char *name = mem_format("perf-%u.map", own_number(pid));
	int folder = own_tmp(pid), fd = -1;
	uid_t uid;

	if (folder >= 0) {
		fd = open_file(pid, folder, name);
		close(folder);
	}
	if (fd >= 0 && find_user(&uid, pid))
		jit_map_take(map, fd, uid);
	if (fd >= 0)
		close(fd);
	free(name);
}

void jit_map_free(struct jit_map *map)
{
	forget(map);
	free(map->all);
	memset(map, 0, sizeof(*map));
}

/* --- names ---------------------------------------------------------------------- */

const char *jit_map_name(const struct jit_map *map, uint64_t addr)
{
	size_t at = BOUND(map->nr, i, map->all[i].start <= addr), around;

	for (around = 0; at-- && around < MOST_AROUND; around++)
		if (addr < map->all[at].end)
			return map->all[at].name;
	return NULL;
}
