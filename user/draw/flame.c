// SPDX-License-Identifier: GPL-2.0
/*
 * A flame graph as one SVG file: a frame is as wide as its time, callers are below callees. Each frame
 * is an <svg> of its own that cuts its text. All widths are percents of the picture, so that the
 * picture is right without its script, too, which only zooms and searches. In a comparison, frames are as
 * wide as their time on the new side, and their colour shows how their own time has changed
 * (flame_change.c).
 */
#include <stdlib.h>
#include <string.h>

#include "draw/draw.h"
#include "draw/flame_change.h"
#include "draw/flame_script.h"
#include "draw/xml.h"
#include "report/head.h"
#include "report/paths.h"
#include "uapi/ktrace.h"
#include "util/fmt.h"
#include "util/mem.h"
#include "util/plain.h"

#define WIDTH 1200	/* pixels, without the script */
#define HEAD 72		/* pixels above the frames, ... */
#define LINE 16		/* ... and for one more line of text */
#define ROW 17		/* pixels of a frame, with the gap below it */
#define LEAST 0.0002	/* the least share of the time that is drawn: a quarter of a pixel */
#define NO_TEXT 0.02	/* the share below which a frame has no room for text */

struct flame {
	FILE *out;
	const struct paths *paths;
	double *begins;		/* of each node, as a share */
	unsigned int rows;
	unsigned int head;	/* pixels above the frames */
	uint64_t largest;	/* in a comparison: change of a node's own time */
	size_t nr_cut;		/* nodes that are too narrow, ... */
	uint64_t cut_ns;	/* ... and their time */
};

static double share_of(const struct flame *flame, uint64_t ns)
{
	return flame->paths->total_ns ? (double)ns / flame->paths->total_ns : 0;
}

/* --- text --------------------------------------------------------------------- */

/* A name always has the same colour, in every picture: one of fire's, or if it took no CPU, of ice's. */
static void put_color(FILE *out, const char *name)
{
	bool is_cold = !strncmp(name, PATHS_OFF_CPU, strlen(PATHS_OFF_CPU));
	uint32_t hash = 2166136261U;
	unsigned int most, middle, least;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619U;
	hash ^= hash >> 15;
	most = 215 + hash % 40;
	middle = 100 + (hash >> 8) % 130;
	least = 50 + (hash >> 16) % 60;
	out_put(out, "#%02x%02x%02x", is_cold ? least : most, middle, is_cold ? most : least);
}

static void put_figures(const struct flame *flame, const struct path_node *node)
{
	char total[FMT_LEN], self[FMT_LEN];

	out_put(flame->out, ": %s (%.2f %%), self %s", fmt_plain(total, node->total_ns),
		100 * share_of(flame, node->total_ns), fmt_plain(self, node->self_ns));
	if (node->calls)
		out_put(flame->out, ", %llu call%s", (unsigned long long)node->calls,
			node->calls == 1 ? "" : "s");
	if (flame->paths->is_comparison)
		flame_put_change(flame->out, node);
}

static void put_fill(const struct flame *flame, const struct path_node *node, const char *name)
{
	if (flame->paths->is_comparison)
		flame_put_change_color(flame->out, node, flame->largest);
	else
		put_color(flame->out, name);
}

/* row: 0 is the lowest, with the frame of everything. */
static void put_frame(const struct flame *flame, const struct path_node *node, const char *name,
		      unsigned int row, double begin)
{
	double share = row ? share_of(flame, node->total_ns) : 1;
	FILE *out = flame->out;

	out_put(out, "<svg class=\"f%s\" x=\"%.4f%%\" y=\"%u\" width=\"%.4f%%\" height=\"%d\"><title>",
		share < NO_TEXT ? " n" : "", 100 * begin, flame->head + (flame->rows - row) * ROW,
		100 * share, ROW - 1);
	xml_put(out, name);
	put_figures(flame, node);
	fputs("</title><rect width=\"100%\" height=\"100%\" fill=\"", out);
	put_fill(flame, node, name);
	fputs("\"/><text x=\"3\" y=\"12\">", out);
	xml_put(out, name);
	fputs("</text></svg>\n", out);
}

/* --- places ------------------------------------------------------------------- */

static bool is_drawn(const struct flame *flame, const struct path_node *node)
{
	return share_of(flame, node->total_ns) >= LEAST;
}

/* Callees stand beside each other from the left edge of their caller on, in the order of paths. */
static void place(struct flame *flame)
{
	const struct paths *paths = flame->paths;
	double *free_at = mem_alloc((paths->nr + 1) * sizeof(*free_at)), *from;
	const struct path_node *node;
	size_t i;

	flame->begins = mem_alloc((paths->nr + 1) * sizeof(*flame->begins));
	for (i = 0; i < paths->nr; i++) {
		node = &paths->nodes[i];
		from = node->parent == PATHS_ROOT ? &free_at[paths->nr] : &free_at[node->parent];
		flame->begins[i] = free_at[i] = *from;
		*from += share_of(flame, node->total_ns);
		if (is_drawn(flame, node)) {
			flame->rows = node->depth + 1 > flame->rows ? node->depth + 1 : flame->rows;
			continue;
		}
		if (paths->is_comparison && !node->total_ns && node->before.total_ns)
			continue;	/* flame_put_gone() */
		flame->nr_cut++;
		if (node->parent == PATHS_ROOT || is_drawn(flame, &paths->nodes[node->parent]))
			flame->cut_ns += node->total_ns;
	}
	free(free_at);
}

