// SPDX-License-Identifier: GPL-2.0
/* The entries of .eh_frame, as the Linux Standard Base describes them. */
#include <string.h>

#include "elf/eh_frame.h"
#include "elf/sections.h"

#define SHT_UNWIND	0x70000001	/* some linkers give .eh_frame this type */
#define RIP		16		/* the number of the return address in DWARF */
#define MAX_LETTERS	8		/* compilers use up to 4 */

/* --- the section ----------------------------------------------------------- */

static bool by_section(struct eh_frame *frame, const struct elf_file *file)
{
	Elf_Scn *section = elf_section_named(file->elf, ".eh_frame");
	GElf_Shdr header;

	if (!section || !gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
	    (header.sh_type != SHT_PROGBITS && header.sh_type != SHT_UNWIND))
		return false;
	frame->addr = header.sh_addr;
	frame->len = header.sh_size;
	frame->bytes = elf_file_bytes(file, frame->addr, frame->len);
	return frame->bytes;
}

/* The section's end is not known, but it ends with an entry of length 0. */
static bool take_to_end(struct eh_frame *frame, const struct elf_file *file, uint64_t addr)
{
	size_t i;

	for (i = 0; i < file->nr_segments; i++)
		if (addr - file->segments[i].addr < file->segments[i].len) {
			frame->addr = addr;
			frame->len = file->segments[i].len - (addr - file->segments[i].addr);
			frame->bytes = elf_file_bytes(file, addr, frame->len);
			return frame->bytes;
		}
	return false;
}

static bool by_header(struct eh_frame *frame, const struct elf_file *file, uint64_t addr,
		      size_t len)
{
	struct eh_cursor cursor = { .at = elf_file_bytes(file, addr, len), .addr = addr };
	uint8_t encoding;
	uint64_t begin;

	if (!cursor.at)
		return false;
	cursor.end = cursor.at + len;
	if (eh_cursor_number(&cursor, 1) != 1)
		return false;
	encoding = eh_cursor_number(&cursor, 1);
	eh_cursor_number(&cursor, 2); /* of the search table */
	begin = eh_cursor_pointer(&cursor, encoding, addr);
	return !cursor.is_bad && take_to_end(frame, file, begin);
}

static bool by_segment(struct eh_frame *frame, const struct elf_file *file)
{
	GElf_Phdr header;
	size_t nr = 0, i;

	elf_getphdrnum(file->elf, &nr);
	for (i = 0; i < nr; i++)
		if (gelf_getphdr(file->elf, i, &header) && header.p_type == PT_GNU_EH_FRAME)
			return by_header(frame, file, header.p_vaddr, header.p_filesz);
	return false;
}

bool eh_frame_find(struct eh_frame *frame, const struct elf_file *file, const char **why)
{
	bool has_section = by_section(frame, file);

	if (!has_section && !by_segment(frame, file)) {
		*why = "it has no .eh_frame, or one that cannot be read; build it with -fasynchronous-unwind-tables";
		return false;
	}
	/* Without a section, the length is that of the rest of the segment. */
	if (frame->len > EH_FRAME_MAX_LEN && !has_section)
		frame->len = EH_FRAME_MAX_LEN;
	*why = frame->len > EH_FRAME_MAX_LEN ?
	       "its .eh_frame is longer than 64 MiB; split the program into libraries" : NULL;
	return !*why;
}

/* --- entries --------------------------------------------------------------- */

static struct eh_cursor cursor_at(const struct eh_frame *frame, size_t at)
{
	return (struct eh_cursor){ .at = frame->bytes + at, .end = frame->bytes + frame->len,
				   .addr = frame->addr + at };
}

/*
 * Reads the length of the entry at an offset. Returns 1 with a cursor for its contents, 0 at the
 * end, or -1 with *why set.
 */
static int entry_at(const struct eh_frame *frame, size_t at, struct eh_cursor *entry,
		    const char **why)
{
	struct eh_cursor cursor = cursor_at(frame, at);
	uint32_t len;

	if (at == frame->len)
		return 0;
	len = eh_cursor_number(&cursor, 4);
	if (!len && !cursor.is_bad)
		return 0;
	*entry = eh_cursor_part(&cursor, len);
	*why = len == UINT32_MAX ?
	       "its .eh_frame has entries of more than 4 GiB; build it with another linker" :
	       "its .eh_frame is damaged: an entry is longer than the section; copy or build it again";
	return cursor.is_bad ? -1 : 1;
}

