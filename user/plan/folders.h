/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FOLDERS_H
#define FOLDERS_H

#include <stddef.h>

/* The folders where the loader looks for a library, in order. */
struct folders {
	char **all;		/* paths without a slash at the end, except for "/" */
	size_t nr;
};

/* The values of $ORIGIN and $LIB; NULL: unknown. $PLATFORM is always unknown. */
struct tokens {
	const char *origin;
	const char *lib;
};

/*
 * Returns text with its tokens replaced; the caller frees it. Returns NULL if text has an unknown
 * token or becomes longer than a path.
 */
char *folders_expand(const char *text, const struct tokens *tokens);

/*
 * Adds the folders of a list that exist, each behind its folders of glibc-hwcaps. Each check for a
 * folder takes one from *nr_left; at 0 nothing more is added.
 */
void folders_add(struct folders *folders, const char *list, const char *separators,
		 const struct tokens *tokens, int root, size_t *nr_left);
void folders_free(struct folders *folders);

#endif
