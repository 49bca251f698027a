// SPDX-License-Identifier: GPL-2.0
/*
 * The live call tree. The line of a call waits for the next event of its thread: if this event is
 * the return, the call is a leaf and takes one line. Lines of other threads queue behind it, so
 * that all lines are in order of time.
 */
#include <stdlib.h>
#include <string.h>

#include "report/record_value.h"
#include "report/tree.h"
#include "uapi/ktrace_record.h"
#include "util/cut.h"
#include "util/demangle.h"
#include "util/fmt.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/style.h"

/*
 * A place in the output. The first line of the queue is written directly, the others are kept as
 * text.
 */
struct line {
	struct line *next;
	struct thread *thread;	/* the thread whose next event the line waits for, or NULL */
	char *text;		/* the line's text, or NULL */
	size_t len;
};

/* A thread that is in a call. Threads that are in no call use no memory. */
struct thread {
	uint32_t tid;
	unsigned int depth;	/* depth that a call would have now */
	struct line *line;	/* the waiting line of a call, or NULL; its entry ... */
	struct ktr_record entry;
	char *args;		/* ... and its arguments, or NULL */
	UT_hash_handle hh;
};

struct tree {
	FILE *out;		/* for the line that is being written */
	FILE *to;		/* the final output */
	struct line *first;	/* the line that waits or is being written */
	struct line *last;
	size_t nr_behind;	/* complete lines that wait for the first */
	const struct names *names;
	struct tree_options options;
	struct thread *threads;	/* a hash */
};

struct tree *tree_create(FILE *out, const struct names *names,
			 const struct tree_options *options)
{
	struct tree *tree = mem_alloc(sizeof(*tree));

	tree->to = out;
	tree->names = names;
	tree->options = *options;
	return tree;
}

/* --- threads ------------------------------------------------------------ */

/* Returns NULL if the thread is not in a call. */
static struct thread *find(const struct tree *tree, uint32_t tid)
{
	struct thread *thread;

	HASH_FIND(hh, tree->threads, &tid, sizeof(tid), thread);
	return thread;
}

static struct thread *find_or_add(struct tree *tree, uint32_t tid)
{
	struct thread *thread = find(tree, tid);

	if (thread)
		return thread;
	thread = mem_alloc(sizeof(*thread));
	thread->tid = tid;
	HASH_ADD(hh, tree->threads, tid, sizeof(tid), thread);
	return thread;
}

static void drop(struct tree *tree, struct thread *thread)
{
	HASH_DEL(tree->threads, thread);
	free(thread->args);
	free(thread);
}

static void drop_all(struct tree *tree)
{
	struct thread *thread, *next;

	HASH_ITER(hh, tree->threads, thread, next)
		drop(tree, thread);
}

/* --- order -------------------------------------------------------------- */

static struct line *add_line(struct tree *tree)
{
	struct line *line = mem_alloc(sizeof(*line));

	if (tree->first)
		tree->last->next = line;
	else
		tree->first = line;
	tree->last = line;
	return line;
}

/* Without memory for the text, the line is printed too early, but it is printed. */
static void open_line(struct tree *tree, struct line *line)
{
	FILE *text = line == tree->first ? NULL : open_memstream(&line->text, &line->len);

	tree->out = text ? text : tree->to;
}

static struct line *open_new_line(struct tree *tree)
{
	struct line *line = add_line(tree);

	open_line(tree, line);
	return line;
}

static void take_first(struct tree *tree)
{
	struct line *line = tree->first;

	tree->first = line->next;
	free(line->text);
	free(line);
}

/* Completes a line, and prints all lines up to the first that still waits. */
static void close_line(struct tree *tree, struct line *line)
{
	if (tree->out != tree->to)
		fclose(tree->out);
	line->thread = NULL;
	tree->nr_behind++;
	while (tree->first && !tree->first->thread) {
		tree->nr_behind--;
		if (tree->first->text)
			out_kept(tree->to, tree->first->text, tree->first->len);
		take_first(tree);
	}
}

void tree_free(struct tree *tree)
{
	if (!tree)
		return;
	drop_all(tree);
	while (tree->first)
		take_first(tree);
	free(tree);
}

/* --- lines -------------------------------------------------------------- */

