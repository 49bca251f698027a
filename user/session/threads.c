// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/threads.h"
#include "util/hash.h"
#include "util/lines.h"

struct thread {
	uint32_t tid;
	bool is_found;		/* by the read that goes on */
	char comm[17];
	UT_hash_handle hh;
};

static struct thread *find(const struct threads *threads, uint32_t tid)
{
	struct thread *thread;

	HASH_FIND(hh, threads->all, &tid, sizeof(tid), thread);
	return thread;
}

static struct thread *find_or_add(struct threads *threads, uint32_t tid)
{
	struct thread *thread = find(threads, tid);

	if (thread)
		return thread;
	thread = mem_alloc(sizeof(*thread));
	thread->tid = tid;
	HASH_ADD(hh, threads->all, tid, sizeof(tid), thread);
	return thread;
}

static void drop(struct threads *threads, struct thread *thread)
{
	HASH_DEL(threads->all, thread);
	free(thread);
}

static void read_comm(struct thread *thread)
{
	line_read(thread->comm, sizeof(thread->comm), "/proc/%u/comm", thread->tid);
}

/* A program that was just executed has another name than its parent gave it: asked again. */
void threads_see(struct threads *threads, uint32_t tid)
{
	read_comm(find_or_add(threads, tid));
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
	struct thread *thread = NULL;
	const char *comm;

	for (node = found->nodes; node < found->nodes + found->nr; node++) {
		if (!is_name(node)) {
			task = node;
			thread = find_or_add(threads, node->func);
			thread->is_found = true;
			read_comm(thread);
			continue;
		}
		comm = comms_get(&threads->ended, node->func & ~KTRACE_FUNC_COMM);
		if (comm && task && task->node == node->parent)
			snprintf(thread->comm, sizeof(thread->comm), "%s", comm);
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

/* A tree that was reset has no threads from before. */
static void drop_others(struct threads *threads)
{
	struct thread *thread, *next;

	HASH_ITER(hh, threads->all, thread, next) {
		if (thread->is_found)
			thread->is_found = false;
		else
			drop(threads, thread);
	}
}

/* The module has the name of a thread that ended before its name was read in /proc. */
int threads_read(struct threads *threads, struct knl *nl, uint64_t session, uint32_t flags)
{
	int result = read_once(threads, nl, session, flags);

	if (!result)
		result = read_once(threads, nl, session, flags);
	if (result < 0)
		return result;
	drop_others(threads);
	return 0;
}

const char *threads_comm(const struct threads *threads, uint32_t tid)
{
	const struct thread *thread = find(threads, tid);

	return thread && thread->comm[0] ? thread->comm : NULL;
}

void threads_free(struct threads *threads)
{
	struct thread *thread, *next;

	HASH_ITER(hh, threads->all, thread, next)
		drop(threads, thread);
	comms_free(&threads->ended);
	memset(threads, 0, sizeof(*threads));
}
