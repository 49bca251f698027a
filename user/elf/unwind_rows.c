// SPDX-License-Identifier: GPL-2.0
/* Makes the rows, rules and pages of a table for unwinding. */
#include <stdlib.h>
#include <string.h>

#include "elf/unwind_rows.h"
#include "util/mem.h"

#define NR_SLOTS	(2 * KTRACE_UNWIND_MAX_RULES)

/* --- rules ----------------------------------------------------------------- */

static size_t hash_of(const struct ktrace_unwind_rule *rule)
{
	uint32_t words[sizeof(*rule) / 4];

	memcpy(words, rule, sizeof(words));
	words[0] = (words[0] * 0x9e3779b1 ^ words[1]) * 0x85ebca6b ^ words[2];
	return words[0] * 0xc2b2ae35 >> 16;
}

/* Returns the slot of a rule, which is 0 if there is no such rule yet. */
static uint16_t *slot_of(const struct unwind_rows *rows, const struct ktrace_unwind_rule *rule)
{
	size_t i = hash_of(rule) % NR_SLOTS;

	/* Half of the slots are always free. */
	while (rows->slots[i] && memcmp(&rows->rules[rows->slots[i] - 1], rule, sizeof(*rule)))
		i = (i + 1) % NR_SLOTS;
	return &rows->slots[i];
}

/* Returns the number of a rule. Rule 0 stands for all that have no place. */
static uint16_t keep_rule(struct unwind_rows *rows, const struct ktrace_unwind_rule *rule)
{
	uint16_t *slot = slot_of(rows, rule);

	if (!*slot && rows->nr_rules == KTRACE_UNWIND_MAX_RULES)
		return 0;
	if (!*slot) {
		rows->rules = mem_grow(rows->rules, rows->nr_rules, sizeof(*rule));
		rows->rules[rows->nr_rules] = *rule;
		*slot = ++rows->nr_rules;
	}
	return *slot - 1;
}

/* The end of code must have a place, so it comes before the rules of the file. */
static void begin_rules(struct unwind_rows *rows)
{
	static const struct ktrace_unwind_rule complex = { .cfa = KTRACE_UNWIND_CFA_COMPLEX };
	static const struct ktrace_unwind_rule none = { .cfa = KTRACE_UNWIND_CFA_NONE };

	rows->slots = mem_alloc(NR_SLOTS * sizeof(*rows->slots));
	keep_rule(rows, &complex);
	keep_rule(rows, &none);
}

/* --- rows ------------------------------------------------------------------ */

/* The next page begins with the next row. */
static void add_page(struct unwind_rows *rows)
{
	rows->pages = mem_grow(rows->pages, rows->nr_pages, sizeof(*rows->pages));
	rows->pages[rows->nr_pages++] = rows->nr_rows;
}

/* Adds the pages up to that of an offset. Returns false if there are too many. */
static bool reach_page(struct unwind_rows *rows, uint64_t offset)
{
	uint64_t page = offset >> KTRACE_UNWIND_PAGE_BITS;

	if (page >= KTRACE_UNWIND_MAX_PAGES) {
		rows->why = "it has code behind its first GiB; split the program into libraries";
		return false;
	}
	if (!rows->nr_pages)
		rows->first_page = page;
	while (rows->nr_pages <= page - rows->first_page)
		add_page(rows);
	return true;
}

static void change_last(struct unwind_rows *rows, uint16_t rule)
{
	rows->nr_complex += !rule;
	rows->nr_complex -= !rows->last_rule;
	rows->rows[rows->nr_rows - 1].rule = rule;
	rows->last_rule = rule;
}

void unwind_rows_add(struct unwind_rows *rows, uint64_t offset,
		     const struct ktrace_unwind_rule *rule)
{
	uint16_t number;

	if (rows->why)
		return;
	if (!rows->slots)
		begin_rules(rows);
	number = keep_rule(rows, rule);
	if (rows->nr_rows && offset == rows->last_offset) {
		change_last(rows, number);
		return;
	}
	if ((rows->nr_rows && number == rows->last_rule) || !reach_page(rows, offset))
		return;
	if (rows->nr_rows == KTRACE_UNWIND_MAX_ROWS) {
		rows->why = "its .eh_frame makes more than 4194304 rows; split the program into libraries";
		return;
	}
	rows->rows = mem_grow(rows->rows, rows->nr_rows, sizeof(*rows->rows));
	rows->rows[rows->nr_rows].low = offset & ((1U << KTRACE_UNWIND_PAGE_BITS) - 1);
	rows->rows[rows->nr_rows++].rule = number;
	rows->nr_complex += !number;
	rows->last_rule = number;
	rows->last_offset = offset;
}

/* --- the table ------------------------------------------------------------- */

static void *append(void *to, const void *from, size_t len)
{
	memcpy(to, from, len);
	return (char *)to + len;
}

void *unwind_rows_table(struct unwind_rows *rows, size_t *len)
{
	struct ktrace_unwind_head head = {
		.version = KTRACE_UNWIND_VERSION,
		.first_page = rows->first_page,
		.nr_pages = rows->nr_pages,
		.nr_rules = rows->nr_rules,
		.nr_rows = rows->nr_rows,
	};
	size_t pages_len = (rows->nr_pages + 1) * sizeof(*rows->pages);
	size_t rules_len = rows->nr_rules * sizeof(*rows->rules);
	size_t rows_len = rows->nr_rows * sizeof(*rows->rows);
	void *table, *at;

	rows->pages = mem_grow(rows->pages, rows->nr_pages, sizeof(*rows->pages));
	rows->pages[rows->nr_pages] = rows->nr_rows;
	*len = sizeof(head) + pages_len + rules_len + rows_len;
	table = mem_alloc(*len);
	at = append(table, &head, sizeof(head));
	at = append(at, rows->pages, pages_len);
	at = append(at, rows->rules, rules_len);
	append(at, rows->rows, rows_len);
	return table;
}

void unwind_rows_free(struct unwind_rows *rows)
{
	free(rows->rows);
	free(rows->rules);
	free(rows->slots);
	free(rows->pages);
	memset(rows, 0, sizeof(*rows));
}
