// SPDX-License-Identifier: GPL-2.0
/*
 * sleeper [N [SLEEP_US [SPIN_US]]]   sleeps and spins N times in turn; prints its own figures of
 *                                    that time: "tid= wall_ns= cpu_ns= slept_ns= voluntary=
 *                                    involuntary=", by getrusage(2) and its own clocks
 * sleeper live                       the same for each line "N SLEEP_US SPIN_US" of input; prints
 *                                    "ready" before the first
 * sleeper threads NR                 NR threads that sleep once each and end
 * sleeper spin CPU_MS                two processes that spin for CPU_MS of their own time
 * sleeper vfork US                   waits, uninterruptibly, for a child that sleeps
 * sleeper turns N                    ns_per_turn= of two processes that wake each other N times
 * sleeper late US                    a thread that loses its CPU for US while it exits, after the
 *                                    other threads of its process; prints "late=", its id
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

static void sleep_us(unsigned long us)
{
	struct timespec time = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&time, NULL);
}

static void spin_us(unsigned long us)
{
	unsigned long long end = victim_ns(CLOCK_THREAD_CPUTIME_ID) + us * 1000ULL;

	while (victim_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static void work(unsigned long nr, unsigned long slept_us, unsigned long spun_us)
{
	unsigned long long cpu = victim_ns(CLOCK_THREAD_CPUTIME_ID), slept = 0, begun;
	unsigned long long wall = victim_ns(CLOCK_MONOTONIC);
	struct rusage before, after;
	unsigned long i;

	getrusage(RUSAGE_THREAD, &before);
	for (i = 0; i < nr; i++) {
		begun = victim_ns(CLOCK_MONOTONIC);
		sleep_us(slept_us);
		slept += victim_ns(CLOCK_MONOTONIC) - begun;
		spin_us(spun_us);
	}
	getrusage(RUSAGE_THREAD, &after);
	printf("tid=%ld wall_ns=%llu cpu_ns=%llu slept_ns=%llu voluntary=%ld involuntary=%ld\n",
	       syscall(SYS_gettid), victim_ns(CLOCK_MONOTONIC) - wall,
	       victim_ns(CLOCK_THREAD_CPUTIME_ID) - cpu, slept,
	       after.ru_nvcsw - before.ru_nvcsw, after.ru_nivcsw - before.ru_nivcsw);
	fflush(stdout);
}

static int live(void)
{
	unsigned long nr, slept_us, spun_us;

	puts("ready");
	fflush(stdout);
	while (scanf("%lu %lu %lu", &nr, &slept_us, &spun_us) == 3)
		work(nr, slept_us, spun_us);
	return 0;
}

static void *sleep_once(void *arg)
{
	sleep_us(10000);
	return arg;
}

static int threads(unsigned long nr)
{
	pthread_t thread;

	while (nr--) {
		pthread_create(&thread, NULL, sleep_once, NULL);
		pthread_join(thread, NULL);
	}
	return 0;
}

static int spin(unsigned long ms)
{
	int i;

	for (i = 0; i < 2; i++)
		if (!fork()) {
			spin_us(ms * 1000);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	return 0;
}

static int wait_for_child(unsigned long us)
{
	if (!vfork()) {
		sleep_us(us);
		_exit(0);
	}
	return 0;
}

static void pass_on(int from, int to, unsigned long nr)
{
	char c = 0;

	while (nr--)
		if (write(to, &c, 1) != 1 || read(from, &c, 1) != 1)
			_exit(1);
}

static int turns(unsigned long nr)
{
	unsigned long long begun;
	int to[2], from[2];

	if (pipe(to) || pipe(from))
		return 1;
	if (!fork()) {
		pass_on(to[0], from[1], nr);
		_exit(0);
	}
	begun = victim_ns(CLOCK_MONOTONIC);
	pass_on(from[0], to[1], nr);
	printf("ns_per_turn=%llu\n", (victim_ns(CLOCK_MONOTONIC) - begun) / nr / 2);
	return 0;
}

/* --- late ------------------------------------------------------------------- */

struct late {
	volatile int is_there;		/* the kernel clears it at the thread's exit, and wakes */
	volatile int is_robber_asleep;	/* true when another task has its CPU */
};

static void stay_on(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		_exit(1);
}

/* Takes the CPU of the thread whose exit wakes it. */
static void rob(struct late *late, unsigned long us)
{
	struct sched_param param = { .sched_priority = 1 };

	stay_on(1);
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		_exit(1);
	late->is_robber_asleep = 1;
	while (late->is_there)
		syscall(SYS_futex, &late->is_there, FUTEX_WAIT, 1, NULL, NULL, 0);
	spin_us(us);
	_exit(0);
}

static void *end_late(void *arg)
{
	struct late *late = arg;

	stay_on(1);
	while (!late->is_robber_asleep)
		sched_yield();
	printf("late=%ld\n", (long)syscall(SYS_gettid));
	fflush(stdout);
	syscall(SYS_set_tid_address, &late->is_there);
	syscall(SYS_exit, 0);
	return NULL;
}

static int end_before_thread(unsigned long us)
{
	struct late *late = mmap(NULL, sizeof(*late), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;

	if (late == MAP_FAILED)
		return 1;
	stay_on(0);
	late->is_there = 1;
	if (!fork())
		rob(late, us);
	pthread_create(&thread, NULL, end_late, late);
	while (late->is_there)
		;
	_exit(0);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "live"))
		return live();
	if (argc > 1 && !strcmp(argv[1], "threads"))
		return threads(victim_number(argc, argv, 2, 1));
	if (argc > 1 && !strcmp(argv[1], "spin"))
		return spin(victim_number(argc, argv, 2, 100));
	if (argc > 1 && !strcmp(argv[1], "vfork"))
		return wait_for_child(victim_number(argc, argv, 2, 1000));
	if (argc > 1 && !strcmp(argv[1], "turns"))
		return turns(victim_number(argc, argv, 2, 1000));
	if (argc > 1 && !strcmp(argv[1], "late"))
		return end_before_thread(victim_number(argc, argv, 2, 100000));
	work(victim_number(argc, argv, 1, 10), victim_number(argc, argv, 2, 1000),
	     victim_number(argc, argv, 3, 1000));
	return 0;
}
