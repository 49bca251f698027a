/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOP_PICTURE_H
#define TOP_PICTURE_H

#include "cmd/screen.h"
#include "cmd/top_session.h"
#include "cmd/top_state.h"

/* What ktrace top shows. */
struct top_picture {
	const struct top_state *state;
	const struct top_window *window;	/* figures.tab NULL: there are no figures yet */
	struct screen size;			/* rows 0: no limit, and no line about keys */
	uint64_t interval;			/* ns */
	const char *note;			/* a sentence, or NULL */
};

/*
 * Returns the lines of the picture: as many as the screen has rows, or all. A line may be longer
 * than the screen is wide. The caller frees them.
 */
char *top_picture_text(const struct top_picture *picture);

#endif
