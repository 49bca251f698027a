// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>

#include "elf/elf_open.h"

/*
 * Limits for the bytes of all sections, and of all segments: TIMES_LEN times the length of the
 * file, and, in case of a sparse file, TIMES_BLOCKS times its blocks on the disk plus AT_LEAST.
 */
#define TIMES_LEN 2
#define TIMES_BLOCKS 16		/* a file system may compress */
#define AT_LEAST (64UL << 20)
#define BLOCK_LEN 512

static uint64_t most_of(int fd)
{
	uint64_t by_len, by_blocks;
	struct stat st;

	if (fstat(fd, &st))
		return 0;
	by_len = TIMES_LEN * (uint64_t)st.st_size;
	by_blocks = TIMES_BLOCKS * BLOCK_LEN * (uint64_t)st.st_blocks + AT_LEAST;
	return by_len < by_blocks ? by_len : by_blocks;
}

/* Subtracts len from *left. Returns false if len is larger. */
static bool take(uint64_t *left, uint64_t len)
{
	if (len > *left)
		return false;
	*left -= len;
	return true;
}

/*
 * libelf allocates memory for all sections that the header counts before it reads any of them. A
 * file with more than 65279 sections has their number elsewhere; linkers write such files only as
 * object files.
 */
static const char *check_header(int fd)
{
	Elf64_Ehdr header;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG))
		return "it has no ELF header";
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    header.e_machine != EM_X86_64)
		return "it is not for x86-64";
	if (header.e_shoff && (!header.e_shnum || header.e_phnum == PN_XNUM))
		return "it has more sections or segments than any program";
	return NULL;
}

static const char *check_sections(Elf *elf, uint64_t left)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type != SHT_NOBITS &&
		    !take(&left, header.sh_size))
			return "its sections together are longer than the file";
	return NULL;
}

static const char *check_segments(Elf *elf, uint64_t left)
{
	GElf_Phdr header;
	size_t nr = 0, i;

	elf_getphdrnum(elf, &nr);
	for (i = 0; i < nr; i++)
		if (gelf_getphdr(elf, i, &header) && header.p_type == PT_LOAD &&
		    !take(&left, header.p_filesz))
			return "its segments together are longer than the file";
	return NULL;
}

Elf *elf_open(int fd, const char **why)
{
	uint64_t most = most_of(fd);
	Elf *elf;

	*why = check_header(fd);
	if (*why)
		return NULL;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	*why = !elf || elf_kind(elf) != ELF_K_ELF ? "its ELF header is invalid" : NULL;
	if (!*why)
		*why = check_sections(elf, most);
	if (!*why)
		*why = check_segments(elf, most);
	if (!*why)
		return elf;
	elf_end(elf);
	return NULL;
}
