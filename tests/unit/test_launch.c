// SPDX-License-Identifier: GPL-2.0
/* A program that another user runs, started on a terminal. Needs root. */
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../user/system/program.h"

static void run(const char *user, char **argv)
{
	struct program program = { .is_ended = false };
	struct err err;

	alarm(10);
	/* A shell does not change signals that were ignored when it began, as under nohup(1). */
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	if (program_find(&program, argv, user, &err) || program_fork(&program, argv, &err) ||
	    program_go(&program, &err))
		_exit(125);
	program_wait(&program);
	if (!program.is_ended)
		_exit(124);
	program_free(&program);
	_exit(WIFEXITED(program.wait_status) ? WEXITSTATUS(program.wait_status) : 123);
}

/* Types keys once the program has written its prompt; returns how it ended. */
static int run_on_terminal(const char *user, char **argv, const char *keys)
{
	int terminal, status;
	char text[256];
	ssize_t len;
	pid_t pid = forkpty(&terminal, NULL, NULL, NULL);

	assert_true(pid >= 0);
	if (!pid)
		run(user, argv);
	/* The program may outlive its parent with the terminal open. */
	alarm(30);
	while ((len = read(terminal, text, sizeof(text) - 1)) > 0) {
		text[len] = 0;
		if (strstr(text, "ready"))
			assert_int_equal(write(terminal, keys, strlen(keys)), strlen(keys));
	}
	alarm(0);
	close(terminal);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ioctl(0, TIOCSTI, "x"), which exits with errno. */
static void test_no_input(void **state)
{
	char *argv[] = { "/usr/bin/perl", "-e",
			 "$x = 'x'; exit(ioctl(STDIN, 0x5412, $x) ? 42 : $! + 0)", NULL };

	(void)state;
	assert_int_equal(run_on_terminal("65534:65534", argv, ""), 1 /* EPERM */);
}

static void test_interrupt(void **state)
{
	char *argv[] = { "/bin/sh", "-c",
			 "trap 'exit 42' INT; echo ready; while :; do sleep 0.05; done", NULL };

	(void)state;
	assert_int_equal(run_on_terminal("65534:65534", argv, "\003"), 42);
	assert_int_equal(run_on_terminal(NULL, argv, "\003"), 42);
}

static void test_quit(void **state)
{
	char *argv[] = { "/bin/sh", "-c",
			 "trap 'exit 43' QUIT; echo ready; while :; do sleep 0.05; done", NULL };

	(void)state;
	assert_int_equal(run_on_terminal("65534:65534", argv, "\034"), 43);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_input),
		cmocka_unit_test(test_interrupt),
		cmocka_unit_test(test_quit),
	};

	if (geteuid()) {
		puts("root is needed: it gives the program another user");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
