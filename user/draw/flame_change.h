/* SPDX-License-Identifier: GPL-2.0 */
/* What a flame graph shows of a comparison: A is the side that is compared with. */
#ifndef FLAME_CHANGE_H
#define FLAME_CHANGE_H

#include <stdint.h>
#include <stdio.h>

struct path_node;
struct paths;

/* Returns the largest change of a node's own time. */
uint64_t flame_largest_change(const struct paths *paths);
/* Puts a colour: red for more own time, blue for less, the stronger the larger the change; grey. */
void flame_put_change_color(FILE *out, const struct path_node *node, uint64_t largest);
/* Puts the figures of A, and the change, behind those of B. */
void flame_put_change(FILE *out, const struct path_node *node);
/* Puts a line about the paths that have time in A only, which have no frame. */
void flame_put_gone(FILE *out, const struct paths *paths, int y);

#endif
