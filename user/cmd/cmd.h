/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CMD_H
#define CMD_H

#include "cmd/opt.h"

/* What a command returns. cmd_status() makes the exit status of it. */
enum {
	CMD_OK = 0,
	CMD_FAILED = 1,
	CMD_SLOWER = 1,		/* of ktrace diff, whose failures are CMD_USAGE */
	CMD_USAGE = 2,
	CMD_INCOMPLETE = 3,	/* data was lost */
};

/* Does a program, with options of its own, follow the options of a command? */
enum command_program {
	PROGRAM_NONE,
	PROGRAM_ALWAYS,
	PROGRAM_MAYBE,
	PROGRAM_AFTER_DASHES,	/* only after "--": other words may stand before it */
};

/* A command: one file, one line in the table of main.c or cmd_ctl.c. */
struct command {
	const char *name;
	const char *usage;	/* the text after "ktrace " in the usage line */
	const char *summary;
	const char *note;	/* additional help, or NULL */
	void (*details)(FILE *out);	/* prints more of it, behind the options; or NULL */
	const struct opt *opts;
	const char *examples;	/* three that run as they stand */
	enum command_program program;
	/* argv[0] is the command's name; returns an exit code */
	int (*run)(const struct command *command, int argc, char **argv);
};

extern const struct command cmd_run, cmd_ctl, cmd_doctor, cmd_version;
extern const struct command cmd_record, cmd_snapshot, cmd_report, cmd_replay, cmd_diff;
extern const struct command cmd_syscall, cmd_sysenter, cmd_fault, cmd_func, cmd_graph;
extern const struct command cmd_sched, cmd_stat, cmd_profile, cmd_top, cmd_io, cmd_virtio;
extern const struct command cmd_stream, cmd_serve, cmd_save;
extern const struct command cmd_attach, cmd_list, cmd_show, cmd_read, cmd_detach;
extern const struct command cmd_change, cmd_pause, cmd_resume, cmd_watch;

/* Prints "ktrace: ..." and returns code. */
int cmd_fail(int code, const struct err *err);

/*
 * Returns the exit status for what a command returned. The status of a program that was traced is
 * the command's: after cmd_parse() has found a program, failures of ktrace have a status of their
 * own.
 */
int cmd_status(int code);

/* Returns the index of the word after the first "--", or argc. */
int cmd_program_at(int argc, char **argv);

/*
 * Parses a command's options into config, and sets *first to the first argument that is no option.
 * Returns -1 if the command can continue. Otherwise returns the exit code: help was printed, or the
 * usage was wrong.
 */
int cmd_parse(const struct command *command, int argc, char **argv, void *config,
	      int *first);

/* Runs the command that argv[1] names. Returns its exit code. */
int cmd_dispatch(const char *program, const struct command *const *commands, int argc,
		 char **argv);

struct ktrace_counters;

/* Reports on stderr the returns without an entry, if no loss explains them. */
void cmd_tell_unmatched(const struct ktrace_counters *counters);

/* Reports losses on stderr. Returns CMD_INCOMPLETE if there are any, otherwise CMD_OK. */
int cmd_tell_losses(const struct ktrace_counters *counters);
/* Reports samples that could not be taken, if there are some. They are no loss of the module. */
void cmd_tell_missed(const struct ktrace_counters *counters);

struct fit;
struct output_format;

/* Checks --max-size, bytes or 0: the format must have paths. Returns 0, or -1 with err set. */
int cmd_check_max_size(uint64_t max_size, const struct output_format *format, struct err *err);
/* Reports on stderr what --max-size left out. Returns like cmd_tell_losses(). */
int cmd_tell_fit(const struct fit *fit);

/* Reports on stderr which limits for reading the files of others were reached. */
void cmd_tell_efforts(void);

#endif
