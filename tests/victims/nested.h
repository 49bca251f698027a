/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NESTED_H
#define NESTED_H

#define NESTED_TURNS 5
#define NESTED_INNER 3	/* calls of lib_inner() and of back() in one of lib_outer() */

int lib_outer(int x, int (*back)(int));
int lib_leaf(int x);

#endif
