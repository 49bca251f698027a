// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system/cpus.h"
#include "system/null_call.h"
#include "uapi/ktrace.h"
#include "util/clock.h"

#define NR_WARM 1000
#define NR_CLOCK 101
#define CALIBRATION 5000000	/* minimum in ns */

/* Memory that the process shares with ktrace. */
struct null_shared {
	volatile int is_stopped;
	int error;		/* errno if the process could not be bound to its CPU */
	int is_refused;		/* a seccomp filter answers instead of the kernel */
	struct null_clock clock;
	volatile uint64_t nr_samples;
	uint64_t samples[];
};

/* --- the call --------------------------------------------------------------- */

#ifdef __x86_64__
static uint64_t cycles(void)
{
	uint32_t low, high;

	/* Instructions before it have finished, and instructions behind it have not begun. */
	__asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

/*
 * nfsservctl has a number and an entry in the kernel's table, but does nothing since Linux 3.1. Its
 * duration is that of kernel entry and exit. The vDSO does not implement it, and no library calls
 * it.
 */
static long null_call(uint64_t before, uint64_t after)
{
	long ret = SYS_nfsservctl;

	__asm__ volatile("syscall" : "+a"(ret)
			 : "D"(before), "S"(after), "d"(KTRACE_SYSENTER_MAGIC)
			 : "rcx", "r11", "memory");
	return ret;
}
#else
#error "State here how a system call is made, and how the module's clock is read."
#endif

/* --- the process -------------------------------------------------------------- */

static void call(struct null_shared *shared, uint32_t nr)
{
	uint64_t before, after = 0;

	while (nr-- && !shared->is_stopped) {
		before = cycles();
		null_call(before, after);
		after = cycles();
		shared->samples[shared->nr_samples++] = after - before;
	}
	/* Each call passes the end of the call before it; this one passes the end of the last. */
	null_call(0, after);
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static uint64_t clock_cost(void)
{
	uint64_t samples[NR_CLOCK], before;
	int i;

	for (i = 0; i < NR_CLOCK; i++) {
		before = cycles();
		samples[i] = cycles() - before;
	}
	qsort(samples, NR_CLOCK, sizeof(*samples), compare);
	return samples[NR_CLOCK / 2];
}

/* Touches the pages, and fills caches and branch predictors, before calls count. */
static void warm_up(struct null_shared *shared, const struct null_plan *plan)
{
	int i;

	memset(shared->samples, 0, plan->nr * sizeof(*shared->samples));
	for (i = 0; i < NR_WARM && !shared->is_stopped; i++)
		shared->is_refused |= null_call(0, 0) != -ENOSYS;
}

/* Waits until the interval is long enough to compare both clocks. */
static void calibrate(struct null_clock *clock, uint64_t ns, uint64_t since)
{
	uint64_t now;

	do
		now = clock_now_ns();
	while (now - ns < CALIBRATION);
	clock->cycles = cycles() - since;
	clock->ns = now - ns;
}

static void work(struct null_shared *shared, const struct null_plan *plan, int go)
{
	uint64_t ns, since;
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	shared->error = cpus_pin(plan->cpu);
	if (shared->error || read(go, &byte, 1) != 1)
		_exit(1);
	warm_up(shared, plan);
	shared->clock.cost = clock_cost();
	ns = clock_now_ns();
	since = cycles();
	call(shared, plan->nr);
	calibrate(&shared->clock, ns, since);
	_exit(0);
}

/* --- the parent ----------------------------------------------------------------- */

static int fail(struct null_calls *calls, struct err *err)
{
	err_set(err, "The process that makes the calls cannot be started: %s; try fewer --calls.",
		strerror(errno));
	if (calls->shared)
		munmap(calls->shared, calls->len);
	calls->shared = NULL;
	return -1;
}

int null_calls_fork(struct null_calls *calls, const struct null_plan *plan, struct err *err)
{
	int go[2];

	memset(calls, 0, sizeof(*calls));
	calls->len = sizeof(*calls->shared) + plan->nr * sizeof(uint64_t);
	calls->shared = mmap(NULL, calls->len, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (calls->shared == MAP_FAILED)
		calls->shared = NULL;
	if (!calls->shared || pipe2(go, O_CLOEXEC))
		return fail(calls, err);
	calls->pid = fork();
	if (!calls->pid) {
		close(go[1]);
		work(calls->shared, plan, go[0]);
	}
	close(go[0]);
	calls->go = go[1];
	if (calls->pid > 0)
		return 0;
	close(go[1]);
	return fail(calls, err);
}

void null_calls_go(struct null_calls *calls)
{
	/* The process may be gone already; null_calls_check() reports it. */
	if (write(calls->go, "g", 1) != 1)
		null_calls_stop(calls);
}

void null_calls_stop(struct null_calls *calls)
{
	calls->shared->is_stopped = 1;
}

bool null_calls_are_over(struct null_calls *calls)
{
	if (calls->pid > 0 && waitpid(calls->pid, &calls->status, WNOHANG) != 0)
		calls->pid = 0;
	return !calls->pid;
}

int null_calls_check(const struct null_calls *calls, const struct null_plan *plan,
		     struct err *err)
{
	if (calls->shared->error)
		return cpus_explain(plan->cpu, calls->shared->error, err);
	if (calls->shared->is_refused || (WIFSIGNALED(calls->status) && WTERMSIG(calls->status) == SIGSYS))
		return err_set(err, "A seccomp filter answers the null call (nfsservctl) instead of the kernel; try outside this container or service.");
	if (WIFSIGNALED(calls->status))
		return err_set(err, "The process that makes the calls was ended by signal %d (%s); try again.",
			       WTERMSIG(calls->status), strsignal(WTERMSIG(calls->status)));
	return 0;
}

const uint64_t *null_calls_samples(const struct null_calls *calls, size_t *nr)
{
	struct null_shared *shared = calls->shared;

	*nr = shared->nr_samples;
	qsort(shared->samples, *nr, sizeof(*shared->samples), compare);
	return shared->samples;
}

struct null_clock null_calls_clock(const struct null_calls *calls)
{
	return calls->shared->clock;
}

void null_calls_free(struct null_calls *calls)
{
	if (!calls->shared)
		return;
	close(calls->go);
	if (calls->pid > 0) {
		kill(calls->pid, SIGKILL);
		waitpid(calls->pid, NULL, 0);
	}
	munmap(calls->shared, calls->len);
	calls->shared = NULL;
}
