// SPDX-License-Identifier: GPL-2.0
/*
 * Loads a plugin, calls it, and unloads it, in a loop; the plugin calls back. With an argument it
 * prints "ready PID", does this once for each line of input, and prints "done". After the line
 * "keep" it does not unload the plugin, and "drop" unloads it. With PLUGIN, this is the plugin's
 * source.
 */
#include "victim.h"

#define LOOPS 40
#define CALLS 3
#define OBEYED 1000	/* from here on the plugin calls a library itself */

#ifdef PLUGIN

PROBED static int plugin_inner(int n)
{
	return n * 2;
}

int plugin_call(int (*back)(int), int n);
PROBED int plugin_call(int (*back)(int), int n)
{
	if (n >= OBEYED)
		srand(n);
	return back(plugin_inner(n)) + 1;
}

#else

#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

static void *kept;

PROBED int back(int n)
{
	return n + 3;
}

/* The plugin is in the program's folder. */
PROBED int load_and_call(const char *program, int n, int does_keep)
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
	if (does_keep)
		kept = plugin;
	else if (dlclose(plugin))
		return -1000;
	return sum;
}

FOLDED void obey(const char *program)
{
	char line[16];
	int i;

	printf("ready %d\n", getpid());
	fflush(stdout);
	for (i = 0; fgets(line, sizeof(line), stdin); i++) {
		if (strcmp(line, "drop\n"))
			load_and_call(program, OBEYED + i, !strcmp(line, "keep\n"));
		else
			dlclose(kept);
		puts("done");
		fflush(stdout);
	}
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
		if (argc > 1)
			obey(argv[0]);
		for (i = 0; argc == 1 && i < LOOPS; i++)
			sum += load_and_call(argv[0], i, 0);
		printf("sum %d\n", sum);
		return 47;
	}
}

#endif
