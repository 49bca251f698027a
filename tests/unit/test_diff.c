// SPDX-License-Identifier: GPL-2.0
/* The statistics of ktrace diff, compared with an enumeration of all cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <json-c/json.h>

#include "../../user/keep/compare.h"
#include "../../user/keep/compare_document.h"
#include "../../user/keep/compare_load.h"
#include "../../user/keep/spread.h"

#define MOST 12		/* values, for which all choices are enumerated */

static uint64_t numbers = 1;

static uint64_t next_number(uint64_t below)
{
	numbers = numbers * 6364136223846793005ULL + 1442695040888963407ULL;
	return (numbers >> 33) % below;
}

static void assert_near(double is, double wanted)
{
	double far = is > wanted ? is - wanted : wanted - is;

	if (far > 1e-12 + 1e-9 * wanted)
		fail_msg("%.17g is not %.17g", is, wanted);
}

/* --- the test ------------------------------------------------------------------ */

/* Twice the number of values of the other side below each chosen one; equal ones count half. */
static unsigned int doubled_u(const uint64_t *all, size_t nr, unsigned int chosen)
{
	unsigned int u = 0;
	size_t i, j;

	for (i = 0; i < nr; i++)
		for (j = 0; j < nr; j++)
			if ((chosen >> i & 1) && !(chosen >> j & 1))
				u += all[j] < all[i] ? 2 : all[j] == all[i];
	return u;
}

/* Chooses the values of side A in all ways, and counts those that are at least as extreme. */
static double enumerated(const uint64_t *a, size_t nr_a, const uint64_t *b, size_t nr_b)
{
	unsigned int is, chosen, u, below = 0, above = 0, ways = 0;
	size_t nr = nr_a + nr_b;
	uint64_t all[MOST];

	memcpy(all, a, nr_a * sizeof(*a));
	memcpy(all + nr_a, b, nr_b * sizeof(*b));
	is = doubled_u(all, nr, (1U << nr_a) - 1);
	for (chosen = 0; chosen < 1U << nr; chosen++) {
		if (__builtin_popcount(chosen) != (int)nr_a)
			continue;
		u = doubled_u(all, nr, chosen);
		below += u <= is;
		above += u >= is;
		ways++;
	}
	u = below < above ? below : above;
	return 2 * u < ways ? 2.0 * u / ways : 1;
}

/* Few different values make many equal ones. */
static void test_p_is_that_of_all_choices(void **state)
{
	static const uint64_t different[] = { 2, 4, 10, 1000000 };
	uint64_t a[MOST], b[MOST];
	size_t nr_a, nr_b, i, round;

	(void)state;
	for (nr_a = 1; nr_a <= 5; nr_a++) {
		for (nr_b = 1; nr_b <= 6; nr_b++) {
			for (round = 0; round < 12; round++) {
				for (i = 0; i < nr_a; i++)
					a[i] = next_number(different[round % 4]);
				for (i = 0; i < nr_b; i++)
					b[i] = next_number(different[round % 4]) + round % 3;
				assert_near(spread_test(a, nr_a, b, nr_b),
					    enumerated(a, nr_a, b, nr_b));
			}
		}
	}
}

/* Values of published tables: of 252 choices, four have a U of at most 2. */
static void test_p_is_that_of_tables(void **state)
{
	static const uint64_t a[] = { 1, 2, 3, 4, 7 }, b[] = { 5, 6, 8, 9, 10 };
	static const uint64_t same[] = { 7, 7, 7, 7 };

	(void)state;
	assert_near(spread_test(a, 5, b, 5), 8.0 / 252);
	assert_near(spread_test(b, 5, a, 5), 8.0 / 252);
	assert_near(spread_test(a, 3, b, 3), 0.1);
	assert_near(spread_test(a, 4, b + 1, 4), 2.0 / 70);
	assert_near(spread_test(same, 4, same, 4), 1);
	assert_near(spread_test(a, 1, b, 1), 1);
}

static void test_most_values(void **state)
{
	uint64_t a[SPREAD_MOST], b[SPREAD_MOST];
	size_t i;

	(void)state;
	for (i = 0; i < SPREAD_MOST; i++) {
		a[i] = i;
		b[i] = UINT64_MAX - i;
	}
	assert_near(spread_test(a, SPREAD_MOST, b, SPREAD_MOST), 2.0 / 137846528820.0);
	assert_near(spread_least(SPREAD_MOST, SPREAD_MOST), 2.0 / 137846528820.0);
	for (i = 0; i < SPREAD_MOST; i++)
		b[i] = a[i];
	assert_near(spread_test(a, SPREAD_MOST, b, SPREAD_MOST), 1);
	assert_near(spread_least(3, 3), 0.1);
	assert_near(spread_least(1, 1), 1);
	assert_near(spread_least(4, 3), 2.0 / 35);
}

