// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "demangle.h"
#include "elf.h"
#include "mem.h"
#include "plain.h"
#include "spaces.h"

/* One file, once, whoever has it mapped. */
struct space_file {
	uint64_t inode;
	char *path;
	bool is_open;		/* else it is none that has symbols, or could not be read */
	struct elf_file elf;
};

static struct maps *find(const struct spaces *spaces, pid_t pid)
{
	size_t i;

	for (i = 0; i < spaces->nr; i++)
		if (spaces->all[i].pid == pid)
			return &spaces->all[i];
	return NULL;
}

/* One that has ended has no memory, be it a zombie still. */
void spaces_look(struct spaces *spaces, pid_t pid)
{
	struct maps *maps = find(spaces, pid), now;

	maps_read(&now, pid);
	if (!now.nr) {
		maps_free(&now);
		return;
	}
	if (!maps) {
		spaces->all = mem_grow(spaces->all, spaces->nr, sizeof(*spaces->all));
		maps = &spaces->all[spaces->nr++];
	}
	maps_free(maps);
	*maps = now;
}

static bool is_same_file(const char *path, uint64_t inode)
{
	struct stat st;

	return !stat(path, &st) && st.st_ino == inode;
}

/* By its process as long as that lives, then by its path, if that is still the one. */
static void open_file(struct space_file *file, const struct maps *maps,
		      const struct mapping *mapping)
{
	char *path = maps_file(maps, mapping);
	struct err err;

	file->inode = mapping->inode;
	file->path = mem_string(mapping->path);
	file->is_open = !elf_file_open(&file->elf, path, &err) ||
			(is_same_file(mapping->path, mapping->inode) &&
			 !elf_file_open(&file->elf, mapping->path, &err));
	free(path);
}

/* NULL: it cannot be read. */
static const struct elf_file *file_of(struct spaces *spaces, const struct maps *maps,
				      const struct mapping *mapping)
{
	struct space_file *file;

	for (file = spaces->files; file < spaces->files + spaces->nr_files; file++)
		if (file->inode == mapping->inode && !strcmp(file->path, mapping->path))
			return file->is_open ? &file->elf : NULL;
	spaces->files = mem_grow(spaces->files, spaces->nr_files, sizeof(*spaces->files));
	file = &spaces->files[spaces->nr_files++];
	open_file(file, maps, mapping);
	return file->is_open ? &file->elf : NULL;
}

static char *place_of(const struct mapping *mapping, uint64_t offset)
{
	const char *slash = strrchr(mapping->path, '/');

	return mem_format("%s+0x%" PRIx64, slash ? slash + 1 : mapping->path, offset);
}

char *spaces_name(struct spaces *spaces, pid_t pid, uint64_t addr)
{
	const struct maps *maps = find(spaces, pid);
	const struct mapping *mapping = maps ? maps_find(maps, addr) : NULL;
	const struct elf_file *file = mapping ? file_of(spaces, maps, mapping) : NULL;
	const struct elf_sym *sym = NULL;
	uint64_t offset, at;

	if (!mapping)
		return mem_string(SPACES_UNKNOWN);
	offset = addr - mapping->start + mapping->offset;
	if (file && elf_file_addr(file, offset, &at))
		sym = elf_file_sym_at(file, at);
	return plain_text(sym ? demangle(sym->name) : place_of(mapping, offset));
}

void spaces_free(struct spaces *spaces)
{
	struct space_file *file;

	while (spaces->nr)
		maps_free(&spaces->all[--spaces->nr]);
	for (file = spaces->files; file < spaces->files + spaces->nr_files; file++) {
		if (file->is_open)
			elf_file_close(&file->elf);
		free(file->path);
	}
	free(spaces->all);
	free(spaces->files);
	memset(spaces, 0, sizeof(*spaces));
}
