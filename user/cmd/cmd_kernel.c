// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "cmd/cmd_kernel.h"
#include "report/kplan_text.h"
#include "session/module.h"
#include "util/out.h"

#define MANY 300	/* maximum number of functions that are attached one by one */
#define TOO_MANY 5000	/* maximum number attached at once: each call costs time */

int kernel_parse(const struct command *command, int argc, char **argv, void *config,
		 struct kernel_choice *choice, char ***program)
{
	int first, code = cmd_parse(command, argc, argv, config, &first);
	struct err err;

	*program = argv + cmd_program_at(argc, argv);
	if (code >= 0)
		return code;
	for (; argv[first] && strcmp(argv[first], "--"); first++)
		match_add(&choice->globs, argv[first]);
	if (choice->globs.nr)
		return -1;
	err_set(&err, "Which functions? Name some, or a pattern: ktrace %s 'vfs_*'. The kernel's are listed in /proc/kallsyms.",
		command->name);
	return cmd_fail(CMD_USAGE, &err);
}

int kernel_add(struct kernel_choice *choice, const struct match *match, uint8_t flags,
	       struct err *err)
{
	size_t i = choice->plan.nr_versions;
	int error = kplan_add(&choice->plan, match, flags, err);

	for (; i < choice->plan.nr_versions; i++)
		out_put(stderr, "ktrace: %s in this kernel.\n", choice->plan.versions[i]);
	return error;
}

int kernel_choose(struct kernel_choice *choice, uint8_t flags, struct err *err)
{
	if (kernel_add(choice, &choice->globs, flags, err))
		return -1;
	if (choice->plan.nr)
		return 0;
	return err_set(err, "The kernel has several functions called '%s', and hides the addresses that tell them apart (/proc/sys/kernel/kptr_restrict); name another one.",
		       choice->globs.globs[0]);
}

static int check_number(const struct kernel_choice *choice, bool is_count, struct err *err)
{
	struct ktr *ktr = module_open_to_begin(err);
	struct ktr_info info;
	int error;

	if (!ktr)
		return -1;
	error = ktr_info(ktr, &info);
	if (error)
		err_set(err, "The module does not answer: %s.", ktr_reason(ktr, error));
	ktr_close(ktr);
	if (error)
		return -1;
	if (choice->is_forced)
		return 0;
	if (!is_count && !(info.features & KTRACE_FEATURE_FPROBE) && choice->plan.nr > MANY)
		return err_set(err, "%zu functions match, and this kernel has no fprobe, so attaching takes long; narrow the pattern, only count calls (func --count), or add --force.",
			       choice->plan.nr);
	if (choice->plan.nr > TOO_MANY)
		return err_set(err, "%zu functions match, and timing them slows the whole machine down; narrow the pattern, or add --force.",
			       choice->plan.nr);
	return 0;
}

int kernel_begin(const struct kernel_choice *choice, bool is_count)
{
	struct err err;

	if (choice->is_dry_run) {
		kplan_print(stdout, &choice->plan);
		return CMD_OK;
	}
	if (check_number(choice, is_count, &err))
		return cmd_fail(CMD_FAILED, &err);
	return -1;
}

void kernel_free(struct kernel_choice *choice)
{
	match_free(&choice->globs);
	kplan_free(&choice->plan);
}
