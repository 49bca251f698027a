// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include <json-c/json.h>

#include "report/json_write.h"
#include "report/unwind_text.h"
#include "util/fmt.h"
#include "util/out.h"

#define MOST_NAMED 4	/* files in the sentence; JSON has all */

static const char *name_of(const struct unwound *file)
{
	const char *slash = strrchr(file->name, '/');

	return slash ? slash + 1 : file->name;
}

static void print_others(FILE *out, const struct unwound *files, size_t nr, size_t nr_others)
{
	const struct unwound *file = files, *end = files + nr;
	const char *before = "by frame pointers in ";
	size_t nr_named = 0;

	for (; file < end && nr_named < MOST_NAMED; file++) {
		if (!file->why)
			continue;
		out_put(out, "%s%s (%s)", before, name_of(file), file->why);
		before = ", ";
		nr_named++;
	}
	if (nr_others > nr_named)
		out_put(out, " and in %zu more files (--format json lists them)",
			nr_others - nr_named);
}

void unwind_print(FILE *out, const struct unwound *files, size_t nr)
{
	const struct unwound *file = files, *end = files + nr;
	size_t nr_tables = 0, nr_others = 0;
	uint64_t len = 0;
	char bytes[FMT_LEN];

	for (; file < end; file++) {
		nr_tables += !file->why;
		nr_others += !!file->why;
		len += file->len;
	}
	if (!nr)
		return;
	out_put(out, "Stacks of programs were found ");
	if (nr_tables)
		out_put(out, "by tables of %zu file%s (%s)", nr_tables, nr_tables == 1 ? "" : "s",
			fmt_bytes(bytes, len));
	if (nr_tables && nr_others)
		out_put(out, ", and ");
	if (nr_others)
		print_others(out, files, nr, nr_others);
	out_put(out, ".\n");
}

void unwind_json_put(struct json_object *to, const struct unwound *file)
{
	json_add_text(to, "file", file->name);
	json_add_text(to, "method", file->why ? "frame pointers" : "table");
	json_add_u64(to, "rows", file->nr_rows);
	json_add_u64(to, "bytes", file->len);
	if (file->why)
		json_add_text(to, "reason", file->why);
}

struct json_object *unwind_json(const struct unwound *files, size_t nr)
{
	struct json_object *list = json_object_new_array(), *file;
	size_t i;

	for (i = 0; i < nr; i++) {
		file = json_object_new_object();
		unwind_json_put(file, &files[i]);
		json_object_array_add(list, file);
	}
	return list;
}
