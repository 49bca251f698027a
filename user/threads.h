/* SPDX-License-Identifier: GPL-2.0 */
#ifndef THREADS_H
#define THREADS_H

#include <stddef.h>
#include <stdint.h>

/* What threads call themselves: asked as long as they live. */
struct threads {
	struct thread {
		uint32_t tid;
		char comm[17];
	} *all;			/* in order of tid */
	size_t nr;
};

/* Asks what it is called; what it said last is kept. */
void threads_see(struct threads *threads, uint32_t tid);
/* NULL: it was gone before it was looked at. */
const char *threads_comm(const struct threads *threads, uint32_t tid);
void threads_free(struct threads *threads);

#endif
