// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "system/maps.h"
#include "util/bound.h"
#include "util/effort.h"
#include "util/hash.h"
#include "util/lines.h"
#include "util/mem.h"
#include "util/root.h"

static const char deleted[] = " (deleted)";

static bool cut_end(char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	if (len < end_len || strcmp(text + len - end_len, end))
		return false;
	text[len - end_len] = 0;
	return true;
}

/*
 * A process may have 65,000 mappings of a path of 4,096 letters. Each path is kept once, and when
 * MAX_LETTERS are reached, only the names of files are.
 */
#define MAX_LETTERS (4UL << 20)

struct maps_path {
	UT_hash_handle hh;
	char text[];
};

static char *keep_path(struct maps *maps, const char *path)
{
	const char *kept = maps->nr_letters < MAX_LETTERS ? path : strrchr(path, '/');
	size_t len = strlen(kept);
	struct maps_path *one;

	HASH_FIND(hh, maps->paths, kept, len, one);
	if (one)
		return one->text;
	one = mem_alloc(sizeof(*one) + len + 1);
	memcpy(one->text, kept, len + 1);
	HASH_ADD_KEYPTR(hh, maps->paths, one->text, len, one);
	maps->nr_letters += len;
	return one->text;
}

static void free_paths(struct maps *maps)
{
	struct maps_path *one, *next;

	HASH_ITER(hh, maps->paths, one, next) {
		HASH_DEL(maps->paths, one);
		free(one);
	}
}

/* "7f12-7f34 r-xp 00000000 00:00 0    [vdso]", or without a name, or with that of a heap */
static void add_made(struct maps *maps, const char *line)
{
	struct made_code made = { .is_vdso = strstr(line, "[v") };
	char perms[5] = "";

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &made.start, &made.end, perms) != 3 ||
	    perms[2] != 'x')
		return;
	maps->made = mem_grow(maps->made, maps->nr_made, sizeof(*maps->made));
	maps->made[maps->nr_made++] = made;
}

/* "7f12-7f34 r-xp 00001000 fe:01 1234    /lib/libc.so.6 (deleted)" */
static void add_line(struct maps *maps, char *line)
{
	struct mapping mapping;
	char perms[5] = "", *path = strchr(line, '/');
	unsigned int major, minor;

	memset(&mapping, 0, sizeof(mapping));
	/* Memory without a file may have a name with a slash: "[anon:a/b]" */
	if (!path || memchr(line, '[', path - line)) {
		add_made(maps, line);
		return;
	}
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64,
			    &mapping.start, &mapping.end, perms, &mapping.offset, &major, &minor,
			    &mapping.inode) != 7)
		return;
	mapping.dev = makedev(major, minor);
	mapping.is_deleted = cut_end(path, deleted);
	mapping.is_code = perms[2] == 'x';
	mapping.path = keep_path(maps, path);
	maps->all = mem_grow(maps->all, maps->nr, sizeof(*maps->all));
	maps->all[maps->nr++] = mapping;
}

void maps_read(struct maps *maps, pid_t pid)
{
	struct lines lines;

	memset(maps, 0, sizeof(*maps));
	maps->pid = pid;
	lines_open(&lines, "/proc/%d/maps", (int)pid);
	while (!effort_is_spent() && lines_next(&lines))
		add_line(maps, lines.text);
	lines_close(&lines);
}

void maps_free(struct maps *maps)
{
	free_paths(maps);
	free(maps->all);
	free(maps->made);
	maps->all = NULL;
	maps->made = NULL;
	maps->nr = maps->nr_made = 0;
}

bool maps_has_memory(pid_t pid)
{
	char *name = mem_format("/proc/%d/exe", (int)pid), target;
	bool has_memory = readlink(name, &target, 1) >= 0;

	free(name);
	return has_memory;
}

const struct mapping *maps_find(const struct maps *maps, uint64_t addr)
{
	size_t at = BOUND(maps->nr, i, maps->all[i].end <= addr);

	return at < maps->nr && maps->all[at].start <= addr ? &maps->all[at] : NULL;
}

const struct made_code *maps_find_made(const struct maps *maps, uint64_t addr)
{
	size_t at = BOUND(maps->nr_made, i, maps->made[i].end <= addr);

	return at < maps->nr_made && maps->made[at].start <= addr ? &maps->made[at] : NULL;
}

/* Kernels before 4.3 may have no map_files. The path is used instead if it leads to the inode. */
char *maps_file(const struct maps *maps, const struct mapping *mapping)
{
	char *file = mem_format("/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)maps->pid,
				mapping->start, mapping->end);
	char *path;
	struct stat st;

	if (!root_look(file, &st))
		return file;
	path = mem_format("/proc/%d/root%s", (int)maps->pid, mapping->path);
	if (root_look(path, &st) || st.st_ino != mapping->inode) {
		free(path);
		return file;
	}
	free(file);
	return path;
}

/* Maps the file: on overlays and btrfs, stat() has other numbers. */
bool maps_numbers(int fd, uint64_t *dev, uint64_t *inode)
{
	void *at = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	const struct mapping *own;
	struct maps maps;

	if (at == MAP_FAILED)
		return false;
	maps_read(&maps, getpid());
	own = maps_find(&maps, (uintptr_t)at);
	if (own) {
		*dev = own->dev;
		*inode = own->inode;
	}
	maps_free(&maps);
	munmap(at, 1);
	return own;
}

bool maps_is_of(const struct mapping *mapping, int fd)
{
	uint64_t dev, inode;

	return maps_numbers(fd, &dev, &inode) && dev == mapping->dev && inode == mapping->inode;
}
