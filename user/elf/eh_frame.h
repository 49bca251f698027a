/* SPDX-License-Identifier: GPL-2.0 */
#ifndef EH_FRAME_H
#define EH_FRAME_H

#include "elf/eh_cursor.h"
#include "elf/elf.h"

#define EH_FRAME_MAX_LEN	(64UL << 20)	/* of the section; large browsers have 20 MiB */
#define EH_FRAME_MAX_CIE	1024		/* bytes; compilers write 20 to 40 */

/* The section .eh_frame; its bytes belong to the file. */
struct eh_frame {
	const uint8_t *bytes;
	uint64_t addr;
	size_t len;
};

/* What functions have in common (common information entry). */
struct eh_cie {
	uint64_t code_align;
	int64_t data_align;
	struct eh_cursor program;
	uint8_t encoding;	/* of addresses in functions */
	bool has_augmentation;
	bool is_signal;		/* functions with it return from signal handlers */
};

/* A function (frame description entry). */
struct eh_fde {
	uint64_t begin, len;
	size_t cie;		/* where its CIE is in the section */
	struct eh_cursor program;
};

/*
 * Finds .eh_frame by its section, or by PT_GNU_EH_FRAME in a file without sections. Returns false
 * with *why set to a clause about the file.
 */
bool eh_frame_find(struct eh_frame *frame, const struct elf_file *file, const char **why);

/* Reads the CIE at an offset of the section. Returns false with *why set. */
bool eh_frame_cie(const struct eh_frame *frame, size_t at, struct eh_cie *cie, const char **why);

/* Where the next entry of the section is, and the CIE that was read last. */
struct eh_walk {
	size_t at, cie_at;
	struct eh_cie cie;
	bool has_cie;
};

/*
 * Reads the next function; a walk begins with zeroes. Returns 1, 0 at the end, or -1 with *why set
 * to a clause about the file.
 */
int eh_frame_next(const struct eh_frame *frame, struct eh_walk *walk, struct eh_fde *fde,
		  const char **why);

#endif
