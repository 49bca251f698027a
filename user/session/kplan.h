/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KPLAN_H
#define KPLAN_H

#include <stdbool.h>
#include <stdio.h>

#include "nl/nl.h"
#include "session/names.h"
#include "util/err.h"
#include "util/match.h"

/* Kernel functions to trace, and names that cannot be traced. */
struct kplan {
	struct kplan_func {
		char *symbol;	/* for the module: "vfs_read", "ext4:ext4_sync_file" */
		uint64_t addr;	/* or 0: it is not known */
		uint8_t flags;	/* KTRACE_FUNC_* */
		bool is_infallible; /* kplan_mark_results(): it returns no error, or has no result */
		bool has_number;    /* by its type, it returns a number */
	} *funcs;
	struct names names;	/* for people: "ext4_sync_file [ext4]" */
	size_t nr;
	bool is_of_known;	/* kplan_add_known() */
	char **ambiguous;	/* names that several functions have */
	size_t nr_ambiguous;
};

/*
 * Adds matching functions ("MODULE:GLOB": of that module); functions that are there already stay
 * unchanged. 0, or -1 with err set.
 */
int kplan_add(struct kplan *plan, const struct match *match, uint8_t flags, struct err *err);
/* The same, without functions that the kernel lacks or that have no place for a probe. */
int kplan_add_known(struct kplan *plan, const struct match *match, uint8_t flags,
		    struct err *err);
/* Marks results by the kernel's types. */
void kplan_mark_results(struct kplan *plan);
/* Leaves out functions that return no error; returns how many. */
size_t kplan_keep_fallible(struct kplan *plan);
void kplan_free(struct kplan *plan);

/* Sends all of them to the module. 0 or a negative errno. */
int kplan_send(const struct kplan *plan, struct knl *nl, uint64_t session);

/* Prints what is traced, and what not and why. */
void kplan_print(FILE *out, const struct kplan *plan);

/*
 * Reports functions that could not be probed on stderr. 0, or -1 with err set: nothing
 * is left that could be recorded.
 */
int kplan_check_probed(const struct kplan *plan, struct knl *nl,
		       const struct knl_session *session, struct err *err);

#endif
