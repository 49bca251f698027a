/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHOW_H
#define SHOW_H

#include "fuzz.h"

#include "../../user/session/trace.h"
#include "../../user/report/format.h"
#include "../../user/report/view.h"

/* Sets names of functions as a sidecar does. */
static inline void show_names(struct names *names)
{
	static char *texts[] = { "main", NULL, "f(int)", "std::map<int, char>::find(int const&)" };
	static struct value_formats formats[] = {
		{ "duxsd" }, { "" }, { "sssssss" }, { { 0, 'x', 0, 0, 0, 'u', 'u' } },
	};

	names->texts = texts;
	names->formats = formats;
	names->nr = sizeof(texts) / sizeof(texts[0]);
}

/* Begins to show a session in one of all formats, for records or for figures. */
static inline void show_begin(struct trace *trace, unsigned int which)
{
	static const struct output_format *const formats[] = {
		&format_tree, &format_flat, &format_json, &format_summary, &format_hist,
	};
	static const uint32_t keys[] = {
		KTRACE_KEY_TID, KTRACE_KEY_FUNCTION, KTRACE_KEY_COMM, KTRACE_KEY_CGROUP,
	};
	static const char *const columns[] = { NULL, "p99", "avg", "name" };

	memset(trace, 0, sizeof(*trace));
	trace->format = formats[which % 5];
	trace->sort = columns[which / 5 % 4];
	trace->with_stream = which & 32;
	if (which & 64)
		memcpy(trace->table.keys, keys, sizeof(keys));
}

#endif
