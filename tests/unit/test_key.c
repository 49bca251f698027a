// SPDX-License-Identifier: GPL-2.0
/* kmod/lib/key_table.c in user space. Tools: -I tests/unit/kernel_shim -I include -I kmod. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../kmod/lib/key_table.c"

#define ORDER	6
#define NR_KEYS	40

struct thing {
	struct kt_key key;
	unsigned long value;
};

long kt_shim_pages, kt_shim_fail_after = -1;
__thread int kt_shim_cpu;

void kt_shim_step(void)
{
}

void *kt_mem_alloc(size_t len)
{
	return shim_alloc(len);
}

void kt_mem_free(void *p, size_t len)
{
	shim_free(p);
}

static void *places;

static struct kt_key_table table(void)
{
	return (struct kt_key_table){ places, sizeof(struct thing), ORDER };
}

static int create(void **state)
{
	places = kt_key_places_alloc(table());
	return !places;
}

static int destroy(void **state)
{
	kt_key_places_free(table());
	return kt_shim_pages != 0;
}

static struct thing *thing_of(struct kt_key *key)
{
	return container_of(key, struct thing, key);
}

static void test_each_key_has_its_place(void **state)
{
	unsigned long key;

	for (key = 1; key <= NR_KEYS; key++) {
		assert_null(kt_key_find(table(), key));
		thing_of(kt_key_take(table(), key))->value = key;
	}
	for (key = 1; key <= NR_KEYS; key++)
		assert_int_equal(thing_of(kt_key_find(table(), key))->value, key);
	for (key = 1; key <= NR_KEYS; key++)
		kt_key_drop(table(), kt_key_find(table(), key));
	for (key = 1; key <= NR_KEYS; key++)
		assert_null(kt_key_find(table(), key));
}

/* A legacy queue of 3.10 allocates requests for no bio, so NULL must not be found as a key. */
static void test_no_key_is_nowhere(void **state)
{
	unsigned long key;

	assert_null(kt_key_find(table(), 0));
	assert_null(kt_key_take(table(), 0));
	/* Neither if its home place is taken, and other keys were displaced from there. */
	for (key = 1; key <= NR_KEYS; key++)
		assert_non_null(kt_key_take(table(), key));
	assert_null(kt_key_find(table(), 0));
	assert_null(kt_key_take(table(), 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_each_key_has_its_place, create, destroy),
		cmocka_unit_test_setup_teardown(test_no_key_is_nowhere, create, destroy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
