// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "report/graph.h"
#include "report/paths.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/plain.h"

struct path_name {
	uint32_t nr;
	UT_hash_handle hh;	/* by paths->names[nr] */
};

struct path_child {
	struct path_place {
		size_t parent, name;
	} place;
	size_t node;
	UT_hash_handle hh;	/* by place */
};

/* --- nodes -------------------------------------------------------------------- */

static uint32_t number_of(struct paths *paths, const char *name)
{
	char *plain = plain_text(*name ? name : "-");
	struct path_name *known;

	HASH_FIND_STR(paths->known, plain, known);
	if (known) {
		free(plain);
		return known->nr;
	}
	paths->names = mem_grow(paths->names, paths->nr_names, sizeof(*paths->names));
	paths->names[paths->nr_names] = plain;
	known = mem_alloc(sizeof(*known));
	known->nr = paths->nr_names++;
	HASH_ADD_KEYPTR(hh, paths->known, plain, strlen(plain), known);
	return known->nr;
}

size_t paths_child(struct paths *paths, size_t parent, const char *name)
{
	struct path_place place = { parent, number_of(paths, name) };
	struct path_child *child;
	struct path_node *node;

	HASH_FIND(hh, paths->children, &place, sizeof(place), child);
	if (child)
		return child->node;
	paths->nodes = mem_grow(paths->nodes, paths->nr, sizeof(*paths->nodes));
	node = &paths->nodes[paths->nr];
	node->parent = parent;
	node->name = place.name;
	node->depth = parent == PATHS_ROOT ? 0 : paths->nodes[parent].depth + 1;
	child = mem_alloc(sizeof(*child));
	child->place = place;
	child->node = paths->nr++;
	HASH_ADD(hh, paths->children, place, sizeof(place), child);
	return child->node;
}

void paths_count(struct paths *paths, size_t node, uint64_t calls, uint64_t self_ns)
{
	paths->nodes[node].calls += calls;
	paths->nodes[node].self_ns += self_ns;
}

void paths_count_before(struct paths *paths, size_t node, uint64_t calls, uint64_t self_ns)
{
	paths->is_comparison = true;
	paths->nodes[node].before.calls += calls;
	paths->nodes[node].before.self_ns += self_ns;
}

static void forget_hashes(struct paths *paths)
{
	struct path_child *child, *next_child;
	struct path_name *name, *next_name;

	HASH_ITER(hh, paths->children, child, next_child) {
		HASH_DEL(paths->children, child);
		free(child);
	}
	HASH_ITER(hh, paths->known, name, next_name) {
		HASH_DEL(paths->known, name);
		free(name);
	}
}

void paths_free(struct paths *paths)
{
	forget_hashes(paths);
	while (paths->nr_names)
		free(paths->names[--paths->nr_names]);
	free(paths->names);
	free(paths->nodes);
	memset(paths, 0, sizeof(*paths));
}

/* --- order -------------------------------------------------------------------- */

static void sum_up_before(struct path_before *parent, struct path_before *node,
			  struct path_before *all)
{
	node->total_ns += node->self_ns;
	all->total_ns += node->self_ns;
	all->calls += node->calls;
	if (parent)
		parent->total_ns += node->total_ns;
}

/* A node was added after its parent. */
static void sum_up(struct paths *paths)
{
	struct path_node *node;
	size_t i;

	for (i = paths->nr; i--; ) {
		node = &paths->nodes[i];
		node->total_ns += node->self_ns;
		paths->total_ns += node->self_ns;
		paths->calls += node->calls;
		if (node->parent != PATHS_ROOT)
			paths->nodes[node->parent].total_ns += node->total_ns;
		sum_up_before(node->parent == PATHS_ROOT ? NULL : &paths->nodes[node->parent].before,
			      &node->before, &paths->before);
	}
}

/* Sorts indexes of nodes: the longest time first. The order must not depend on anything else. */
static int by_time(const void *a, const void *b, void *arg)
{
	const struct paths *paths = arg;
	const struct path_node *x = &paths->nodes[*(const size_t *)a];
	const struct path_node *y = &paths->nodes[*(const size_t *)b];

	if (x->total_ns != y->total_ns)
		return x->total_ns < y->total_ns ? 1 : -1;
	return strcmp(paths->names[x->name], paths->names[y->name]);
}

/* Links of nodes, by their indexes. */
struct family {
	size_t *child, *sibling;	/* the first child; the next sibling; PATHS_ROOT: none */
	size_t root;			/* the first of the outermost nodes */
};

