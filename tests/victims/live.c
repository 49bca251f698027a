// SPDX-License-Identifier: GPL-2.0
/*
 * live: executes one command per line of input, and prints "done" after each.
 *
 *	FUNCTION N        calls alpha, beta or gamma N times
 *	spin              calls all three, until the next line
 *	worker N          another thread, "worker TID", calls alpha N times
 *	fork N, vfork N, spawn N, daemon N
 *	                  a child of that kind calls alpha N times; spawn executes this program
 *	comm NAME, uid N  changes its own name or user
 *
 * At its end it prints "FUNCTION CALLS" of all its own calls, without those of children.
 */
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

extern char **environ;

static unsigned long alphas, betas, gammas;
static int to_worker[2], from_worker[2];

PROBED unsigned long alpha(unsigned long n)
{
	return n + 1;
}

PROBED unsigned long beta(unsigned long n)
{
	return n + 2;
}

PROBED unsigned long gamma_(unsigned long n)
{
	return n + 3;
}

FOLDED void alpha_times(unsigned long n)
{
	unsigned long i;

	for (i = 0; i < n; i++)
		alpha(i);
}

PROBED void *worker(void *arg)
{
	unsigned long n = syscall(SYS_gettid);

	if (write(from_worker[1], &n, sizeof(n)) != sizeof(n))
		return arg;
	while (read(to_worker[0], &n, sizeof(n)) == sizeof(n)) {
		alpha_times(n);
		if (write(from_worker[1], &n, sizeof(n)) != sizeof(n))
			break;
	}
	return arg;
}

FOLDED void in_worker(unsigned long n)
{
	if (write(to_worker[1], &n, sizeof(n)) == sizeof(n) &&
	    read(from_worker[0], &n, sizeof(n)) == sizeof(n))
		alphas += n;
}

FOLDED unsigned long start_worker(void)
{
	unsigned long tid = 0;
	pthread_t thread;

	if (pipe(to_worker) || pipe(from_worker) ||
	    pthread_create(&thread, NULL, worker, NULL) ||
	    read(from_worker[0], &tid, sizeof(tid)) != sizeof(tid))
		exit(1);
	return tid;
}

FOLDED void wait_for(pid_t child)
{
	waitpid(child, NULL, 0);
}

PROBED void by_fork(unsigned long n, int is_daemon)
{
	int fds[2];
	char byte;
	pid_t child;

	if (pipe(fds))
		exit(1);
	child = fork();
	if (!child) {
		if (is_daemon && fork())
			_exit(0);
		alpha_times(n);
		_exit(0);
	}
	close(fds[1]);
	wait_for(child);
	/* A daemon also has this end open, until it is done. */
	while (read(fds[0], &byte, 1) > 0)
		;
	close(fds[0]);
}

PROBED void by_vfork(unsigned long n)
{
	pid_t child = vfork();

	if (!child) {
		alpha_times(n);
		_exit(0);
	}
	wait_for(child);
}

PROBED void by_spawn(const char *program, char *n)
{
	char *argv[] = { (char *)program, "child", n, NULL };
	pid_t child;

	if (posix_spawn(&child, program, NULL, NULL, argv, environ))
		exit(1);
	wait_for(child);
}

FOLDED void spin(void)
{
	struct pollfd in = { 0, POLLIN, 0 };

	do {
		alphas = alpha(alphas);
		betas = beta(betas) - 1;
		gammas = gamma_(gammas) - 2;
	} while (!poll(&in, 1, 0));
}

FOLDED void obey(const char *program, const char *word, char *value)
{
	unsigned long n = strtoul(value, NULL, 10), i;

	if (!strcmp(word, "alpha")) {
		alpha_times(n);
		alphas += n;
	}
	for (i = 0; !strcmp(word, "beta") && i < n; i++)
		betas = beta(betas) - 1;
	for (i = 0; !strcmp(word, "gamma") && i < n; i++)
		gammas = gamma_(gammas) - 2;
	if (!strcmp(word, "spin"))
		spin();
	if (!strcmp(word, "worker"))
		in_worker(n);
	if (!strcmp(word, "fork") || !strcmp(word, "daemon"))
		by_fork(n, *word == 'd');
	if (!strcmp(word, "vfork"))
		by_vfork(n);
	if (!strcmp(word, "spawn"))
		by_spawn(program, value);
	if (!strcmp(word, "comm"))
		prctl(PR_SET_NAME, value);
	if (!strcmp(word, "uid") && setreuid(n, n))
		exit(1);
}

/* Reads one byte at a time, because poll() does not see data that stdio has already read. */
FOLDED int read_line(char *line, size_t len)
{
	size_t nr = 0;

	while (nr + 1 < len && read(0, &line[nr], 1) == 1 && line[nr] != '\n')
		nr++;
	line[nr] = 0;
	return nr > 0;
}

int main(int argc, char **argv)
{
	char line[64], word[32], value[32];

	if (victim_mode(&argc, &argv) != VICTIM_RUN) {
		fputs("live: how often depends on what it is told\n", stderr);
		return VICTIM_USAGE;
	}
	if (argc > 2 && !strcmp(argv[1], "child")) {
		alpha_times(strtoul(argv[2], NULL, 10));
		return 0;
	}
	printf("ready %d\n", getpid());
	printf("worker %lu\n", start_worker());
	fflush(stdout);
	while (read_line(line, sizeof(line))) {
		*value = 0;
		if (sscanf(line, "%31s %31s", word, value) > 0)
			obey(argv[0], word, value);
		puts("done");
		fflush(stdout);
	}
	printf("alpha %lu\nbeta %lu\ngamma_ %lu\n", alphas, betas, gammas);
	return 0;
}
