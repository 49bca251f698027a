/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KPLAN_H
#define KPLAN_H

#include <stdbool.h>
#include <stdio.h>

#include "nl/nl.h"
#include "session/names.h"
#include "util/err.h"
#include "util/match.h"

/* Functions of the kernel that are to be traced, and those that cannot be. */
struct kplan {
	struct kplan_func {
		char *symbol;	/* for the module: "vfs_read", "ext4:ext4_sync_file" */
		uint64_t addr;	/* or 0: it is not known */
		uint8_t flags;	/* KTRACE_FUNC_* */
		bool is_infallible; /* kplan_mark_results(): it returns no error, or nothing */
		bool has_number;    /* by its type, it returns a number */
	} *funcs;
	struct names names;	/* for people: "ext4_sync_file [ext4]" */
	size_t nr;
	bool is_of_known;	/* kplan_add_known() */
	char **ambiguous;	/* names that several functions have */
	size_t nr_ambiguous;
};

/*
 * What patterns fit, of "MODULE:GLOB" in that module; functions that are there already stay
 * what they are. 0, or -1 with err set.
 */
int kplan_add(struct kplan *plan, const struct match *match, uint8_t flags, struct err *err);
/* The same, without functions that the kernel lacks or that have no place for a probe. */
int kplan_add_known(struct kplan *plan, const struct match *match, uint8_t flags,
		    struct err *err);
/* Marks what the kernel's types say of their results. */
void kplan_mark_results(struct kplan *plan);
/* Those that return no error are left out; how many. */
size_t kplan_keep_fallible(struct kplan *plan);
void kplan_free(struct kplan *plan);

/* Tells the module of all of them. 0 or a negative errno. */
int kplan_send(const struct kplan *plan, struct knl *nl, uint64_t session);

/* What is traced, what not, and why. */
void kplan_print(FILE *out, const struct kplan *plan);

/*
 * On stderr: what could not be probed, though it was asked for. 0, or -1 with err set: nothing
 * is left that could be recorded.
 */
int kplan_check_probed(const struct kplan *plan, struct knl *nl,
		       const struct knl_session *session, struct err *err);

#endif
