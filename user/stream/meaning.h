/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEANING_H
#define MEANING_H

#include "report/io_names.h"
#include "report/stacks.h"
#include "session/names.h"
#include "stream/feed.h"

/* What the numbers in the records of a session mean that other commands have made. */
struct meaning {
	struct ktr *ktr;
	struct names names;
	uint32_t nr_named;	/* number of functions when names were read */
	struct stacks stacks;
	struct io_names io;
};

/* Returns names that are read when they are needed. All members of meaning are 0 at first. */
struct feed_names meaning_names(struct meaning *meaning, struct ktr *ktr);
void meaning_free(struct meaning *meaning);

#endif
