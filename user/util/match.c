// SPDX-License-Identifier: GPL-2.0
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "util/demangle.h"
#include "util/hash.h"
#include "util/match.h"
#include "util/mem.h"

struct word {
	size_t glob;
	UT_hash_handle hh;
};

/*
 * Plain names are looked up, because a thousand of them may be searched among all symbols of the
 * kernel.
 */
struct match_words {
	struct word *words;	/* patterns without wildcards, each once */
	size_t *others, nr_others;
};

static struct word *find_word(const struct match *match, const char *name)
{
	struct word *word;

	HASH_FIND_STR(match->words->words, name, word);
	return word;
}

static void index_one(struct match *match, size_t glob)
{
	struct match_words *words = match->words;
	const char *name = match->globs[glob];
	struct word *word;

	if (!words)
		words = match->words = mem_alloc(sizeof(*words));
	if (strpbrk(name, "*?[\\") || find_word(match, name)) {
		words->others = mem_grow(words->others, words->nr_others, sizeof(*words->others));
		words->others[words->nr_others++] = glob;
		return;
	}
	word = mem_alloc(sizeof(*word));
	word->glob = glob;
	HASH_ADD_KEYPTR(hh, words->words, name, strlen(name), word);
}

static void free_words(struct match_words *words)
{
	struct word *word, *next;

	if (!words)
		return;
	HASH_ITER(hh, words->words, word, next) {
		HASH_DEL(words->words, word);
		free(word);
	}
	free(words->others);
	free(words);
}

/* The patterns that are not looked up: all patterns if there is no index. */
static size_t nr_others(const struct match *match)
{
	return match->words ? match->words->nr_others : match->nr;
}

static size_t other_at(const struct match *match, size_t i)
{
	return match->words ? match->words->others[i] : i;
}

static void add_one(struct match *match, const char *start, size_t len)
{
	char *glob;

	if (!len)
		return;
	match->globs = mem_grow(match->globs, match->nr, sizeof(*match->globs));
	match->is_used = mem_grow(match->is_used, match->nr, sizeof(*match->is_used));
	glob = mem_alloc(len + 1);
	memcpy(glob, start, len);
	match->globs[match->nr] = glob;
	index_one(match, match->nr++);
}

void match_add(struct match *match, const char *list)
{
	const char *start = list, *at;
	int depth = 0;

	for (at = list; *at; at++) {
		at += demangle_operator_len(list, at);
		if (!*at)
			break;
		if (*at == '(' || *at == '<')
			depth++;
		if ((*at == ')' || *at == '>') && depth)
			depth--;
		if (*at != ',' || depth)
			continue;
		add_one(match, start, at - start);
		start = at + 1;
	}
	add_one(match, start, at - start);
}

void match_free(struct match *match)
{
	free_words(match->words);
	match->words = NULL;
	while (match->nr)
		free(match->globs[--match->nr]);
	free(match->globs);
	match->globs = NULL;
	free(match->is_used);
	match->is_used = NULL;
}

void match_use(const struct match *match, size_t glob)
{
	if (match->is_used)
		match->is_used[glob] = true;
}

const char *match_unused(const struct match *match)
{
	size_t i;

	for (i = 0; match->is_used && i < match->nr; i++)
		if (!match->is_used[i])
			return match->globs[i];
	return NULL;
}

static bool is_mangled(const char *glob)
{
	return glob[0] == '_' && (glob[1] == 'Z' || glob[1] == 'R');
}

static bool fits_word(const struct match *match, const char *name)
{
	const struct word *word = match->words ? find_word(match, name) : NULL;

	if (word)
		match_use(match, word->glob);
	return word;
}

static bool fits(const struct match *match, const char *name, bool is_symbol)
{
	bool is_fit = (!is_symbol || is_mangled(name)) && fits_word(match, name);
	size_t i, glob;

	for (i = 0; i < nr_others(match); i++) {
		glob = other_at(match, i);
		if (is_symbol && !is_mangled(match->globs[glob]))
			continue;
		/*
		 * One match is enough for the result, but every pattern that matches must be
		 * marked.
		 */
		if (is_fit && (!match->is_used || match->is_used[glob]))
			continue;
		if (strcmp(match->globs[glob], name) && fnmatch(match->globs[glob], name, 0))
			continue;
		is_fit = true;
		match_use(match, glob);
	}
	return is_fit;
}