/* Returns the title, which the caller frees. */
static char *title_of(const struct paths *paths)
{
	return paths->title ? plain_text(paths->title) : head_title();
}

/* --- the picture -------------------------------------------------------------- */

static void put_head(const struct flame *flame)
{
	unsigned int height = flame->head + (flame->rows + 1) * ROW;
	char *title = title_of(flame->paths);
	FILE *out = flame->out;

	out_put(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\">\n<title>", WIDTH,
		height);
	xml_put(out, title);
	fputs("</title>\n<style>\n"
	      "text, input, button, span { font: 12px monospace; }\n"
	      ".f { cursor: pointer; }\n"
	      ".f rect { stroke: #fff; stroke-width: 0.5; }\n"
	      ".f:hover rect { stroke: #000; stroke-width: 2; }\n"
	      ".n text { display: none; }\n"
	      ".up { opacity: 0.6; }\n"
	      ".hit rect { fill: #b060e0; }\n"
	      "</style>\n"
	      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
	      "<text x=\"3\" y=\"16\">", out);
	xml_put(out, title);
	fputs("</text>\n", out);
	free(title);
}

static void put_cut(const struct flame *flame)
{
	char time[FMT_LEN];

	fputs("<text id=\"cut\" x=\"3\" y=\"32\">", flame->out);
	if (flame->nr_cut)
		out_put(flame->out, "%zu frame%s below %.2f %% of the time %s not drawn: %s, %.2f %% of the time.",
			flame->nr_cut, flame->nr_cut == 1 ? "" : "s", 100 * LEAST,
			flame->nr_cut == 1 ? "is" : "are", fmt_plain(time, flame->cut_ns),
			100 * share_of(flame, flame->cut_ns));
	else
		fputs("All frames are drawn.", flame->out);
	fputs("</text>\n", flame->out);
}

/* Shown by the script. Viewers that are no browsers ignore foreign objects. */
static void put_tools(FILE *out, unsigned int y)
{
	out_put(out, "<foreignObject id=\"tools\" x=\"0\" y=\"%u\" width=\"100%%\" height=\"24\" style=\"display:none\">",
		y);
	fputs("<div xmlns=\"http://www.w3.org/1999/xhtml\">"
	      "<input id=\"word\" placeholder=\"search (Ctrl-F)\"/> "
	      "<button id=\"reset\">reset</button> <span id=\"result\"></span>"
	      "</div></foreignObject>\n", out);
}

static void put_frames(const struct flame *flame)
{
	const struct paths *paths = flame->paths;
	const struct path_node all = { .total_ns = paths->total_ns, .calls = paths->calls,
				       .before = paths->before };
	const struct path_node *node;
	size_t i;

	put_frame(flame, &all, "all", 0, 0);
	for (i = 0; i < paths->nr; i++) {
		node = &paths->nodes[i];
		if (is_drawn(flame, node))
			put_frame(flame, node, paths->names[node->name], node->depth + 1,
				  flame->begins[i]);
	}
}

/* The text that the script replaces by that of the frame below the mouse. */
static void put_info(const struct flame *flame)
{
	out_put(flame->out, "<text id=\"info\" x=\"3\" y=\"%u\">A frame is as wide as its time%s; callers are below.%s Click a frame to zoom; Escape returns.</text>\n",
		flame->head - 2, flame->paths->is_comparison ? " in B" : "",
		flame->paths->is_comparison ? " Red: more own time in B than in A; blue: less; grey: the same." : "");
}

static void print(FILE *out, const struct paths *paths)
{
	unsigned int below = paths->is_comparison ? LINE : 0;
	struct flame flame = { .out = out, .paths = paths, .head = HEAD + below,
			       .largest = flame_largest_change(paths) };

	place(&flame);
	put_head(&flame);
	put_cut(&flame);
	if (paths->is_comparison)
		flame_put_gone(out, paths, HEAD - 24);
	put_tools(out, HEAD - 36 + below);
	put_info(&flame);
	put_frames(&flame);
	fputs("<script><![CDATA[\n", out);
	out_kept(out, flame_script, strlen(flame_script));
	fputs("]]></script>\n</svg>\n", out);
	free(flame.begins);
}

const struct output_format format_flame = {
	.name = "flame",
	.kinds = DRAW_KINDS,
	.is_data = true,
	.paths = print,
	.is_one = true,
	.sinks = KTRACE_SINK_HIST | KTRACE_SINK_TREE,
	.needs = KTRACE_SINK_TREE,
};
