// SPDX-License-Identifier: GPL-2.0
/* The input of flame graph programs: "main;parse;read 1200", a path and its own time in ns. */
#include <string.h>

#include "draw/draw.h"
#include "report/paths.h"
#include "uapi/ktrace.h"

struct folded {
	FILE *out;
	const struct paths *paths;
};

/* ';' separates names. */
static void put_name(FILE *out, const char *name)
{
	size_t len;

	for (;; name += len + 1) {
		len = strcspn(name, ";");
		out_put(out, "%.*s", (int)len, name);
		if (!name[len])
			return;
		fputc(':', out);
	}
}

static void put_path(void *arg, const struct path_node *node, const uint32_t *path)
{
	const struct folded *folded = arg;
	unsigned int i;

	if (!node->self_ns)
		return;
	for (i = 0; i <= node->depth; i++) {
		if (i)
			fputc(';', folded->out);
		put_name(folded->out, folded->paths->names[path[i]]);
	}
	out_put(folded->out, " %llu\n", (unsigned long long)node->self_ns);
}

static void print(FILE *out, const struct paths *paths)
{
	struct folded folded = { out, paths };

	paths_each(paths, put_path, &folded);
}

const struct output_format format_folded = {
	.name = "folded",
	.kinds = DRAW_KINDS,
	.is_data = true,
	.paths = print,
	.sinks = KTRACE_SINK_HIST | KTRACE_SINK_TREE,
	.needs = KTRACE_SINK_TREE,
};
