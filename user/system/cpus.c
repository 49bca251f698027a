// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "system/cpus.h"
#include "util/lines.h"
#include "util/mem.h"
#include "util/number.h"

#define MAX_CPUS 8192	/* the limit of x86-64 kernels */
#define FOLDER "/sys/devices/system/cpu"

int cpus_parse(const char *text, struct err *err)
{
	uint64_t cpu;

	if (number_parse(text, MAX_CPUS - 1, &cpu))
		return cpu;
	return err_set(err, "'%s' is not the number of a CPU; they are numbered from 0, see lscpu.",
		       text);
}

int cpus_choose(void)
{
	size_t len = CPU_ALLOC_SIZE(MAX_CPUS);
	cpu_set_t *set = CPU_ALLOC(MAX_CPUS);
	int cpu = MAX_CPUS - 1;

	if (!set || sched_getaffinity(0, len, set))
		cpu = -1;
	while (cpu >= 0 && !CPU_ISSET_S(cpu, len, set))
		cpu--;
	CPU_FREE(set);
	return cpu >= 0 ? cpu : sched_getcpu();
}

unsigned int cpus_possible(void)
{
	char all[256] = "";
	const char *last;
	uint64_t cpu;

	/* The list ends with the highest number: "0", "0-255", "0-3,8-11". */
	line_read(all, sizeof(all), FOLDER "/possible");
	last = all + strlen(all);
	while (last > all && last[-1] >= '0' && last[-1] <= '9')
		last--;
	return number_parse(last, MAX_CPUS - 1, &cpu) ? cpu + 1 :
			(unsigned long)sysconf(_SC_NPROCESSORS_CONF);
}

/* Returns the CPU at the start of text, and moves text behind it; -1 if there is none. */
static int take_cpu(char **text)
{
	unsigned long cpu;
	char *end;

	if (**text < '0' || **text > '9')
		return -1;
	cpu = strtoul(*text, &end, 10);
	*text = end;
	return cpu < MAX_CPUS ? (int)cpu : -1;
}

size_t cpus_list(int32_t **cpus, const char *path)
{
	struct lines lines;
	int first, last;
	size_t nr = 0;
	char *at;

	*cpus = NULL;
	lines_open(&lines, "%s", path);
	at = lines_next(&lines) ? lines.text : NULL;
	while (at && (first = take_cpu(&at)) >= 0) {
		last = *at == '-' ? (at++, take_cpu(&at)) : first;
		for (; first <= last; first++) {
			*cpus = mem_grow(*cpus, nr, sizeof(**cpus));
			(*cpus)[nr++] = first;
		}
		if (*at++ != ',')
			break;
	}
	lines_close(&lines);
	return nr;
}

#define HYPERVISOR 0x40000000	/* the CPUID leaf with the hypervisor's name */

bool cpus_are_emulated(void)
{
#ifdef __x86_64__
	unsigned int max, name[3];

	__cpuid(HYPERVISOR, max, name[0], name[1], name[2]);
	return max >= HYPERVISOR && !memcmp(name, "TCGTCGTCGTCG", sizeof(name));
#else
	return false;
#endif
}

int cpus_pin(int cpu)
{
	size_t len = CPU_ALLOC_SIZE(MAX_CPUS);
	cpu_set_t *set = CPU_ALLOC(MAX_CPUS);
	int error = ENOMEM;

	if (!set)
		return error;
	CPU_ZERO_S(len, set);
	CPU_SET_S(cpu, len, set);
	error = sched_setaffinity(0, len, set) ? errno : 0;
	CPU_FREE(set);
	return error;
}

int cpus_explain(int cpu, int error, struct err *err)
{
	char path[64], online[2] = "1", all[256] = "?";

	snprintf(path, sizeof(path), FOLDER "/cpu%d", cpu);
	if (line_read(all, sizeof(all), FOLDER "/present") && access(path, F_OK))
		return err_set(err, "There is no CPU %d on this machine; it has %s.", cpu, all);
	line_read(online, sizeof(online), "%s/online", path);
	line_read(all, sizeof(all), FOLDER "/online");
	if (*online == '0')
		return err_set(err, "CPU %d is offline; use one of %s, or bring it up: echo 1 > %s/online",
			       cpu, all, path);
	return err_set(err, "ktrace may not run on CPU %d: %s; see cpuset.cpus of its cgroup, or choose another CPU.",
		       cpu, strerror(error));
}
