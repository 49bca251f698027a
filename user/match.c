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
}

static bool fits(const struct match *match, const char *name)
{
	size_t i;

	for (i = 0; i < match->nr; i++)
		if (!strcmp(match->globs[i], name) || !fnmatch(match->globs[i], name, 0))
			return true;
	return false;
}

bool match_name(const struct match *match, const char *name)
{
	char *base;
	bool is_fit;

	if (fits(match, name))
		return true;
	if (!strchr(name, '('))
		return false;
	base = demangle_base(name);
	is_fit = fits(match, base);
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
