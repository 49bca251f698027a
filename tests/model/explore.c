// SPDX-License-Identifier: GPL-2.0
/* Depth first search with copies of the state, see explore.h. x86-64 only, like the module. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore.h"

#define STACK_LEN	16384
#define MAX_KEPT	8
#define MAX_DEPTH	4096
#define FIRST_LEN	(1UL << 20)

struct cpu {
	void *sp;
	bool is_done;
	unsigned int choices;
	void (*run)(void);
	_Alignas(16) char stack[STACK_LEN];
};

/* A state on the path to the present one. */
struct level {
	char *copy;
	size_t len, room;
	uint64_t hash;
	double nr_runs;
	unsigned int next;	/* choice to try: CPU * 32 + bit */
	unsigned int taken;
};

struct seen {
	uint64_t hash;		/* 0: nothing here */
	double nr_runs;
};

int explore_cpu = -1;

static struct cpu cpus[EXPLORE_MAX_CPUS];
static int nr_cpus;
static void *explorer_sp;
static unsigned int choice;
static jmp_buf at_end;
static bool is_at_end;
static const char *failed;
static int failed_line;
static struct { char *memory; size_t len; } kept[MAX_KEPT];
static int nr_kept;
static struct level levels[MAX_DEPTH];
static struct seen *seen;
static size_t seen_len, nr_seen;

/* Switches from one stack to another. */
void switch_stack(void **from, void *to);
__asm__(".text\n"
	"switch_stack:\n"
	"	push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
	"	ret\n");

static void leave(unsigned int choices)
{
	struct cpu *cpu = &cpus[explore_cpu];

	cpu->choices = choices;
	switch_stack(&cpu->sp, explorer_sp);
}

unsigned int explore_step(unsigned int choices)
{
	if (explore_cpu < 0)
		return 0;
	leave(choices);
	return choice;
}

void explore_fail(const char *claim, int line)
{
	failed = claim;
	failed_line = line;
	if (explore_cpu >= 0)
		leave(0);
	if (is_at_end)
		longjmp(at_end, 1);
	fprintf(stderr, "line %d: not so: %s\nbefore anything was chosen\n", line, claim);
	exit(1);
}

static void cpu_main(void)
{
	cpus[explore_cpu].run();
	cpus[explore_cpu].is_done = true;
	leave(0);
}

static void cpu_start(struct cpu *cpu, void (*run)(void))
{
	void **sp = (void **)(cpu->stack + STACK_LEN) - 2;

	memset(cpu, 0, sizeof(*cpu));
	*sp = (void *)cpu_main;
	cpu->sp = sp - 6;
	cpu->run = run;
	cpu->choices = 1;
}

static void resume(unsigned int nr, unsigned int which)
{
	explore_cpu = nr;
	choice = which;
	switch_stack(&explorer_sp, cpus[nr].sp);
	explore_cpu = -1;
}

void explore_keep(void *memory, size_t len)
{
	kept[nr_kept].memory = memory;
	kept[nr_kept++].len = len;
}

static char *put(char *to, const void *from, size_t len)
{
	memcpy(to, from, len);
	return to + len;
}

static size_t stack_len(const struct cpu *cpu)
{
	return cpu->stack + STACK_LEN - (char *)cpu->sp;
}

/* Saves the part of a stack above its pointer; the rest of a CPU is small. */
static void save(struct level *level)
{
	char *to;
	int n;

	level->len = 0;
	for (n = 0; n < nr_cpus; n++)
		level->len += offsetof(struct cpu, stack) + stack_len(&cpus[n]);
	for (n = 0; n < nr_kept; n++)
		level->len += kept[n].len;
	if (level->len + 8 > level->room) {
		level->room = level->len + 1024;
		level->copy = realloc(level->copy, level->room);
	}
	to = level->copy;
	for (n = 0; n < nr_cpus; n++) {
		to = put(to, &cpus[n], offsetof(struct cpu, stack));
		to = put(to, cpus[n].sp, stack_len(&cpus[n]));
	}
	for (n = 0; n < nr_kept; n++)
		to = put(to, kept[n].memory, kept[n].len);
	memset(to, 0, 8);
}

static const char *get(void *to, const char *from, size_t len)
{
	memcpy(to, from, len);
	return from + len;
}

static void restore(const struct level *level)
{
	const char *from = level->copy;
	int n;

	for (n = 0; n < nr_cpus; n++) {
		from = get(&cpus[n], from, offsetof(struct cpu, stack));
		from = get(cpus[n].sp, from, stack_len(&cpus[n]));
	}
	for (n = 0; n < nr_kept; n++)
		from = get(kept[n].memory, from, kept[n].len);
}

