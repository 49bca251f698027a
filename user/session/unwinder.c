// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/elf.h"
#include "elf/unwind.h"
#include "plan/libs.h"
#include "plan/search.h"
#include "session/unwinder.h"
#include "system/maps.h"
#include "system/server.h"
#include "system/vdso.h"
#include "util/clock.h"
#include "util/effort.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/root.h"
#include "util/signals.h"

#define LOOK_NS		(CLOCK_SECOND / 10)
#define BEGIN_NS	(10 * CLOCK_SECOND)

/* A mapped file, by the numbers of /proc/PID/maps, which differ from those of stat(2). */
struct unwinder_seen {
	struct seen_key {
		uint64_t dev, inode;
	} key;
	UT_hash_handle hh;
};

/* --- giving ------------------------------------------------------------------- */

/* Takes the first clause of a sentence about a file: "PATH is empty, or ...; copy it again." */
static char *clause_of(const char *text, const char *path)
{
	size_t len = strlen(path);
	bool is_sentence = !strncmp(text, path, len);

	text += is_sentence ? len : 0;
	len = strcspn(text, ";");
	len -= len && text[len - 1] == '.';
	return mem_format("%s%.*s", is_sentence ? "it" : "", (int)len, text);
}

static void refuse(struct unwound *file, char *why)
{
	free(file->why);
	file->why = why;
	free(file->table);
	file->table = NULL;
	file->nr_rows = file->len = 0;
}

static char *refusal_text(const struct ktr *ktr, int error)
{
	switch (error) {
	case -ENOMEM:
		return mem_string("the memory limit of the module (max_mem) is reached");
	case -E2BIG:
		return mem_string("its table is too long, or the session has too many tables");
	default:
		return mem_format("the module refuses its table: %s", ktr_reason(ktr, error));
	}
}

/* If the module has no table in the end, it sends no more notices about the file, either. */
static void give(struct unwinder *unwinder, struct unwound *file, uint64_t session)
{
	int error = 0;

	if (!file->is_held)
		return;
	if (!file->why)
		error = ktr_unwind_add(unwinder->ktr, session, file->fd, file->table, file->len);
	if (error)
		refuse(file, refusal_text(unwinder->ktr, error));
	if (file->why)
		ktr_unwind_add(unwinder->ktr, session, file->fd, NULL, 0);
}

static void release(struct unwound *file)
{
	free(file->table);
	file->table = NULL;
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
	file->is_held = false;
}

void unwinder_give(struct unwinder *unwinder, uint64_t session)
{
	size_t i;

	unwinder->sessions = mem_grow(unwinder->sessions, unwinder->nr_sessions, sizeof(session));
	unwinder->sessions[unwinder->nr_sessions++] = session;
	for (i = 0; i < unwinder->nr; i++)
		give(unwinder, &unwinder->files[i], session);
}

void unwinder_begun(struct unwinder *unwinder)
{
	size_t i;

	unwinder->has_begun = true;
	for (i = 0; i < unwinder->nr; i++)
		release(&unwinder->files[i]);
}

/* --- files -------------------------------------------------------------------- */

static struct unwound *add(struct unwinder *unwinder, const char *name)
{
	struct unwound *file;

	unwinder->files = mem_grow(unwinder->files, unwinder->nr, sizeof(*file));
	file = &unwinder->files[unwinder->nr++];
	file->name = mem_string(name);
	file->fd = -1;
	return file;
}

static void add_refused(struct unwinder *unwinder, const char *name, const char *why)
{
	add(unwinder, name)->why = mem_string(why);
}

static void compile(struct unwound *file)
{
	int fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	struct unwind unwind;
	struct elf_file elf;
	struct err err;

	if (fd < 0) {
		file->why = mem_string("there are no file descriptors left");
		return;
	}
	if (elf_file_take_code(&elf, fd, file->name, &err)) {
		file->why = clause_of(err.text, file->name);
		return;
	}
	if (unwind_compile(&unwind, &elf, &err)) {
		file->why = clause_of(unwind.why, file->name);
	} else {
		file->table = unwind.table;
		file->len = unwind.len;
		file->nr_rows = unwind.nr_rows;
	}
	elf_file_close(&elf);
}

