// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that end in many ways, tail calls among them. Prints "FUNCTION NS" lines with the time of
 * each by the program's own clock. Arguments select functions; the default is all.
 */
#include "victim.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define TURNS 1500000

extern "C" {

static volatile int sink;
static int rounds = 3;

PROBED int burn(int n)
{
	int i;

	for (i = 0; i < TURNS; i++)
		sink = sink + i;
	return n + (sink & 1);
}

/* Tests exclude this function. */
PROBED int unseen(int n)
{
	int i;

	for (i = 0; i < TURNS; i++)
		sink = sink + 2 * i;
	return n;
}

PROBED int longer(int n)
{
	return burn(n) + burn(n + 1);
}

/* --- tail calls ------------------------------------------------------------ */

PROBED int direct(int n)
{
	sink = n;
	return burn(n + 1);
}

PROBED int conditional(int n)
{
	if (n > 1)
		return longer(n);
	sink = n;
	return n;
}

static int (*volatile table[])(int) = { burn, longer };

PROBED int by_table(int n)
{
	sink = n;
	return table[n & 1](n);
}

PROBED int by_register(int n)
{
	int (*volatile function)(int) = longer;

	return function(n);
}

PROBED int pong(int n);

PROBED int ping(int n)
{
	return n ? pong(n - 1) : burn(n);
}

PROBED int pong(int n)
{
	return n ? ping(n - 1) : burn(n);
}

PROBED int mutual(int n)
{
	sink = n;
	return ping(n * 10);
}

PROBED int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int numbers[1000];

PROBED void into_library(int n)
{
	sink = n;
	qsort(numbers, 1000, sizeof(int), compare);
}

PROBED int into_unseen(int n)
{
	sink = n;
	return unseen(n + 1);
}

PROBED int deep(int n)
{
	if (n)
		return deep(n - 1) * 3 + 1;
	return burn(n);
}

PROBED int out_of_recursion(int n)
{
	sink = n;
	return deep(n + 20);
}

PROBED int in_coroutine_tail(int n)
{
	sink = n;
	return longer(n);
}

PROBED int throws(int n)
{
	if (burn(n) >= 0)
		throw n;
	return n;
}

PROBED int before_exception(int n)
{
	sink = n;
	return throws(n + 1);
}

PROBED int after_fork_tail(int n)
{
	sink = n;
	return burn(n);
}

/* --- calls that return as usual, or not at all ------------------------------ */

PROBED int plain(int n)
{
	return burn(n) * 2;
}

PROBED int nested(int n)
{
	return longer(n) + burn(n);
}

PROBED int looping(int n)
{
	int i, sum = 0;

	for (i = 0; i < 4; i++)
		sum += burn(n + i);
	return sum;
}

PROBED int recursive(int n)
{
	return n ? recursive(n - 1) + burn(n) : 1;
}

PROBED int sleeps(int n)
{
	usleep(5000);
	return n + 1;
}

static jmp_buf back;

PROBED int jumps_out(int n)
{
	if (burn(n) >= 0)
		longjmp(back, 1);
	return n;
}

PROBED int leaves_by_longjmp(int n)
{
	return jumps_out(n) + 1;
}

PROBED int throws_through(int n)
{
	return throws(n) + 1;
}

PROBED int in_coroutine(int n)
{
	return longer(n) + 1;
}

PROBED void on_signal(int signal)
{
	burn(signal);
}

PROBED int is_interrupted(int n)
{
	raise(SIGUSR1);
	return burn(n) + 1;
}

PROBED int after_fork(int n)
{
	return burn(n) + 1;
}

} /* extern "C" */

/* --- the clock ------------------------------------------------------------------ */

static ucontext_t main_context, context;
static char stack[64 << 10];
static int (*coroutine)(int);

FOLDED void run_caught(int (*function)(int), int n)
{
	try {
		function(n);
	} catch (int) {
	}
}

static unsigned long long spent;	/* in the coroutine, by calls of its functions */

static void run_coroutine()
{
	unsigned long long begin = victim_ns(CLOCK_MONOTONIC);

	coroutine(1);
	spent += victim_ns(CLOCK_MONOTONIC) - begin;
}

static void run_elsewhere(int (*function)(int))
{
	coroutine = function;
	getcontext(&context);
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = sizeof(stack);
	context.uc_link = &main_context;
	makecontext(&context, run_coroutine, 0);
	swapcontext(&main_context, &context);
}

FOLDED unsigned long long now(void)
{
	return victim_ns(CLOCK_MONOTONIC);
}

FOLDED void say(const char *name, unsigned long long begin)
{
	unsigned long long end = now();

	printf("%s %llu\n", name, spent ? spent : end - begin);
	fflush(stdout);
}

/* Measures one call by the program's own clock, with no other code between. */
#define TIME(name, call) do {						\
	volatile unsigned long long begin;				\
	volatile int i;							\
	if (!wants(argc, argv, name))					\
		break;							\
	spent = 0;							\
	begin = now();							\
	for (i = 0; i < rounds; i++)					\
		call;							\
	say(name, begin);						\
} while (0)

FOLDED bool wants(int argc, char **argv, const char *name)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return argc < 2;
}

FOLDED void shuffle(void)
{
	unsigned int seed = 1;
	int i;

	for (i = 0; i < 1000; i++)
		numbers[i] = (seed = seed * 1664525 + 1013904223) >> 8;
}

int main(int argc, char **argv)
{
	shuffle();
	signal(SIGUSR1, on_signal);
	TIME("direct", direct(i));
	TIME("conditional", conditional(2 + i));
	TIME("by_table", by_table(i));
	TIME("by_register", by_register(i));
	TIME("mutual", mutual(1 + i));
	TIME("into_library", into_library(i));
	TIME("into_unseen", into_unseen(i));
	TIME("out_of_recursion", out_of_recursion(i));
	TIME("in_coroutine_tail", run_elsewhere(in_coroutine_tail));
	TIME("before_exception", run_caught(before_exception, i));
	TIME("plain", plain(i));
	TIME("nested", nested(i));
	TIME("looping", looping(i));
	TIME("recursive", recursive(5));
	TIME("sleeps", sleeps(i));
	TIME("leaves_by_longjmp", if (!setjmp(back)) leaves_by_longjmp(i));
	TIME("throws_through", run_caught(throws_through, i));
	TIME("in_coroutine", run_elsewhere(in_coroutine));
	TIME("is_interrupted", is_interrupted(i));
	fflush(stdout);
	rounds = 1;
	if (!fork()) {
		TIME("after_fork_tail", after_fork_tail(i));
		TIME("after_fork", after_fork(i));
		_exit(0);
	}
	wait(NULL);
	return 0;
}
