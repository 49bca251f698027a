// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "util/signals.h"
#include "util/terminal.h"

/* Another screen, without a cursor; lines that are too long are not continued on the next one. */
#define BEGIN "\033[?1049h\033[?25l\033[?7l\033[H\033[2J"
#define END "\033[0m\033[?7h\033[?25h\033[?1049l"
#define WRITE_MS 200	/* a terminal that takes nothing for so long was stopped, by Ctrl-S */
#define STACK_LEN 65536

static struct termios before;
static int keys = -1;
static volatile sig_atomic_t is_taken;

int terminal_fd(void)
{
	return keys;
}

/* A stopped terminal must not keep the process from ending. */
static void put(const char *text)
{
	struct pollfd room = { STDOUT_FILENO, POLLOUT, 0 };

	if (poll(&room, 1, WRITE_MS) > 0 && write(STDOUT_FILENO, text, strlen(text)) < 0)
		return;
}

/* In the background, the modes are those of the shell. */
void terminal_give(void)
{
	int error = errno;

	if (!is_taken)
		return;
	is_taken = false;
	if (tcgetpgrp(keys) == getpgrp())
		tcsetattr(keys, TCSANOW, &before);
	put(END);
	errno = error;
}

/* --- the end ---------------------------------------------------------------- */

static void on_death(int number)
{
	terminal_give();
	signal(number, SIG_DFL);
	raise(number);
}

/* All signals that end a process and that signals.c does not take. */
static void watch_deaths(void)
{
	static const int deaths[] = {
		SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGUSR1, SIGUSR2,
		SIGALRM, SIGSTKFLT, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSYS,
	};
	static char stack[STACK_LEN];	/* that of the process may be full */
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action, old;
	size_t i;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_death;
	action.sa_flags = SA_NODEFER | SA_ONSTACK;
	sigaltstack(&other, NULL);
	for (i = 0; i < sizeof(deaths) / sizeof(*deaths); i++)
		if (!sigaction(deaths[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(deaths[i], &action, NULL);
	signals_set_before_end(terminal_give);
	atexit(terminal_give);
}

/* --- the begin -------------------------------------------------------------- */

static int find(struct err *err)
{
	const char *term = getenv("TERM");

	if (term && !strcmp(term, "dumb"))
		return err_set(err, "This terminal cannot be drawn on (TERM=dumb); use --batch.");
	keys = isatty(STDIN_FILENO) ? STDIN_FILENO : STDOUT_FILENO;
	if (tcgetattr(keys, &before)) {
		keys = -1;
		return err_set(err, "The terminal's modes cannot be read: %s; use --batch.",
			       strerror(errno));
	}
	watch_deaths();
	return 0;
}

/* Ctrl-C and Ctrl-Z stay signals, and a line feed begins a new line. */
int terminal_take(struct err *err)
{
	struct termios raw;

	if (keys < 0 && find(err))
		return -1;
	/*
	 * The shell may have set others while this process was stopped, but those of its own line
	 * editor are not meant for the end.
	 */
	if (!is_taken && tcgetpgrp(keys) == getpgrp())
		tcgetattr(keys, &before);
	raw = before;
	raw.c_lflag &= ~(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	is_taken = true;	/* first: a signal may end the process at once */
	if (tcsetattr(keys, TCSANOW, &raw)) {
		is_taken = false;
		return err_set(err, "The terminal's modes cannot be set: %s.", strerror(errno));
	}
	put(BEGIN);
	return 0;
}

ssize_t terminal_read(char *to, size_t len)
{
	struct pollfd news = { keys, POLLIN, 0 };
	ssize_t got;

	if (keys < 0 || poll(&news, 1, 0) <= 0)
		return 0;
	if (!(news.revents & POLLIN))
		return -1;
	got = read(keys, to, len);
	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	return got > 0 ? got : -1;
}
