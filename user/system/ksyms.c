// SPDX-License-Identifier: GPL-2.0
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

/* Takes a line "ADDRESS KIND NAME", followed for a module by a tab and "[MODULE]". */
static void take(struct ksyms *ksyms, char *line)
{
	char *kind = strchr(line, ' '), *name, *module = strchr(line, '[');
	struct ksym *sym;

	if (!kind || strlen(kind) < 4)
		return;
	name = kind + 3;
	name[strcspn(name, "\t ")] = 0;
	if (module)
		module[strcspn(module, "]")] = 0;
	if (!is_function(kind[1], name) || (module && !strcmp(module + 1, "ktrace")))
		return;
	ksyms->syms = mem_grow(ksyms->syms, ksyms->nr, sizeof(*ksyms->syms));
	sym = &ksyms->syms[ksyms->nr++];
	sym->name = mem_string(name);
	sym->module = module ? mem_string(module + 1) : NULL;
	sym->nr = 1;
	sym->addr = strtoull(line, NULL, 16);
}

static int compare(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(x->module ? x->module : "", y->module ? y->module : "");
}

static void drop(struct ksym *sym)
{
	free(sym->name);
	free(sym->module);
}

static const struct ksym *find(const struct ksyms *ksyms, const char *name)
{
	size_t i;

	for (i = 0; i < ksyms->nr; i++)
		if (!strcmp(ksyms->syms[i].name, name))
			return &ksyms->syms[i];
	return NULL;
}

/*
 * The kernel's text is from _stext to _etext. /proc/kallsyms also lists symbols behind _etext: code
 * that was needed at boot only, whose memory has been freed, and data that is marked as text, such
 * as keys of static calls.
 */
static void drop_strangers(struct ksyms *ksyms)
{
	const struct ksym *start = find(ksyms, "_stext"), *end = find(ksyms, "_etext");
	uint64_t from = start ? start->addr : 0, to = end && end->addr ? end->addr : UINT64_MAX;
	struct ksym *left = ksyms->syms, *sym;

	for (sym = ksyms->syms; sym < ksyms->syms + ksyms->nr; sym++) {
		if (sym->module || (sym->addr >= from && sym->addr < to))
			*left++ = *sym;
		else
			drop(sym);
	}
	ksyms->nr = left - ksyms->syms;
}

static void merge(struct ksyms *ksyms)
{
	struct ksym *to = ksyms->syms, *from;

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

int ksyms_read(struct ksyms *ksyms, const char *path, struct err *err)
{
	struct lines lines;

	memset(ksyms, 0, sizeof(*ksyms));
	if (!lines_open(&lines, "%s", path))
		return err_set(err, "The kernel's functions cannot be listed: %s: %s.", path,
			       strerror(errno));
	while (lines_next(&lines))
		take(ksyms, lines.text);
	lines_close(&lines);
	if (!ksyms->nr)
		return err_set(err, "%s lists no functions: the kernel was built without CONFIG_KALLSYMS.",
			       path);
	drop_strangers(ksyms);
	if (!ksyms->nr)
		return err_set(err, "%s lists no functions between _stext and _etext, where the kernel's functions are.",
			       path);
	merge(ksyms);
	return 0;
}

void ksyms_free(struct ksyms *ksyms)
{
	while (ksyms->nr)
		drop(&ksyms->syms[--ksyms->nr]);
	free(ksyms->syms);
}
