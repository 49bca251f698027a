// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "client/client.h"
#include "cmd/cmd.h"
#include "session/module.h"
#include "util/out.h"
#include "version.h"

static const struct opt opts[] = {
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

static int run(const struct command *command, int argc, char **argv)
{
	struct ktr_info info;
	struct err err;
	struct ktr *ktr;
	int first, code = cmd_parse(command, argc, argv, NULL, &first);

	if (code >= 0)
		return code;
	out_put(stdout, "ktrace %s (interface %u)\n", KTRACE_VERSION, KTRACE_ABI);
	ktr = module_open(&err);
	if (!ktr || ktr_info(ktr, &info))
		out_put(stdout, "module: %s\n", ktr ? "no answer" : err.text);
	else
		out_put(stdout, "module %s (interface %u)\n", info.version, info.abi);
	ktr_close(ktr);
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
