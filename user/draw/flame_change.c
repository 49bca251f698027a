// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdlib.h>

#include "draw/flame_change.h"
#include "draw/xml.h"
#include "report/paths.h"
#include "util/fmt.h"
#include "util/mem.h"
#include "util/out.h"

#define GREY 220	/* of a frame whose own time is the same */
#define PALE 225	/* the weakest red and blue, ... */
#define STRONG 25	/* ... and the strongest */
#define NAMED 3		/* so many paths are named that are gone */

static uint64_t change_of(const struct path_node *node)
{
	uint64_t before = node->before.self_ns;

	return node->self_ns < before ? before - node->self_ns : node->self_ns - before;
}

uint64_t flame_largest_change(const struct paths *paths)
{
	uint64_t largest = 0;
	size_t i;

	for (i = 0; i < paths->nr; i++)
		if (change_of(&paths->nodes[i]) > largest)
			largest = change_of(&paths->nodes[i]);
	return largest;
}

void flame_put_change_color(FILE *out, const struct path_node *node, uint64_t largest)
{
	uint64_t change = change_of(node);
	int pale = PALE - (largest ? (int)((PALE - STRONG) * ((double)change / largest)) : 0);

	if (!change)
		out_put(out, "#%02x%02x%02x", GREY, GREY, GREY);
	else if (node->self_ns > node->before.self_ns)
		out_put(out, "#ff%02x%02x", pale, pale);
	else
		out_put(out, "#%02x%02xff", pale, pale);
}

void flame_put_change(FILE *out, const struct path_node *node)
{
	const struct path_before *before = &node->before;
	char total[FMT_LEN], self[FMT_LEN], by[FMT_LEN];

	if (!before->calls && !before->total_ns) {
		out_put(out, "; not in A");
		return;
	}
	out_put(out, "; A: %s, self %s, %llu call%s; self %s%s", fmt_plain(total, before->total_ns),
		fmt_plain(self, before->self_ns), (unsigned long long)before->calls,
		before->calls == 1 ? "" : "s", node->self_ns < before->self_ns ? "-" : "+",
		fmt_plain(by, change_of(node)));
	if (before->self_ns)
		out_put(out, " (%+.1f %%)", 100 * ((double)node->self_ns - (double)before->self_ns) /
			(double)before->self_ns);
}

/* --- paths without a frame ---------------------------------------------------- */

static bool is_gone(const struct path_node *node)
{
	return !node->total_ns && node->before.self_ns;
}

/* Sorts indexes of nodes: the longest time in A first. */
static int by_time_before(const void *a, const void *b, void *arg)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const struct path_node *nodes = arg;

	if (nodes[x].before.self_ns != nodes[y].before.self_ns)
		return nodes[x].before.self_ns < nodes[y].before.self_ns ? 1 : -1;
	return x < y ? -1 : x > y;
}

/* The outermost function comes first. */
static void put_path(FILE *out, const struct paths *paths, size_t at)
{
	const struct path_node *node = &paths->nodes[at];
	size_t *path = mem_alloc((node->depth + 1) * sizeof(*path)), i;

	for (i = node->depth + 1; i--; at = paths->nodes[at].parent)
		path[i] = at;
	for (i = 0; i <= node->depth; i++) {
		if (i)
			fputc(';', out);
		xml_put(out, paths->names[paths->nodes[path[i]].name]);
	}
	free(path);
}

static void put_longest(FILE *out, const struct paths *paths, size_t *gone, size_t nr)
{
	char time[FMT_LEN];
	size_t i;

	qsort_r(gone, nr, sizeof(*gone), by_time_before, paths->nodes);
	for (i = 0; i < nr && i < NAMED; i++) {
		fputs(i ? ", " : ": ", out);
		put_path(out, paths, gone[i]);
		out_put(out, " %s", fmt_plain(time, paths->nodes[gone[i]].before.self_ns));
	}
	fputs(nr > NAMED ? ", ..." : ".", out);
}

void flame_put_gone(FILE *out, const struct paths *paths, int y)
{
	size_t *gone = mem_alloc((paths->nr + 1) * sizeof(*gone)), nr = 0, i;
	char time[FMT_LEN];
	uint64_t ns = 0;

	for (i = 0; i < paths->nr; i++) {
		if (!is_gone(&paths->nodes[i]))
			continue;
		gone[nr++] = i;
		ns += paths->nodes[i].before.self_ns;
	}
	out_put(out, "<text id=\"gone\" x=\"3\" y=\"%d\">", y);
	if (nr) {
		out_put(out, "%zu path%s with %s of own time %s only in A", nr, nr == 1 ? "" : "s",
			fmt_plain(time, ns), nr == 1 ? "is" : "are");
		put_longest(out, paths, gone, nr);
	} else {
		fputs("No path has time in A only.", out);
	}
	fputs("</text>\n", out);
	free(gone);
}
