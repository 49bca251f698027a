/* SPDX-License-Identifier: GPL-2.0 */
#ifndef EH_FILE_H
#define EH_FILE_H

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * An ELF file in memory without sections: code_len bytes of code at address 0, which begin with the
 * headers, and then .eh_frame. Returns a descriptor.
 */
#define EH_FILE_HEADER 0x200	/* where PT_GNU_EH_FRAME points to */

struct eh_file_start {
	Elf64_Ehdr header;
	Elf64_Phdr code, frame, search;
};

static inline void eh_file_describe(struct eh_file_start *start, size_t len, size_t code_len)
{
	memset(start, 0, sizeof(*start));
	memcpy(start->header.e_ident, ELFMAG "\2\1\1", SELFMAG + 3);
	start->header.e_type = ET_DYN;
	start->header.e_machine = EM_X86_64;
	start->header.e_version = EV_CURRENT;
	start->header.e_ehsize = sizeof(start->header);
	start->header.e_phoff = sizeof(start->header);
	start->header.e_phentsize = sizeof(Elf64_Phdr);
	start->header.e_phnum = 3;
	start->code = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X,
				    .p_filesz = code_len, .p_memsz = code_len };
	start->frame = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R, .p_offset = code_len,
				     .p_vaddr = code_len, .p_filesz = len, .p_memsz = len };
	start->search = (Elf64_Phdr){ .p_type = PT_GNU_EH_FRAME, .p_offset = EH_FILE_HEADER,
				      .p_vaddr = EH_FILE_HEADER, .p_filesz = 8, .p_memsz = 8 };
}

static inline int eh_file_make(const uint8_t *frame, size_t len, size_t code_len)
{
	/* version, encoding of the address (pcrel sdata4), no search table */
	uint8_t search[8] = { 1, 0x1b, 0xff, 0xff };
	int32_t distance = code_len - EH_FILE_HEADER - 4;
	struct eh_file_start start;
	int fd = memfd_create("eh", MFD_CLOEXEC);

	eh_file_describe(&start, len, code_len);
	memcpy(search + 4, &distance, sizeof(distance));
	if (fd < 0 || ftruncate(fd, code_len + len) ||
	    pwrite(fd, &start, sizeof(start), 0) != sizeof(start) ||
	    pwrite(fd, search, sizeof(search), EH_FILE_HEADER) != sizeof(search) ||
	    pwrite(fd, frame, len, code_len) != (ssize_t)len)
		abort();
	return fd;
}

#endif
