// SPDX-License-Identifier: GPL-2.0
/* ktrace ctl: sessions that outlive their command. */
#include "cmd/cmd.h"

static const struct command *const commands[] = {
	&cmd_attach, &cmd_list, &cmd_show, &cmd_read, &cmd_watch, &cmd_change, &cmd_pause, &cmd_resume,
	&cmd_detach, NULL
};

static int run(const struct command *command, int argc, char **argv)
{
	(void)command;
	return cmd_dispatch("ktrace ctl", commands, argc, argv);
}

const struct command cmd_ctl = {
	.name = "ctl",
	.usage = "ctl COMMAND ...",
	.summary = "Attach to running programs; show, read, change and detach sessions.",
	.examples = "",
	.run = run,
};
