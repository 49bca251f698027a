// SPDX-License-Identifier: GPL-2.0
/*
 * Programs whose stacks are hard to unwind, without frame pointers, stripped:
 *   unwinds deep N MS: a function that computes below N recursive calls
 *   unwinds handler MS: a signal handler on a stack of its own computes
 *   unwinds clock MS: a loop of the vDSO
 *   unwinds later FILE LOADED MS: computes in a library that is loaded for LOADED ms of CPU time,
 *       again and again
 *   unwinds damaged MS: a stack whose return addresses lead in a circle
 *   unwinds maps MS: maps memory without code all the time
 *   unwinds fixed N TIMES: always computes the same below N calls; prints the time it took
 * With -DLIBRARY it is the library, which calls back.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define SHOWN __attribute__((noinline, visibility("default")))

typedef uint64_t (*call)(uint64_t n, uint64_t (*back)(uint64_t n));

#ifdef LIBRARY
SHOWN uint64_t in_library(uint64_t n, uint64_t (*back)(uint64_t n))
{
	volatile uint64_t room[4] = { n };

	return back(n + room[0]) + room[0];
}
#else
static uint64_t times;

static uint64_t cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
}

SHOWN uint64_t work(uint64_t n)
{
	volatile uint64_t sum = n;
	uint64_t i;

	for (i = 0; i < times; i++)
		sum = sum * 31 + i;
	return sum;
}

SHOWN uint64_t down(uint64_t depth, uint64_t n)
{
	volatile uint64_t room[3] = { n };

	return (depth ? down(depth - 1, n + 1) : work(n)) + room[0];
}

SHOWN void handle(int nr)
{
	work(nr);
}

SHOWN uint64_t raises(uint64_t n)
{
	raise(SIGUSR1);
	return n + 1;
}

static void use_handler(void)
{
	static char stack[65536];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK };

	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR1, &action, NULL);
}

SHOWN uint64_t clocks(uint64_t n)
{
	struct timespec now;
	int i;

	for (i = 0; i < 100000; i++)
		clock_gettime(CLOCK_MONOTONIC, &now);
	return n + now.tv_nsec;
}

SHOWN uint64_t later(const char *path, int loaded_ms, uint64_t n)
{
	void *library = dlopen(path, RTLD_NOW);
	call in_library = library ? (call)dlsym(library, "in_library") : NULL;
	uint64_t until = cpu_ms() + loaded_ms;

	if (!in_library) {
		puts(dlerror());
		exit(1);
	}
	while (cpu_ms() < until)
		n = in_library(n, work);
	dlclose(library);
	return n;
}

SHOWN uint64_t maps(uint64_t n)
{
	if (mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		exit(1);
	return down(3, n);
}

/* rbp points to itself, and the return address is that of the loop. */
SHOWN void damaged(void)
{
	static uint64_t room[512];
	uint64_t i;

	for (i = 0; i < 512; i += 2) {
		room[i] = (uint64_t)&room[256];
		room[i + 1] = (uint64_t)work;
	}
	__asm__ volatile("mov %%rsp, %%r12; mov %%rbp, %%r13; mov %0, %%rsp; mov %0, %%rbp;"
			 "mov %1, %%rcx; 1: dec %%rcx; jnz 1b; mov %%r12, %%rsp; mov %%r13, %%rbp"
			 : : "r"(&room[256]), "r"(3000000UL) : "rcx", "r12", "r13", "memory");
}

static uint64_t once(int argc, char **argv, uint64_t n)
{
	if (!strcmp(argv[1], "deep"))
		return down(atoi(argv[2]), n);
	if (!strcmp(argv[1], "handler"))
		return raises(n);
	if (!strcmp(argv[1], "clock"))
		return clocks(n);
	if (!strcmp(argv[1], "later"))
		return later(argv[2], atoi(argv[3]), n);
	if (!strcmp(argv[1], "maps"))
		return maps(n);
	if (!strcmp(argv[1], "damaged"))
		damaged();
	return argc;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	uint64_t until, sum = 0, begin;

	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "fixed")) {
		times = strtoul(argv[3], NULL, 0);
		begin = now_ns();
		sum = down(atoi(argv[2]), 1);
		printf("%llu %llu\n", (unsigned long long)sum,
		       (unsigned long long)(now_ns() - begin));
		return 0;
	}
	times = 100000;
	use_handler();
	until = cpu_ms() + strtoul(argv[argc - 1], NULL, 0);
	while (cpu_ms() < until)
		sum += once(argc, argv, sum);
	return sum == 1;
}
#endif
