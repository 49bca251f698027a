// SPDX-License-Identifier: GPL-2.0
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/effort.h"
#include "util/lines.h"
#include "util/signals.h"

#define PART_OF_MEMORY 4	/* at most this part of the machine's memory */
#define PART_OF_TIME 20		/* a long command may spend this part of its time */
#define LOOK_NS 5000000ULL	/* how often memory and signals are looked at */

struct effort_limits effort_limits = {
	.ns = 60000000000ULL,	/* large programs take a few seconds */
	.memory = 1ULL << 30,
	.unpacked = 256ULL << 20,
};

static struct {
	uint64_t ns;		/* spent before the present begin */
	uint64_t unpacked;
	uint64_t began_ns, looked_ns;
	uint64_t since_ns;	/* time of the first begin */
	unsigned int depth;
	const char *now;	/* what is spent now, or NULL */
	const char *text;	/* what was spent last, or NULL */
	size_t nr_refused;
} effort;

static uint64_t resident(void)
{
	unsigned long pages = 0;
	char text[64] = "";

	line_read(text, sizeof(text), "/proc/self/statm");
	return sscanf(text, "%*u %lu", &pages) == 1 ? (uint64_t)pages * sysconf(_SC_PAGESIZE) : 0;
}

static uint64_t max_memory(void)
{
	uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);

	return all / PART_OF_MEMORY < effort_limits.memory ? all / PART_OF_MEMORY :
							     effort_limits.memory;
}

void effort_begin(void)
{
	if (!effort.depth++)
		effort.began_ns = clock_cpu_ns();
	if (!effort.since_ns)
		effort.since_ns = clock_now_ns();
}

void effort_end(void)
{
	if (!--effort.depth)
		effort.ns += clock_cpu_ns() - effort.began_ns;
}

static uint64_t max_ns(void)
{
	return effort_limits.ns + (clock_now_ns() - effort.since_ns) / PART_OF_TIME;
}

static const char *spent_now(uint64_t now)
{
	if (effort.depth && effort.ns + now - effort.began_ns > max_ns())
		return "reading programs and libraries takes more than 60 s of CPU time";
	if (resident() > max_memory())
		return "reading programs and libraries takes more than 1 GiB, or a quarter of the machine's memory";
	return NULL;
}

bool effort_is_spent(void)
{
	uint64_t now = clock_cpu_ns();

	if (now - effort.looked_ns > LOOK_NS) {
		effort.looked_ns = now;
		signals_look();
		effort.now = spent_now(now);
	}
	if (!effort.now)
		return false;
	effort.text = effort.now;
	effort.nr_refused++;
	return true;
}

size_t effort_nr_refused(void)
{
	return effort.nr_refused;
}

bool effort_take(size_t len)
{
	if (len > effort_limits.unpacked - effort.unpacked)
		return false;
	effort.unpacked += len;
	return true;
}

void effort_give(size_t len)
{
	effort.unpacked -= len;
}

const char *effort_text(void)
{
	return effort.text;
}
