// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "plan/place.h"
#include "plan/plan.h"
#include "util/mem.h"

/* --- text --------------------------------------------------------------- */

/* Returns the last single colon outside brackets, or NULL. */
static const char *colon_of(const char *text)
{
	const char *colon = NULL, *at;
	int depth = 0;

	for (at = text; *at; at++) {
		if (strchr("([<", *at))
			depth++;
		else if (strchr(")]>", *at))
			depth -= depth > 0;
		else if (at[0] == ':' && at[1] == ':')
			at++;
		else if (at[0] == ':' && !depth)
			colon = at;
	}
	return colon;
}

static bool parse_offset(const char *text, uint64_t *offset)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*offset = strtoull(text, &end, 0);
	return !*end && !errno;
}

bool place_parse(struct place *place, const char *text)
{
	const char *colon = colon_of(text);

	if (!colon || colon == text || !colon[1])
		return false;
	memset(place, 0, sizeof(*place));
	if (colon[1] != '+')
		place->name = colon + 1;
	else if (!parse_offset(colon + 2, &place->offset))
		return false;
	place->file = mem_string(text);
	place->file[colon - text] = 0;
	return true;
}

void place_free(struct place *place)
{
	free(place->file);
}

/* --- files -------------------------------------------------------------- */

bool place_is_in(const struct place *place, const struct elf_file *file)
{
	return !fnmatch(place->file, plan_file_name(file->path), 0) ||
	       !strcmp(place->file, file->path) || elf_file_is(file, place->file);
}

static int outside(const struct place *place, const struct elf_file *file, struct err *err)
{
	const struct elf_segment *segment = file->segments;

	while (!segment->is_code)
		segment++;
	return err_set(err, "Offset 0x%llx of %s is not code; its code is from 0x%llx to 0x%llx; see: objdump -d -F %s.",
		       (unsigned long long)place->offset, file->path,
		       (unsigned long long)segment->offset,
		       (unsigned long long)(segment->offset + segment->len), file->path);
}

int place_find(const struct place *place, struct insn *insn, const struct elf_file *file,
	       uint64_t *addr, const struct elf_sym **sym, struct err *err)
{
	uint64_t start, first;

	*sym = NULL;
	if (!elf_file_addr(file, place->offset, addr))
		return outside(place, file, err);
	*sym = elf_file_sym_at(file, *addr);
	first = *sym ? (*sym)->addr : *addr;
	start = insn_start(insn, file, first, *addr);
	if (start == *addr)
		return 0;
	if (!*sym)
		return err_set(err, "Offset 0x%llx of %s has no instruction; see: objdump -d -F %s.",
			       (unsigned long long)place->offset, file->path, file->path);
	return err_set(err, "Offset 0x%llx of %s is inside an instruction of %s, which begins at 0x%llx.",
		       (unsigned long long)place->offset, file->path, (*sym)->name,
		       (unsigned long long)(place->offset - (*addr - start)));
}