/* An inode may be used again, and a file may be written again. */
static struct unwound_key key_of(const struct stat *st)
{
	return (struct unwound_key){
		.dev = st->st_dev, .inode = st->st_ino, .len = st->st_size,
		.changed = st->st_mtim.tv_sec * CLOCK_SECOND + st->st_mtim.tv_nsec,
	};
}

static bool is_known(const struct unwinder *unwinder, const struct unwound_key *key)
{
	size_t i;

	for (i = 0; i < unwinder->nr; i++)
		if (!memcmp(&unwinder->files[i].key, key, sizeof(*key)))
			return true;
	return false;
}

/* Takes ownership of fd. */
static void take(struct unwinder *unwinder, int fd, const struct stat *st, const char *name)
{
	struct unwound_key key = key_of(st);
	struct unwound *file;
	size_t i;

	if (is_known(unwinder, &key)) {
		close(fd);
		return;
	}
	file = add(unwinder, name);
	file->key = key;
	file->fd = fd;
	file->is_held = true;
	if (!maps_numbers(fd, &file->dev, &file->inode))
		file->inode = 0;
	compile(file);
	if (!unwinder->has_begun)
		return;
	for (i = 0; i < unwinder->nr_sessions; i++)
		give(unwinder, file, unwinder->sessions[i]);
	release(file);
}

/* The module knows the vDSO without a descriptor. */
static void take_vdso(struct unwinder *unwinder)
{
	struct unwound *file = add(unwinder, "[vdso]");

	file->fd = vdso_open();
	if (file->fd < 0) {
		file->why = mem_string("it cannot be copied to a file in /tmp");
		return;
	}
	compile(file);
	close(file->fd);
	file->fd = -1;
	file->is_held = true;
}

/* --- processes ---------------------------------------------------------------- */

static bool is_new(struct unwinder *unwinder, const struct mapping *mapping)
{
	struct seen_key key = { mapping->dev, mapping->inode };
	struct unwinder_seen *seen;

	HASH_FIND(hh, unwinder->seen, &key, sizeof(key), seen);
	if (seen)
		return false;
	seen = mem_alloc(sizeof(*seen));
	seen->key = key;
	HASH_ADD(hh, unwinder->seen, key, sizeof(key), seen);
	return true;
}

/* Another process may have the file, when this one has ended. */
static void forget(struct unwinder *unwinder, const struct mapping *mapping)
{
	struct seen_key key = { mapping->dev, mapping->inode };
	struct unwinder_seen *seen;

	HASH_FIND(hh, unwinder->seen, &key, sizeof(key), seen);
	if (!seen)
		return;
	HASH_DEL(unwinder->seen, seen);
	free(seen);
}

/* Returns why the file of a mapping has no table, or NULL. */
static const char *take_mapping(struct unwinder *unwinder, const struct maps *maps,
				const struct mapping *mapping)
{
	char *path = maps_file(maps, mapping);
	bool silent = server_is_silent(&unwinder->silent_dev, maps->pid, mapping->dev, path);
	struct stat st;
	int fd = silent ? -1 : root_open_path(path, &st), error = errno;

	free(path);
	if (silent)
		return "the server of its file system does not answer";
	if (fd >= 0)
		take(unwinder, fd, &st, mapping->path);
	else if (error == ENOENT || error == ESRCH)
		forget(unwinder, mapping);
	else
		return error == EINVAL ? "it is a device" : strerror(error);
	return NULL;
}

static bool is_late(const struct unwinder *unwinder, uint64_t end)
{
	return clock_now_ns() >= end || (!unwinder->has_begun && signals_nr_ends);
}

/* Returns false if the time was over before all files were compiled. At least one is, each time. */
static bool take_new(struct unwinder *unwinder, const struct maps *maps, uint64_t end)
{
	const struct mapping *mapping = maps->all, *behind = mapping + maps->nr;
	const char *why;

	for (; mapping < behind; mapping++) {
		if (!mapping->is_code || !is_new(unwinder, mapping))
			continue;
		why = take_mapping(unwinder, maps, mapping);
		if (why)
			add_refused(unwinder, mapping->path, why);
		if (is_late(unwinder, end))
			return false;
	}
	return true;
}

