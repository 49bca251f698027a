// SPDX-License-Identifier: GPL-2.0
/* Stacks as one tree: a caller, then what it called, the longest time first. */
#include <stdlib.h>

#include "report/format.h"
#include "report/head.h"
#include "report/paths.h"
#include "util/fmt.h"
#include "util/out.h"
#include "util/plain.h"
#include "util/style.h"

#define SMALL 200	/* paths with less than one part in this many of the time are left out */
#define BEFORE_NAME 42
#define LEAST_NAME 24	/* columns for a name, however deep it is */

struct printing {
	FILE *out;
	const struct paths *paths;
	uint64_t nr_small, small_ns;
	unsigned int small_depth;	/* of the path that was left out last */
	bool is_small;			/* what follows may belong to it */
};

/* A deep path begins at the left again, so that it can be read. */
static unsigned int indent_of(unsigned int depth)
{
	unsigned int columns = style_get()->columns, room;

	if (!columns)
		return depth;
	room = columns > BEFORE_NAME + LEAST_NAME ? columns - BEFORE_NAME - LEAST_NAME : 1;
	return depth % room;
}

static void print_node(struct printing *printing, const struct path_node *node)
{
	const struct paths *paths = printing->paths;
	unsigned int columns = style_get()->columns, indent = indent_of(node->depth);
	char total[FMT_LEN], self[FMT_LEN], *name;

	name = plain_cut(paths->names[node->name], columns > BEFORE_NAME + indent + 1 ?
			 columns - BEFORE_NAME - indent : 4096);
	out_put(printing->out, "  %8s  %6.2f %%  %8s  %8llu  %*s%s\n",
		fmt_duration(total, node->total_ns), fmt_percent(node->total_ns, paths->total_ns),
		node->self_ns ? fmt_duration(self, node->self_ns) : "-",
		(unsigned long long)node->calls, indent, "", name);
	free(name);
}

static void take(void *arg, const struct path_node *node, const uint32_t *path)
{
	struct printing *printing = arg;

	(void)path;
	if (printing->is_small && node->depth > printing->small_depth)
		return;
	printing->is_small = node->total_ns < printing->paths->total_ns / SMALL;
	if (!printing->is_small) {
		print_node(printing, node);
		return;
	}
	printing->small_depth = node->depth;
	printing->nr_small++;
	printing->small_ns += node->total_ns;
}

static void print(FILE *out, const struct paths *paths)
{
	struct printing printing = { .out = out, .paths = paths };

	head_print(out);
	if (!paths->nr) {
		out_put(out, "Nothing was counted.\n");
		return;
	}
	style_begin(out, STYLE_TITLE);
	out_put(out, "  %8s  %8s  %8s  %8s  %s\n", "TOTAL", "SHARE", "SELF",
		paths->counted ? paths->counted : "CALLS", "TREE OF CALLERS");
	style_end(out, STYLE_TITLE);
	paths_each(paths, take, &printing);
	if (printing.nr_small)
		out_put(out, "\n%llu paths with less than 0.5 %% each are left out: %.2f %% in all.\n",
			(unsigned long long)printing.nr_small,
			fmt_percent(printing.small_ns, paths->total_ns));
}

const struct output_format format_stack_tree = {
	.name = "tree",
	.kinds = FORMATS_OF_SAMPLES,
	.paths = print,
};
