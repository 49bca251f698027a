// SPDX-License-Identifier: GPL-2.0
/*
 * The live call tree. A call's line waits for the next event of its thread: if
 * that is its return, the call was a leaf and takes one line.
 */
#include <stdlib.h>
#include <string.h>

#include "../include/uapi/ktrace_record.h"
#include "demangle.h"
#include "fmt.h"
#include "mem.h"
#include "tids.h"
#include "tree.h"
#include "value.h"

struct thread {
	struct tid tid;
	bool is_waiting;
	unsigned int depth;	/* that a call would have now */
	struct event entry;	/* the call whose line waits ... */
	char *args;		/* ... and its arguments, or NULL */
};

struct tree {
	FILE *out;
	const struct names *names;
	struct tree_options options;
	struct tids threads;
};

struct tree *tree_create(FILE *out, const struct names *names,
			 const struct tree_options *options)
{
	struct tree *tree = mem_alloc(sizeof(*tree));

	tree->out = out;
	tree->names = names;
	tree->options = *options;
	tids_init(&tree->threads, sizeof(struct thread));
	return tree;
}

void tree_free(struct tree *tree)
{
	struct thread *thread = NULL;

	if (!tree)
		return;
	while ((thread = tids_next(&tree->threads, thread)))
		free(thread->args);
	tids_free(&tree->threads);
	free(tree);
}

/* --- lines -------------------------------------------------------------- */

static void begin_line(struct tree *tree, const struct event *event, uint64_t time,
		       const char *duration)
{
	if (tree->options.with_timestamp)
		fprintf(tree->out, "%14.9f ",
			(double)(int64_t)(time - tree->options.start) / 1e9);
	fprintf(tree->out, "%6u %11s  | %*s", event->tid, duration, event->depth * 2, "");
}

static const char *mark_of(const struct event *event)
{
	if (event->flags & KTRACE_REC_F_KILLED)
		return "ended with the thread";
	if (event->flags & KTRACE_REC_F_UNWOUND)
		return "unwound";
	if (event->flags & KTRACE_REC_F_INHERITED)
		return "entered by the parent";
	if (event->flags & KTRACE_REC_F_NO_RETURN)
		return "return not seen";
	return NULL;
}

static void end_line(struct tree *tree, const char *mark)
{
	if (mark)
		fprintf(tree->out, " /* %s */", mark);
	fputc('\n', tree->out);
}

/* Arguments as text, to be freed; NULL: none were recorded. */
static char *args_of(const struct tree *tree, const struct event *event)
{
	char *text = NULL;
	size_t len;
	FILE *out;

	if (!event->nr_payload)
		return NULL;
	out = open_memstream(&text, &len);
	if (!out)
		return NULL;
	value_print_all(out, event, names_formats(tree->names, event->func));
	fclose(out);
	return text;
}

static void print_call(struct tree *tree, const struct event *event, const char *args)
{
	const char *name = names_get(tree->names, event->func);

	if (args)
		fprintf(tree->out, "%.*s(%s)", (int)demangle_base_len(name), name, args);
	else
		fprintf(tree->out, "%s%s", name, fmt_parentheses(name));
}

static void print_result(struct tree *tree, const struct event *event)
{
	if (event->id != EVENT_EXIT || !event->nr_payload)
		return;
	fputs(" = ", tree->out);
	value_print_all(tree->out, event, names_formats(tree->names, event->func));
}

static void print_entry(struct tree *tree, const struct event *event, const char *args)
{
	begin_line(tree, event, event->time, "");
	print_call(tree, event, args);
	fputs(" {\n", tree->out);
}

static void print_leaf(struct tree *tree, const struct event *event, uint64_t time,
		       const char *args)
{
	char text[FMT_LEN] = "";

	if (event->id == EVENT_EXIT)
		fmt_duration(text, event->duration);
	begin_line(tree, event, time, text);
	print_call(tree, event, args);
	print_result(tree, event);
	fputc(';', tree->out);
	end_line(tree, mark_of(event));
}

static void print_exit(struct tree *tree, const struct event *event)
{
	const char *name = names_get(tree->names, event->func);
	char text[FMT_LEN];

	begin_line(tree, event, event->time, fmt_duration(text, event->duration));
	fputc('}', tree->out);
	print_result(tree, event);
	fprintf(tree->out, " /* %.*s */", (int)demangle_base_len(name), name);
	end_line(tree, mark_of(event));
}

static void print_gap(struct tree *tree, const struct event *event)
{
	fprintf(tree->out, "%*s%6s %11s  | /* %llu records of CPU %u are missing here */\n",
		tree->options.with_timestamp ? 15 : 0, "", "", "",
		(unsigned long long)event->duration, event->cpu);
}

static void print_task(struct tree *tree, const struct thread *thread, const struct event *event)
{
	struct event line = *event;

	line.depth = thread->depth;
	begin_line(tree, &line, event->time, "");
	if (event->id == EVENT_FORK)
		fprintf(tree->out, "/* new process: %u */\n", event->child);
	else
		fprintf(tree->out, "/* executes: %s */\n", event->program);
}

/* --- events ------------------------------------------------------------- */

static void forget_waiting(struct thread *thread)
{
	free(thread->args);
	thread->args = NULL;
	thread->is_waiting = false;
}

static void show_waiting(struct tree *tree, struct thread *thread)
{
	if (thread->is_waiting)
		print_entry(tree, &thread->entry, thread->args);
	forget_waiting(thread);
}

/* The return is not seen: the call is its own line. */
static void show_call(struct tree *tree, const struct event *event)
{
	char *args = args_of(tree, event);

	print_leaf(tree, event, event->time, args);
	free(args);
}

static bool is_return_of(const struct thread *thread, const struct event *event)
{
	return thread->is_waiting && thread->entry.func == event->func &&
	       thread->entry.depth == event->depth;
}

void tree_head(struct tree *tree)
{
	fprintf(tree->out, "%s%s\n", tree->options.with_timestamp ? "     TIMESTAMP " : "",
		"  TID     DURATION    FUNCTION CALLS");
}

void tree_event(struct tree *tree, const struct event *event)
{
	struct thread *thread;

	if (event->id == EVENT_GAP) {
		tree_flush(tree, UINT64_MAX);
		print_gap(tree, event);
		return;
	}
	thread = tids_get(&tree->threads, event->tid);
	if (event->id == EVENT_EXIT && is_return_of(thread, event)) {
		print_leaf(tree, event, thread->entry.time, thread->args);
		forget_waiting(thread);
		return;
	}
	if (event->id == EVENT_FORK && event->child != event->child_pid)
		return;		/* a thread: its calls tell */
	show_waiting(tree, thread);
	if (event->id == EVENT_FORK || event->id == EVENT_EXEC) {
		print_task(tree, thread, event);
		return;
	}
	thread->depth = event->depth + (event->id == EVENT_ENTRY);
	if (event->id == EVENT_ENTRY && (event->flags & KTRACE_REC_F_NO_RETURN)) {
		show_call(tree, event);
	} else if (event->id == EVENT_ENTRY) {
		thread->entry = *event;
		thread->args = args_of(tree, event);
		thread->is_waiting = true;
	} else if (event->id == EVENT_EXIT) {
		print_exit(tree, event);
	}
}

void tree_flush(struct tree *tree, uint64_t time)
{
	struct thread *thread = NULL;

	while ((thread = tids_next(&tree->threads, thread)))
		if (thread->entry.time < time)
			show_waiting(tree, thread);
}