/* All files were seen, and there is one that the module does not know: it was written since. */
static void take_changed(struct unwinder *unwinder, const struct maps *maps)
{
	const struct mapping *mapping = maps->all, *behind = mapping + maps->nr;

	for (; mapping < behind && !effort_is_spent(); mapping++)
		if (mapping->is_code)
			take_mapping(unwinder, maps, mapping);
}

static bool take_process(struct unwinder *unwinder, pid_t pid, uint64_t end)
{
	size_t nr_seen = HASH_COUNT(unwinder->seen);
	struct maps maps;
	bool is_done;

	maps_read(&maps, pid);
	is_done = take_new(unwinder, &maps, end);
	if (unwinder->has_begun && HASH_COUNT(unwinder->seen) == nr_seen)
		take_changed(unwinder, &maps);
	maps_free(&maps);
	return is_done;
}

void unwinder_add_processes(struct unwinder *unwinder, const int32_t *pids, size_t nr)
{
	size_t i;

	if (!unwinder->ktr)
		return;
	effort_begin();
	for (i = 0; i < nr; i++)
		take_process(unwinder, pids[i], unwinder->begin_by);
	effort_end();
}

static bool is_ours(const struct unwinder *unwinder, uint64_t session)
{
	size_t i;

	for (i = 0; i < unwinder->nr_sessions; i++)
		if (unwinder->sessions[i] == session)
			return true;
	return false;
}

static bool next_process(struct unwinder *unwinder)
{
	struct ktr_notice notice;

	while (!unwinder->pid && ktr_maps_take(unwinder->ktr, &notice))
		if (is_ours(unwinder, notice.session))
			unwinder->pid = notice.pid;
	return unwinder->pid;
}

void unwinder_look(struct unwinder *unwinder)
{
	uint64_t end = clock_now_ns() + LOOK_NS;

	if (!unwinder->ktr)
		return;
	effort_begin();
	while (!is_late(unwinder, end) && next_process(unwinder))
		if (take_process(unwinder, unwinder->pid, end))
			unwinder->pid = 0;
	effort_end();
}

/* --- a program ---------------------------------------------------------------- */

static void take_libs(struct unwinder *unwinder, const struct elf_file *program)
{
	struct libs libs = { NULL, 0 };
	struct err ignored;
	struct stat st;
	struct lib *lib;

	/* What is not found is reported by the module when it is mapped. */
	search_libs(program, &libs, &ignored);
	for (lib = libs.all; lib < libs.all + libs.nr; lib++) {
		if (is_late(unwinder, unwinder->begin_by))
			break;
		if (lib->fd < 0 || fstat(lib->fd, &st))
			continue;
		take(unwinder, lib->fd, &st, lib->file);
		lib->fd = -1;
	}
	libs_free(&libs);
}

void unwinder_add_program(struct unwinder *unwinder, const char *path)
{
	struct elf_file program;
	struct err ignored;
	struct stat st;
	int fd, copy;

	if (!unwinder->ktr)
		return;
	fd = root_open_path(path, &st);
	if (fd < 0)
		return;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	effort_begin();
	take(unwinder, fd, &st, path);
	if (copy >= 0 && !elf_file_take_code(&program, copy, path, &ignored)) {
		take_libs(unwinder, &program);
		elf_file_close(&program);
	}
	effort_end();
}

/* --- begin and end ------------------------------------------------------------ */

void unwinder_open(struct unwinder *unwinder, struct ktr *ktr)
{
	struct ktr_info info;

	if (ktr_info(ktr, &info) || !(info.features & KTRACE_FEATURE_UNWIND))
		return;
	unwinder->ktr = ktr;
	unwinder->begin_by = clock_now_ns() + BEGIN_NS;
	ktr_maps_keep(ktr, true);
	take_vdso(unwinder);
}

void unwinder_close(struct unwinder *unwinder)
{
	struct unwinder_seen *seen, *next;
	struct unwound *file;

	if (unwinder->ktr)
		ktr_maps_keep(unwinder->ktr, false);
	HASH_ITER(hh, unwinder->seen, seen, next) {
		HASH_DEL(unwinder->seen, seen);
		free(seen);
	}
	while (unwinder->nr) {
		file = &unwinder->files[--unwinder->nr];
		release(file);
		free(file->name);
		free(file->why);
	}
	free(unwinder->files);
	free(unwinder->sessions);
	memset(unwinder, 0, sizeof(*unwinder));
}
