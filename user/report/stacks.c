// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "report/stacks.h"
#include "session/unwinder.h"
#include "util/mem.h"

/* The program's frames of new stacks, until the mappings of their programs have been read. */
struct news {
	struct stacks *stacks;
	struct raw {
		uint32_t nr;	/* the number of the stack */
		int32_t pid;
		struct code *code;
		size_t nr_code;
	} *all;
	size_t nr;
};

/* Frames of the tracepoint that asked for the stack do not belong to it. */
static bool is_ours(const char *name)
{
	return !strncmp(name, "__traceiter_", 12) || !strncmp(name, "__bpf_trace_", 12);
}

static void add_frame(struct stack *stack, char *name)
{
	stack->frames = mem_grow(stack->frames, stack->nr, sizeof(*stack->frames));
	stack->frames[stack->nr++] = name;
}

static void take_names(struct stack *stack, const char *text, size_t len)
{
	size_t room;

	for (; len; text += room, len -= room) {
		room = strnlen(text, len);
		room += room < len;
		if (stack->nr || !is_ours(text))
			add_frame(stack, mem_format("%.*s", (int)room, text));
	}
	stack->nr_kernel = stack->nr;
}

/* The module numbers stacks in order, without gaps. Returns NULL if the stack is known. */
static struct stack *place_for(struct stacks *stacks, uint32_t nr)
{
	if (nr > stacks->nr + (1 << 20))
		return NULL;
	while (stacks->nr <= nr) {
		stacks->all = mem_grow(stacks->all, stacks->nr, sizeof(*stacks->all));
		stacks->nr++;
	}
	return stacks->all[nr].comm ? NULL : &stacks->all[nr];
}

/* A return address points after the call, which may be the last instruction of a function. */
static struct code code_of(const struct ktr_stack *from, size_t i)
{
	struct code code = { .pid = from->pid, .addr = from->frames[i] - !!i };

	code.place.offset = KTRACE_PLACE_UNKNOWN;
	if (from->places && from->places[i].offset != KTRACE_PLACE_UNKNOWN) {
		code.place = from->places[i];
		code.place.offset -= !!i;
	}
	return code;
}

static void take(void *arg, const struct ktr_stack *from)
{
	struct news *news = arg;
	struct stack *stack = place_for(news->stacks, from->nr);
	struct raw *raw;
	size_t i;

	if (!stack)
		return;
	stack->flags = from->flags;
	stack->comm = mem_string(from->comm);
	take_names(stack, from->names, from->names_len);
	if (!from->nr_frames)
		return;
	news->all = mem_grow(news->all, news->nr, sizeof(*news->all));
	raw = &news->all[news->nr++];
	raw->nr = from->nr;
	raw->pid = from->pid;
	raw->nr_code = from->nr_frames;
	raw->code = mem_alloc(raw->nr_code * sizeof(*raw->code));
	for (i = 0; i < raw->nr_code; i++)
		raw->code[i] = code_of(from, i);
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

static void name(struct stacks *stacks, const struct raw *raw)
{
	size_t i;

	for (i = 0; i < raw->nr_code; i++)
		add_frame(&stacks->all[raw->nr], spaces_name(&stacks->spaces, &raw->code[i]));
}

static void place(struct stacks *stacks, const struct raw *raw)
{
	struct space_place *places = mem_alloc(raw->nr_code * sizeof(*places));
	size_t i;

	for (i = 0; i < raw->nr_code; i++)
		places[i] = spaces_place(&stacks->spaces, &raw->code[i]);
	while (stacks->nr_places <= raw->nr) {
		stacks->places = mem_grow(stacks->places, stacks->nr_places,
					  sizeof(*stacks->places));
		stacks->nr_places++;
	}
	stacks->places[raw->nr] = places;
}

/* A file may be on a stack before mappings are read in which it is. */
static void know_files(struct stacks *stacks, const struct unwinder *unwinder)
{
	const struct unwound *file;

	for (; stacks->nr_known < unwinder->nr; stacks->nr_known++) {
		file = &unwinder->files[stacks->nr_known];
		if (file->inode)
			spaces_know(&stacks->spaces, file->dev, file->inode, file->name);
	}
}

int stacks_read(struct stacks *stacks, struct ktr *ktr, uint64_t session,
		const struct unwinder *unwinder)
{
	struct news news = { .stacks = stacks };
	size_t i;
	int error;

	spaces_begin(&stacks->spaces);
	error = ktr_stack_each(ktr, session, stacks->nr, take, &news);
	look(&stacks->spaces, &news);
	if (unwinder)
		know_files(stacks, unwinder);
	for (i = 0; i < news.nr; i++) {
		name(stacks, &news.all[i]);
		if (stacks->has_places)
			place(stacks, &news.all[i]);
		free(news.all[i].code);
	}
	free(news.all);
	spaces_end(&stacks->spaces);
	return error;
}

const struct stack *stacks_get(const struct stacks *stacks, uint32_t nr)
{
	return nr < stacks->nr && stacks->all[nr].comm ? &stacks->all[nr] : NULL;
}

const struct space_place *stacks_places(const struct stacks *stacks, const struct stack *stack)
{
	size_t nr = stack - stacks->all;

	return nr < stacks->nr_places ? stacks->places[nr] : NULL;
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
	while (stacks->nr_places)
		free(stacks->places[--stacks->nr_places]);
	free(stacks->places);
	free(stacks->all);
	spaces_free(&stacks->spaces);
	memset(stacks, 0, sizeof(*stacks));
}

void stacks_forget(struct stacks *stacks)
{
	struct spaces known = stacks->spaces;

	memset(&stacks->spaces, 0, sizeof(stacks->spaces));
	stacks_free(stacks);
	stacks->spaces = known;
}
