/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MATCH_H
#define MATCH_H

#include <stdbool.h>
#include <stddef.h>

struct match_words;

/* Patterns of function names, as in a shell. */
struct match {
	char **globs;
	size_t nr;
	bool *is_used;	/* patterns that have matched a name so far; NULL: not recorded */
	struct match_words *words;	/* an index of plain names for look-ups; NULL: none */
};

/* Adds the patterns of a list separated by commas. Commas inside of () and <> do not separate. */
void match_add(struct match *match, const char *list);
void match_free(struct match *match);

/* Returns true if a pattern matches the name with or without its parameters. */
bool match_name(const struct match *match, const char *name);

/*
 * Returns true if a pattern in mangled form (_Z4workv, _RNv*) matches the symbol. Other patterns
 * are not compared: _* means demangled names that begin with an underscore.
 */
bool match_symbol(const struct match *match, const char *symbol);

/* Returns true if a pattern equals the name with or without its parameters. */
bool match_is_named(const struct match *match, const char *name);

/* Returns the first pattern that has matched no name so far, or NULL. */
const char *match_unused(const struct match *match);
/* Marks a pattern as used that was matched by other means. */
void match_use(const struct match *match, size_t glob);

/* Returns the most likely intended word, or NULL. */
const char *match_nearest_word(const char *word, const char *const *words, size_t nr);

/*
 * Finds the names of functions or files that are most similar to a pattern, best first. Returns how
 * many were found.
 */
size_t match_nearest(const char *glob, const char *const *names, size_t nr_names,
		     const char **nearest, size_t nr_wanted);
/* Returns " Did you mean a, b?" with up to three such names, which the caller frees, or NULL. */
char *match_similar(const char *glob, const char *const *names, size_t nr_names);

#endif
