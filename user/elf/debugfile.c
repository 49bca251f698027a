// SPDX-License-Identifier: GPL-2.0
/* Finds separate debug symbols, and checks that they belong to the file. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>

#include "elf/debugfile.h"
#include "elf/elf_open.h"
#include "elf/sections.h"
#include "util/effort.h"
#include "util/mem.h"
#include "util/root.h"
#include "util/unxz.h"

#define FOLDER "/usr/lib/debug"

/* --- sections ----------------------------------------------------------- */

/* Returns the contents of a section, which may be empty, or NULL. */
static Elf_Data *data_of(Elf *elf, const char *name)
{
	Elf_Scn *section = elf_section_named(elf, name);
	GElf_Shdr header;

	return section && gelf_getshdr(section, &header) && header.sh_type != SHT_NOBITS ?
	       elf_rawdata(section, NULL) : NULL;
}

struct link {
	const char *name;
	uint32_t crc;
};

/* The section has a file name, padded to four bytes, and the CRC of this file. */
static bool read_link(const struct elf_file *file, struct link *link)
{
	Elf_Data *data = data_of(file->elf, ".gnu_debuglink");
	size_t len;

	if (!data || !data->d_buf)
		return false;
	len = (strnlen(data->d_buf, data->d_size) + 4) & ~3UL;
	if (data->d_size < 4 || len > data->d_size - 4)
		return false;
	link->name = data->d_buf;
	memcpy(&link->crc, (char *)data->d_buf + len, 4);
	return *link->name && !strchr(link->name, '/');
}

/* --- checks ------------------------------------------------------------- */

#define MAX_SUMMED (2L << 30)	/* bytes; takes a second or two */
#define MAX_TIMES_BLOCKS 16	/* a file system may compress */
#define MAX_HOLES (16UL << 20)
#define BLOCK_LEN 512

/* Returns NULL if the file has this checksum. A file that is truncated meanwhile has another. */
static const char *check_sum(int fd, uint32_t wanted)
{
	static const char another[] = "its checksum is not that of .gnu_debuglink";
	static uint8_t bytes[1 << 18];
	uint64_t done = 0;
	uint32_t crc = 0;
	struct stat st;
	ssize_t nr;

	if (fstat(fd, &st) || st.st_size > MAX_SUMMED)
		return "it has no build-id, and is longer than 2 GiB, too long for a checksum";
	if ((uint64_t)st.st_size > MAX_TIMES_BLOCKS * BLOCK_LEN * (uint64_t)st.st_blocks + MAX_HOLES)
		return "it has no build-id, and has more holes than data, which take long to sum up";
	while ((nr = pread(fd, bytes, sizeof(bytes), done)) > 0) {
		done += nr;
		if (done > (uint64_t)st.st_size)
			return another;
		if (effort_is_spent())
			return effort_text();
		if (!unxz_crc(bytes, nr, &crc))
			return "it has no build-id, and ktrace was built without liblzma, which computes checksums";
	}
	return crc == wanted ? NULL : another;
}

/*
 * Returns NULL if the debug file belongs to the file, or the reason why not. If both have a
 * build-id, the build-ids decide, so that the file need not be read completely.
 */
static const char *why_not(const struct elf_file *file, const struct elf_debug *debug,
			   const struct link *link)
{
	unsigned char id[20];
	size_t len = elf_build_id(debug->elf, id);

	if (len && file->build_id_len)
		return len == file->build_id_len && !memcmp(id, file->build_id, len) ? NULL :
		       "it has another build-id";
	return link ? check_sum(debug->fd, link->crc) : "it has no build-id";
}

/* --- search ------------------------------------------------------------- */

/* Where to search: in ktrace's own root, or in that of the process whose file it is. */
struct search_root {
	int root;		/* -1: no such root */
	char prefix[32];	/* the path of root: "/proc/PID/root", or "" */
};

static void find_root(struct search_root *from, const char *path)
{
	int pid;

	from->root = -1;
	from->prefix[0] = 0;
	if (sscanf(path, "/proc/%d/", &pid) != 1)
		return;
	from->root = root_of_process(pid);
	snprintf(from->prefix, sizeof(from->prefix), "/proc/%d/root", pid);
}

static int folder_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 - path : 0;
}

