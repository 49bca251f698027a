// SPDX-License-Identifier: GPL-2.0
/*
 * stops N US PID: stops a process N times by SIGSTOP, each time after up to US microseconds, and
 * prints one line for each stop: the addresses of the frames that libdw finds, the innermost first,
 * then "whole" or libdw's error. "!" is at the address of an interrupted instruction.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <elfutils/libdwfl.h>

#define MAX_FRAMES 256

static bool is_stopped(pid_t pid)
{
	char path[64], line[512] = "";
	const char *end;
	FILE *stat;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	stat = fopen(path, "r");
	if (!stat || !fgets(line, sizeof(line), stat)) {
		fprintf(stderr, "stops: the process %d has ended\n", pid);
		exit(1);
	}
	fclose(stat);
	end = strrchr(line, ')');
	return end && end[2] == 'T';
}

static void stop(pid_t pid)
{
	kill(pid, SIGSTOP);
	while (!is_stopped(pid))
		usleep(100);
}

/* Debug files would be other sources of the same rules. */
static int no_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			 const char *path, const char *link, GElf_Word checksum, char **found)
{
	(void)module, (void)data, (void)name, (void)base;
	(void)path, (void)link, (void)checksum, (void)found;
	return -1;
}

static int print_frame(Dwfl_Frame *frame, void *arg)
{
	unsigned int *nr = arg;
	bool is_exact;
	Dwarf_Addr pc;

	if ((*nr)++ == MAX_FRAMES || !dwfl_frame_pc(frame, &pc, &is_exact))
		return DWARF_CB_ABORT;
	printf("%" PRIx64 "%s ", pc, is_exact ? "!" : "");
	return DWARF_CB_OK;
}

static void fail(void)
{
	fprintf(stderr, "stops: libdw: %s\n", dwfl_errmsg(-1));
	exit(1);
}

/* Files that are still mapped are not read again. */
static void print_frames(Dwfl *dwfl, pid_t pid)
{
	unsigned int nr = 0;
	int failed;

	dwfl_report_begin(dwfl);
	if (dwfl_linux_proc_report(dwfl, pid) || dwfl_report_end(dwfl, NULL, NULL))
		fail();
	failed = dwfl_getthread_frames(dwfl, pid, print_frame, &nr);
	printf("%s\n", !failed ? "whole" : failed < 0 ? dwfl_errmsg(-1) : "too deep");
}

int main(int argc, char **argv)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_linux_proc_find_elf,
		.find_debuginfo = no_debug_file,
	};
	unsigned int seed = 1;
	Dwfl *dwfl;
	int i, nr;
	pid_t pid;

	if (argc != 4)
		return 2;
	nr = atoi(argv[1]);
	pid = atoi(argv[3]);
	dwfl = dwfl_begin(&callbacks);
	if (!dwfl || dwfl_linux_proc_report(dwfl, pid) || dwfl_report_end(dwfl, NULL, NULL) ||
	    dwfl_linux_proc_attach(dwfl, pid, false))
		fail();
	for (i = 0; i < nr; i++) {
		kill(pid, SIGCONT);
		usleep(rand_r(&seed) % atoi(argv[2]));
		stop(pid);
		print_frames(dwfl, pid);
	}
	dwfl_end(dwfl);
	return 0;
}
