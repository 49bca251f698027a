/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>
#include <stdio.h>

#include "util/out.h"

/* The size of a terminal. 0: not a terminal, no limit. */
struct screen {
	unsigned int rows, columns;
};

/* Returns the current size of the terminal that fd is open for. */
struct screen screen_of(int fd);

/* Fits lines and colours (util/style.h) to where the output goes. output may be NULL. */
void screen_choose_style(const struct output *output);

/*
 * Shows text in place of the screen's content, cut to its size. Without a terminal, prints the
 * whole text and an empty line.
 */
void screen_show(FILE *out, const struct screen *screen, const char *text);

#endif
