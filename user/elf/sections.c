// SPDX-License-Identifier: GPL-2.0
/* Build-id and other facts from the sections of an ELF file. */
#include <string.h>

#include "elf/sections.h"

static size_t id_of_notes(Elf_Data *data, unsigned char *id)
{
	size_t at = 0, next, name, desc;
	GElf_Nhdr note;

	for (; (next = gelf_getnote(data, at, &note, &name, &desc)); at = next) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    memcmp((char *)data->d_buf + name, "GNU", 4) || note.n_descsz > 20)
			continue;
		memcpy(id, (char *)data->d_buf + desc, note.n_descsz);
		return note.n_descsz;
	}
	return 0;
}

/* A build-id's note has 36 bytes. Longer sections of notes are not searched. */
#define MAX_NOTES 4096

size_t elf_build_id(Elf *elf, unsigned char *id)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf_Data *data;
	size_t len = 0;

	while (!len && (section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE ||
		    header.sh_size > MAX_NOTES)
			continue;
		data = elf_getdata(section, NULL);
		if (data)
			len = id_of_notes(data, id);
	}
	return len;
}

bool elf_strings_end(Elf *elf, size_t section)
{
	Elf_Scn *strings = elf_getscn(elf, section);
	Elf_Data *data = strings ? elf_rawdata(strings, NULL) : NULL;

	return data && data->d_buf && data->d_size &&
	       !((const char *)data->d_buf)[data->d_size - 1];
}

Elf_Scn *elf_section(Elf *elf, GElf_Word type, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, header) && header->sh_type == type)
			return section;
	return NULL;
}

Elf_Scn *elf_section_named(Elf *elf, const char *wanted)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	const char *name;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) || !elf_strings_end(elf, names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		name = gelf_getshdr(section, &header) ?
		       elf_strptr(elf, names, header.sh_name) : NULL;
		if (name && !strcmp(name, wanted))
			return section;
	}
	return NULL;
}
