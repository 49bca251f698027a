// SPDX-License-Identifier: GPL-2.0
/*
 * Loads a plugin, calls it, and unloads it, in a loop; the plugin calls back.
 * With PLUGIN this is the plugin's source.
 */
#include "victim.h"

#define LOOPS 40
#define CALLS 3

#ifdef PLUGIN

PROBED static int plugin_inner(int n)
{
	return n * 2;
}

int plugin_call(int (*back)(int), int n);
PROBED int plugin_call(int (*back)(int), int n)
{
	return back(plugin_inner(n)) + 1;
}

#else

#include <dlfcn.h>
#include <limits.h>

PROBED int back(int n)
{
	return n + 3;
}

/* The plugin lies beside the program. */
PROBED int load_and_call(const char *program, int n)
{
	int (*call)(int (*)(int), int), sum = 0, i;
	char path[PATH_MAX + 16];
	void *plugin;

	snprintf(path, sizeof(path), "%s-plugin.so", program);
	plugin = dlopen(path, RTLD_NOW);
	if (!plugin)
		return -1000;
	call = (int (*)(int (*)(int), int))dlsym(plugin, "plugin_call");
	for (i = 0; i < CALLS; i++)
		sum += call(back, n + i);
	return dlclose(plugin) ? -1000 : sum;
}

int main(int argc, char **argv)
{
	int i, sum = 0;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		printf("back %d\nload_and_call %d\nmain 1\n", LOOPS * CALLS, LOOPS);
		return 0;
	case VICTIM_TREE:
		return VICTIM_USAGE;
	default:
		for (i = 0; i < LOOPS; i++)
			sum += load_and_call(argv[0], i);
		printf("sum %d\n", sum);
		return 47;
	}
}

#endif
