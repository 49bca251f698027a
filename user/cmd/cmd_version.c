// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "cmd/cmd.h"
#include "nl/nl.h"
#include "util/out.h"
#include "version.h"

static const struct opt opts[] = {
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

static int run(const struct command *command, int argc, char **argv)
{
	struct knl_info info;
	struct err err;
	struct knl *nl;
	int first, code = cmd_parse(command, argc, argv, NULL, &first);

	if (code >= 0)
		return code;
	out_put(stdout, "ktrace %s (interface %u)\n", KTRACE_VERSION, KTRACE_ABI);
	nl = knl_open(&err);
	if (!nl || knl_info(nl, &info))
		out_put(stdout, "module: %s\n", nl ? "no answer" : err.text);
	else
		out_put(stdout, "module %s (interface %u)\n", info.version, info.abi);
	knl_close(nl);
	return CMD_OK;
}

const struct command cmd_version = {
	.name = "version",
	.usage = "version",
	.summary = "Show the versions of the command and of the loaded module.",
	.opts = opts,
	.examples = "  ktrace version\n  ktrace --version\n  modinfo -F version ktrace\n",
	.run = run,
};
