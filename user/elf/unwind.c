// SPDX-License-Identifier: GPL-2.0
/*
 * Compiles the .eh_frame of a file into a table. Functions are listed first, because a table is in
 * the order of addresses, and linkers leave the functions in the order of object files.
 */
#include <stdlib.h>
#include <string.h>

#include "elf/cfi.h"
#include "elf/unwind.h"
#include "elf/unwind_rows.h"
#include "util/effort.h"
#include "util/mem.h"

#define NR_KEPT		16	/* CIEs; most files have fewer than 4 */
#define MAX_RESTORERS	16	/* in one segment; programs have one */
#define EFFORT_EACH	256	/* functions between two looks at the effort */

/* Code from which one function or a signal's return is described. Offsets are those of the file. */
struct part {
	uint64_t begin, end;
	struct eh_fde fde;
	bool is_signal;
};

struct kept_cie {
	size_t at;
	struct eh_cie cie;
	struct cfi_state initial;
	bool is_kept, is_valid;
};

struct compile {
	const struct elf_file *file;
	struct eh_frame frame;
	struct part *parts;
	size_t nr_parts;
	struct kept_cie kept[NR_KEPT];
	struct unwind_rows rows;
	uint64_t begin, end;	/* of the part that is compiled */
	const char *why;	/* a clause about the file, or NULL */
};

/* --- listing --------------------------------------------------------------- */

static struct part *add_part(struct compile *compile, uint64_t begin, uint64_t len)
{
	struct part *part;

	compile->parts = mem_grow(compile->parts, compile->nr_parts, sizeof(*part));
	part = &compile->parts[compile->nr_parts++];
	part->begin = begin;
	part->end = begin + len;
	return part;
}

/* Functions of sections that the linker left out have addresses outside of code. */
static void add_function(struct compile *compile, const struct eh_fde *fde)
{
	uint64_t begin, last;

	if (!fde->len || !elf_file_offset(compile->file, fde->begin, &begin) ||
	    !elf_file_offset(compile->file, fde->begin + fde->len - 1, &last) ||
	    last < begin || last - begin != fde->len - 1)
		return;
	add_part(compile, begin, fde->len)->fde = *fde;
}

static const char *why_stop(size_t nr)
{
	if (nr == UNWIND_MAX_FUNCTIONS)
		return "its .eh_frame has more than 2097152 functions; split the program into libraries";
	return nr % EFFORT_EACH == 0 && effort_is_spent() ? effort_text() : NULL;
}

static bool list_functions(struct compile *compile)
{
	struct eh_walk walk = { .at = 0 };
	struct eh_fde fde;
	size_t nr = 0;
	int found;

	while ((found = eh_frame_next(&compile->frame, &walk, &fde, &compile->why)) > 0) {
		compile->why = why_stop(nr++);
		if (compile->why)
			return false;
		add_function(compile, &fde);
	}
	return !found;
}

/* mov $15, %rax; syscall: the code to which signal handlers return. */
static const uint8_t restorer[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };

/*
 * Not all C libraries describe this code. The byte in front of it belongs to the part, too, because
 * unwinders search for the byte in front of a return address; it is padding.
 */
static void list_restorers(struct compile *compile, const struct elf_segment *segment)
{
	const uint8_t *bytes = elf_file_bytes(compile->file, segment->addr, segment->len);
	const uint8_t *at = bytes, *end;
	unsigned int nr, padding;
	struct part *part;

	if (!bytes)
		return;
	end = bytes + segment->len;
	for (nr = 0; nr < MAX_RESTORERS; nr++, at += sizeof(restorer)) {
		at = memmem(at, end - at, restorer, sizeof(restorer));
		if (!at)
			return;
		padding = at > bytes && (at[-1] == 0x90 || at[-1] == 0xcc || !at[-1]);
		part = add_part(compile, segment->offset + (at - bytes) - padding,
				sizeof(restorer) + padding);
		part->fde.begin = segment->addr + (at - bytes) - padding;
		part->is_signal = true;
	}
}

static int by_begin(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->is_signal - y->is_signal;
}

static bool list_parts(struct compile *compile)
{
	const struct elf_file *file = compile->file;
	size_t i;

	if (!list_functions(compile))
		return false;
	for (i = 0; i < file->nr_segments; i++)
		if (file->segments[i].is_code)
			list_restorers(compile, &file->segments[i]);
	if (!compile->nr_parts)
		compile->why = "its .eh_frame describes no function; build it with -fasynchronous-unwind-tables";
	else
		qsort(compile->parts, compile->nr_parts, sizeof(*compile->parts), by_begin);
	return compile->nr_parts;
}

