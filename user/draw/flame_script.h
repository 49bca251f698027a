/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLAME_SCRIPT_H
#define FLAME_SCRIPT_H

/*
 * The script inside a flame graph: a click zooms, words are searched, a reset returns. It reads the
 * picture as flame.c writes it, and needs nothing else.
 */
extern const char flame_script[];

#endif
