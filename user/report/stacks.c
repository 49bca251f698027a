// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "report/stacks.h"
#include "util/mem.h"

/* Stacks as received, until the mappings of their programs have been read. */
struct news {
	struct raw {
		uint32_t nr;
		uint32_t flags;
		int32_t pid;
		char *comm;
		char **names;	/* of the kernel's frames */
		size_t nr_names;
		uint64_t *addrs;
		size_t nr_addrs;
	} *all;
	size_t nr;
};

/* Frames of the tracepoint that asked for the stack do not belong to it. */
static bool is_ours(const char *name)
{
	return !strncmp(name, "__traceiter_", 12) || !strncmp(name, "__bpf_trace_", 12);
}

static void take_names(struct raw *raw, const char *text, size_t len)
{
	size_t room;

	for (; len; text += room, len -= room) {
		room = strnlen(text, len);
		room += room < len;
		if (!raw->nr_names && is_ours(text))
			continue;
		raw->names = mem_grow(raw->names, raw->nr_names, sizeof(*raw->names));
		raw->names[raw->nr_names++] = mem_format("%.*s", (int)room, text);
	}
}

static void take(void *arg, const struct knl_stack *stack)
{
	struct news *news = arg;
	struct raw *raw;

	news->all = mem_grow(news->all, news->nr, sizeof(*news->all));
	raw = &news->all[news->nr++];
	raw->nr = stack->nr;
	raw->flags = stack->flags;
	raw->pid = stack->pid;
	raw->comm = mem_string(stack->comm);
	take_names(raw, stack->names, stack->names_len);
	raw->nr_addrs = stack->nr_addrs;
	raw->addrs = mem_alloc(raw->nr_addrs * sizeof(*raw->addrs));
	if (raw->nr_addrs)
		memcpy(raw->addrs, stack->addrs, raw->nr_addrs * sizeof(*raw->addrs));
}

static int by_pid(const void *a, const void *b)
{
	const struct raw *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/*
 * Reads the mappings of all processes first, because reading symbols takes longer than some
 * processes live.
 */
static void look(struct spaces *spaces, struct news *news)
{
	size_t i;

	if (news->nr)
		qsort(news->all, news->nr, sizeof(*news->all), by_pid);
	for (i = 0; i < news->nr; i++)
		if (news->all[i].pid && (!i || news->all[i].pid != news->all[i - 1].pid))
			spaces_look(spaces, news->all[i].pid);
}

/* The module numbers stacks in order, without gaps. */
static struct stack *place_for(struct stacks *stacks, uint32_t nr)
{
	if (nr > stacks->nr + (1 << 20))
		return NULL;
	while (stacks->nr <= nr) {
		stacks->all = mem_grow(stacks->all, stacks->nr, sizeof(*stacks->all));
		stacks->nr++;
	}
	return stacks->all[nr].frames ? NULL : &stacks->all[nr];
}

/* A return address points after the call, which may be the last instruction of a function. */
static void name(struct stacks *stacks, const struct raw *raw)
{
	struct stack *stack = place_for(stacks, raw->nr);
	size_t i;

	if (!stack)
		return;
	stack->flags = raw->flags;
	stack->comm = mem_string(raw->comm);
	stack->nr = raw->nr_names + raw->nr_addrs;
	stack->nr_kernel = raw->nr_names;
	stack->frames = mem_alloc(stack->nr * sizeof(*stack->frames));
	for (i = 0; i < raw->nr_names; i++)
		stack->frames[i] = mem_string(raw->names[i]);
	for (i = 0; i < raw->nr_addrs; i++)
		stack->frames[raw->nr_names + i] =
			spaces_name(&stacks->spaces, raw->pid, raw->addrs[i] - !!i);
}

static void free_news(struct news *news)
{
	struct raw *raw;

	for (raw = news->all; raw < news->all + news->nr; raw++) {
		while (raw->nr_names)
			free(raw->names[--raw->nr_names]);
		free(raw->names);
		free(raw->comm);
		free(raw->addrs);
	}
	free(news->all);
}

int stacks_read(struct stacks *stacks, struct knl *nl, uint64_t session)
{
	struct news news = { NULL, 0 };
	size_t i;
	int error;

	spaces_begin(&stacks->spaces);
	error = knl_stack_each(nl, session, stacks->nr, take, &news);
	look(&stacks->spaces, &news);
	for (i = 0; i < news.nr; i++)
		name(stacks, &news.all[i]);
	free_news(&news);
	spaces_end(&stacks->spaces);
	return error;
}

const struct stack *stacks_get(const struct stacks *stacks, uint32_t nr)
{
	return nr < stacks->nr && stacks->all[nr].frames ? &stacks->all[nr] : NULL;
}

void stacks_free(struct stacks *stacks)
{
	struct stack *stack;

	for (stack = stacks->all; stack < stacks->all + stacks->nr; stack++) {
		while (stack->nr)
			free(stack->frames[--stack->nr]);
		free(stack->frames);
		free(stack->comm);
	}
	free(stacks->all);
	spaces_free(&stacks->spaces);
	memset(stacks, 0, sizeof(*stacks));
}
