// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "report/layout.h"
#include "report/orders.h"
#include "util/mem.h"
#include "util/words.h"

/* Appends a word to words with bars between, unless it is one of them. */
static void add(char **words, const char *word)
{
	char *longer;

	if (words_find(*words, word) >= 0)
		return;
	longer = mem_format("%s%s%s", *words, **words ? "|" : "", word);
	free(*words);
	*words = longer;
}

static void add_layout(char **words, const struct orders_table *table, const struct layout *layout)
{
	const struct column *column = layout->columns, *end = column + layout->nr;
	const char *name;

	for (; column < end; column++) {
		name = column_order(column, table->kind);
		if (name && !(column->when & ~table->possible) && !(column->unless & table->always))
			add(words, name);
	}
}

static void add_table(char **words, const struct orders_table *table)
{
	const struct layout *const *screen;

	for (screen = table->kind ? table->kind->screens : NULL; screen && *screen; screen++)
		if (!((*screen)->when & ~table->possible))
			add_layout(words, table, *screen);
}

static char *names_of(const struct orders_table *table)
{
	char *words = mem_string("");

	add_table(&words, table);
	return words;
}

char *orders_names(const struct orders *orders)
{
	char *words = names_of(&orders->own);

	add_table(&words, &orders->by);
	return words;
}

/* Returns true if both are the same words in any order. */
static bool is_same(const char *x, const char *y)
{
	char *all = mem_string(x), *rest = mem_string(y), *next = rest, *word;
	bool is_same = strlen(x) == strlen(y);

	while ((word = strsep(&next, "|")))
		add(&all, word);
	is_same = is_same && !strcmp(all, x);
	free(rest);
	free(all);
	return is_same;
}

/* Returns words with commas between. */
static char *spaced(const char *words)
{
	char *text = mem_alloc(2 * strlen(words) + 1), *to = text;

	for (; *words; words++) {
		*to++ = *words == '|' ? ',' : *words;
		if (*words == '|')
			*to++ = ' ';
	}
	return text;
}

char *orders_help(const struct orders *orders)
{
	char *own = names_of(&orders->own), *by = names_of(&orders->by);
	char *text, *help;
	bool has_both = *own && *by && !is_same(own, by);

	text = mem_format("%s%s%s%s", own, has_both ? "; " : "", has_both || !*own ? "with --by: " : "",
			  has_both || !*own ? by : "");
	help = spaced(text);
	free(text);
	free(own);
	free(by);
	return help;
}

int orders_check(const struct orders *orders, const char *order, bool has_by, struct err *err)
{
	char *words = names_of(has_by ? &orders->by : &orders->own);
	int result = 0;

	if (order && words_find(words, order) < 0)
		result = err_set(err, "--sort cannot be %s %s --by; choose one of %s.", order,
				 has_by ? "with" : "without", words);
	free(words);
	return result;
}
