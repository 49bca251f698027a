// SPDX-License-Identifier: GPL-2.0
/* kmod/core/tree.c: a program that chooses its calls cannot make the search for a node long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "shim.h"

/* --- what it needs of a kernel ------------------------------------------------ */

#define KT_MEM_H
#define KT_POOL_H

struct kt_pool { int none; };

__thread int kt_shim_cpu;
long kt_shim_pages, kt_shim_fail_after = -1;
static u64 seed;	/* the next random number */

#define kt_mem_alloc(len)		shim_alloc(len)
#define kt_mem_free(p, len)		((void)(len), shim_free(p))
#define kt_pool_init(pool, len, low)	((void)(pool), (void)(len))
#define kt_pool_share(pool)		((void)(pool))
#define kt_pool_want(pool, nr)		((void)(pool), (void)(nr))
#define kt_pool_get(pool)		((void)(pool), (struct kt_tree_cell *)NULL)
#define kt_pool_put(pool, p)		((void)(pool), (void)(p))
#define get_random_bytes(to, len)	memcpy(to, &seed, len)
#define hash_64(n, bits)		((u32)((n) * 0x61C8864680B583EBULL >> (64 - (bits))))
#define order_base_2(n)			(32 - __builtin_clz((n) - 1))
#define max_t(type, a, b)		max((type)(a), (type)(b))
#define BITS_TO_LONGS(n)		(((n) + 63) / 64)
#define atomic_set(a, n)		((a)->counter = (n))
#define atomic_inc_return(a)		(atomic_add(1, a) + 1)
#define cmpxchg64(p, old, new)		cmpxchg(p, old, new)
#define WRITE_ONCE(x, n)		((x) = (n))
#define test_bit(bit, bits)		((void)(bits), (bit) == ~0U)
#define set_bit(bit, bits)		((void)(bit), (void)(bits))

#include "../../kmod/core/tree.c"

/* --- tests ------------------------------------------------------------------- */

#define MAX_NODES 4096
#define CROWD 1000

/* Returns the most slots beside each other that are taken. */
static u32 longest_run(const struct kt_tree *tree)
{
	u32 slot, run = 0, longest = 0;

	for (slot = 0; slot < kt_tree_full_node(tree); slot++) {
		run = tree->keys[slot] ? run + 1 : 0;
		longest = max(longest, run);
	}
	return longest;
}

/* Makes children of the root whose homes, with a seed of 0 or with no seed, are all the same. */
static void crowd(struct kt_tree *tree, const struct kt_tree *model, bool has_seed)
{
	u32 func, nr = 0;
	u64 key;

	for (func = 0; nr < CROWD; func++) {
		key = tree_key_of(KTRACE_NODE_ROOT, func);
		if ((has_seed ? tree_home_of(model, key) : hash_64(key, tree->order)) >> 5)
			continue;
		kt_tree_child(tree, KTRACE_NODE_ROOT, func);
		nr++;
	}
}

static void test_chosen_calls_do_not_crowd(void **state)
{
	struct kt_tree *model = kt_tree_create(MAX_NODES, 1), *tree;

	(void)state;
	seed = 0x123456789abcdef1ULL;
	tree = kt_tree_create(MAX_NODES, 1);
	crowd(tree, model, false);
	assert_int_equal(atomic_read(&tree->nr_nodes), CROWD);
	assert_in_range(longest_run(tree), 1, 40);
	kt_tree_put(tree);
	kt_tree_put(model);
	seed = 0;
}

/* If a program knew the seed, its calls would be counted in the full node, which is reported. */
static void test_search_is_bounded(void **state)
{
	struct kt_tree *tree = kt_tree_create(MAX_NODES, 1);

	(void)state;
	crowd(tree, tree, true);
	assert_in_range(longest_run(tree), MOST_LOOKS, MOST_LOOKS + 32);
	kt_tree_put(tree);
	assert_int_equal(kt_shim_pages, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chosen_calls_do_not_crowd),
		cmocka_unit_test(test_search_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