static void test_median(void **state)
{
	static const uint64_t values[] = { UINT64_MAX, 5, UINT64_MAX - 3, 1 };
	struct spread spread = spread_of(values, 4);

	(void)state;
	assert_true(spread.median == 5 + (UINT64_MAX - 3 - 5) / 2);
	assert_true(spread.min == 1 && spread.max == UINT64_MAX && spread.nr == 4);
	assert_true(spread_of(values, 3).median == UINT64_MAX - 3);
	assert_true(spread_of(values, 1).median == UINT64_MAX);
}

/* --- documents ------------------------------------------------------------------ */

static void add(struct comparison *comparison, enum compare_side side, const char *rows)
{
	struct json_object *document;
	char text[4096];
	struct err err;
	int len;

	len = snprintf(text, sizeof(text), "{\"schema\":\"ktrace.run/1\",\"lost\":0,\"rows\":[%s]}",
		       rows);
	document = compare_parse("text", text, len, &err);
	assert_non_null(document);
	if (compare_add(comparison, side, "text", document, &err))
		fail_msg("%s", err.text);
}

/* Sums of 64 bits keep each nanosecond; a change can be longer than 63 bits. */
static void test_large_numbers(void **state)
{
	struct comparison comparison = { .nr = 0 };
	struct compare_change change;

	(void)state;
	add(&comparison, SIDE_A, "{\"name\":\"f\",\"calls\":1,\"total_ns\":\"18446744073709551615\",\"self_ns\":\"9007199254740993\"}");
	add(&comparison, SIDE_B, "{\"name\":\"f\",\"calls\":0,\"total_ns\":1,\"self_ns\":\"9007199254740994\"}");
	compare_settle(&comparison);
	assert_int_equal(comparison.nr, 1);
	change = compare_change(&comparison, comparison.rows[0], COMPARE_TOTAL);
	assert_true(change.is_less && change.by == UINT64_MAX - 1);
	change = compare_change(&comparison, comparison.rows[0], COMPARE_SELF);
	assert_true(!change.is_less && change.by == 1 && change.p > 1);
	change = compare_change(&comparison, comparison.rows[0], COMPARE_CALLS);
	assert_true(change.is_less && change.by == 1 && change.percent == -100);
	compare_free(&comparison);
}

/* Rows of two threads with one name are one row; a run without the row has the sum 0. */
static void test_rows_unite(void **state)
{
	struct comparison comparison = { .nr = 0 };
	struct compare_change change;

	(void)state;
	add(&comparison, SIDE_A, "{\"comm\":\"x\",\"tid\":1,\"calls\":2,\"total_ns\":10,\"p50_ns\":5,\"avg_ns\":5},"
	    "{\"comm\":\"x\",\"tid\":2,\"calls\":1,\"total_ns\":20,\"p50_ns\":20,\"avg_ns\":20}");
	add(&comparison, SIDE_A, "");
	add(&comparison, SIDE_B, "{\"comm\":\"x\",\"tid\":9,\"calls\":7,\"total_ns\":14,\"p50_ns\":2,\"avg_ns\":2}");
	compare_settle(&comparison);
	assert_int_equal(comparison.nr, 1);
	change = compare_change(&comparison, comparison.rows[0], COMPARE_TOTAL);
	assert_true(change.of[SIDE_A].nr == 2 && change.of[SIDE_A].median == 15 && change.of[SIDE_A].max == 30);
	change = compare_change(&comparison, comparison.rows[0], COMPARE_AVG);
	assert_true(change.of[SIDE_A].nr == 1 && change.of[SIDE_A].median == 10);
	change = compare_change(&comparison, comparison.rows[0], COMPARE_P50);
	assert_true(!change.has[SIDE_A] && change.has[SIDE_B] && !change.is_known);
	assert_int_equal(comparison.rows[0]->marks[SIDE_A], 1 << COMPARE_MARK_UNITED);
	compare_free(&comparison);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_p_is_that_of_all_choices),
		cmocka_unit_test(test_p_is_that_of_tables),
		cmocka_unit_test(test_most_values),
		cmocka_unit_test(test_median),
		cmocka_unit_test(test_large_numbers),
		cmocka_unit_test(test_rows_unite),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
