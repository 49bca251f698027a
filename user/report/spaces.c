// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf.h"
#include "report/spaces.h"
#include "system/jit_map.h"
#include "system/server.h"
#include "util/clock.h"
#include "util/demangle.h"
#include "util/effort.h"
#include "util/hash.h"

#define MOST_AT_FIRST 64

struct space {
	pid_t pid;
	bool is_ended;
	struct maps maps;
	struct jit_map jit;
	uint64_t jit_next;	/* ns, CLOCK_MONOTONIC: when its file is read again */
	UT_hash_handle hh;
};

/* A mapped file, shared by all processes that map it. */
struct space_file {
	struct file_key {
		uint64_t dev, inode;
	} key;
	bool is_open;		/* false: no file with symbols, or it could not be read */
	bool is_used;
	bool is_seen;
	uint32_t seen;		/* index in spaces */
	struct elf_file elf;
	UT_hash_handle hh;
};

/* --- processes ---------------------------------------------------------------- */

static struct space *find(const struct spaces *spaces, pid_t pid)
{
	struct space *space;

	HASH_FIND(hh, spaces->all, &pid, sizeof(pid), space);
	return space;
}

static struct space *add(struct spaces *spaces, pid_t pid)
{
	struct space *space = mem_alloc(sizeof(*space));

	space->pid = pid;
	HASH_ADD(hh, spaces->all, pid, sizeof(pid), space);
	return space;
}

static void drop(struct spaces *spaces, struct space *space)
{
	HASH_DEL(spaces->all, space);
	maps_free(&space->maps);
	jit_map_free(&space->jit);
	free(space);
}

/* A process that has ended has no memory, even if it is still a zombie. */
void spaces_look(struct spaces *spaces, pid_t pid)
{
	struct space *space = find(spaces, pid);
	struct maps now;

	if (effort_is_spent()) {
		if (!space)
			add(spaces, pid);	/* it is not known whether it has ended */
		return;
	}
	effort_begin();
	maps_read(&now, pid);
	effort_end();
	if (!now.nr) {
		maps_free(&now);
		return;
	}
	space = space ? space : add(spaces, pid);
	maps_free(&space->maps);
	space->maps = now;
	space->is_ended = false;
}

/* --- files -------------------------------------------------------------------- */

static struct space_file *find_file(const struct spaces *spaces, const struct mapping *mapping)
{
	struct file_key key = { mapping->dev, mapping->inode };
	struct space_file *file;

	HASH_FIND(hh, spaces->files, &key, sizeof(key), file);
	return file;
}

static bool open_now(struct space_file *file, const struct mapping *mapping)
{
	struct err err;

	if (elf_file_open(&file->elf, mapping->path, &err))
		return false;
	if (maps_is_of(mapping, file->elf.fd))
		return true;
	elf_file_close(&file->elf);
	return false;
}

static bool is_readable(struct spaces *spaces, pid_t pid, const struct mapping *mapping,
			const char *path)
{
	return !server_is_silent(&spaces->silent_dev, pid, mapping->dev, path);
}

/*
 * Opens the file through its process as long as the process lives, then by its path, if the path
 * still leads to the same file.
 */
static struct space_file *add_file(struct spaces *spaces, const struct maps *maps,
				   const struct mapping *mapping)
{
	struct space_file *file = mem_alloc(sizeof(*file));
	char *path = maps_file(maps, mapping);
	struct err err;

	file->key.dev = mapping->dev;
	file->key.inode = mapping->inode;
	file->is_open = (is_readable(spaces, maps->pid, mapping, path) &&
			 !elf_file_open(&file->elf, path, &err)) ||
			(is_readable(spaces, maps->pid, mapping, mapping->path) &&
			 open_now(file, mapping));
	free(path);
	HASH_ADD(hh, spaces->files, key, sizeof(file->key), file);
	return file;
}

static void drop_file(struct spaces *spaces, struct space_file *file)
{
	HASH_DEL(spaces->files, file);
	if (file->is_open)
		elf_file_close(&file->elf);
	free(file);
}

/* Returns NULL if the file cannot be read. */
static const struct elf_file *file_of(struct spaces *spaces, const struct maps *maps,
				      const struct mapping *mapping)
{
	struct space_file *file = find_file(spaces, mapping);

	file = file ? file : add_file(spaces, maps, mapping);
	return file->is_open ? &file->elf : NULL;
}

/* --- forgetting --------------------------------------------------------------- */

/*
 * Searches for ended processes only when there are twice as many as lived the last time, so that
 * the cost per process stays small.
 */
void spaces_begin(struct spaces *spaces)
{
	struct space *space;

	spaces->is_forgetting = HASH_COUNT(spaces->all) >= spaces->most;
	if (!spaces->is_forgetting)
		return;
	for (space = spaces->all; space; space = space->hh.next)
		space->is_ended = !maps_has_memory(space->pid);
}

