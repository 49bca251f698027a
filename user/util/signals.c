// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/signals.h"

#define AT_ONCE_MS 100
#define BLOCKED_MS 100	/* a write that takes longer waits for its reader */
#define WORK_MS 1000	/* work that takes longer may be ended */

volatile int signals_nr_ends;
volatile int signals_nr_interrupts;
volatile int signals_nr_windows;
volatile int signals_nr_reloads;
volatile int signals_nr_saves;
volatile int signals_nr_stops;

/*
 * Before signals_let_in(), handlers run only in signals_wait(), signals_write() and signals_look(),
 * so no other code changes these variables at the same time.
 */
static volatile unsigned long sent;	/* signals to pass on, one bit per number */
static bool passes_keys;	/* the terminal's signals do not reach the program */
static long interrupted_ms;
static volatile int ended_by;
static long ended_ms;
static volatile int is_writing;
static long write_began_ms;
static volatile int is_working;
static long work_began_ms;		/* when signals_wait() returned last */
static void (*before_end)(void);	/* or NULL */
static volatile int came_outside;	/* an end that no wait has seen yet */
static sigset_t ends_taken;
static sigset_t outside;	/* the mask before signals_init() */
static sigset_t handled;

static long now_ms(void)
{
	return clock_now_ns() / 1000000;
}

/*
 * Keys of the terminal reach the whole group. The hangup of a terminal reaches only the leader of
 * the session.
 */
static void on_passed(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code <= 0 || number == SIGHUP || passes_keys)
		sent |= 1UL << number;
}

/*
 * The reader may never continue, and work on the files of others may take long, so the rest of the
 * output is given up. Sessions end with their socket.
 */
static void end_outside(int number)
{
	long now = now_ms();
	bool is_long = is_writing ? now - write_began_ms > BLOCKED_MS :
				    now - work_began_ms > WORK_MS;

	came_outside = 1;
	if (!signals_nr_ends || now - ended_ms <= AT_ONCE_MS || !is_long)
		return;
	ended_by = number;
	signals_pass_end();
}

static void on_end(int number, siginfo_t *info, void *context)
{
	if (is_writing || is_working)
		end_outside(number);
	signals_nr_ends++;
	ended_by = number;
	ended_ms = now_ms();
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

static void on_reload(int number, siginfo_t *info, void *context)
{
	on_child(number, info, context);
	signals_nr_reloads++;
}

static void on_save(int number, siginfo_t *info, void *context)
{
	on_child(number, info, context);
	signals_nr_saves++;
}

static void on_stop(int number, siginfo_t *info, void *context)
{
	on_child(number, info, context);
	signals_nr_stops++;
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
	if (old.sa_handler == SIG_IGN && number != SIGCHLD)
		return;
	sigaction(number, &action, NULL);
	sigaddset(&handled, number);
}

/* Taken signals are blocked outside of waits, so that none is missed between a check and a wait. */
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
	const int *end;
	sigset_t set;

	sigemptyset(&set);
	take(ends, on_end, &set);
	take(child, on_child, &set);
	if (is_for_program)
		take(passed, on_passed, &set);
	sigprocmask(SIG_BLOCK, &set, &outside);
	work_began_ms = now_ms();
	for (end = ends; *end; end++)
		if (!sigismember(&outside, *end))
			sigaddset(&ends_taken, *end);
}

void signals_init(void)
{
	/* A script's shell ignores SIGINT for what it runs in the background. */
	signal(SIGINT, SIG_DFL);
	init(false);
}

void signals_init_for_program(bool has_own_session)
{
	static const int keys[] = { SIGTSTP, SIGWINCH, 0 };
	sigset_t set;

	passes_keys = has_own_session;
	init(true);
	if (!has_own_session)
		return;
	sigemptyset(&set);
	take(keys, on_passed, &set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

void signals_let_in(void)
{
	sigprocmask(SIG_SETMASK, &outside, NULL);
}

void signals_give_back(void)
{
	int number;

	for (number = 1; number < NSIG; number++)
		if (sigismember(&handled, number) > 0)
			signal(number, SIG_DFL);
	signals_let_in();
}

void signals_pass_end(void)
{
	if (!ended_by)
		return;
	if (before_end)
		before_end();
	signal(ended_by, SIG_DFL);
	signals_let_in();
	raise(ended_by);
}

void signals_set_before_end(void (*fn)(void))
{
	before_end = fn;
}

void signals_take_windows(void)
{
	static const int window[] = { SIGWINCH, 0 };
	sigset_t set;

	sigemptyset(&set);
	take(window, on_window, &set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

void signals_take_stops(void)
{
	static const int stop[] = { SIGTSTP, 0 }, go_on[] = { SIGCONT, 0 };
	sigset_t set;

	sigemptyset(&set);
	take(stop, on_stop, &set);
	take(go_on, on_window, &set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

void signals_stop(void)
{
	sigset_t stop, before;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	signal(SIGTSTP, SIG_DFL);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &stop, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	handle(SIGTSTP, on_stop);
}

void signals_take_reloads(void)
{
	static const int reload[] = { SIGHUP, 0 };
	sigset_t set;

	sigemptyset(&set);
	take(reload, on_reload, &set);
}

void signals_take_saves(void)
{
	static const int save[] = { SIGUSR2, 0 };
	sigset_t set;

	sigemptyset(&set);
	take(save, on_save, &set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Any process that has a pipe or a terminal open may set it to non-blocking. */
static bool wait_for_reader(int fd)
{
	struct pollfd room = { fd, POLLOUT, 0 };

	return poll(&room, 1, -1) > 0 || errno == EINTR;
}

ssize_t signals_write(int fd, const void *data, size_t len)
{
	sigset_t before;
	ssize_t written;
	int error;

	write_began_ms = now_ms();
	is_writing = 1;
	sigprocmask(SIG_UNBLOCK, &ends_taken, &before);
	do
		written = write(fd, data, len);
	while (written < 0 && (errno == EINTR || (errno == EAGAIN && wait_for_reader(fd))));
	error = errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	is_writing = 0;
	errno = error;
	return written;
}

void signals_look(void)
{
	sigset_t before;

	is_working = 1;
	sigprocmask(SIG_UNBLOCK, &ends_taken, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	is_working = 0;
}

void signals_wait(int fd, long ms)
{
	signals_wait_for_two(fd, -1, ms);
}

void signals_wait_for_two(int fd, int other, long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };
	struct pollfd news[] = { { fd, POLLIN, 0 }, { other, POLLIN, 0 } };

	/* The event to wait for has already happened. */
	if (came_outside)
		came_outside = 0;
	else
		ppoll(news, 2, &time, &outside);
	work_began_ms = now_ms();
}
