// SPDX-License-Identifier: GPL-2.0
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "signals.h"

#define AT_ONCE_MS 100

volatile int signals_nr_ends;
volatile int signals_nr_interrupts;
volatile int signals_nr_windows;

/* Handlers run in signals_wait() only: these are not changed meanwhile elsewhere. */
static volatile unsigned long sent;	/* by kill(), a bit a number */
static long interrupted_ms;
static volatile int ended_by;
static sigset_t outside;	/* the mask as it was */

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Keys reach the whole group; a terminal that goes away tells the session's leader alone. */
static void on_passed(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code <= 0 || number == SIGHUP)
		sent |= 1UL << number;
}

static void on_end(int number, siginfo_t *info, void *context)
{
	signals_nr_ends++;
	ended_by = number;
	on_passed(number, info, context);
	if (number != SIGINT)
		return;
	if (!signals_nr_interrupts || now_ms() - interrupted_ms > AT_ONCE_MS)
		signals_nr_interrupts++;
	interrupted_ms = now_ms();
}

static void on_child(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
}

static void on_window(int number, siginfo_t *info, void *context)
{
	on_child(number, info, context);
	signals_nr_windows++;
}

int signals_take_sent(void)
{
	int number = __builtin_ffsl(sent) - 1;

	if (number < 0)
		return 0;
	sent &= ~(1UL << number);
	return number;
}

void signals_drop(int number)
{
	struct timespec none = { 0, 0 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	sigtimedwait(&set, NULL, &none);
	sent &= ~(1UL << number);
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action, old;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = handler;
	action.sa_flags = SA_SIGINFO;
	sigaction(number, NULL, &old);
	if (old.sa_handler != SIG_IGN || number == SIGCHLD)
		sigaction(number, &action, NULL);
}

/* Blocked outside of waits, so that none is missed between a look and a wait. */
static void take(const int *numbers, void (*handler)(int, siginfo_t *, void *), sigset_t *set)
{
	for (; *numbers; numbers++) {
		handle(*numbers, handler);
		sigaddset(set, *numbers);
	}
}

static void init(bool is_for_program)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, 0 };
	static const int passed[] = { SIGQUIT, SIGUSR1, SIGUSR2, 0 };
	static const int child[] = { SIGCHLD, 0 };
	sigset_t set;

	sigemptyset(&set);
	take(ends, on_end, &set);
	take(child, on_child, &set);
	if (is_for_program)
		take(passed, on_passed, &set);
	sigprocmask(SIG_BLOCK, &set, &outside);
}

void signals_init(void)
{
	/* Ignored, it is by a script's shell, of what it runs in the background. */
	signal(SIGINT, SIG_DFL);
	init(false);
}

void signals_init_for_program(void)
{
	init(true);
}

void signals_let_in(void)
{
	sigprocmask(SIG_SETMASK, &outside, NULL);
}

void signals_pass_end(void)
{
	if (!ended_by)
		return;
	signal(ended_by, SIG_DFL);
	signals_let_in();
	raise(ended_by);
}

void signals_take_windows(void)
{
	static const int window[] = { SIGWINCH, 0 };
	sigset_t set;

	sigemptyset(&set);
	take(window, on_window, &set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

void signals_wait(int fd, long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };
	struct pollfd news = { fd, POLLIN, 0 };

	ppoll(&news, 1, &time, &outside);
}
