// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include <gelf.h>

#include "elf/elf_open.h"
#include "elf/sections.h"
#include "plan/dynamic.h"
#include "util/mem.h"

#define MAX_ENTRIES 4096
#define MAX_NAME 4096		/* of a library: no longer path can be opened */
#define MAX_LIST 65536		/* a list of folders */
#define MAX_LETTERS (1UL << 20)	/* all names of libraries together */

/* Returns a copy of a string that is shorter than max, or NULL. */
static char *copy(const char *text, size_t max)
{
	return text && strnlen(text, max) < max ? mem_string(text) : NULL;
}

static void add_needed(struct dynamic *dynamic, const char *text)
{
	char *name = dynamic->nr_letters < MAX_LETTERS ? copy(text, MAX_NAME) : NULL;

	if (!name)
		return;
	dynamic->needed = mem_grow(dynamic->needed, dynamic->nr_needed, sizeof(*dynamic->needed));
	dynamic->needed[dynamic->nr_needed++] = name;
	dynamic->nr_letters += strlen(name);
}

/* The last entry of a kind counts. */
static void set(char **member, const char *text)
{
	free(*member);
	*member = copy(text, MAX_LIST);
}

static void take(struct dynamic *dynamic, const GElf_Dyn *entry, const char *text)
{
	switch (entry->d_tag) {
	case DT_NEEDED:
		add_needed(dynamic, text);
		break;
	case DT_SONAME:
		set(&dynamic->soname, text);
		break;
	case DT_RPATH:
		set(&dynamic->rpath, text);
		break;
	case DT_RUNPATH:
		set(&dynamic->runpath, text);
		break;
	case DT_FLAGS_1:
		dynamic->has_no_default = entry->d_un.d_val & DF_1_NODEFLIB;
		break;
	}
}

static void take_all(struct dynamic *dynamic, Elf *elf)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_section(elf, SHT_DYNAMIC, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	GElf_Dyn entry;
	int i;

	if (!data || !elf_strings_end(elf, header.sh_link))
		return;
	for (i = 0; i < MAX_ENTRIES && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++)
		take(dynamic, &entry, elf_strptr(elf, header.sh_link, entry.d_un.d_val));
	if (dynamic->runpath)
		set(&dynamic->rpath, NULL);
}

bool dynamic_read(struct dynamic *dynamic, int fd)
{
	const char *why;
	Elf *elf = elf_open(fd, &why);
	GElf_Ehdr header;
	bool is_ours;

	memset(dynamic, 0, sizeof(*dynamic));
	is_ours = elf && gelf_getehdr(elf, &header) &&
		  (header.e_type == ET_DYN || header.e_type == ET_EXEC);
	if (is_ours)
		take_all(dynamic, elf);
	elf_end(elf);
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
