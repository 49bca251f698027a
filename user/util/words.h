/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WORDS_H
#define WORDS_H

/* Returns the number of a word, from 0 on, in words separated by bars; -1: it is none of them. */
int words_find(const char *words, const char *word);

#endif