static void mark_files(const struct spaces *spaces, const struct maps *maps)
{
	struct space_file *file;
	size_t i;

	for (i = 0; i < maps->nr; i++) {
		file = find_file(spaces, &maps->all[i]);
		if (file)
			file->is_used = true;
	}
}

static void drop_unused_files(struct spaces *spaces)
{
	struct space_file *file, *next;
	struct space *space;

	for (space = spaces->all; space; space = space->hh.next)
		mark_files(spaces, &space->maps);
	HASH_ITER(hh, spaces->files, file, next) {
		if (!file->is_used)
			drop_file(spaces, file);
		else
			file->is_used = false;
	}
}

void spaces_end(struct spaces *spaces)
{
	struct space *space, *next;

	if (!spaces->is_forgetting)
		return;
	HASH_ITER(hh, spaces->all, space, next)
		if (space->is_ended)
			drop(spaces, space);
	drop_unused_files(spaces);
	spaces->most = 2 * HASH_COUNT(spaces->all) + MOST_AT_FIRST;
}

void spaces_free(struct spaces *spaces)
{
	struct space_file *file, *next_file;
	struct space *space, *next;

	HASH_ITER(hh, spaces->all, space, next)
		drop(spaces, space);
	HASH_ITER(hh, spaces->files, file, next_file)
		drop_file(spaces, file);
	while (spaces->nr_seen)
		free(spaces->seen[--spaces->nr_seen].path);
	free(spaces->seen);
	memset(spaces, 0, sizeof(*spaces));
}

/* --- names -------------------------------------------------------------------- */

static char *place_of(const struct mapping *mapping, uint64_t offset)
{
	const char *slash = strrchr(mapping->path, '/');

	return mem_format("%s+0x%" PRIx64, slash ? slash + 1 : mapping->path, offset);
}

/* Reading takes a twentieth of the time at most, however fast the file grows. */
static const char *jit_name(struct space *space, uint64_t addr)
{
	const char *name = jit_map_name(&space->jit, addr);
	uint64_t now = clock_now_ns();

	if (name || now < space->jit_next)
		return name;
	jit_map_read(&space->jit, space->maps.pid);
	space->jit_next = clock_now_ns() + 20 * (clock_now_ns() - now);
	return jit_map_name(&space->jit, addr);
}

static char *name_made(struct space *space, uint64_t addr)
{
	const struct made_code *made = maps_find_made(&space->maps, addr);
	const char *name;

	/* Data: the mapping was read before the code was mapped there, or the frame is none. */
	if (!made)
		return mem_string(SPACES_UNKNOWN);
	if (made->is_vdso)
		return mem_string(SPACES_VDSO);
	name = jit_name(space, addr);
	return mem_string(name ? name : SPACES_JIT);
}

char *spaces_name(struct spaces *spaces, pid_t pid, uint64_t addr)
{
	struct space *space = find(spaces, pid);
	const struct mapping *mapping = space ? maps_find(&space->maps, addr) : NULL;
	const struct elf_sym *sym = NULL;
	const struct elf_file *file;
	uint64_t offset, at;
	const char *name;

	if (!space)
		return mem_string(SPACES_GONE);
	if (!mapping || !mapping->is_code)
		return name_made(space, addr);
	file = file_of(spaces, &space->maps, mapping);
	offset = addr - mapping->start + mapping->offset;
	if (file && elf_file_addr(file, offset, &at))
		sym = elf_file_sym_at(file, at);
	if (sym)
		return demangle(sym->name);
	/* Some runtimes map their code from a file without a name. */
	name = mapping->is_deleted ? jit_name(space, addr) : NULL;
	return name ? mem_string(name) : place_of(mapping, offset);
}

/* --- places ------------------------------------------------------------------- */

static uint32_t see(struct spaces *spaces, struct space_file *file, const char *path)
{
	struct space_seen *seen;
	size_t i;

	if (file->is_seen)
		return file->seen;
	spaces->seen = mem_grow(spaces->seen, spaces->nr_seen, sizeof(*spaces->seen));
	seen = &spaces->seen[spaces->nr_seen];
	seen->path = mem_string(path);
	for (i = 0; file->is_open && i < file->elf.build_id_len; i++)
		snprintf(seen->build_id + 2 * i, 3, "%02x", file->elf.build_id[i]);
	file->is_seen = true;
	file->seen = spaces->nr_seen++;
	return file->seen;
}

struct space_place spaces_place(struct spaces *spaces, pid_t pid, uint64_t addr)
{
	struct space *space = find(spaces, pid);
	const struct mapping *mapping = space ? maps_find(&space->maps, addr) : NULL;
	struct space_file *file;

	if (!mapping || !mapping->is_code)
		return (struct space_place){ SPACES_NO_FILE, 0 };
	file = find_file(spaces, mapping);
	file = file ? file : add_file(spaces, &space->maps, mapping);
	return (struct space_place){ see(spaces, file, mapping->path),
				     addr - mapping->start + mapping->offset };
}
