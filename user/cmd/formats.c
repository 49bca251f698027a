// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "cmd/formats.h"
#include "draw/draw.h"
#include "report/format.h"
#include "util/mem.h"
#include "util/words.h"

/* In the order of helps. */
static const struct output_format *const formats[] = {
	&format_table, &format_tree, &format_flat, &format_summary, &format_hist, &format_callers,
	&format_callees, &format_stack_tree, &format_json, &format_csv, &format_ctf, &format_folded, &format_flame,
	&format_speedscope, &format_pprof, &format_dot, &format_chrome, &format_perf,
};

#define NR_FORMATS (sizeof(formats) / sizeof(*formats))

const struct output_format *format_find(const char *name, const char *kind)
{
	size_t i;

	for (i = 0; i < NR_FORMATS; i++)
		if (!strcmp(formats[i]->name, name) && words_find(formats[i]->kinds, kind) >= 0)
			return formats[i];
	return NULL;
}

static char *list(const char *kind, const char *between, bool with_notes)
{
	char *text = mem_string(""), *longer;
	bool has_note;
	size_t i;

	for (i = 0; i < NR_FORMATS; i++) {
		if (words_find(formats[i]->kinds, kind) < 0)
			continue;
		has_note = with_notes && formats[i]->note &&
			   words_find(formats[i]->note_kinds, kind) >= 0;
		longer = mem_format("%s%s%s%s%s%s", text, *text ? between : "", formats[i]->name,
				    has_note ? " (" : "", has_note ? formats[i]->note : "",
				    has_note ? ")" : "");
		free(text);
		text = longer;
	}
	return text;
}

char *format_names(const char *kind)
{
	return list(kind, "|", false);
}

char *format_help(const char *kind)
{
	return list(kind, ", ", true);
}