static void refuse(struct elf_file *file, const char *what, const char *why)
{
	if (!file->refused)
		file->refused = mem_format("%s: %s", what, why);
}

/* Returns true for a file that is not empty and not the file itself. */
static bool is_other(const struct stat *own, const struct stat *st)
{
	return st->st_size && (st->st_dev != own->st_dev || st->st_ino != own->st_ino);
}

/*
 * Anybody can build a debug file with any build-id, and put it where it is found: beside the file,
 * or in a root of their own.
 */
static bool is_trusted(const struct stat *own, const struct stat *st)
{
	return !st->st_uid || st->st_uid == own->st_uid || st->st_uid == geteuid();
}

/* Takes ownership of path, which counts from the root. */
static bool try(struct elf_file *file, const struct search_root *from, char *path,
		const struct link *link)
{
	struct elf_debug *debug = &file->debug;
	const char *why = "it belongs to another user";
	struct stat own, st;

	debug->fd = root_open(from->root, path, &st);
	debug->path = mem_format("%s%s", from->prefix, path);
	free(path);
	if (debug->fd >= 0 && !fstat(file->fd, &own) && is_other(&own, &st)) {
		if (is_trusted(&own, &st))
			debug->elf = elf_open(debug->fd, &why);
		if (debug->elf)
			why = why_not(file, debug, link);
		if (!why)
			return true;
		refuse(file, debug->path, why);
	}
	debugfile_close(debug);
	return false;
}

static bool find_by_id(struct elf_file *file, const struct search_root *from)
{
	char hex[2 * sizeof(file->build_id) + 1];
	size_t i;

	if (file->build_id_len < 2)
		return false;
	for (i = 0; i < file->build_id_len; i++)
		sprintf(hex + 2 * i, "%02x", file->build_id[i]);
	return try(file, from, mem_format(FOLDER "/.build-id/%.2s/%s.debug", hex, hex + 2), NULL);
}

/* folder is a path; the part up to its last slash is used. */
static bool find_by_link(struct elf_file *file, const struct search_root *from,
			 const struct link *link, const char *folder)
{
	int len = folder_len(folder);

	return try(file, from, mem_format("%.*s%s", len, folder, link->name), link) ||
	       try(file, from, mem_format("%.*s.debug/%s", len, folder, link->name), link) ||
	       try(file, from, mem_format(FOLDER "%.*s%s", len, folder, link->name), link);
}

static bool find_in(struct elf_file *file, const struct search_root *from)
{
	char real[PATH_MAX];
	struct link link;

	if (from->root == -1)
		return false;
	if (find_by_id(file, from))
		return true;
	if (!read_link(file, &link))
		return false;
	return (realpath(file->path, real) && find_by_link(file, from, &link, real)) ||
	       (from->root == ROOT_OWN && find_by_link(file, from, &link, file->path));
}

bool debugfile_find(struct elf_file *file)
{
	struct search_root own = { .root = ROOT_OWN }, its;
	bool is_found;

	find_root(&its, file->path);
	is_found = find_in(file, &own) || find_in(file, &its);
	root_close(its.root);
	return is_found;
}

/* --- MiniDebugInfo ------------------------------------------------------ */

bool debugfile_unpack(struct elf_file *file)
{
	Elf_Data *packed = data_of(file->elf, ".gnu_debugdata");
	struct elf_debug *debug = &file->debug;
	const char *why = NULL;

	debugfile_close(debug);
	if (!packed || !packed->d_buf)
		return false;
	debug->image = unxz(packed->d_buf, packed->d_size, &debug->image_len, &why);
	if (debug->image)
		debug->elf = elf_memory(debug->image, debug->image_len);
	if (debug->elf && elf_kind(debug->elf) == ELF_K_ELF)
		return true;
	refuse(file, ".gnu_debugdata", why ? why : "it does not contain an ELF file");
	debugfile_close(debug);
	return false;
}

void debugfile_close(struct elf_debug *debug)
{
	if (debug->elf)
		elf_end(debug->elf);
	if (debug->fd >= 0)
		close(debug->fd);
	if (debug->image)
		unxz_free(debug->image, debug->image_len);
	free(debug->path);
	memset(debug, 0, sizeof(*debug));
	debug->fd = -1;
}
