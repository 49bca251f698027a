// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/ksyms.h"
#include "util/lines.h"
#include "util/mem.h"

/*
 * Returns true for text that is called. Excludes the padding in front of functions (Linux 6.3 and
 * later), cold parts that a function jumps to, and the jumps of static calls.
 */
static bool is_function(char kind, const char *name)
{
	return strchr("tTwW", kind) && strncmp(name, "__pfx_", 6) &&
	       strncmp(name, "__SCT__", 7) && !strstr(name, ".cold");
}

/* strtoull() would take two fifths of the time of a read. */
static uint64_t address(const char *digit)
{
	uint64_t addr = 0;

	for (; isxdigit((unsigned char)*digit); digit++)
		addr = addr << 4 | (*digit <= '9' ? *digit - '0' : (*digit | 0x20) - 'a' + 10);
	return addr;
}

/*
 * Parses a line "ADDRESS KIND NAME", followed for a module by a tab and "[MODULE]". Returns false
 * if it is no function. The texts of sym are parts of the line.
 */
static bool parse(struct ksym *sym, char *line)
{
	char *kind = strchr(line, ' '), *end;

	if (!kind || strlen(kind) < 4)
		return false;
	sym->name = kind + 3;
	end = sym->name + strcspn(sym->name, "\t ");
	sym->module = strchr(end, '[');
	*end = 0;
	if (sym->module) {
		sym->module++;
		sym->module[strcspn(sym->module, "]")] = 0;
	}
	sym->nr = 1;
	sym->addr = address(line);
	return is_function(kind[1], sym->name) && !(sym->module && !strcmp(sym->module, "ktrace"));
}

char *ksym_symbol(const struct ksym *sym)
{
	return sym->module ? mem_format("%s:%s", sym->module, sym->name) : mem_string(sym->name);
}

bool ksym_is_wanted(const struct ksym *sym, const struct match *match)
{
	bool is_wanted = match_name(match, sym->name);
	char *symbol;

	if (!sym->module)
		return is_wanted;
	symbol = ksym_symbol(sym);
	is_wanted |= match_name(match, symbol);
	free(symbol);
	return is_wanted;
}

static int compare_modules(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : compare_modules(x->module, y->module);
}

/* The functions of a module follow each other, so the last start is usually the one. */
static struct ksym *find_start(const struct ksyms *ksyms, const char *module)
{
	size_t i;

	for (i = ksyms->nr_starts; i--;)
		if (!compare_modules(ksyms->starts[i].module, module))
			return &ksyms->starts[i];
	return NULL;
}

/* Records where the kernel or a module begins, for all functions, also those that are not kept. */
static void note(struct ksyms *ksyms, const struct ksym *sym)
{
	struct ksym *start = find_start(ksyms, sym->module);

	if (!start) {
		ksyms->starts = mem_grow(ksyms->starts, ksyms->nr_starts, sizeof(*ksyms->starts));
		start = &ksyms->starts[ksyms->nr_starts++];
		start->module = sym->module ? mem_string(sym->module) : NULL;
		start->addr = UINT64_MAX;
	}
	if (sym->addr < start->addr)
		start->addr = sym->addr;
	if (sym->module)
		return;
	if (!strcmp(sym->name, "_stext"))
		ksyms->stext = sym->addr;
	else if (!strcmp(sym->name, "_etext"))
		ksyms->etext = sym->addr;
}

static void keep(struct ksyms *ksyms, const struct ksym *from)
{
	struct ksym *sym;

	ksyms->syms = mem_grow(ksyms->syms, ksyms->nr, sizeof(*ksyms->syms));
	sym = &ksyms->syms[ksyms->nr++];
	*sym = *from;
	sym->name = mem_string(from->name);
	sym->module = from->module ? mem_string(from->module) : NULL;
}

static void drop(struct ksym *sym)
{
	free(sym->name);
	free(sym->module);
}

/*
 * The kernel's text is from _stext to _etext. /proc/kallsyms also lists symbols behind _etext: code
 * that was needed at boot only, whose memory has been freed, and data that is marked as text, such
 * as keys of static calls.
 */
static bool is_in_text(const struct ksyms *ksyms, uint64_t addr)
{
	return addr >= ksyms->stext && (!ksyms->etext || addr < ksyms->etext);
}

static void drop_strangers(struct ksyms *ksyms)
{
	struct ksym *left = ksyms->syms, *sym;

	for (sym = ksyms->syms; sym < ksyms->syms + ksyms->nr; sym++) {
		if (sym->module || is_in_text(ksyms, sym->addr))
			*left++ = *sym;
		else
			drop(sym);
	}
	ksyms->nr = left - ksyms->syms;
}

static void merge(struct ksyms *ksyms)
{
	struct ksym *to = ksyms->syms, *from;

	if (!ksyms->nr)
		return;
	qsort(ksyms->syms, ksyms->nr, sizeof(*ksyms->syms), compare);
	for (from = to + 1; from < ksyms->syms + ksyms->nr; from++) {
		if (compare(to, from) || from->addr != to->addr) {
			*++to = *from;
			continue;
		}
		to->nr++;
		drop(from);
	}
	ksyms->nr = to - ksyms->syms + 1;
}

static void read_lines(struct ksyms *ksyms, struct lines *lines, const struct match *match)
{
	struct match unmarked = { 0 };
	struct ksym sym;

	if (match)
		unmarked = *match;
	unmarked.is_used = NULL;
	while (lines_next(lines)) {
		if (!parse(&sym, lines->text))
			continue;
		note(ksyms, &sym);
		if (!match || ksym_is_wanted(&sym, &unmarked))
			keep(ksyms, &sym);
	}
}

/* Fails if no function at all is listed, whatever is kept. */
static int check(const struct ksyms *ksyms, const char *path, struct err *err)
{
	if (!ksyms->nr_starts)
		return err_set(err, "%s lists no functions: the kernel was built without CONFIG_KALLSYMS.",
			       path);
	if (ksyms->nr_starts == 1 && !ksyms->starts->module &&
	    !is_in_text(ksyms, ksyms_start(ksyms, NULL)))
		return err_set(err, "%s lists no functions between _stext and _etext, where the kernel's functions are.",
			       path);
	return 0;
}

int ksyms_read(struct ksyms *ksyms, const char *path, const struct match *match,
	       struct err *err)
{
	struct lines lines;

	memset(ksyms, 0, sizeof(*ksyms));
	if (!lines_open(&lines, "%s", path))
		return err_set(err, "The kernel's functions cannot be listed: %s: %s.", path,
			       strerror(errno));
	read_lines(ksyms, &lines, match);
	lines_close(&lines);
	drop_strangers(ksyms);
	merge(ksyms);
	return check(ksyms, path, err);
}

uint64_t ksyms_start(const struct ksyms *ksyms, const char *module)
{
	const struct ksym *start = find_start(ksyms, module);

	return !module && ksyms->stext ? ksyms->stext : start->addr;
}

void ksyms_free(struct ksyms *ksyms)
{
	while (ksyms->nr)
		drop(&ksyms->syms[--ksyms->nr]);
	while (ksyms->nr_starts)
		drop(&ksyms->starts[--ksyms->nr_starts]);
	free(ksyms->syms);
	free(ksyms->starts);
}
