/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CMD_KERNEL_H
#define CMD_KERNEL_H

#include <stdbool.h>

#include "cmd/cmd.h"
#include "session/kplan.h"
#include "util/match.h"

/* Options of the commands for kernel functions. */
struct kernel_choice {
	struct match globs;	/* patterns on the command line */
	int is_forced;
	int is_dry_run;
	struct kplan plan;
};

#define KERNEL_OPTIONS(type, member)							\
	{ 0, "force", NULL, OPT_FLAG, offsetof(type, member.is_forced),			\
	  "allow any number of matching functions", NULL },						\
	{ 0, "dry-run", NULL, OPT_FLAG, offsetof(type, member.is_dry_run),		\
	  "list the matching functions, and trace none", NULL }

/*
 * Parses options and patterns up to "--". Sets *program to the words after it, or to the end of
 * argv. Returns -1 if the command can continue, otherwise the exit code, like cmd_parse().
 */
int kernel_parse(const struct command *command, int argc, char **argv, void *config,
		 struct kernel_choice *choice, char ***program);

/* Looks up more functions, like kplan_add(), and reports versions of functions. */
int kernel_add(struct kernel_choice *choice, const struct match *match, uint8_t flags,
	       struct err *err);

/* Looks up the functions, and sets flags for each. Returns 0, or -1 with err set. */
int kernel_choose(struct kernel_choice *choice, uint8_t flags, struct err *err);

/*
 * Lists the functions for --dry-run. Otherwise checks that this kernel can time or count so many
 * functions in reasonable time. Returns -1 if the command can continue, otherwise the exit code.
 */
int kernel_begin(const struct kernel_choice *choice, bool is_count);
void kernel_free(struct kernel_choice *choice);

#endif
