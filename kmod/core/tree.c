// SPDX-License-Identifier: GPL-2.0
/*
 * The calling-context tree of a session.
 *
 * Its shape is one open hash table, shared by all CPUs:
 *
 *      keys[slot] = (parent slot + 1) << 32 | (func + 1)      0: free
 *
 * The same key with AT_MOST_KEY is a node for the calls of this path that ended unseen. Such nodes
 * have no children.
 *
 * The number of a node is that of its slot, so the hash table is the whole structure. A new node
 * takes one cmpxchg on a free slot, from any context. The figures of nodes are per CPU, in cells of
 * CELL_NODES neighbouring slots. A CPU takes a cell from a pool at the first hit.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "core/tree.h"
#include "lib/mem.h"
#include "lib/pool.h"

#define CELL_ORDER 2
#define CELL_NODES (1 << CELL_ORDER)

struct figures {
	u64 calls, total_ns, self_ns;
};

struct kt_tree_cell {
	struct figures node[CELL_NODES];
};

#define AT_MOST_KEY (1ULL << 63)

/* The key of the full node, which comes after the last slot and has no parent. */
#define FULL_KEY ((u64)KTRACE_FUNC_FULL + 1)

/* The calls of a shadow stack that are closed at once (KT_SHADOW_FEW_CHUNKS) may be new nodes. */
#define NR_READY 512

static struct kt_pool cells;

void kt_tree_init(void)
{
	kt_pool_init(&cells, sizeof(struct kt_tree_cell), NR_READY);
	kt_pool_share(&cells);
}

void kt_tree_want(int nr)
{
	kt_pool_want(&cells, nr);
}

static u32 tree_slots_order(u32 max_nodes)
{
	return order_base_2(max_t(u32, max_nodes, 8)) + 1;
}

static size_t tree_keys_len(u32 order)
{
	return sizeof(u64) << order;
}

/* The full node has no mark. */
static size_t tree_marks_len(u32 order)
{
	return BITS_TO_LONGS(1UL << order) * sizeof(long);
}

static u32 tree_nr_cells(u32 order)
{
	return (1U << (order - CELL_ORDER)) + 1;
}

static size_t tree_cells_len(u32 order)
{
	return tree_nr_cells(order) * sizeof(struct kt_tree_cell *);
}

struct kt_tree *kt_tree_create(u32 max_nodes, u32 generation)
{
	struct kt_tree *tree = kt_mem_alloc(sizeof(*tree));
	int cpu;

	if (!tree)
		return NULL;
	tree->generation = generation;
	tree->max_nodes = max_nodes;
	tree->order = tree_slots_order(max_nodes);
	get_random_bytes(&tree->seed, sizeof(tree->seed));
	atomic_set(&tree->nr_nodes, 0);
	tree->keys = kt_mem_alloc(tree_keys_len(tree->order));
	tree->marks = kt_mem_alloc(tree_marks_len(tree->order));
	tree->cells = kt_mem_alloc(nr_cpu_ids * sizeof(*tree->cells));
	if (!tree->keys || !tree->marks || !tree->cells)
		goto put;
	for_each_possible_cpu(cpu) {
		tree->cells[cpu] = kt_mem_alloc(tree_cells_len(tree->order));
		if (!tree->cells[cpu])
			goto put;
	}
	return tree;
put:
	kt_tree_put(tree);
	return NULL;
}

static void tree_put_cells(struct kt_tree *tree, int cpu)
{
	u32 i;

	if (!tree->cells[cpu])
		return;
	for (i = 0; i < tree_nr_cells(tree->order); i++)
		if (tree->cells[cpu][i])
			kt_pool_put(&cells, tree->cells[cpu][i]);
	kt_mem_free(tree->cells[cpu], tree_cells_len(tree->order));
}

void kt_tree_put(struct kt_tree *tree)
{
	int cpu;

	if (!tree)
		return;
	if (tree->cells)
		for_each_possible_cpu(cpu)
			tree_put_cells(tree, cpu);
	kt_mem_free(tree->cells, nr_cpu_ids * sizeof(*tree->cells));
	kt_mem_free(tree->marks, tree_marks_len(tree->order));
	kt_mem_free(tree->keys, tree_keys_len(tree->order));
	kt_mem_free(tree, sizeof(*tree));
}

static u64 tree_key_of(u32 parent, u32 func)
{
	return (u64)(parent + 1) << 32 | (func + 1);
}

/* A program chooses the calls, but cannot know the seed: its nodes do not crowd. */
static u32 tree_home_of(const struct kt_tree *tree, u64 key)
{
	key = (key ^ tree->seed) * 0xff51afd7ed558ccdULL;
	return hash_64(key ^ key >> 32, tree->order);
}

/* At most half of the slots are taken, so a free one is near. */
#define MOST_LOOKS 256

