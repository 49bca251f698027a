// SPDX-License-Identifier: GPL-2.0
/* Reads the dynamic section through the program headers, as the loader does. */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/dynamic.h"
#include "util/mem.h"

#define MAX_HEADERS 128
#define MAX_ENTRIES 4096
#define SHORT_STRING 256
#define MAX_NAME 4096		/* of a library: no longer path can be opened */
#define MAX_STRING 65536	/* a list of folders */
#define MAX_LETTERS (1UL << 20)	/* all names of libraries together */

struct reader {
	int fd;
	Elf64_Phdr *headers;
	size_t nr_headers;
	Elf64_Dyn *entries;
	size_t nr_entries;
	uint64_t strings;	/* file offset of the string table */
};

static bool read_at(int fd, uint64_t at, void *to, size_t len)
{
	return at <= INT64_MAX && pread(fd, to, len, at) == (ssize_t)len;
}

/* --- headers ------------------------------------------------------------ */

static bool is_ours(const Elf64_Ehdr *header)
{
	return !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 &&
	       header->e_ident[EI_DATA] == ELFDATA2LSB && header->e_machine == EM_X86_64 &&
	       (header->e_type == ET_DYN || header->e_type == ET_EXEC) &&
	       header->e_phentsize == sizeof(Elf64_Phdr) && header->e_phnum <= MAX_HEADERS;
}

static bool read_headers(struct reader *reader)
{
	Elf64_Ehdr header;

	if (!read_at(reader->fd, 0, &header, sizeof(header)) || !is_ours(&header))
		return false;
	reader->nr_headers = header.e_phnum;
	reader->headers = mem_alloc(reader->nr_headers * sizeof(*reader->headers));
	return read_at(reader->fd, header.e_phoff, reader->headers,
		       reader->nr_headers * sizeof(*reader->headers));
}

static const Elf64_Phdr *header_of(const struct reader *reader, uint32_t type)
{
	size_t i;

	for (i = 0; i < reader->nr_headers; i++)
		if (reader->headers[i].p_type == type)
			return &reader->headers[i];
	return NULL;
}

/* --- entries ------------------------------------------------------------ */

/* Returns true, without entries, for a static file. */
static bool read_entries(struct reader *reader)
{
	const Elf64_Phdr *header = header_of(reader, PT_DYNAMIC);
	size_t nr = header ? header->p_filesz / sizeof(Elf64_Dyn) : 0;

	nr = nr < MAX_ENTRIES ? nr : MAX_ENTRIES;
	if (!nr)
		return true;
	reader->entries = mem_alloc(nr * sizeof(*reader->entries));
	if (!read_at(reader->fd, header->p_offset, reader->entries, nr * sizeof(*reader->entries)))
		return false;
	while (reader->nr_entries < nr && reader->entries[reader->nr_entries].d_tag != DT_NULL)
		reader->nr_entries++;
	return true;
}

static const Elf64_Dyn *entry_of(const struct reader *reader, int64_t tag)
{
	size_t i;

	for (i = reader->nr_entries; i; i--)
		if (reader->entries[i - 1].d_tag == tag)
			return &reader->entries[i - 1];
	return NULL;
}

/* --- strings ------------------------------------------------------------ */

static bool find_strings(struct reader *reader)
{
	const Elf64_Dyn *entry = entry_of(reader, DT_STRTAB);
	const Elf64_Phdr *header = reader->headers;

	for (; entry && header < reader->headers + reader->nr_headers; header++)
		if (header->p_type == PT_LOAD &&
		    entry->d_un.d_ptr - header->p_vaddr < header->p_filesz) {
			reader->strings = header->p_offset + entry->d_un.d_ptr - header->p_vaddr;
			return true;
		}
	return false;
}

/* Tries a short read first. Returns NULL if the string does not end within max bytes. */
static char *read_string(const struct reader *reader, uint64_t offset, size_t max)
{
	uint64_t at = reader->strings + offset;
	size_t room = SHORT_STRING;
	char *text = NULL, *copy;
	ssize_t len;

	for (; at <= INT64_MAX && room <= max; room *= 16) {
		text = mem_resize(text, room);
		len = pread(reader->fd, text, room, at);
		if (len <= 0 || !memchr(text, 0, len))
			continue;
		copy = mem_string(text);
		free(text);
		return copy;
	}
	free(text);
	return NULL;
}

static char *string_of(const struct reader *reader, int64_t tag)
{
	const Elf64_Dyn *entry = entry_of(reader, tag);

	return entry ? read_string(reader, entry->d_un.d_val, MAX_STRING) : NULL;
}

static void read_needed(const struct reader *reader, struct dynamic *dynamic)
{
	char *name;
	size_t i;

	for (i = 0; i < reader->nr_entries && dynamic->nr_letters < MAX_LETTERS; i++) {
		if (reader->entries[i].d_tag != DT_NEEDED)
			continue;
		name = read_string(reader, reader->entries[i].d_un.d_val, MAX_NAME);
		if (!name)
			continue;
		dynamic->needed = mem_grow(dynamic->needed, dynamic->nr_needed,
					   sizeof(*dynamic->needed));
		dynamic->needed[dynamic->nr_needed++] = name;
		dynamic->nr_letters += strlen(name);
	}
}

static void take(const struct reader *reader, struct dynamic *dynamic)
{
	const Elf64_Dyn *flags = entry_of(reader, DT_FLAGS_1);

	dynamic->has_no_default = flags && (flags->d_un.d_val & DF_1_NODEFLIB);
	dynamic->soname = string_of(reader, DT_SONAME);
	dynamic->runpath = string_of(reader, DT_RUNPATH);
	if (!dynamic->runpath)
		dynamic->rpath = string_of(reader, DT_RPATH);
	read_needed(reader, dynamic);
}

/* --- the whole section -------------------------------------------------- */

bool dynamic_read(struct dynamic *dynamic, int fd)
{
	struct reader reader = { .fd = fd };
	bool is_ours;

	memset(dynamic, 0, sizeof(*dynamic));
	is_ours = read_headers(&reader) && read_entries(&reader);
	if (is_ours && find_strings(&reader))
		take(&reader, dynamic);
	free(reader.headers);
	free(reader.entries);
	return is_ours;
}

void dynamic_free(struct dynamic *dynamic)
{
	while (dynamic->nr_needed)
		free(dynamic->needed[--dynamic->nr_needed]);
	free(dynamic->needed);
	free(dynamic->soname);
	free(dynamic->rpath);
	free(dynamic->runpath);
	memset(dynamic, 0, sizeof(*dynamic));
}