bool match_name(const struct match *match, const char *name)
{
	char *base;
	bool is_fit;

	is_fit = fits(match, name, false);
	if (!strchr(name, '(') || (is_fit && !match_unused(match)))
		return is_fit;
	base = demangle_base(name);
	is_fit |= fits(match, base, false);
	free(base);
	return is_fit;
}

bool match_symbol(const struct match *match, const char *symbol)
{
	return fits(match, symbol, true);
}

bool match_is_named(const struct match *match, const char *name)
{
	char *base = demangle_base(name);
	bool is_named = match->words && (find_word(match, name) || find_word(match, base));
	const char *glob;
	size_t i;

	for (i = 0; i < nr_others(match) && !is_named; i++) {
		glob = match->globs[other_at(match, i)];
		is_named = !strcmp(glob, name) || !strcmp(glob, base);
	}
	free(base);
	return is_named;
}

/* --- the nearest -------------------------------------------------------- */

/* The distance of a typing error: one in a short word, otherwise up to two. */
static size_t limit_of(const char *word)
{
	size_t len = strlen(word);

	return len < 2 ? 0 : len < 5 ? 1 : 2;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * The Damerau-Levenshtein distance: letters that are inserted, missing, wrong, or swapped with
 * their neighbour. Keeps only the rows of the current letter of a and of the two letters before it.
 */
static size_t distance(const char *a, const char *b)
{
	size_t width = strlen(b) + 1, *rows = mem_alloc(3 * width * sizeof(*rows));
	size_t *row = rows, *before = rows, *second, i, j, far;

	for (j = 0; j < width; j++)
		row[j] = j;
	for (i = 1; a[i - 1]; i++) {
		second = before;
		before = row;
		row = rows + i % 3 * width;
		row[0] = i;
		for (j = 1; j < width; j++) {
			far = least(before[j], row[j - 1]) + 1;
			far = least(far, before[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				far = least(far, second[j - 2] + 1);
			row[j] = far;
		}
	}
	far = row[width - 1];
	free(rows);
	return far;
}

/* Of two words at the same distance, prefers the one that begins with word. */
const char *match_nearest_word(const char *word, const char *const *words, size_t nr)
{
	size_t least_far = 2 * limit_of(word) + 2, len = strlen(word), i, far;
	const char *nearest = NULL;

	for (i = 0; i < nr; i++) {
		far = 2 * distance(word, words[i]) + !!strncmp(word, words[i], len);
		if (far >= least_far)
			continue;
		least_far = far;
		nearest = words[i];
	}
	return nearest;
}

/* A part of a function's name is as close as a name with one typing error. */
static size_t distance_of(const char *glob, const char *name)
{
	char *base = demangle_base(name);
	size_t far = glob[0] && glob[1] && strstr(base, glob) ? 1 : distance(glob, base);

	free(base);
	return far;
}

size_t match_nearest(const char *glob, const char *const *names, size_t nr_names,
		     const char **nearest, size_t nr_wanted)
{
	size_t *far = mem_alloc((nr_wanted + 1) * sizeof(*far)), nr = 0, limit, i, k, d;

	limit = limit_of(glob);
	for (i = 0; i < nr_names; i++) {
		d = distance_of(glob, names[i]);
		if (d > limit)
			continue;
		for (k = nr; k && far[k - 1] > d; k--) {
			if (k == nr_wanted)
				continue;
			far[k] = far[k - 1];
			nearest[k] = nearest[k - 1];
		}
		if (k == nr_wanted)
			continue;
		far[k] = d;
		nearest[k] = names[i];
		nr += nr < nr_wanted;
	}
	free(far);
	return nr;
}

char *match_similar(const char *glob, const char *const *names, size_t nr_names)
{
	const char *nearest[3] = { "", "", "" };
	size_t nr = match_nearest(glob, names, nr_names, nearest, 3);

	return nr ? mem_format(" Did you mean %s%s%s%s%s?", nearest[0], nr > 1 ? ", " : "",
			       nearest[1], nr > 2 ? ", " : "", nearest[2]) : NULL;
}
