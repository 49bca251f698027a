// SPDX-License-Identifier: GPL-2.0
/* Separate debug symbols: where they may be, and whether they are the right ones. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>

#include "debugfile.h"
#include "mem.h"
#include "unxz.h"

#define FOLDER "/usr/lib/debug"

/* --- sections ----------------------------------------------------------- */

static Elf_Data *section_named(Elf *elf, const char *wanted)
{
	Elf_Scn *section = NULL;
	const char *name;
	GElf_Shdr header;
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, strings, header.sh_name);
		if (name && !strcmp(name, wanted))
			return elf_rawdata(section, NULL);
	}
	return NULL;
}

struct link {
	const char *name;
	uint32_t crc;
};

/* A file name, padded to four bytes, then the CRC of that file. */
static bool read_link(const struct elf_file *file, struct link *link)
{
	Elf_Data *data = section_named(file->elf, ".gnu_debuglink");
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

/* --- is it the right one? ----------------------------------------------- */

/* As zlib's crc32(): polynomial 0xedb88320. */
static uint32_t crc_of(const unsigned char *bytes, size_t len)
{
	uint32_t table[256], crc = ~0U, i, bit;
	size_t at;

	for (i = 0; i < 256; i++) {
		table[i] = i;
		for (bit = 0; bit < 8; bit++)
			table[i] = (table[i] >> 1) ^ (table[i] & 1 ? 0xedb88320 : 0);
	}
	for (at = 0; at < len; at++)
		crc = (crc >> 8) ^ table[(crc ^ bytes[at]) & 0xff];
	return ~crc;
}

/* NULL: it is. Build-ids decide where both have one; they need no reading of all of it. */
static const char *why_not(const struct elf_file *file, Elf *elf, const struct link *link)
{
	unsigned char id[20];
	GElf_Ehdr header;
	const char *raw;
	size_t len;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header) ||
	    header.e_machine != EM_X86_64 || header.e_ident[EI_CLASS] != ELFCLASS64)
		return "it is no ELF file for x86-64";
	len = elf_build_id(elf, id);
	if (len && file->build_id_len)
		return len == file->build_id_len && !memcmp(id, file->build_id, len) ? NULL :
		       "its build-id is another";
	if (!link)
		return "it has no build-id";
	raw = elf_rawfile(elf, &len);
	return raw && crc_of((const unsigned char *)raw, len) == link->crc ? NULL :
	       "its checksum is not that of .gnu_debuglink";
}

/* --- where it may be ---------------------------------------------------- */

static void refuse(struct elf_file *file, const char *what, const char *why)
{
	if (!file->refused)
		file->refused = mem_format("%s: %s", what, why);
}

/* Takes path. */
static bool try(struct elf_file *file, char *path, const struct link *link)
{
	struct elf_debug *debug = &file->debug;
	const char *why = "it cannot be read as an ELF file";
	struct stat st, own;

	debug->path = path;
	debug->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (debug->fd >= 0 && !fstat(debug->fd, &st) && S_ISREG(st.st_mode) && st.st_size &&
	    !fstat(file->fd, &own) && (st.st_dev != own.st_dev || st.st_ino != own.st_ino)) {
		debug->elf = elf_begin(debug->fd, ELF_C_READ_MMAP, NULL);
		if (debug->elf)
			why = why_not(file, debug->elf, link);
		if (!why)
			return true;
		refuse(file, path, why);
	}
	debugfile_close(debug);
	return false;
}

/* "/proc/PID/root" for a file that a process names, which may see other files. */
static void root_of(const struct elf_file *file, char *root, size_t len)
{
	int pid;

	root[0] = 0;
	if (sscanf(file->path, "/proc/%d/", &pid) == 1)
		snprintf(root, len, "/proc/%d/root", pid);
}

static bool find_by_id(struct elf_file *file, const char *root)
{
	char hex[2 * sizeof(file->build_id) + 1];
	size_t i;

	if (file->build_id_len < 2)
		return false;
	for (i = 0; i < file->build_id_len; i++)
		sprintf(hex + 2 * i, "%02x", file->build_id[i]);
	return try(file, mem_format("%s" FOLDER "/.build-id/%.2s/%s.debug", root, hex, hex + 2),
		   NULL);
}

/* folder: with a slash at its end */
static bool find_by_link(struct elf_file *file, const struct link *link, const char *root,
			 const char *folder, int len)
{
	return try(file, mem_format("%s%.*s%s", root, len, folder, link->name), link) ||
	       try(file, mem_format("%s%.*s.debug/%s", root, len, folder, link->name), link) ||
	       try(file, mem_format("%s" FOLDER "%.*s%s", root, len, folder, link->name), link);
}

static int folder_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 - path : 0;
}

bool debugfile_find(struct elf_file *file)
{
	char root[32], real[PATH_MAX];
	struct link link;

	root_of(file, root, sizeof(root));
	if ((*root && find_by_id(file, root)) || find_by_id(file, ""))
		return true;
	if (!read_link(file, &link))
		return false;
	if (realpath(file->path, real) &&
	    ((*root && find_by_link(file, &link, root, real, folder_len(real))) ||
	     find_by_link(file, &link, "", real, folder_len(real))))
		return true;
	return find_by_link(file, &link, "", file->path, folder_len(file->path));
}

/* --- MiniDebugInfo ------------------------------------------------------ */

bool debugfile_unpack(struct elf_file *file)
{
	Elf_Data *packed = section_named(file->elf, ".gnu_debugdata");
	struct elf_debug *debug = &file->debug;
	const char *why = NULL;
	size_t len;

	debugfile_close(debug);
	if (!packed || !packed->d_buf)
		return false;
	debug->image = unxz(packed->d_buf, packed->d_size, &len, &why);
	if (debug->image)
		debug->elf = elf_memory(debug->image, len);
	if (debug->elf && elf_kind(debug->elf) == ELF_K_ELF)
		return true;
	refuse(file, ".gnu_debugdata", why ? why : "what it holds is no ELF file");
	debugfile_close(debug);
	return false;
}

void debugfile_close(struct elf_debug *debug)
{
	if (debug->elf)
		elf_end(debug->elf);
	if (debug->fd >= 0)
		close(debug->fd);
	free(debug->image);
	free(debug->path);
	memset(debug, 0, sizeof(*debug));
	debug->fd = -1;
}
