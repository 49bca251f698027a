// SPDX-License-Identifier: GPL-2.0
/* The segments of an ELF file and their contents. */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include <gelf.h>

#include "elf/segments.h"
#include "util/bound.h"
#include "util/mem.h"

#define MAX_SEGMENTS 1024	/* linkers make two to ten */

/* --- reading ------------------------------------------------------------ */

/* Returns len bytes and a zero, or NULL if they cannot be read. The caller frees them. */
static uint8_t *read_at(const struct elf_file *file, uint64_t offset, uint64_t len)
{
	uint8_t *bytes = mem_alloc(len + 1);
	uint64_t done = 0;
	ssize_t nr;

	while (done < len) {
		nr = pread(file->fd, bytes + done, len - done, offset + done);
		if (nr <= 0) {
			free(bytes);
			return NULL;
		}
		done += nr;
	}
	return bytes;
}

static int add_segment(struct elf_file *file, const GElf_Phdr *header, struct err *err)
{
	struct elf_segment *segment;

	if (file->nr_segments == MAX_SEGMENTS)
		return err_set(err, "%s has more than %d segments, more than linkers make; give a program or library.",
			       file->path, MAX_SEGMENTS);
	file->segments = mem_grow(file->segments, file->nr_segments, sizeof(*segment));
	segment = &file->segments[file->nr_segments++];
	segment->addr = header->p_vaddr;
	segment->offset = header->p_offset;
	segment->len = header->p_filesz;
	segment->is_code = header->p_flags & PF_X;
	segment->is_writable = header->p_flags & PF_W;
	return 0;
}

static void read_interp(struct elf_file *file, const GElf_Phdr *header)
{
	uint64_t len = header->p_filesz;

	if (file->interp || !len || len > PATH_MAX)
		return;
	file->interp = (char *)read_at(file, header->p_offset, len);
	if (file->interp && file->interp[len - 1]) {
		free(file->interp);
		file->interp = NULL;
	}
}

static int read_segment(struct elf_file *file, const GElf_Phdr *header, struct err *err)
{
	if (header->p_type != PT_LOAD && header->p_type != PT_INTERP)
		return 0;
	if (header->p_offset > file->len || header->p_filesz > file->len - header->p_offset ||
	    header->p_vaddr > UINT64_MAX - header->p_filesz)
		return err_set(err, "%s is truncated or damaged: a segment is outside its %llu bytes; copy or build it again.",
			       file->path, (unsigned long long)file->len);
	if (header->p_type == PT_LOAD)
		return add_segment(file, header, err);
	read_interp(file, header);
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct elf_segment *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->len < y->len ? -1 : x->len > y->len;
}

static bool has_code(const struct elf_file *file)
{
	size_t i;

	for (i = 0; i < file->nr_segments; i++)
		if (file->segments[i].is_code && file->segments[i].len)
			return true;
	return false;
}

int segments_read(struct elf_file *file, struct err *err)
{
	GElf_Phdr header;
	size_t nr = 0, i;

	elf_getphdrnum(file->elf, &nr);
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(file->elf, i, &header))
			return err_set(err, "%s is truncated or damaged: its program headers are missing; copy or build it again.",
				       file->path);
		if (read_segment(file, &header, err))
			return -1;
	}
	if (!has_code(file))
		return err_set(err, "%s has no code; give a program or library.",
			       file->path);
	qsort(file->segments, file->nr_segments, sizeof(*file->segments), by_address);
	return 0;
}

void segments_free(struct elf_file *file)
{
	size_t i;

	for (i = 0; i < file->nr_segments; i++)
		free(file->segments[i].bytes);
	free(file->segments);
}

/* --- looking up --------------------------------------------------------- */

/* Returns the last segment that begins at or before addr, if it contains addr; else NULL. */
static struct elf_segment *segment_of(const struct elf_file *file, uint64_t addr)
{
	size_t nr = BOUND(file->nr_segments, i, file->segments[i].addr <= addr);
	struct elf_segment *segment = nr ? &file->segments[nr - 1] : NULL;

	return segment && addr - segment->addr < segment->len ? segment : NULL;
}

const uint8_t *elf_file_bytes(const struct elf_file *file, uint64_t addr, size_t len)
{
	struct elf_segment *segment = segment_of(file, addr);

	if (!segment || len > segment->len - (addr - segment->addr))
		return NULL;
	if (!segment->is_read)
		segment->bytes = read_at(file, segment->offset, segment->len);
	segment->is_read = true;
	return segment->bytes ? segment->bytes + (addr - segment->addr) : NULL;
}

bool elf_file_offset(const struct elf_file *file, uint64_t addr, uint64_t *offset)
{
	const struct elf_segment *segment = segment_of(file, addr);

	if (!segment || !segment->is_code)
		return false;
	*offset = segment->offset + (addr - segment->addr);
	return true;
}

bool elf_file_is_writable(const struct elf_file *file, uint64_t addr)
{
	const struct elf_segment *segment = segment_of(file, addr);

	return segment && segment->is_writable;
}

bool elf_file_addr(const struct elf_file *file, uint64_t offset, uint64_t *addr)
{
	const struct elf_segment *segment;

	for (segment = file->segments; segment < file->segments + file->nr_segments; segment++)
		if (segment->is_code && offset - segment->offset < segment->len) {
			*addr = segment->addr + (offset - segment->offset);
			return true;
		}
	return false;
}
