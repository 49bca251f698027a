/* SPDX-License-Identifier: GPL-2.0 */
#ifndef THREADS_H
#define THREADS_H

#include <stddef.h>
#include <stdint.h>

/* Lists the threads of these processes, and returns how many. The caller frees the list. */
size_t threads_list(int32_t **tids, const int32_t *pids, size_t nr);

/* Returns how many of the threads are not among the known ones. */
size_t threads_new(const int32_t *tids, size_t nr, const int32_t *known, size_t nr_known);

#endif