static u32 tree_node_of(struct kt_tree *tree, u64 key)
{
	u32 mask = (1U << tree->order) - 1;
	u32 slot = tree_home_of(tree, key), looks;
	u64 old;

	for (looks = 0; looks < MOST_LOOKS; looks++, slot = (slot + 1) & mask) {
		old = READ_ONCE(tree->keys[slot]);
		if (likely(old == key))
			return slot;
		if (old)
			continue;
		if (atomic_inc_return(&tree->nr_nodes) > tree->max_nodes) {
			atomic_dec(&tree->nr_nodes);
			return kt_tree_full_node(tree);
		}
		old = cmpxchg64(&tree->keys[slot], 0, key);
		if (!old)
			return slot;
		atomic_dec(&tree->nr_nodes);
		if (old == key)
			return slot;
	}
	return kt_tree_full_node(tree);
}

u32 kt_tree_child(struct kt_tree *tree, u32 parent, u32 func)
{
	if (kt_tree_is_full(tree, parent))
		return parent;
	return tree_node_of(tree, tree_key_of(parent, func));
}

u32 kt_tree_at_most(struct kt_tree *tree, u32 node)
{
	if (kt_tree_is_full(tree, node))
		return node;
	return tree_node_of(tree, READ_ONCE(tree->keys[node]) | AT_MOST_KEY);
}

/* Returns the figures of node on this CPU, or NULL if they are new and the pool is empty. */
static inline struct figures *figures_of(struct kt_tree *tree, u32 node)
{
	struct kt_tree_cell **slot = &tree->cells[smp_processor_id()][node >> CELL_ORDER];
	struct kt_tree_cell *cell = *slot;

	if (unlikely(!cell)) {
		cell = kt_pool_get(&cells);
		if (cell)
			WRITE_ONCE(*slot, cell);
	}
	return likely(cell) ? &cell->node[node & (CELL_NODES - 1)] : NULL;
}

bool kt_tree_add_self(struct kt_tree *tree, u32 node, u64 self)
{
	struct figures *figures = figures_of(tree, node);

	if (figures)
		figures->self_ns += self;
	return figures;
}

bool kt_tree_add(struct kt_tree *tree, u32 node, u64 duration, u64 self)
{
	struct figures *figures = figures_of(tree, node);

	if (unlikely(!figures))
		return false;
	figures->calls++;
	figures->total_ns += duration;
	figures->self_ns += self;
	return true;
}

bool kt_tree_add_max(struct kt_tree *tree, u32 node, u64 duration)
{
	struct figures *figures = figures_of(tree, node);

	if (unlikely(!figures))
		return false;
	figures->calls++;
	figures->total_ns += duration;
	figures->self_ns = max(figures->self_ns, duration);
	return true;
}

void kt_tree_mark_tail(struct kt_tree *tree, u32 node)
{
	if (!kt_tree_is_full(tree, node) && !test_bit(node, tree->marks))
		set_bit(node, tree->marks);
}

static u32 tree_marks_of(const struct kt_tree *tree, u32 slot, u64 key)
{
	if (kt_tree_is_full(tree, slot))
		return 0;
	return (test_bit(slot, tree->marks) ? KTRACE_NODE_TAIL : 0) |
	       (key & AT_MOST_KEY ? KTRACE_NODE_AT_MOST : 0);
}

static void tree_sum(const struct kt_tree *tree, u32 slot, struct ktrace_node *node)
{
	const struct kt_tree_cell *cell;
	u64 self_ns;
	int cpu;

	for_each_possible_cpu(cpu) {
		cell = READ_ONCE(tree->cells[cpu][slot >> CELL_ORDER]);
		if (!cell)
			continue;
		node->calls += READ_ONCE(cell->node[slot & (CELL_NODES - 1)].calls);
		node->total_ns += READ_ONCE(cell->node[slot & (CELL_NODES - 1)].total_ns);
		self_ns = READ_ONCE(cell->node[slot & (CELL_NODES - 1)].self_ns);
		node->self_ns = tree->keeps_max ? max(node->self_ns, self_ns) :
				node->self_ns + self_ns;
	}
}

static void tree_fill(const struct kt_tree *tree, u32 slot, u64 key, struct ktrace_node *node)
{
	memset(node, 0, sizeof(*node));
	node->node = slot;
	node->parent = (u32)((key & ~AT_MOST_KEY) >> 32) - 1;
	node->func = (u32)key - 1;
	node->marks = tree_marks_of(tree, slot, key);
	tree_sum(tree, slot, node);
}

bool kt_tree_next(const struct kt_tree *tree, u32 *pos, struct ktrace_node *node)
{
	u64 key;

	for (; *pos < kt_tree_full_node(tree); ++*pos) {
		cond_resched();
		key = READ_ONCE(tree->keys[*pos]);
		if (!key)
			continue;
		tree_fill(tree, *pos, key, node);
		return true;
	}
	tree_fill(tree, kt_tree_full_node(tree), FULL_KEY, node);
	return *pos == kt_tree_full_node(tree) && node->calls;
}
