// SPDX-License-Identifier: GPL-2.0
/*
 * A graph for Graphviz: one box per function, one arrow per pair of caller and callee. Recursive
 * calls count their time once: only the outermost box or arrow of a path has it.
 */
#include <stdlib.h>
#include <string.h>

#include "draw/draw.h"
#include "report/head.h"
#include "report/paths.h"
#include "uapi/ktrace.h"
#include "util/fmt.h"
#include "util/hash.h"

/* A caller and a callee. A function as a whole is its own callee. */
struct pair {
	struct ends {
		uint32_t from, to;
	} ends;
	uint64_t calls, self_ns, total_ns;
	unsigned int nr_open;	/* how often it is on the path of the current node */
	UT_hash_handle hh;	/* by ends, in one of two hashes */
};

struct dot {
	FILE *out;
	const struct paths *paths;
	struct pair *boxes, *arrows;
	struct step {
		struct pair *box, *arrow;
	} *path;		/* of the current node; the outermost has no arrow */
	unsigned int depth;	/* of the next node, if that is called by the current one */
};

/* --- figures ------------------------------------------------------------------ */

static struct pair *pair_of(struct pair **pairs, uint32_t from, uint32_t to)
{
	struct ends ends = { from, to };
	struct pair *pair;

	HASH_FIND(hh, *pairs, &ends, sizeof(ends), pair);
	if (pair)
		return pair;
	pair = mem_alloc(sizeof(*pair));
	pair->ends = ends;
	HASH_ADD(hh, *pairs, ends, sizeof(ends), pair);
	return pair;
}

static void open_step(struct dot *dot, struct pair *box, struct pair *arrow)
{
	struct step *step;

	dot->path = mem_grow(dot->path, dot->depth, sizeof(*dot->path));
	step = &dot->path[dot->depth++];
	step->box = box;
	step->arrow = arrow;
	box->nr_open++;
	if (arrow)
		arrow->nr_open++;
}

static void close_step(struct dot *dot)
{
	struct step *step = &dot->path[--dot->depth];

	step->box->nr_open--;
	if (step->arrow)
		step->arrow->nr_open--;
}

static void count(struct pair *pair, const struct path_node *node)
{
	pair->calls += node->calls;
	pair->self_ns += node->self_ns;
	if (!pair->nr_open)
		pair->total_ns += node->total_ns;
}

static void take(void *arg, const struct path_node *node, const uint32_t *path)
{
	struct pair *box, *arrow = NULL;
	struct dot *dot = arg;

	while (dot->depth > node->depth)
		close_step(dot);
	box = pair_of(&dot->boxes, node->name, node->name);
	count(box, node);
	if (node->depth) {
		arrow = pair_of(&dot->arrows, path[node->depth - 1], node->name);
		count(arrow, node);
	}
	open_step(dot, box, arrow);
}

/* --- text --------------------------------------------------------------------- */

/* In labels, a backslash begins an escape, and Graphviz decodes entities of HTML. */
static void put_label(FILE *out, const char *text)
{
	size_t len;

	for (; *text; text += len) {
		len = strcspn(text, "\"\\&");
		out_put(out, "%.*s", (int)len, text);
		if (!text[len])
			return;
		if (text[len] == '&')
			fputs("&amp;", out);
		else
			out_put(out, "\\%c", text[len]);
		len++;
	}
}

static double share_of(const struct dot *dot, uint64_t ns)
{
	return dot->paths->total_ns ? (double)ns / dot->paths->total_ns : 0;
}

static void put_calls(FILE *out, uint64_t calls)
{
	if (calls)
		out_put(out, "\\n%llu call%s", (unsigned long long)calls, calls == 1 ? "" : "s");
}

/* The longer the time, the darker the box. */
static void put_box(const struct dot *dot, const struct pair *box)
{
	double share = share_of(dot, box->total_ns);
	char total[FMT_LEN], self[FMT_LEN];

	out_put(dot->out, "\t\"f%u\" [label=\"", box->ends.to);
	put_label(dot->out, dot->paths->names[box->ends.to]);
	out_put(dot->out, "\\n%s (%.2f %%)\\nself %s", fmt_plain(total, box->total_ns), 100 * share,
		fmt_plain(self, box->self_ns));
	put_calls(dot->out, box->calls);
	out_put(dot->out, "\", fillcolor=\"0.08 %.3f 1\"];\n", 0.05 + 0.6 * share);
}

static void put_arrow(const struct dot *dot, const struct pair *arrow)
{
	double share = share_of(dot, arrow->total_ns);
	char total[FMT_LEN];

	out_put(dot->out, "\t\"f%u\" -> \"f%u\" [label=\"%s", arrow->ends.from, arrow->ends.to,
		fmt_plain(total, arrow->total_ns));
	put_calls(dot->out, arrow->calls);
	out_put(dot->out, "\", weight=%d, penwidth=%.2f];\n", 1 + (int)(99 * share), 1 + 4 * share);
}

static void put_all(const struct dot *dot, struct pair **pairs,
		    void (*put)(const struct dot *dot, const struct pair *pair))
{
	struct pair *pair, *next;

	HASH_ITER(hh, *pairs, pair, next) {
		put(dot, pair);
		HASH_DEL(*pairs, pair);
		free(pair);
	}
}

static void print(FILE *out, const struct paths *paths)
{
	struct dot dot = { .out = out, .paths = paths };
	char *title = head_title();

	paths_each(paths, take, &dot);
	fputs("digraph calls {\n\tlabel=\"", out);
	put_label(out, title);
	fputs("\";\n\tnode [shape=box, style=filled, fontname=\"monospace\"];\n"
	      "\tedge [fontname=\"monospace\"];\n", out);
	put_all(&dot, &dot.boxes, put_box);
	put_all(&dot, &dot.arrows, put_arrow);
	fputs("}\n", out);
	free(dot.path);
	free(title);
}

const struct output_format format_dot = {
	.name = "dot",
	.kinds = DRAW_KINDS,
	.note = "the last five with --stacks",
	.note_kinds = FORMATS_OF_STACKS,
	.is_data = true,
	.paths = print,
	.is_one = true,
	.sinks = KTRACE_SINK_HIST | KTRACE_SINK_TREE,
	.needs = KTRACE_SINK_TREE,
};