static void begin_line(struct tree *tree, const struct ktr_record *event, uint64_t time,
		       const char *duration)
{
	enum style_color color = *duration ? style_of_time(event->duration) : STYLE_PLAIN;
	char moment[STYLE_MOMENT_LEN];

	if (tree->options.with_timestamp)
		out_put(tree->out, "%*s ", style_moment_width(9),
			style_moment(moment, time, tree->options.start, 9));
	out_put(tree->out, "%6u %*s", event->tid, 11 - (int)strlen(duration), "");
	style_begin(tree->out, color);
	out_put(tree->out, "%s", duration);
	style_end(tree->out, color);
	out_put(tree->out, "  | %*s", event->depth * 2, "");
}

static void end_line(struct tree *tree, const char *mark)
{
	if (mark)
		out_put(tree->out, " /* %s */", mark);
	fputc('\n', tree->out);
}

/* Returns the arguments as text, or NULL if none were recorded. The caller frees it. */
static char *args_of(const struct tree *tree, const struct ktr_record *event)
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

/* Columns before a name (thread, time and bar) and after it. */
#define BEFORE_NAME 22
#define BEHIND_NAME 4
#define NAME_LEAST 24

static char *fitting(const struct tree *tree, const char *name, unsigned int depth)
{
	int room = style_get()->columns - BEFORE_NAME - BEHIND_NAME - 2 * (int)depth;

	if (!style_get()->columns)
		return mem_string(name);
	if (tree->options.with_timestamp)
		room -= style_moment_width(9) + 1;
	return cut_name(name, room > NAME_LEAST ? room : NAME_LEAST);
}

static void print_call(struct tree *tree, const struct ktr_record *event, const char *args)
{
	const char *name = names_get(tree->names, event->func);
	char *cut;
	int len;

	if (args) {
		out_put(tree->out, "%.*s(%s)%s", (int)demangle_base_len(name), name, args,
			name + fmt_name_len(name));
		return;
	}
	cut = fitting(tree, name, event->depth);
	len = fmt_name_len(cut);
	out_put(tree->out, "%.*s%s%s", len, cut, fmt_parentheses(name), cut + len);
	free(cut);
}

static void print_result(struct tree *tree, const struct ktr_record *event)
{
	if (event->id != EVENT_EXIT || !event->nr_payload)
		return;
	fputs(" = ", tree->out);
	value_print_all(tree->out, event, names_formats(tree->names, event->func));
}

static void print_entry(struct tree *tree, const struct ktr_record *event, const char *args)
{
	begin_line(tree, event, event->time, "");
	print_call(tree, event, args);
	fputs(" {\n", tree->out);
}

static void print_leaf(struct tree *tree, const struct ktr_record *event, uint64_t time,
		       const char *args)
{
	char text[FMT_LEN] = "";

	if (event->id == EVENT_EXIT)
		fmt_duration(text, event->duration);
	begin_line(tree, event, time, text);
	print_call(tree, event, args);
	print_result(tree, event);
	fputc(';', tree->out);
	end_line(tree, event_mark(event));
}

static void print_exit(struct tree *tree, const struct ktr_record *event)
{
	const char *name = names_get(tree->names, event->func);
	struct line *line = open_new_line(tree);
	char text[FMT_LEN];

	begin_line(tree, event, event->time, fmt_duration(text, event->duration));
	fputc('}', tree->out);
	print_result(tree, event);
	out_put(tree->out, " /* %.*s%s */", (int)demangle_base_len(name), name,
		name + fmt_name_len(name));
	end_line(tree, event_mark(event));
	close_line(tree, line);
}

static void print_gap(struct tree *tree, const struct ktr_record *event)
{
	struct line *line = open_new_line(tree);

	out_put(tree->out, "%*s%6s %11s  | /* %llu records of CPU %u are missing here */\n",
		tree->options.with_timestamp ? style_moment_width(9) + 1 : 0, "", "", "",
		(unsigned long long)event->duration, event->cpu);
	close_line(tree, line);
}

