// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "keep/forest.h"
#include "util/mem.h"

#define CHUNK 1024
#define NARROW 12	/* nodes that are searched one by one */

/* --- nodes ---------------------------------------------------------------------- */

static void make_chunk(struct nodes *nodes)
{
	struct node *chunk = mem_alloc(CHUNK * sizeof(*chunk));
	size_t i;

	nodes->chunks = mem_grow(nodes->chunks, nodes->nr_chunks, sizeof(*nodes->chunks));
	nodes->chunks[nodes->nr_chunks++] = chunk;
	for (i = CHUNK; i--;) {
		chunk[i].next = nodes->free;
		nodes->free = &chunk[i];
	}
}

static struct node *take_node(struct nodes *nodes, uint32_t func)
{
	struct node *node;

	if (nodes->nr_used >= (nodes->most ? nodes->most : NODES_MOST))
		return NULL;
	if (!nodes->free)
		make_chunk(nodes);
	node = nodes->free;
	nodes->free = node->next;
	memset(node, 0, sizeof(*node));
	node->func = func;
	nodes->nr_used++;
	return node;
}

static void give_node(struct nodes *nodes, struct node *node)
{
	free(node->callees.slots);
	node->callees.slots = NULL;
	node->next = nodes->free;
	nodes->free = node;
	nodes->nr_used--;
}

void nodes_free(struct nodes *nodes)
{
	size_t i;

	/* Nodes that are free have no slots. */
	while (nodes->nr_chunks) {
		for (i = 0; i < CHUNK; i++)
			free(nodes->chunks[nodes->nr_chunks - 1][i].callees.slots);
		free(nodes->chunks[--nodes->nr_chunks]);
	}
	free(nodes->chunks);
	free(nodes->steps);
	memset(nodes, 0, sizeof(*nodes));
}

/* --- forests -------------------------------------------------------------------- */

static uint32_t slot_of(const struct forest *forest, uint32_t func)
{
	return (func * 2654435761u >> 7) & (forest->nr_slots - 1);
}

static void put_in_slot(struct forest *forest, struct node *node)
{
	uint32_t at = slot_of(forest, node->func);

	while (forest->slots[at])
		at = (at + 1) & (forest->nr_slots - 1);
	forest->slots[at] = node;
}

/* Slots are half empty at least. */
static void grow_slots(struct forest *forest)
{
	struct node *node;

	free(forest->slots);
	forest->nr_slots = forest->nr_slots ? 2 * forest->nr_slots : 4 * NARROW;
	while (forest->nr_slots & (forest->nr_slots - 1))
		forest->nr_slots += forest->nr_slots & -forest->nr_slots;
	forest->slots = mem_alloc(forest->nr_slots * sizeof(*forest->slots));
	for (node = forest->first; node; node = node->next)
		put_in_slot(forest, node);
}

static void add_node(struct forest *forest, struct node *node)
{
	node->next = forest->first;
	forest->first = node;
	forest->nr++;
	if (forest->nr > NARROW && 2 * forest->nr > forest->nr_slots)
		grow_slots(forest);
	else if (forest->slots)
		put_in_slot(forest, node);
}

static struct node *find_in_slots(const struct forest *forest, uint32_t func)
{
	uint32_t at = slot_of(forest, func);

	while (forest->slots[at] && forest->slots[at]->func != func)
		at = (at + 1) & (forest->nr_slots - 1);
	return forest->slots[at];
}

static inline struct node *find(const struct forest *forest, uint32_t func)
{
	struct node *node;

	if (forest->slots)
		return find_in_slots(forest, func);
	for (node = forest->first; node && node->func != func; node = node->next)
		;
	return node;
}

struct node *forest_get(struct nodes *nodes, struct forest *forest, uint32_t func)
{
	struct node *node = find(forest, func);

	if (node)
		return node;
	node = take_node(nodes, func);
	if (node)
		add_node(forest, node);
	return node;
}

static void add_figures(struct node *to, const struct node *from)
{
	to->has_tail |= from->has_tail;
	to->calls += from->calls;
	to->total_ns += from->total_ns;
	to->self_ns += from->self_ns;
	to->bound_calls += from->bound_calls;
	to->bound_ns += from->bound_ns;
	to->bound_self_ns += from->bound_self_ns;
}

static void push(struct nodes *nodes, size_t *nr, struct forest *to, struct forest *from)
{
	if (!from->first)
		return;
	if (!to->first) {
		*to = *from;
	} else {
		if (*nr == nodes->room) {
			nodes->room = nodes->room ? 2 * nodes->room : 64;
			nodes->steps = mem_resize(nodes->steps, nodes->room * sizeof(*nodes->steps));
		}
		nodes->steps[(*nr)++] = (struct merge_step){ to, from->first };
		free(from->slots);
	}
	memset(from, 0, sizeof(*from));
}

/* Without recursion, because calls may be as deep as a stack. */
void forest_absorb(struct nodes *nodes, struct forest *to, struct forest *from)
{
	struct node *node, *next, *known;
	struct merge_step step;
	size_t nr = 0;

	push(nodes, &nr, to, from);
	while (nr) {
		step = nodes->steps[--nr];
		for (node = step.from; node; node = next) {
			next = node->next;
			known = find(step.to, node->func);
			if (!known) {
				add_node(step.to, node);
				continue;
			}
			add_figures(known, node);
			push(nodes, &nr, &known->callees, &node->callees);
			give_node(nodes, node);
		}
	}
}

uint64_t forest_calls(const struct forest *forest)
{
	const struct node *node;
	uint64_t calls = 0;

	for (node = forest->first; node; node = node->next)
		calls += node->calls + node->bound_calls;
	return calls;
}
