// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <sys/resource.h>

#include "system/nofile.h"

static struct rlimit original;
static bool is_raised;

void nofile_raise(void)
{
	struct rlimit all;

	if (getrlimit(RLIMIT_NOFILE, &original))
		return;
	all = original;
	all.rlim_cur = all.rlim_max;
	is_raised = !setrlimit(RLIMIT_NOFILE, &all);
}

void nofile_restore(void)
{
	if (is_raised)
		setrlimit(RLIMIT_NOFILE, &original);
}