static size_t *indexes(size_t nr)
{
	size_t *all = mem_alloc((nr + 1) * sizeof(*all)), i;

	for (i = 0; i < nr; i++)
		all[i] = PATHS_ROOT;
	return all;
}

static struct family family_of(struct paths *paths)
{
	struct family family = { indexes(paths->nr), indexes(paths->nr), PATHS_ROOT };
	size_t *order = indexes(paths->nr), i, *first;

	for (i = 0; i < paths->nr; i++)
		order[i] = i;
	qsort_r(order, paths->nr, sizeof(*order), by_time, paths);
	for (i = paths->nr; i--; ) {
		first = paths->nodes[order[i]].parent == PATHS_ROOT ? &family.root :
			&family.child[paths->nodes[order[i]].parent];
		family.sibling[order[i]] = *first;
		*first = order[i];
	}
	free(order);
	return family;
}

/* Returns the node after this one in preorder. A tree may be too deep for recursion. */
static size_t next_of(const struct paths *paths, const struct family *family, size_t at)
{
	if (family->child[at] != PATHS_ROOT)
		return family->child[at];
	while (at != PATHS_ROOT && family->sibling[at] == PATHS_ROOT)
		at = paths->nodes[at].parent;
	return at == PATHS_ROOT ? at : family->sibling[at];
}

static void arrange(struct paths *paths)
{
	struct family family = family_of(paths);
	struct path_node *sorted = mem_alloc((paths->nr + 1) * sizeof(*sorted));
	size_t *place = indexes(paths->nr), nr = 0, at, parent;

	for (at = family.root; at != PATHS_ROOT; at = next_of(paths, &family, at)) {
		parent = paths->nodes[at].parent;
		place[at] = nr;
		sorted[nr] = paths->nodes[at];
		sorted[nr++].parent = parent == PATHS_ROOT ? PATHS_ROOT : place[parent];
	}
	free(paths->nodes);
	free(place);
	free(family.child);
	free(family.sibling);
	paths->nodes = sorted;
}

void paths_settle(struct paths *paths)
{
	forget_hashes(paths);
	sum_up(paths);
	arrange(paths);
}

void paths_each(const struct paths *paths, paths_take *take, void *arg)
{
	const struct path_node *node;
	uint32_t *path = NULL;
	size_t room = 0;

	for (node = paths->nodes; node < paths->nodes + paths->nr; node++) {
		if (node->depth >= room)
			path = mem_grow(path, room++, sizeof(*path));
		path[node->depth] = node->name;
		take(arg, node, path);
	}
	free(path);
}

/* --- a part ------------------------------------------------------------------- */

/* Sorts indexes of nodes: a caller has at least the time of its callees, and a lower index. */
static int by_size(const void *a, const void *b, void *arg)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const struct path_node *nodes = arg;

	if (nodes[x].total_ns != nodes[y].total_ns)
		return nodes[x].total_ns < nodes[y].total_ns ? 1 : -1;
	return x < y ? -1 : x > y;
}

void paths_take_largest(struct paths *paths, const struct paths *from, size_t nr)
{
	size_t *order = indexes(from->nr), *place = indexes(from->nr), i;
	const struct path_node *node;

	memset(paths, 0, sizeof(*paths));
	paths->counted = from->counted;
	for (i = 0; i < from->nr; i++)
		order[i] = i;
	qsort_r(order, from->nr, sizeof(*order), by_size, from->nodes);
	for (i = 0; i < nr; i++) {
		node = &from->nodes[order[i]];
		place[order[i]] = paths_child(paths, node->parent == PATHS_ROOT ? PATHS_ROOT :
					      place[node->parent], from->names[node->name]);
		paths_count(paths, place[order[i]], node->calls, node->self_ns);
	}
	free(order);
	free(place);
	paths_settle(paths);
}

/* --- trees of calls ----------------------------------------------------------- */

void paths_take_graph(struct paths *paths, const struct graph *graph, const struct names *names)
{
	unsigned int *depths = graph_depths(graph), depth;
	size_t *path = NULL, room = 0, i;

	memset(paths, 0, sizeof(*paths));
	for (i = 0; i < graph->nr; i++) {
		depth = depths[i];
		if (depth >= room)
			path = mem_grow(path, room++, sizeof(*path));
		path[depth] = paths_child(paths, depth ? path[depth - 1] : PATHS_ROOT,
					  graph_name(&graph->nodes[i], names));
		paths_count(paths, path[depth], graph->nodes[i].calls, graph->nodes[i].self_ns);
	}
	free(path);
	free(depths);
	paths_settle(paths);
}
