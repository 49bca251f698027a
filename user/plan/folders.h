/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FOLDERS_H
#define FOLDERS_H

#include <stddef.h>

/* Where the loader looks for a library, in order. */
struct folders {
	char **all;		/* none ends with a slash, but for the root */
	size_t nr;
};

/* What $ORIGIN, $LIB and $PLATFORM stand for. */
struct tokens {
	const char *origin;	/* NULL: not known; what names it is left out */
	const char *lib;
	const char *platform;
};

/* text with its tokens replaced, to be freed; NULL: one is not known, or it is too long. */
char *folders_expand(const char *text, const struct tokens *tokens);

/*
 * Adds those that a list names which are there, its folders of glibc-hwcaps in
 * front of each. Every look costs one of *nr_left.
 */
void folders_add(struct folders *folders, const char *list, const char *separators,
		 const struct tokens *tokens, int root, size_t *nr_left);
void folders_free(struct folders *folders);

#endif
