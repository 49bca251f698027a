// SPDX-License-Identifier: GPL-2.0
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "signals.h"

volatile int signals_nr_ends;

static volatile int sent;	/* the last signal sent by kill() */
static sigset_t outside;	/* the mask as it was */

static void on_end(int number, siginfo_t *info, void *context)
{
	(void)context;
	signals_nr_ends++;
	if (info->si_code <= 0)
		sent = number;
}

static void on_child(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
}

int signals_take_sent(void)
{
	int number = sent;

	sent = 0;
	return number;
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
void signals_init(void)
{
	sigset_t set;

	handle(SIGINT, on_end);
	handle(SIGTERM, on_end);
	handle(SIGHUP, on_end);
	handle(SIGCHLD, on_child);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &outside);
}

void signals_wait(int fd, long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };
	struct pollfd news = { fd, POLLIN, 0 };

	ppoll(&news, 1, &time, &outside);
}