/* --- compiling ------------------------------------------------------------- */

/* Returns the CIE of a function, which was read while functions were listed. */
static const struct kept_cie *cie_of(struct compile *compile, const struct eh_fde *fde)
{
	struct kept_cie *kept = &compile->kept[(fde->cie >> 3) % NR_KEPT];
	const char *why;

	if (kept->is_kept && kept->at == fde->cie)
		return kept;
	kept->is_kept = true;
	kept->at = fde->cie;
	kept->is_valid = eh_frame_cie(&compile->frame, fde->cie, &kept->cie, &why) &&
			 cfi_begin(&kept->initial, &kept->cie);
	return kept;
}

static void add_row(void *arg, uint64_t at, const struct ktrace_unwind_rule *rule)
{
	struct compile *compile = arg;

	if (at < compile->end - compile->begin)
		unwind_rows_add(&compile->rows, compile->begin + at, rule);
}

static void add_kind(struct compile *compile, uint64_t offset, uint8_t cfa)
{
	struct ktrace_unwind_rule rule = { .cfa = cfa };

	unwind_rows_add(&compile->rows, offset, &rule);
}

static void compile_part(struct compile *compile, const struct part *part)
{
	const struct kept_cie *kept;

	if (part->is_signal) {
		add_kind(compile, part->begin, KTRACE_UNWIND_CFA_SIGNAL);
		return;
	}
	kept = cie_of(compile, &part->fde);
	if (kept->is_valid)
		cfi_run(&kept->initial, &kept->cie, &part->fde, add_row, compile);
	else
		add_kind(compile, part->begin, KTRACE_UNWIND_CFA_COMPLEX);
}

/* Returns whether the code between the end of a part and the begin of the next one is padding. */
static bool is_padding(const struct compile *compile, const struct part *part, uint64_t begin)
{
	uint64_t len = begin - compile->end;
	const uint8_t *code;

	if (!len || len >= UNWIND_PADDING)
		return !len;
	code = elf_file_bytes(compile->file, part->fde.begin + (compile->end - part->begin), len);
	if (!code)
		return false;
	switch (code[0]) {
	case 0x00:
	case 0x2e: /* prefixes of long nops */
	case 0x66:
	case 0x90: /* nop */
	case 0xcc: /* int3 */
		return true;
	default:
		return code[0] == 0x0f && len > 1 && code[1] == 0x1f; /* nopl */
	}
}

/* Where functions overlap, the one that begins last counts, as in the search table of a file. */
static bool compile_parts(struct compile *compile)
{
	const struct part *part, *behind = compile->parts + compile->nr_parts;

	for (part = compile->parts; part < behind && !compile->rows.why; part++) {
		if (part > compile->parts && !is_padding(compile, part - 1, part->begin))
			add_kind(compile, compile->end, KTRACE_UNWIND_CFA_NONE);
		compile->begin = part->begin;
		compile->end = part + 1 < behind && part[1].begin < part->end ? part[1].begin :
										 part->end;
		if (compile->end > compile->begin)
			compile_part(compile, part);
		if ((part - compile->parts) % EFFORT_EACH == 0 && effort_is_spent())
			compile->rows.why = effort_text();
	}
	add_kind(compile, compile->end, KTRACE_UNWIND_CFA_NONE);
	compile->why = compile->rows.why;
	return !compile->why;
}

/* --- a file ---------------------------------------------------------------- */

static void take_table(struct unwind *unwind, struct compile *compile)
{
	unwind->table = unwind_rows_table(&compile->rows, &unwind->len);
	unwind->nr_functions = compile->nr_parts;
	unwind->nr_rows = compile->rows.nr_rows;
	unwind->nr_complex = compile->rows.nr_complex;
	unwind->nr_rules = compile->rows.nr_rules;
}

int unwind_compile(struct unwind *unwind, const struct elf_file *file, struct err *err)
{
	struct compile *compile = mem_alloc(sizeof(*compile));
	bool is_done;

	memset(unwind, 0, sizeof(*unwind));
	compile->file = file;
	effort_begin();
	is_done = eh_frame_find(&compile->frame, file, &compile->why) && list_parts(compile) &&
		  compile_parts(compile);
	if (is_done)
		take_table(unwind, compile);
	else
		err_set(err, "%s cannot be unwound by a table: %s.", file->path, compile->why);
	unwind->why = is_done ? NULL : compile->why;
	effort_end();
	unwind_rows_free(&compile->rows);
	free(compile->parts);
	free(compile);
	return is_done ? 0 : -1;
}

void unwind_free(struct unwind *unwind)
{
	free(unwind->table);
	memset(unwind, 0, sizeof(*unwind));
}
