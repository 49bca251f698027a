// SPDX-License-Identifier: GPL-2.0
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "util/effort.h"
#include "util/signals.h"

#define MAX_NS 60000000000ULL		/* large programs take a few seconds */
#define MAX_MEMORY (1UL << 30)		/* of the whole command; at most ... */
#define PART_OF_MEMORY 4		/* ... this part of the machine's memory */
#define LOOK_NS 5000000ULL		/* how often memory and signals are looked at */

static struct {
	uint64_t ns;		/* spent before the present begin */
	uint64_t began_ns, looked_ns;
	unsigned int depth;
	const char *text;
} effort;

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static uint64_t resident(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%*u %lu", &pages) != 1)
		pages = 0;
	fclose(file);
	return (uint64_t)pages * sysconf(_SC_PAGESIZE);
}

static uint64_t max_memory(void)
{
	uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);

	return all / PART_OF_MEMORY < MAX_MEMORY ? all / PART_OF_MEMORY : MAX_MEMORY;
}

void effort_begin(void)
{
	if (!effort.depth++)
		effort.began_ns = cpu_ns();
}

void effort_end(void)
{
	if (!--effort.depth)
		effort.ns += cpu_ns() - effort.began_ns;
}

bool effort_is_spent(void)
{
	uint64_t now = effort.text ? 0 : cpu_ns();

	if (effort.text)
		return true;
	if (now - effort.looked_ns < LOOK_NS)
		return false;
	effort.looked_ns = now;
	signals_look();
	if (effort.depth && effort.ns + now - effort.began_ns > MAX_NS)
		effort.text = "reading programs and libraries took more than 60 s of CPU time";
	else if (resident() > max_memory())
		effort.text = "reading programs and libraries took more than 1 GiB, or a quarter of the machine's memory";
	return effort.text;
}

const char *effort_text(void)
{
	return effort.text;
}
