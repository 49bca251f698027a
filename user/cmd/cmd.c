// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/manual.h"
#include "report/fit.h"
#include "report/format.h"
#include "report/head.h"
#include "session/session.h"
#include "util/demangle.h"
#include "util/effort.h"
#include "util/match.h"
#include "util/out.h"

/* --- help for commands --------------------------------------------------- */

int cmd_fail(int code, const struct err *err)
{
	out_put(stderr, "ktrace: %s\n", err->text);
	return code;
}

#define RUN_FAILED 125	/* as of env(1), timeout(1) and other commands that run a program */

static bool has_program;	/* the command line has a program */

int cmd_status(int code)
{
	return has_program && (code == CMD_FAILED || code == CMD_USAGE) ? RUN_FAILED : code;
}

int cmd_program_at(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return i + 1;
	return argc;
}

static void print_help(const struct command *command)
{
	out_put(stdout, "Usage: ktrace %s\n\n%s\n\n", command->usage, command->summary);
	if (command->note) {
		fputs(command->note, stdout);
		fputs("\n\n", stdout);
	}
	if (command->opts && command->opts->name)
		opt_print(stdout, command->opts);
	if (command->details)
		command->details(stdout);
	fputs("\nExamples:\n", stdout);
	fputs(command->examples, stdout);
}

int cmd_parse(const struct command *command, int argc, char **argv, void *config,
	      int *first)
{
	int at = cmd_program_at(argc, argv), end = argc, result;
	struct err err;

	head_set_command(command->name);
	/* getopt reorders words, so it must not see those of the program. */
	if (command->program == PROGRAM_AFTER_DASHES && at < argc)
		end = at - 1;
	result = opt_parse(end, argv, command->opts,
			   command->program == PROGRAM_ALWAYS || command->program == PROGRAM_MAYBE,
			   config, first, &err);
	if (result > 0) {
		print_help(command);
		return CMD_OK;
	}
	/* A recording parses several commands. */
	has_program |= command->program == PROGRAM_ALWAYS ||
		       (command->program != PROGRAM_NONE && at < argc) ||
		       (command->program == PROGRAM_MAYBE && !result && *first < argc);
	return result ? cmd_fail(CMD_USAGE, &err) : -1;
}

void cmd_tell_unmatched(const struct ktrace_counters *counters)
{
	if (counters->unmatched && !session_lost(counters))
		out_put(stderr, "ktrace: %llu return%s had no entry and %s in no figure: the call began before its probe was set, or a debugger has removed the probe with a breakpoint of its own.\n",
			(unsigned long long)counters->unmatched, counters->unmatched == 1 ? "" : "s",
			counters->unmatched == 1 ? "is" : "are");
}

int cmd_tell_losses(const struct ktrace_counters *counters)
{
	char *text;

	if (!session_lost(counters))
		return CMD_OK;
	text = session_loss_text(counters);
	out_put(stderr, "ktrace: the data is incomplete: %s.\n", text);
	free(text);
	return CMD_INCOMPLETE;
}

void cmd_tell_missed(const struct ktrace_counters *counters)
{
	if (counters->missed_samples)
		out_put(stderr, "ktrace: %llu samples of all tasks are missing: interrupts were off too long, the machine was stopped, or events of -e came too fast.\n",
			(unsigned long long)counters->missed_samples);
}

int cmd_check_max_size(uint64_t max_size, const struct output_format *format, struct err *err)
{
	if (!max_size || (format && format->paths))
		return 0;
	return err_set(err, "--max-size limits files of paths: use it with --format folded, flame, speedscope, pprof or dot.");
}

int cmd_tell_fit(const struct fit *fit)
{
	if (!fit->nr)
		return CMD_OK;
	out_put(stderr, "ktrace: --max-size leaves out %zu of %zu paths, the shortest, with %.2f %% of the time.\n",
		fit->nr, fit->all_nr, fit->all_ns ? 100.0 * fit->ns / fit->all_ns : 0);
	return CMD_INCOMPLETE;
}

