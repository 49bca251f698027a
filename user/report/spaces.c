// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "elf/elf.h"
#include "report/spaces.h"
#include "system/jit_map.h"
#include "system/server.h"
#include "util/clock.h"
#include "util/demangle.h"
#include "util/effort.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/root.h"

#define MOST_AT_FIRST 64
#define MOST_FILES_AT_FIRST 1024
#define MOST_HELD 4096		/* descriptors of files whose symbols were not read */

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
	char *path;		/* in the process that mapped it first */
	int fd;			/* held until its symbols are read; or -1 */
	bool is_read;		/* by fd, or by path if there was none */
	bool is_open;		/* its symbols were read, and elf is open */
	bool is_refused;	/* it was open, and has no symbols that can be read */
	bool is_used;
	bool is_known;		/* by spaces_know() */
	bool is_seen;
	uint32_t seen;		/* index in spaces */
	struct elf_file elf;
	UT_hash_handle hh;
};

/* --- files -------------------------------------------------------------------- */

static struct space_file *find_file(const struct spaces *spaces, uint64_t dev, uint64_t inode)
{
	struct file_key key = { dev, inode };
	struct space_file *file;

	HASH_FIND(hh, spaces->files, &key, sizeof(key), file);
	return file;
}

/* Opens the file through its process, which may have ended. */
static int open_mapping(struct spaces *spaces, const struct maps *maps,
			const struct mapping *mapping)
{
	char *path = maps_file(maps, mapping);
	struct stat st;
	int fd = -1;

	if (!root_look(path, &st) &&
	    !server_is_silent(&spaces->silent_dev, maps->pid, mapping->dev, path))
		fd = root_open_path(path, &st);
	free(path);
	return fd;
}

static struct space_file *add_file(struct spaces *spaces, uint64_t dev, uint64_t inode,
				   const char *path)
{
	struct space_file *file = mem_alloc(sizeof(*file));

	file->key.dev = dev;
	file->key.inode = inode;
	file->path = mem_string(path);
	file->fd = -1;
	HASH_ADD(hh, spaces->files, key, sizeof(file->key), file);
	return file;
}

static struct space_file *file_of(struct spaces *spaces, const struct mapping *mapping)
{
	struct space_file *file = find_file(spaces, mapping->dev, mapping->inode);

	return file ? file : add_file(spaces, mapping->dev, mapping->inode, mapping->path);
}

/* The file may be known already, by a path that leads nowhere here. */
static void hold(struct spaces *spaces, struct space_file *file, const struct maps *maps,
		 const struct mapping *mapping)
{
	if (file->fd >= 0 || file->is_open || file->is_refused)
		return;
	file->fd = open_mapping(spaces, maps, mapping);
	if (file->fd < 0)
		return;
	file->is_read = false;
	spaces->nr_held++;
}

void spaces_know(struct spaces *spaces, uint64_t dev, uint64_t inode, const char *path)
{
	struct space_file *file = find_file(spaces, dev, inode);

	file = file ? file : add_file(spaces, dev, inode, path);
	file->is_known = true;
}

/* Returns the descriptor of a file, which is no longer held; or -1. */
static int let_go(struct spaces *spaces, struct space_file *file)
{
	int fd = file->fd;

	spaces->nr_held -= fd >= 0;
	file->fd = -1;
	return fd;
}

static void close_file(struct spaces *spaces, struct space_file *file)
{
	int fd = let_go(spaces, file);

	if (fd >= 0)
		close(fd);
	if (file->is_open)
		elf_file_close(&file->elf);
	file->is_open = file->is_read = file->is_refused = false;
}

static void drop_file(struct spaces *spaces, struct space_file *file)
{
	HASH_DEL(spaces->files, file);
	close_file(spaces, file);
	free(file->path);
	free(file);
}

/* The path may lead to another file, also of another file system, whose server is silent. */
static bool open_by_path(struct spaces *spaces, struct space_file *file)
{
	struct mapping mapping = { .dev = file->key.dev, .inode = file->key.inode };
	struct err err;
	struct stat st;

	if (root_look(file->path, &st) ||
	    server_is_silent(&spaces->silent_dev, getpid(), st.st_dev, file->path) ||
	    elf_file_open(&file->elf, file->path, &err))
		return false;
	if (maps_is_of(&mapping, file->elf.fd))
		return true;
	elf_file_close(&file->elf);
	return false;
}

/* Returns NULL if the file cannot be read. */
static const struct elf_file *elf_of(struct spaces *spaces, struct space_file *file)
{
	struct err err;
	int fd;

	if (!file->is_read) {
		fd = let_go(spaces, file);
		file->is_read = true;
		file->is_open = fd >= 0 ? !elf_file_take(&file->elf, fd, file->path, &err) :
				open_by_path(spaces, file);
		file->is_refused = fd >= 0 && !file->is_open;
	}
	return file->is_open ? &file->elf : NULL;
}

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

/* At most a quarter of the descriptors that this process may have. */
static size_t most_held(void)
{
	struct rlimit nr;

	return getrlimit(RLIMIT_NOFILE, &nr) || nr.rlim_cur / 4 > MOST_HELD ? MOST_HELD :
									      nr.rlim_cur / 4;
}