/* Two states with the same hash would be taken for one: probability about nr_states^2 / 2^65. */
static uint64_t hash_of(const struct level *level)
{
	uint64_t hash = level->len, word;
	size_t at;

	for (at = 0; at < level->len; at += 8) {
		memcpy(&word, level->copy + at, 8);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 32;
	}
	return hash | 1;
}

static struct seen *seen_at(uint64_t hash)
{
	size_t at = (hash >> 1) & (seen_len - 1);

	while (seen[at].hash && seen[at].hash != hash)
		at = (at + 1) & (seen_len - 1);
	return &seen[at];
}

static void seen_grow(void)
{
	struct seen *old = seen;
	size_t at, len = seen_len;

	seen_len = len ? len * 2 : FIRST_LEN;
	seen = calloc(seen_len, sizeof(*seen));
	if (!seen) {
		fputs("explore: there is no memory for more states.\n", stderr);
		exit(2);
	}
	for (at = 0; at < len; at++)
		if (old[at].hash)
			*seen_at(old[at].hash) = old[at];
	free(old);
}

/* Takes the next choice of a state. Returns false if all were tried. */
static bool choose(struct level *level)
{
	const struct cpu *cpu;

	for (; level->next < 32U * nr_cpus; level->next++) {
		cpu = &cpus[level->next / 32];
		if (!cpu->is_done && cpu->choices & (1U << level->next % 32)) {
			level->taken = level->next++;
			return true;
		}
	}
	return false;
}

static bool are_all_done(void)
{
	int n;

	for (n = 0; n < nr_cpus; n++)
		if (!cpus[n].is_done)
			return false;
	return true;
}

static void say_failed(int depth)
{
	int n;

	fprintf(stderr, "line %d: not so: %s\nCPU and choice, if it had one, in turn:\n",
		failed_line, failed);
	for (n = 0; n < depth; n++)
		fprintf(stderr, n && levels[n].taken == levels[n - 1].taken ? "." : " %u:%u",
			levels[n].taken / 32, levels[n].taken % 32);
	fputs("\n", stderr);
}

/* Enters the present state. Returns false if it was seen before, and adds its runs. */
static bool enter(const struct explore_test *test, struct explore_result *result, int depth)
{
	struct level *level = &levels[depth];
	struct seen *s;

	save(level);
	level->hash = hash_of(level);
	s = seen_at(level->hash);
	if (s->hash) {
		if (depth)
			level[-1].nr_runs += s->nr_runs;
		return false;
	}
	s->hash = level->hash;
	s->nr_runs = 0;
	if (++nr_seen * 2 > seen_len)
		seen_grow();
	result->nr_states++;
	if ((unsigned int)depth > result->depth)
		result->depth = depth;
	level->nr_runs = 0;
	level->next = 0;
	if (are_all_done()) {
		level->nr_runs = 1;
		result->nr_ends++;
		is_at_end = true;
		if (!setjmp(at_end))
			test->end();
		is_at_end = false;
	}
	return true;
}

static void start(const struct explore_test *test)
{
	for (nr_cpus = 0; nr_cpus < EXPLORE_MAX_CPUS && test->cpu[nr_cpus]; nr_cpus++)
		cpu_start(&cpus[nr_cpus], test->cpu[nr_cpus]);
	free(seen);
	seen = NULL;
	seen_len = 0;
	nr_seen = 0;
	seen_grow();
	failed = NULL;
}

bool explore(const struct explore_test *test, struct explore_result *result)
{
	int depth = 0;
	bool is_fresh = true;	/* memory is the state of levels[depth] */

	memset(result, 0, sizeof(*result));
	start(test);
	enter(test, result, 0);
	while (depth >= 0) {
		if (!is_fresh || are_all_done())
			restore(&levels[depth]);
		is_fresh = false;
		if (!choose(&levels[depth])) {
			seen_at(levels[depth].hash)->nr_runs = levels[depth].nr_runs;
			if (depth)
				levels[depth - 1].nr_runs += levels[depth].nr_runs;
			depth--;
			continue;
		}
		resume(levels[depth].taken / 32, levels[depth].taken % 32);
		if (depth + 2 == MAX_DEPTH)
			failed = "an end is reached";
		if (!failed && enter(test, result, depth + 1)) {
			depth++;
			is_fresh = true;
		}
		if (failed) {
			say_failed(depth + 1);
			return false;
		}
	}
	result->nr_runs = levels[0].nr_runs;
	nr_kept = 0;
	return true;
}
