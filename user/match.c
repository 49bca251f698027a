// SPDX-License-Identifier: GPL-2.0
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "match.h"
#include "mem.h"

static void add_one(struct match *match, const char *start, size_t len)
{
	char *glob;

	if (!len)
		return;
	match->globs = mem_grow(match->globs, match->nr, sizeof(*match->globs));
	match->is_used = mem_grow(match->is_used, match->nr, sizeof(*match->is_used));
	glob = mem_alloc(len + 1);
	memcpy(glob, start, len);
	match->globs[match->nr++] = glob;
}

void match_add(struct match *match, const char *list)
{
	const char *start = list, *at;
	int depth = 0;

	for (at = list; *at; at++) {
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

static bool fits(const struct match *match, const char *name)
{
	bool is_fit = false;
	size_t i;

	for (i = 0; i < match->nr; i++) {
		/* One that fits is enough, but each wants to be told of. */
		if (is_fit && (!match->is_used || match->is_used[i]))
			continue;
		if (strcmp(match->globs[i], name) && fnmatch(match->globs[i], name, 0))
			continue;
		is_fit = true;
		match_use(match, i);
	}
	return is_fit;
}

bool match_name(const struct match *match, const char *name)
{
	char *base;
	bool is_fit;

	is_fit = fits(match, name);
	if (!strchr(name, '(') || (is_fit && !match_unused(match)))
		return is_fit;
	base = demangle_base(name);
	is_fit |= fits(match, base);
	free(base);
	return is_fit;
}

/* --- the nearest -------------------------------------------------------- */

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Levenshtein distance. */
static size_t distance(const char *a, const char *b)
{
	size_t len_b = strlen(b), *row = mem_alloc((len_b + 1) * sizeof(*row));
	size_t i, j, diagonal, old;

	for (j = 0; j <= len_b; j++)
		row[j] = j;
	for (i = 1; a[i - 1]; i++) {
		diagonal = row[0];
		row[0] = i;
		for (j = 1; j <= len_b; j++) {
			old = row[j];
			row[j] = min3(old + 1, row[j - 1] + 1,
				      diagonal + (a[i - 1] != b[j - 1]));
			diagonal = old;
		}
	}
	diagonal = row[len_b];
	free(row);
	return diagonal;
}

static size_t distance_of(const char *glob, const char *name)
{
	char *base = demangle_base(name);
	size_t far = strstr(base, glob) ? 1 : distance(glob, base);

	free(base);
	return far;
}

size_t match_nearest(const char *glob, const char *const *names, size_t nr_names,
		     const char **nearest, size_t nr_wanted)
{
	size_t *far = mem_alloc((nr_wanted + 1) * sizeof(*far)), nr = 0, limit, i, k, d;

	limit = strlen(glob) / 2 + 1;
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
