// SPDX-License-Identifier: GPL-2.0
/*
 * genl_fuzz [MESSAGES [SEED [WORKERS]]]: sends random and mutated messages to every command of the
 * netlink family, while programs hit the probes.
 *
 * Each worker is a process with sockets of its own; all workers share the sessions. With one worker
 * (the third argument) a seed determines every message, as long as earlier answers are the same.
 * The programs that hit probes are this program, with --target.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz_worker.h"
#include "places.h"

#define MAX_WORKERS 8
/* TASK_CONTINUE is often answered by another worker first: 77 to 114 of 100000 succeeded. */
#define MIN_PART 5000	/* each kind must succeed in one of so many messages, */
#define LONG_RUN 10000	/* in a run of so many: no task is held at the start */
#define TARGET_US 300	/* between two rounds of a target */

/* Memory that all processes share. */
struct common {
	struct known known;
	struct tally tallies[MAX_WORKERS];
};

static struct common *common;
static pid_t workers[MAX_WORKERS];
static int nr_workers = 2;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void nap(long us)
{
	struct timespec t = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&t, NULL);
}

/* --- targets -------------------------------------------------------------- */

static int be_target(void)
{
	unsigned int round;
	pid_t child;

	for (round = 0;; round++) {
		places_call();
		nap(TARGET_US);
		if (round % 64)
			continue;
		child = fork();
		if (!child) {
			places_call();
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
}

/* The child is killed when the first process ends. */
static pid_t fork_mine(void)
{
	pid_t pid = fork();

	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

/* Some targets die of a valid command, for example of a probe in the middle of an instruction. */
static void start_target(int nr)
{
	pid_t pid = fork_mine();

	if (!pid) {
		execl("/proc/self/exe", "genl_fuzz", "--target", NULL);
		_exit(1);
	}
	common->known.targets[nr] = pid;
}

static bool take_target(pid_t pid)
{
	int i;

	for (i = 0; i < NR_TARGETS; i++)
		if (common->known.targets[i] == pid) {
			start_target(i);
			return true;
		}
	return false;
}

/* --- workers -------------------------------------------------------------- */

static void start_worker(int nr, uint64_t seed, uint64_t nr_messages)
{
	char template[] = "/tmp/genl_fuzz.XXXXXX";
	struct maker files;

	workers[nr] = fork_mine();
	if (workers[nr])
		return;
	files.own_file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	files.other_file = mkstemp(template);
	unlink(template);
	if (!fuzz_work(&common->known, &common->tallies[nr], seed + nr, nr_messages, &files)) {
		fflush(stdout);
		_exit(1);
	}
	_exit(0);
}

/* Runs until all workers have ended; targets that end meanwhile are started again. */
static bool run(void)
{
	int nr_left = nr_workers, status, i, next_kill = 0;
	bool is_good = true, is_target;
	pid_t pid;

	while (nr_left) {
		pid = waitpid(-1, &status, WNOHANG);
		if (pid <= 0) {
			nap(20000);
			if (++next_kill % 25 == 0)
				kill(common->known.targets[next_kill / 25 % NR_TARGETS], SIGKILL);
			continue;
		}
		is_target = take_target(pid);
		for (i = 0; !is_target && i < nr_workers; i++)
			nr_left -= workers[i] == pid;
		if (!is_target && status) {
			printf("A worker ended with status %d.\n", status);
			is_good = false;
		}
	}
	return is_good;
}

/* --- the end -------------------------------------------------------------- */

static void delete_it(const struct nlmsghdr *nlh, void *arg)
{
	const uint64_t *id = genl_find(nlh, KTRACE_A_SESSION, sizeof(*id));

	if (id)
		*(uint64_t *)arg = *id;
}

static void take_memory(const struct nlmsghdr *nlh, void *arg)
{
	const uint64_t *memory = genl_find(nlh, KTRACE_A_MEM, sizeof(*memory));

	if (memory)
		*(uint64_t *)arg = *memory;
}

/* Returns the number of an existing session, or 0. */
static uint64_t any_session(int fd)
{
	static struct message m;
	uint64_t id = 0;

	message_begin(&m, KTRACE_CMD_SESSION_GET, NLM_F_DUMP);
	genl_call(fd, &m, delete_it, &id);
	return id;
}

/* Deletes all sessions, and checks that the module has got back its memory. */
static bool is_clean(void)
{
	static struct message m;
	uint64_t id = 0, memory = 1;
	double end = now() + 600;
	int fd = genl_open();

	while (memory && now() < end) {
		while ((id = any_session(fd)) && now() < end) {
			message_begin(&m, KTRACE_CMD_SESSION_DEL, 0);
			message_put_u64(&m, KTRACE_A_SESSION, id);
			genl_call(fd, &m, NULL, NULL);
			nap(5000);
		}
		message_begin(&m, KTRACE_CMD_INFO, 0);
		genl_call(fd, &m, take_memory, &memory);
		nap(5000);
	}
	if (id || memory)
		printf("Session %llu and %llu bytes of memory are left.\n",
		       (unsigned long long)id, (unsigned long long)memory);
	close(fd);
	return !id && !memory;
}

static bool report(uint64_t seed, double seconds)
{
	static struct tally sum;
	const uint64_t *from;
	uint64_t *to = (uint64_t *)&sum;
	size_t i;
	int nr;

	for (nr = 0; nr < nr_workers; nr++) {
		from = (const uint64_t *)&common->tallies[nr];
		for (i = 0; i < sizeof(sum) / sizeof(*to); i++)
			to[i] += from[i];
	}
	printf("seed %llu, %d workers, %.1f s, %.0f messages a second\n",
	       (unsigned long long)seed, nr_workers, seconds, sum.sent / seconds);
	return tally_print(&sum, sum.sent < LONG_RUN ? 0 : sum.sent / MIN_PART);
}

static bool fuzz(uint64_t nr_messages, uint64_t seed)
{
	double start = now();
	bool is_good;
	int i;

	/* Targets begin before the workers: they are children that never talked to the module. */
	for (i = 0; i < NR_TARGETS; i++)
		start_target(i);
	for (i = 0; i < nr_workers; i++)
		start_worker(i, seed, nr_messages / nr_workers);
	is_good = run();
	for (i = 0; i < NR_TARGETS; i++)
		kill(common->known.targets[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	is_good &= report(seed, now() - start);
	return is_clean() && is_good;
}

int main(int argc, char **argv)
{
	uint64_t nr_messages = argc > 1 ? strtoull(argv[1], NULL, 0) : 100000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL);

	places_init();
	if (argc > 1 && !strcmp(argv[1], "--target"))
		return be_target();
	if (argc > 3)
		nr_workers = atoi(argv[3]);
	common = mmap(NULL, sizeof(*common), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (common == MAP_FAILED || nr_workers < 1 || nr_workers > MAX_WORKERS) {
		fputs("usage: genl_fuzz [MESSAGES [SEED [WORKERS, 1 to 8]]]\n", stderr);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	return !fuzz(nr_messages, seed);
}
