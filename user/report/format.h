/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Formats: how results are written. A format is one file with its description, here or in draw/, and
 * one word in the table of cmd/formats.c. Commands hand over what they have measured as a document,
 * as paths, or record by record.
 */
#ifndef FORMAT_H
#define FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/err.h"
#include "util/out.h"

struct ktr_record;
struct json_object;
struct ktr;
struct paths;
struct record;
struct table;
struct view;

/* The kinds of results, in the tables of options. */
#define FORMATS_OF_CALLS "calls"	/* of user functions: single calls, or their figures */
#define FORMATS_OF_FIGURES "figures"	/* of the kernel's events, also at each interval */
#define FORMATS_OF_TREES "trees"	/* of kernel functions */
#define FORMATS_OF_STACKS "stacks"	/* these figures, and stacks with their times */
#define FORMATS_OF_SAMPLES "samples"	/* stacks, without another option */
#define FORMATS_OF_STATES "states"	/* one document: what exists now, or was measured once */
#define FORMATS_OF_RECORDINGS "recordings"	/* what ktrace record has written */
#define FORMATS_OF_REPLAYS "replays"	/* the same, record by record */
#define FORMATS_OF_PICTURES "pictures"	/* what a screen shows */

struct output_format {
	const char *name;
	const char *kinds;	/* of results that it can show, separated by bars */
	const char *note;	/* in the help for the kinds ... */
	const char *note_kinds;	/* ... that are named here */
	bool is_data;		/* for programs: not to be mixed with what a traced program writes */
	bool is_folder;		/* written to a folder, which -o names, not to a stream */

	/*
	 * Writes a document, as in docs/schema, and frees it; is_line: one of several, on a line of
	 * its own. NULL: commands print tables instead, or rows() or paths() prints them.
	 */
	void (*document)(FILE *out, struct json_object *document, bool is_line);
	/*
	 * Writes the rows of a table. is_one_of_many: of an interval, with the time of the window
	 * (head.h); is_first: the first table. NULL: a format of other results.
	 */
	void (*rows)(FILE *out, const struct table *table, bool is_one_of_many, bool is_first);
	/* Writes the paths of a tree of calls, or stacks. NULL: a format of other results. */
	void (*paths)(FILE *out, const struct paths *paths);
	bool is_one;		/* paths() writes a whole file: it cannot be repeated with -i */
	/* One of several records. others: what records are called ("requests"). */
	void (*record)(FILE *out, const struct record *record, uint64_t start_ns,
		       const char *others);

	/* Calls of user functions: what a session has to keep, KTRACE_SINK_*, ... */
	uint32_t sinks;		/* ... if the format is chosen for run. STREAM: shows records */
	uint32_t needs;		/* ... so that read can show it: one of these; 0: any session */
	bool has_functions;	/* one row per function, which --count also has */
	/*
	 * With a stream of records (view.h), in place of record() and of document() at the end. Each
	 * may be NULL. begin() may set view->state. end() frees it, and returns 0, a negative errno
	 * of the module, or -1 with err set.
	 */
	int (*begin)(struct view *view, struct err *err);
	void (*event)(void *view, const struct ktr_record *event);
	bool (*flush)(struct view *view);	/* the records so far; false: it failed */
	void (*tick)(struct view *view, uint64_t clock);	/* as view_tick() */
	void (*set_start)(struct view *view);	/* to view->from; before the first record */
	void (*name_process)(struct view *view, uint32_t pid, const char *program);
	int (*end)(struct view *view, struct err *err);
	/* Without records, in place of document() or a table of functions. Returns like end(). */
	int (*figures)(struct view *view, struct ktr *ktr);
};

extern const struct output_format format_table, format_tree, format_flat, format_summary;
extern const struct output_format format_callers, format_callees, format_stack_tree;
extern const struct output_format format_hist, format_json, format_csv, format_ctf;

/*
 * Checks that the format can be written there, beside the output of a program. Returns 0, or -1 with
 * err set.
 */
int format_check(const struct output_format *format, const struct output *output,
		 bool has_program, struct err *err);
/* Returns where text is written to, for out_open(): NULL for a format that writes a folder. */
const struct output *format_output(const struct output_format *format,
				   const struct output *output);

#endif
