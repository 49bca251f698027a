// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "system/program.h"
#include "system/witness.h"
#include "util/signals.h"

static void end_witness(struct program *program)
{
	witness_end(program->witness);
	program->witness = -1;
}

int program_find(struct program *program, char **argv, const char *user, struct err *err)
{
	int code;

	program->witness = -1;
	code = launch_find(&program->launch, argv, err);
	if (code || !user)
		return code;
	program->launch.user = &program->user;
	return user_find(&program->user, user, err) ? EXIT_FAILURE : 0;
}

int program_fork(struct program *program, char **argv, struct err *err)
{
	program->witness = witness_start();
	if (launch_fork(&program->launch, argv, err)) {
		end_witness(program);
		return EXIT_FAILURE;
	}
	signals_init_for_program(program->launch.user);
	return 0;
}

int program_go(struct program *program, struct err *err)
{
	int code = launch_go(&program->launch, err);

	if (code)
		end_witness(program);
	return code;
}

void program_cancel(struct program *program)
{
	launch_cancel(&program->launch);
	end_witness(program);
}

bool program_is_set_id(const struct program *program)
{
	struct stat st;

	return program->launch.user && !stat(program->launch.path, &st) &&
	       (st.st_mode & S_ISUID) && st.st_uid != program->user.uid;
}

/* A program of another user leads a process group, once the child has called setsid(). */
static void send_to(const struct program *program, int number)
{
	if (!program->launch.user || kill(-program->launch.pid, number))
		kill(program->launch.pid, number);
}

/* Uses SIGSTOP: SIGTSTP has no effect in a process group whose parents are in other sessions. */
static void stop(const struct program *program)
{
	send_to(program, SIGSTOP);
	raise(SIGSTOP);
	send_to(program, SIGCONT);
}

/* Passes a signal to the program unless the sender has sent it to the program, too. */
static void pass_on(struct program *program, int number)
{
	bool is_to_group;

	/* Another process may have its pid. */
	if (program->is_ended) {
		if (number == SIGTSTP)
			raise(SIGSTOP);
		return;
	}
	is_to_group = witness_saw(program->witness, number);

	if (number == SIGTSTP)
		stop(program);
	else if (!is_to_group || program->launch.user)
		send_to(program, number);
	if (!is_to_group)
		return;
	/* timeout(1) signals ktrace and then the group: drop the second signal. */
	signals_drop(number);
	end_witness(program);
	program->witness = witness_start();
}

void program_look(struct program *program)
{
	int number;

	while ((number = signals_take_sent()))
		pass_on(program, number);
	if (!program->is_ended &&
	    waitpid(program->launch.pid, &program->wait_status, WNOHANG) == program->launch.pid)
		program->is_ended = true;
}

void program_wait(struct program *program)
{
	while (!program->is_ended && signals_nr_interrupts < 2) {
		program_look(program);
		if (!program->is_ended)
			signals_wait(-1, 1000);
	}
}

void program_free(struct program *program)
{
	end_witness(program);
	user_free(&program->user);
}

void program_exit_like(const struct program *program)
{
	if (program->is_ended)
		launch_exit_like(program->wait_status);
	signal(SIGINT, SIG_DFL);
	launch_exit_like(SIGINT);
}