static void print_task(struct tree *tree, const struct thread *thread, const struct ktr_record *event)
{
	struct line *line = open_new_line(tree);
	struct ktr_record indented = *event;

	indented.depth = thread ? thread->depth : 0;
	begin_line(tree, &indented, event->time, "");
	if (event->id == EVENT_FORK)
		out_put(tree->out, "/* new process: %u */\n", event->child);
	else
		out_put(tree->out, "/* executes: %s */\n", event->program);
	close_line(tree, line);
}

/* --- events ------------------------------------------------------------- */

static void end_waiting(struct tree *tree, struct thread *thread)
{
	close_line(tree, thread->line);
	free(thread->args);
	thread->args = NULL;
	thread->line = NULL;
}

static void show_waiting(struct tree *tree, struct thread *thread)
{
	if (!thread->line)
		return;
	open_line(tree, thread->line);
	print_entry(tree, &thread->entry, thread->args);
	end_waiting(tree, thread);
}

static void show_leaf(struct tree *tree, struct thread *thread, const struct ktr_record *event)
{
	open_line(tree, thread->line);
	print_leaf(tree, event, thread->entry.time, thread->args);
	end_waiting(tree, thread);
}

/* Prints a call whose return is not recorded on a line of its own. */
static void show_call(struct tree *tree, const struct ktr_record *event)
{
	struct line *line = open_new_line(tree);
	char *args = args_of(tree, event);

	print_leaf(tree, event, event->time, args);
	close_line(tree, line);
	free(args);
}

static bool is_return_of(const struct thread *thread, const struct ktr_record *event)
{
	return thread->line && thread->entry.func == event->func &&
	       thread->entry.depth == event->depth;
}

void tree_set_start(struct tree *tree, uint64_t start)
{
	tree->options.start = start;
}

void tree_head(struct tree *tree)
{
	style_begin(tree->to, STYLE_TITLE);
	if (tree->options.with_timestamp)
		out_put(tree->to, "%*s ", style_moment_width(9), "TIME");
	out_put(tree->to, "   TID    DURATION  | FUNCTION CALLS\n");
	style_end(tree->to, STYLE_TITLE);
}

/* The missing records may include ends of threads, so all threads are dropped. */
static void take_gap(struct tree *tree, const struct ktr_record *event)
{
	tree_flush(tree, UINT64_MAX);
	print_gap(tree, event);
	drop_all(tree);
}

static void take_task(struct tree *tree, const struct ktr_record *event)
{
	struct thread *thread = find(tree, event->tid);

	if (event->id == EVENT_FORK && event->child != event->child_pid)
		return;		/* a thread: its calls show it */
	if (thread)
		show_waiting(tree, thread);
	print_task(tree, thread, event);
}

static void take_entry(struct tree *tree, struct thread *thread, const struct ktr_record *event)
{
	show_waiting(tree, thread);
	thread->depth = event->depth;
	if (event->flags & KTRACE_REC_F_NO_RETURN) {
		show_call(tree, event);
		return;
	}
	thread->depth++;
	thread->entry = *event;
	thread->args = args_of(tree, event);
	thread->line = add_line(tree);
	thread->line->thread = thread;
}

static void take_exit(struct tree *tree, struct thread *thread, const struct ktr_record *event)
{
	thread->depth = event->depth;
	if (event->id == EVENT_EXIT && is_return_of(thread, event)) {
		show_leaf(tree, thread, event);
		return;
	}
	show_waiting(tree, thread);
	if (event->id == EVENT_EXIT)
		print_exit(tree, event);
}

void tree_event(struct tree *tree, const struct ktr_record *event)
{
	struct thread *thread;

	if (event->id == EVENT_GAP) {
		take_gap(tree, event);
		return;
	}
	if (event->id == EVENT_FORK || event->id == EVENT_EXEC) {
		take_task(tree, event);
		return;
	}
	thread = find_or_add(tree, event->tid);
	if (event->id == EVENT_ENTRY)
		take_entry(tree, thread, event);
	else
		take_exit(tree, thread, event);
	if (!thread->depth)
		drop(tree, thread);
}

void tree_flush(struct tree *tree, uint64_t time)
{
	while (tree->first && tree->first->thread->entry.time <= time)
		show_waiting(tree, tree->first->thread);
}

void tree_settle(struct tree *tree)
{
	while (tree->nr_behind)
		show_waiting(tree, tree->first->thread);
}
