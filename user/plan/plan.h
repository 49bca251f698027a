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
	struct match below;		/* only calls of these, and what they call ... */
	struct match not_below;		/* ... are shown, or never are */
	enum plan_return how;
	pid_t pid;			/* a process that runs the file, or 0 */
	const char *shown;		/* what the file is called, if not by its path */
	struct match libs;		/* calls into these; empty: into all */
	struct match nested_libs;	/* all functions of these, whoever calls them */
	bool may_load_more;		/* those that are not there may come later */
	bool may_execute;		/* programs that may have what this one has not */
	bool is_followed;		/* what others have is planned elsewhere, and no fault */
	bool has_no_libs;		/* no calls into any */
	struct value_rules values;
	bool with_file_name;		/* @FILE behind the file's own functions too */
};

/* One function: probed under its number, or left out for a reason. */
struct plan_func {
	char *name;			/* as shown */
	unsigned int object;
	uint64_t addr;
	struct ktrace_func desc;	/* KTRACE_FUNC_HIDDEN: not asked for itself; offsets in the file; func: the number */
	struct ktrace_exit *exits;
	uint64_t *jumps;		/* where direct jumps leave it for: addresses */
	unsigned int nr_jumps;
	bool jumps_elsewhere;		/* has other jumps that leave it, too; of a SILENT one */
	struct value_formats formats;	/* of the values that are recorded */
	uint64_t args_entry;		/* where desc.entry has to be for arguments */
	bool is_args_stepped;
	const char *left_out;		/* why, or NULL */
	const char *no_return;		/* why only its entry is seen, or NULL */
	bool is_bound;			/* its very name says that it bounds what is shown */
	uint8_t unbound;		/* of KTRACE_FUNC_*: only a pattern does, and its returns are not seen */
};

struct plan {
	struct elf_file *objects;	/* the file itself is the first */
	size_t nr_objects;
	struct plan_func *funcs;	/* those probed first, in order of number */
	size_t nr_funcs;
	size_t nr_probed;
	size_t nr_sites;
	char **unopened;		/* libraries there were no file descriptors for */
	size_t nr_unopened;
};

/*
 * Which functions of a file, and of those it imports, will be probed, and where.
 * Returns 0, or -1 with err set; plan_free() in either case.
 */
int plan_make(struct plan *plan, const char *path, const struct plan_options *options,
	      struct err *err);
void plan_free(struct plan *plan);

/* What is behind a path's last slash. */
const char *plan_file_name(const char *path);

/* Why its returns are not seen, or NULL. */
const char *plan_unseen(const struct plan_func *func);

/* What a pattern that fits none might have meant. Both return -1. */
int plan_no_function(const struct plan *plan, const char *glob, struct err *err);
int plan_no_lib(const struct plan *plan, const char *glob, struct err *err);

/* Bytes of text that each process will get a copy of: pages with a probe. */
uint64_t plan_copied_text(const struct plan *plan);
/* Is that too much for so many processes? -1 with err set. */
int plan_check_copied(const struct plan *plan, size_t nr_processes, struct err *err);

#endif