void cmd_tell_efforts(void)
{
	if (effort_text())
		out_put(stderr, "ktrace: some functions have no name or are missing: %s; the rest was not read. Exclude libraries with --no-lib, or choose functions with -f.\n",
			effort_text());
	if (demangle_nr_given_up())
		out_put(stderr, "ktrace: some functions have the names that their files contain: it would take too much CPU time to demangle these.\n");
}

/* --- dispatch ------------------------------------------------------------ */

static void print_commands(FILE *out, const char *program,
			   const struct command *const *commands)
{
	out_put(out, "Usage: %s COMMAND ...\n\n", program);
	for (; *commands; commands++)
		out_put(out, "  %-10s %s\n", (*commands)->name, (*commands)->summary);
	out_put(out, "\n\"%s help COMMAND\" shows more. For a start:\n"
		"  ktrace doctor\n"
		"  ktrace run -- /bin/ls\n"
		"  ktrace ctl list\n", program);
}

/* Commands of other tools, and what ktrace has instead. */
static const char *command_instead(const char *word)
{
	static const char *const commands[][2] = {
		{ "trace", "ktrace run -- PROGRAM, or ktrace syscall --slow 0" },
		{ "live", "ktrace run -- PROGRAM" },
		{ "dump", "babeltrace2 for what run --format ctf has written" },
		{ "script", "babeltrace2 for what run --format ctf has written" },
		{ "probe", "ktrace ctl attach --binary FILE -f FUNCTION, or ktrace func FUNCTION" },
		{ "info", "ktrace doctor" },
		{ "start", "ktrace ctl resume SESSION" },
		{ "stop", "ktrace ctl pause SESSION" },
		{ "kill", "ktrace ctl detach SESSION" },
		{ "attach", "ktrace ctl attach" }, { "list", "ktrace ctl list" },
		{ "show", "ktrace ctl show" }, { "read", "ktrace ctl read" },
		{ "watch", "ktrace ctl watch" }, { "change", "ktrace ctl change" },
		{ "pause", "ktrace ctl pause" }, { "resume", "ktrace ctl resume" },
		{ "detach", "ktrace ctl detach" },
	};
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (!strcmp(commands[i][0], word))
			return commands[i][1];
	return NULL;
}

static int unknown(const char *program, const struct command *const *commands,
		   const char *word)
{
	const char *what = *word == '-' ? "option" : "command";
	const char *names[32] = { "--help", "--version" }, *nearest;
	size_t nr = strcmp(program, "ktrace") ? 1 : 2;

	if (command_instead(word)) {
		out_put(stderr, "ktrace: There is no command '%s'; use %s.\n", word,
			command_instead(word));
		return CMD_USAGE;
	}
	for (; *commands; commands++)
		names[nr++] = (*commands)->name;
	nearest = match_nearest_word(word, names, nr);
	if (nearest)
		out_put(stderr, "ktrace: There is no %s '%s'; did you mean '%s %s'?\n", what, word,
			program, nearest);
	else
		out_put(stderr, "ktrace: There is no %s '%s'; see %s -h.\n", what, word, program);
	return CMD_USAGE;
}

static bool is_help(const char *word)
{
	return !strcmp(word, "-h") || !strcmp(word, "--help") || !strcmp(word, "help");
}

int cmd_dispatch(const char *program, const struct command *const *commands, int argc,
		 char **argv)
{
	static char help[] = "-h";
	const struct command *const *at;
	bool has_help = argc > 2 && is_help(argv[1]);
	bool has_page = argc > 2 && !strcmp(argv[1], "help") && !strcmp(program, "ktrace");

	if (argc < 2) {
		print_commands(stderr, program, commands);
		return CMD_USAGE;
	}
	if (is_help(argv[1]) && (argc == 2 || is_help(argv[2]))) {
		print_commands(stdout, program, commands);
		return CMD_OK;
	}
	/* "help io" shows the manual page of io; without a page, it does the same as "io -h". */
	if (has_help) {
		argv[1] = argv[2];
		argv[2] = help;
	}
	for (at = commands; *at; at++)
		if (!strcmp((*at)->name, argv[1]))
			break;
	if (*at && has_page)
		manual_show((*at)->name);
	if (*at)
		return (*at)->run(*at, argc - 1, argv + 1);
	return unknown(program, commands, argv[1]);
}
