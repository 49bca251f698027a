// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
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

static struct thread *thread_of(struct threads *threads, uint32_t tid)
{
	size_t at = place_of(threads, tid);

	if (at == threads->nr || threads->all[at].tid != tid) {
		threads->all = mem_grow(threads->all, threads->nr, sizeof(*threads->all));
		memmove(&threads->all[at + 1], &threads->all[at],
			(threads->nr++ - at) * sizeof(*threads->all));
		memset(&threads->all[at], 0, sizeof(*threads->all));
		threads->all[at].tid = tid;
	}
	return &threads->all[at];
}

/* A program that was just executed has another name than its parent gave it: asked again. */
void threads_see(struct threads *threads, uint32_t tid)
{
	read_comm(thread_of(threads, tid));
}

/* --- of a session ----------------------------------------------------------- */

/* Nodes of tasks, and those below them that say what they were called. */
struct found {
	struct ktrace_node *nodes;
	size_t nr;
};

static bool is_name(const struct ktrace_node *node)
{
	return node->parent != KTRACE_NODE_ROOT && node->func >= KTRACE_FUNC_COMM && !node->calls;
}

static void take(void *arg, const struct ktrace_node *nodes, size_t nr)
{
	struct found *found = arg;
	struct ktrace_node node;

	for (; nr--; nodes++) {
		memcpy(&node, (const void *)nodes, sizeof(node));
		if (node.func == KTRACE_FUNC_FULL ||
		    (node.parent != KTRACE_NODE_ROOT && !is_name(&node)))
			continue;
		found->nodes = mem_grow(found->nodes, found->nr, sizeof(node));
		found->nodes[found->nr++] = node;
	}
}

/* Each task, and behind it its names. */
static uint32_t task_of(const struct ktrace_node *node)
{
	return is_name(node) ? node->parent : node->node;
}

static int by_task(const void *a, const void *b)
{
	uint32_t x = task_of(a), y = task_of(b);

	return x != y ? (x < y ? -1 : 1) : is_name(a) - is_name(b);
}

static void name(struct threads *threads, const struct found *found)
{
	const struct ktrace_node *node, *task = NULL;
	const char *comm;

	for (node = found->nodes; node < found->nodes + found->nr; node++) {
		if (!is_name(node)) {
			task = node;
			threads_see(threads, node->func);
			continue;
		}
		comm = comms_get(&threads->ended, node->func & ~KTRACE_FUNC_COMM);
		if (comm && task && task->node == node->parent)
			snprintf(thread_of(threads, task->func)->comm, sizeof(threads->all->comm),
				 "%s", comm);
	}
}

static bool are_named(const struct threads *threads, const struct found *found)
{
	size_t i;

	for (i = 0; i < found->nr; i++)
		if (!is_name(&found->nodes[i]) && !threads_comm(threads, found->nodes[i].func))
			return false;
	return true;
}

/* 1: all have a name, 0: not all, or a negative errno. */
static int read_once(struct threads *threads, struct knl *nl, uint64_t session, uint32_t flags)
{
	struct found found = { NULL, 0 };
	int result = knl_node_each(nl, session, flags, take, &found);

	/* Behind the nodes: none has a number that is not known then. */
	if (!result)
		result = comms_read(&threads->ended, nl, session);
	if (found.nr)
		qsort(found.nodes, found.nr, sizeof(*found.nodes), by_task);
	name(threads, &found);
	if (!result)
		result = are_named(threads, &found);
	free(found.nodes);
	return result;
}

/* Who ended between the module's answer and the question in /proc has told the module by now. */
int threads_read(struct threads *threads, struct knl *nl, uint64_t session, uint32_t flags)
{
	int result = read_once(threads, nl, session, flags);

	if (!result)
		result = read_once(threads, nl, session, flags);
	return result < 0 ? result : 0;
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
	comms_free(&threads->ended);
	memset(threads, 0, sizeof(*threads));
}