static void read_letters(struct eh_cie *cie, const char *letters, struct eh_cursor *cursor)
{
	uint8_t encoding;

	for (; *letters && !cursor->is_bad; letters++)
		switch (*letters) {
		case 'L':
			eh_cursor_number(cursor, 1);
			break;
		case 'P': /* the personality function is only passed over */
			encoding = eh_cursor_number(cursor, 1);
			eh_cursor_pointer(cursor, encoding, 0);
			break;
		case 'R':
			cie->encoding = eh_cursor_number(cursor, 1);
			break;
		case 'S':
			cie->is_signal = true;
			break;
		default:
			cursor->is_bad = true;
		}
}

static void read_augmentation(struct eh_cie *cie, const char *letters, struct eh_cursor *cursor)
{
	struct eh_cursor part;

	cie->has_augmentation = *letters == 'z';
	if (!cie->has_augmentation) {
		cursor->is_bad |= *letters;
		return;
	}
	part = eh_cursor_part(cursor, eh_cursor_unsigned(cursor));
	read_letters(cie, letters + 1, &part);
	cursor->is_bad |= part.is_bad;
}

static void read_cie(struct eh_cie *cie, struct eh_cursor *cursor)
{
	unsigned int version = eh_cursor_number(cursor, 1);
	char letters[MAX_LETTERS] = "";
	unsigned int i;

	for (i = 0; i < MAX_LETTERS; i++) {
		letters[i] = eh_cursor_number(cursor, 1);
		if (!letters[i])
			break;
	}
	if ((version != 1 && version != 3) || i == MAX_LETTERS) {
		cursor->is_bad = true;
		return;
	}
	cie->code_align = eh_cursor_unsigned(cursor);
	cie->data_align = eh_cursor_signed(cursor);
	if ((version == 1 ? eh_cursor_number(cursor, 1) : eh_cursor_unsigned(cursor)) != RIP ||
	    cie->code_align > 16 || cie->data_align < -16 || cie->data_align > 16)
		cursor->is_bad = true;
	read_augmentation(cie, letters, cursor);
	cie->program = *cursor;
}

bool eh_frame_cie(const struct eh_frame *frame, size_t at, struct eh_cie *cie, const char **why)
{
	struct eh_cursor entry;
	int found = entry_at(frame, at, &entry, why);

	if (found < 0)
		return false;
	*why = "its .eh_frame is damaged: a function refers to an entry that is none; copy or build it again";
	if (!found || eh_cursor_number(&entry, 4) || entry.is_bad)
		return false;
	*why = "its .eh_frame has an entry (CIE) of more than 1024 bytes, more than compilers write; build it again";
	if (entry.end - entry.at > EH_FRAME_MAX_CIE)
		return false;
	memset(cie, 0, sizeof(*cie));
	read_cie(cie, &entry);
	*why = "its .eh_frame has an entry (CIE) of an unknown form; build it with another compiler";
	return !entry.is_bad;
}

/* The entry is that of a function; id is how far its CIE is in front. */
static int read_fde(const struct eh_frame *frame, struct eh_walk *walk, struct eh_fde *fde,
		    struct eh_cursor *entry, uint32_t id, const char **why)
{
	size_t at = entry->addr - 4 - frame->addr;

	*why = "its .eh_frame is damaged: a function refers to an entry outside of it; copy or build it again";
	if (id > at)
		return -1;
	fde->cie = at - id;
	if (!walk->has_cie || walk->cie_at != fde->cie) {
		walk->has_cie = eh_frame_cie(frame, fde->cie, &walk->cie, why);
		walk->cie_at = fde->cie;
	}
	if (!walk->has_cie)
		return -1;
	fde->begin = eh_cursor_pointer(entry, walk->cie.encoding, 0);
	fde->len = eh_cursor_pointer(entry, walk->cie.encoding & 0x0f, 0);
	if (walk->cie.has_augmentation)
		eh_cursor_part(entry, eh_cursor_unsigned(entry));
	fde->program = *entry;
	*why = "its .eh_frame is damaged: a function is longer than its entry; copy or build it again";
	return entry->is_bad || (walk->cie.encoding & EH_INDIRECT) ? -1 : 1;
}

int eh_frame_next(const struct eh_frame *frame, struct eh_walk *walk, struct eh_fde *fde,
		  const char **why)
{
	struct eh_cursor entry;
	uint32_t id;
	int found;

	do {
		found = entry_at(frame, walk->at, &entry, why);
		if (found <= 0)
			return found;
		walk->at = entry.end - frame->bytes;
		id = eh_cursor_number(&entry, 4);
		if (entry.is_bad) {
			*why = "its .eh_frame is damaged: an entry has less than 4 bytes; copy or build it again";
			return -1;
		}
	} while (!id);
	return read_fde(frame, walk, fde, &entry, id, why);
}
