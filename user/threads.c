// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "plain.h"
#include "threads.h"

/* The first whose tid is not below. */
static size_t place_of(const struct threads *threads, uint32_t tid)
{
	size_t low = 0, high = threads->nr, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (threads->all[mid].tid < tid)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void read_comm(struct thread *thread)
{
	char *path = mem_format("/proc/%u/comm", thread->tid);
	FILE *file = fopen(path, "re");

	if (file && fgets(thread->comm, sizeof(thread->comm), file))
		thread->comm[strcspn(thread->comm, "\n")] = 0;
	if (file)
		fclose(file);
	plain_text(thread->comm);
	free(path);
}

/* A program that was just executed has another name than its parent gave it: asked again. */
void threads_see(struct threads *threads, uint32_t tid)
{
	size_t at = place_of(threads, tid);
	struct thread *thread;

	if (at == threads->nr || threads->all[at].tid != tid) {
		threads->all = mem_grow(threads->all, threads->nr, sizeof(*threads->all));
		memmove(&threads->all[at + 1], &threads->all[at],
			(threads->nr++ - at) * sizeof(*threads->all));
		memset(&threads->all[at], 0, sizeof(*threads->all));
		threads->all[at].tid = tid;
	}
	thread = &threads->all[at];
	read_comm(thread);
}

const char *threads_comm(const struct threads *threads, uint32_t tid)
{
	size_t at = place_of(threads, tid);

	if (at == threads->nr || threads->all[at].tid != tid || !threads->all[at].comm[0])
		return NULL;
	return threads->all[at].comm;
}

void threads_free(struct threads *threads)
{
	free(threads->all);
	threads->all = NULL;
	threads->nr = 0;
}
