// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "report/head.h"
#include "system/nofile.h"
#include "util/out.h"

static const struct command *const commands[] = {
	&cmd_run, &cmd_ctl, &cmd_syscall, &cmd_sysenter, &cmd_fault, &cmd_func, &cmd_graph,
	&cmd_sched, &cmd_stat, &cmd_profile, &cmd_top, &cmd_io, &cmd_virtio, &cmd_record,
	&cmd_snapshot, &cmd_report, &cmd_replay, &cmd_diff, &cmd_stream, &cmd_serve, &cmd_save,
	&cmd_doctor, &cmd_version, NULL
};

/* A closed pipe is handled as a failed write. A handler, unlike SIG_IGN, is reset by exec. */
static void on_pipe(int signal)
{
	(void)signal;
}

/*
 * Files that are opened later must not get the number of a closed standard file. The placeholders
 * fail when read or written, and are closed for the traced program.
 */
static void reserve_standard_files(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", (fd ? O_RDONLY : O_WRONLY) | O_CLOEXEC) < 0)
			return;
}

int main(int argc, char **argv)
{
	static char version[] = "version";
	struct err err;
	int code;

	reserve_standard_files();
	out_init();
	nofile_raise();
	if (signal(SIGPIPE, on_pipe) == SIG_IGN)
		signal(SIGPIPE, SIG_IGN);
	if (argc > 1 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")))
		argv[1] = version;
	head_set_words(argv);
	code = cmd_dispatch("ktrace", commands, argc, argv);
	/* A command that has failed has said why. */
	if (code == CMD_OK || code == CMD_INCOMPLETE)
		cmd_tell_efforts();
	if (code == CMD_OK && out_flush(stdout, NULL, &err))
		code = cmd_fail(CMD_FAILED, &err);
	return cmd_status(code);
}
