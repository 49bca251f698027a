/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>
#include <stdio.h>

#include "util/out.h"

/* The size of a terminal; 0: no terminal, no limit. */
struct screen {
	unsigned int rows, columns;
};

/* Of that file, now. */
struct screen screen_of(int fd);

/* Lines are as long as the output shows, in its colours (util/style.h). It may be NULL. */
void screen_choose_style(const struct output *output);

/*
 * Shows text in place of the screen's content, cut to its size; without a terminal as it is,
 * an empty line behind it.
 */
void screen_show(FILE *out, const struct screen *screen, const char *text);

#endif
