/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KPLAN_H
#define KPLAN_H

#include <stdbool.h>

#include "client/client.h"
#include "session/names.h"
#include "util/err.h"
#include "util/match.h"

/* Kernel functions to trace, and names that cannot be traced. */
struct kplan {
	struct kplan_func {
		char *symbol;	/* for the module: "vfs_read", "ext4:ext4_sync_file" */
		uint64_t addr;	/* 0: unknown */
		uint8_t flags;	/* KTRACE_FUNC_* */
		bool has_number;    /* kplan_mark_results(): by its type it returns a number */
	} *funcs;
	struct names names;	/* names to show, each once: "ext4_sync_file [ext4]", and
				 * "s_next [_stext+0x3d2a70]", of which there are several */
	size_t nr;
	bool is_of_known;	/* kplan_add_known() was called */
	char **ambiguous;	/* matching names that several functions share */
	size_t nr_ambiguous;
	char **versions;	/* "NAME is NAME.isra.0": what was added in place of NAME */
	size_t nr_versions;
};

/*
 * Adds matching functions. "MODULE:GLOB" matches functions of that module only. Functions that the
 * plan contains already stay unchanged. Returns 0, or -1 with err set.
 */
int kplan_add(struct kplan *plan, const struct match *match, uint8_t flags, struct err *err);
/*
 * Adds like kplan_add(), but a pattern may match nothing, and functions without a place for a
 * probe are not reported.
 */
int kplan_add_known(struct kplan *plan, const struct match *match, uint8_t flags,
		    struct err *err);
/*
 * Finds which functions return errors (names.are_fallible), and sets has_number of each, from the
 * kernel's type information.
 */
void kplan_mark_results(struct kplan *plan);
/* Removes the functions that return no error. Returns how many. */
size_t kplan_keep_fallible(struct kplan *plan);
void kplan_free(struct kplan *plan);

/* Sends all functions to the module. Returns 0 or a negative errno. */
int kplan_send(const struct kplan *plan, struct ktr *ktr, uint64_t session);

#endif
