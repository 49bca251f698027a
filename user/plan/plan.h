/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "elf/elf.h"
#include "plan/value.h"
#include "uapi/ktrace.h"
#include "util/err.h"
#include "util/match.h"

enum plan_return { PLAN_RETURN_AUTO, PLAN_RETURN_RET, PLAN_RETURN_URETPROBE, PLAN_RETURN_NONE };

struct plan_options {
	struct match functions;		/* empty: all */
	struct match no_functions;
	struct match below;		/* show only calls of these, and the calls inside them */
	struct match not_below;		/* do not show calls of these, nor the calls inside them */
	enum plan_return how;
	pid_t pid;			/* a process that runs the file, or 0 */
	const char *shown;		/* the path to show; NULL: the path of the file */
	struct match libs;		/* probe calls into these libraries; empty: all */
	struct match nested_libs;	/* probe all functions inside these libraries */
	bool may_load_more;		/* a library of nested_libs may be loaded later */
	bool may_execute;		/* a program executed later may have the functions */
	bool is_followed;		/* the file was loaded later: patterns may match nothing */
	bool has_no_libs;		/* probe no calls into libraries */
	struct value_rules values;
	bool with_file_name;		/* show @FILE behind the file's own functions, too */
};

/* A function that is probed, or left out for a reason. */
struct plan_func {
	char *name;			/* the name to show; no two functions have the same */
	unsigned int object;		/* index of its file in plan.objects */
	const char *source;		/* its source file, or NULL */
	uint64_t addr;
	/* Has file offsets. KTRACE_FUNC_HIDDEN: the options do not select the function itself. */
	struct ktrace_func desc;
	struct ktrace_exit *exits;
	uint64_t *jumps;		/* addresses: targets of direct jumps out of it */
	unsigned int nr_jumps;
	bool jumps_elsewhere;		/* silent function: it has jumps out that are not direct */
	struct value_formats formats;	/* the formats of its recorded values */
	uint64_t args_entry;		/* desc.entry if arguments are recorded */
	bool is_args_stepped;		/* the kernel steps this entry */
	const char *no_args;		/* why its arguments cannot be recorded, or NULL */
	const char *left_out;		/* why it is not probed, or NULL */
	const char *no_return;		/* why only its entry is seen, or NULL */
	bool is_named;			/* --function has its exact name */
	bool is_odd;			/* the manual says that it is always left out */
	bool is_bound;			/* --below or --not-below has its exact name */
	/* The roles KTRACE_FUNC_BELOW and _NOT_BELOW that it lost: see unbind(). */
	uint8_t unbound;
};

struct plan {
	struct elf_file *objects;	/* the file itself, then libraries */
	size_t nr_objects;
	struct plan_func *funcs;	/* the probed functions by number, then the others */
	size_t nr_funcs;
	size_t nr_probed;
	size_t nr_sites;
	struct plan_unopened {		/* a library that was not read */
		char *name;
		const char *why;	/* a clause */
	} *unopened;
	size_t nr_unopened;
};

/*
 * Chooses which functions of a file, and which imported functions, are probed, and at which places.
 * Returns 0, or -1 with err set. The caller calls plan_free() in either case.
 */
int plan_make(struct plan *plan, const char *path, const struct plan_options *options,
	      struct err *err);
void plan_free(struct plan *plan);

/* Returns the part of a path behind its last slash. */
const char *plan_file_name(const char *path);

/* Returns the reason why the function's returns are not seen, or NULL. */
const char *plan_unseen(const struct plan_func *func);

/* Both set err for a pattern that matches nothing, suggest similar names, and return -1. */
int plan_no_function(const struct plan *plan, const char *glob, struct err *err);
int plan_no_lib(const struct plan *plan, const char *glob, struct err *err);

/* Reasons of left_out. */
extern const char plan_writable[], plan_alias[];

/* Returns the bytes of text of which each process gets its own copy: all pages with a probe. */
uint64_t plan_copied_text(const struct plan *plan);
/* Returns 0, or -1 with err set if these copies are too large for so many processes. */
int plan_check_copied(const struct plan *plan, size_t nr_processes, struct err *err);

#endif