/* Files beyond the limit are opened when they are needed, if a process still maps them. */
static void take_files(struct spaces *spaces, const struct maps *maps)
{
	const struct mapping *mapping = maps->all, *behind = mapping + maps->nr;
	size_t most = most_held();
	struct space_file *file;

	for (; mapping < behind && !effort_is_spent(); mapping++) {
		if (!mapping->is_code)
			continue;
		file = file_of(spaces, mapping);
		if (spaces->nr_held < most)
			hold(spaces, file, maps, mapping);
	}
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
	if (now.nr) {
		space = space ? space : add(spaces, pid);
		maps_free(&space->maps);
		space->maps = now;
		space->is_ended = false;
		take_files(spaces, &space->maps);
	} else {
		maps_free(&now);
	}
	effort_end();
}

/* --- forgetting --------------------------------------------------------------- */

/*
 * Searches for ended processes only when there are twice as many of them, or of files, as were left
 * the last time, so that the cost per process and file stays small.
 */
void spaces_begin(struct spaces *spaces)
{
	struct space *space;

	spaces->is_forgetting = HASH_COUNT(spaces->all) >= spaces->most ||
				HASH_COUNT(spaces->files) >= spaces->most_files;
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
		file = find_file(spaces, maps->all[i].dev, maps->all[i].inode);
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
		if (!file->is_used && file->is_known)
			close_file(spaces, file);
		else if (!file->is_used)
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
	spaces->most_files = 2 * HASH_COUNT(spaces->files) + MOST_FILES_AT_FIRST;
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

static char *place_of(const struct space_file *file, uint64_t offset)
{
	const char *slash = strrchr(file->path, '/');

	return mem_format("%s+0x%" PRIx64, slash ? slash + 1 : file->path, offset);
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

/* Code in a file. */
struct found {
	struct space_file *file;
	uint64_t offset;
	bool is_deleted;
};

static bool is_known(const struct ktrace_place *place)
{
	return place->offset != KTRACE_PLACE_UNKNOWN;
}

static bool is_vdso(const struct ktrace_place *place)
{
	return is_known(place) && !place->inode;
}

/* The process may have mapped another file there since. */
static bool is_still_there(const struct ktrace_place *place, uint64_t offset)
{
	return !is_known(place) || place->offset == offset;
}

static bool find_mapped(struct spaces *spaces, const struct space *space, const struct code *code,
			struct found *found)
{
	const struct mapping *mapping = space ? maps_find(&space->maps, code->addr) : NULL;

	if (!mapping || !mapping->is_code)
		return false;
	found->offset = code->addr - mapping->start + mapping->offset;
	if (!is_still_there(&code->place, found->offset))
		return false;
	found->file = file_of(spaces, mapping);
	if (!found->file->is_read)
		hold(spaces, found->file, &space->maps, mapping);
	found->is_deleted = mapping->is_deleted;
	return true;
}

/* What the module says is true for the time of the stack, the mappings are of a later time. */
static bool find_code(struct spaces *spaces, const struct space *space, const struct code *code,
		      struct found *found)
{
	const struct ktrace_place *place = &code->place;

	memset(found, 0, sizeof(*found));
	if (is_vdso(place))
		return false;
	if (is_known(place))
		found->file = find_file(spaces, makedev(place->major, place->minor), place->inode);
	if (!found->file)
		return find_mapped(spaces, space, code, found);
	found->offset = place->offset;
	found->file->is_used = true;
	return true;
}

static char *name_elsewhere(struct space *space, const struct code *code)
{
	if (is_known(&code->place))
		return mem_string(is_vdso(&code->place) ? SPACES_VDSO : SPACES_GONE);
	return space ? name_made(space, code->addr) : mem_string(SPACES_GONE);
}

char *spaces_name(struct spaces *spaces, const struct code *code)
{
	struct space *space = find(spaces, code->pid);
	const struct elf_sym *sym = NULL;
	const struct elf_file *elf;
	const char *name;
	struct found found;
	uint64_t at;

	if (!find_code(spaces, space, code, &found))
		return name_elsewhere(space, code);
	elf = elf_of(spaces, found.file);
	if (elf && elf_file_addr(elf, found.offset, &at))
		sym = elf_file_sym_at(elf, at);
	if (sym)
		return demangle(sym->name);
	/* Some runtimes map their code from a file without a name. */
	name = found.is_deleted ? jit_name(space, code->addr) : NULL;
	return name ? mem_string(name) : place_of(found.file, found.offset);
}

/* --- places ------------------------------------------------------------------- */

static uint32_t see(struct spaces *spaces, struct space_file *file)
{
	const struct elf_file *elf = elf_of(spaces, file);
	struct space_seen *seen;
	size_t i;

	if (file->is_seen)
		return file->seen;
	spaces->seen = mem_grow(spaces->seen, spaces->nr_seen, sizeof(*spaces->seen));
	seen = &spaces->seen[spaces->nr_seen];
	seen->path = mem_string(file->path);
	for (i = 0; elf && i < elf->build_id_len; i++)
		snprintf(seen->build_id + 2 * i, 3, "%02x", elf->build_id[i]);
	file->is_seen = true;
	file->seen = spaces->nr_seen++;
	return file->seen;
}

struct space_place spaces_place(struct spaces *spaces, const struct code *code)
{
	struct found found;

	if (!find_code(spaces, find(spaces, code->pid), code, &found))
		return (struct space_place){ SPACES_NO_FILE, 0 };
	return (struct space_place){ see(spaces, found.file), found.offset };
}
