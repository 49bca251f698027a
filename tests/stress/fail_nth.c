// SPDX-License-Identifier: GPL-2.0
/*
 * fail_nth [EVERY]: sends every command of the netlink family with its first allocation failing,
 * then with its second, and so on, until none is left to fail. A refused command must have changed
 * nothing, a successful one must be complete, and at the end nothing may be left.
 *
 * EVERY: beyond the first few, only one of so many allocations fails (1).
 *
 * Needs FAULT_INJECTION and FAILSLAB (77: the kernel does not have them).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "genl.h"
#include "places.h"

#define SKIP 77
#define NAME "fail"
#define MAX_NTH 2000
#define FIRST 3	/* allocations of a command, each of which is made to fail */
#define SINKS (KTRACE_SINK_HIST | KTRACE_SINK_TREE | KTRACE_SINK_STREAM)

static int fd, own_file, fail_nth;
static pid_t target;
static struct message m;

/* --- the kernel's side ---------------------------------------------------- */

static void set(const char *path, const char *value)
{
	int file = open(path, O_WRONLY);

	if (file < 0)
		return;
	if (write(file, value, strlen(value)) < 0)
		fprintf(stderr, "%s does not take %s.\n", path, value);
	close(file);
}

/* Only allocations that may sleep fail; failures are not logged, because there are many. */
static void prepare_kernel(void)
{
	static const char *const kinds[] = { "failslab", "fail_page_alloc" };
	char path[64];
	int i;

	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/ignore-gfp-wait", kinds[i]);
		set(path, "N");
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/verbose", kinds[i]);
		set(path, "0");
	}
	set("/sys/kernel/debug/fail_page_alloc/min-order", "0");
}

static void arm(int nth)
{
	char text[16];

	if (pwrite(fail_nth, text, snprintf(text, sizeof(text), "%d", nth), 0) < 0)
		perror("/proc/self/fail-nth");
}

/* Returns true if an allocation failed since arm(). */
static bool disarm(void)
{
	char text[16] = "";
	ssize_t len = pread(fail_nth, text, sizeof(text) - 1, 0);

	arm(0);
	return len > 0 && atoi(text) == 0;
}

/* --- a session in each state ---------------------------------------------- */

static int send_it(void)
{
	return genl_call(fd, &m, NULL, NULL);
}

static void begin_on(uint8_t cmd, uint16_t flags)
{
	message_begin(&m, cmd, flags);
	message_put(&m, KTRACE_A_NAME, NAME, sizeof(NAME));
}

struct state {
	uint64_t id;
	uint32_t state, nr_used, nr_sites, nr_failed;
};

static void take_u32(const struct nlmsghdr *nlh, uint16_t type, uint32_t *value)
{
	const uint32_t *found = genl_find(nlh, type, sizeof(*found));

	if (found)
		*value = *found;
}

static void take_state(const struct nlmsghdr *nlh, void *arg)
{
	const uint64_t *id = genl_find(nlh, KTRACE_A_SESSION, sizeof(*id));
	struct state *state = arg;

	state->id = id ? *id : 0;
	take_u32(nlh, KTRACE_A_STATE, &state->state);
	take_u32(nlh, KTRACE_A_NR_USED, &state->nr_used);
	take_u32(nlh, KTRACE_A_NR_SITES, &state->nr_sites);
	take_u32(nlh, KTRACE_A_NR_FAILED, &state->nr_failed);
}

/* Returns zeros if there is no session. */
static struct state get_state(void)
{
	struct state state = { 0 };

	begin_on(KTRACE_CMD_SESSION_GET, 0);
	genl_call(fd, &m, take_state, &state);
	return state;
}

static struct state wait_until_done(void)
{
	struct timespec moment = { 0, 1000000 };
	struct state state;

	for (;;) {
		state = get_state();
		if (state.state != KTRACE_STATE_ATTACHING && state.state != KTRACE_STATE_CHANGING)
			return state;
		nanosleep(&moment, NULL);
	}
}

static uint64_t id_of_it(void)
{
	return get_state().id;
}

/* --- the commands --------------------------------------------------------- */

static void make_info(void)
{
	message_begin(&m, KTRACE_CMD_INFO, 0);
}

static void make_new(void)
{
	int32_t pids[] = { target };
	uint32_t uids[] = { 0 };
	struct nest nest;

	begin_on(KTRACE_CMD_SESSION_NEW, 0);
	message_put_u32(&m, KTRACE_A_PROVIDER, KTRACE_PROVIDER_USER);
	message_put_u32(&m, KTRACE_A_SINKS, SINKS);
	nest_begin(&nest, KTRACE_A_TARGET);
	nest_put_u32(&nest, KTRACE_TARGET_NR_FUNCS, NR_PLACES);
	nest_put_u32(&nest, KTRACE_TARGET_FD, own_file);
	message_put_nest(&m, &nest);
	nest_begin(&nest, KTRACE_A_WHO);
	nest_put(&nest, KTRACE_WHO_PIDS, pids, sizeof(pids));
	nest_put(&nest, KTRACE_WHO_TIDS, pids, sizeof(pids));
	nest_put(&nest, KTRACE_WHO_UIDS, uids, sizeof(uids));
	nest_put(&nest, KTRACE_WHO_COMM, "fail*", 6);
	nest_put(&nest, KTRACE_WHO_FOLLOW, NULL, 0);
	message_put_nest(&m, &nest);
	nest_begin(&nest, KTRACE_A_LIMIT);
	nest_put_u32(&nest, KTRACE_LIMIT_MAX_NODES, 64);
	nest_put_u32(&nest, KTRACE_LIMIT_SUBBUFS_PER_CPU, 4);
	message_put_nest(&m, &nest);
}

static void make_add(void)
{
	uint64_t id = id_of_it();
	uint8_t packed[4096];
	size_t len = 0;
	uint32_t i;

	for (i = 0; i < NR_PLACES - 1; i++) {
		places[i].func.func = i;
		memcpy(packed + len, &places[i], sizeof(places[i].func) +
		       places[i].func.nr_exits * sizeof(places[i].exits[0]));
		len += sizeof(places[i].func) + places[i].func.nr_exits * sizeof(places[i].exits[0]);
	}
	message_begin(&m, KTRACE_CMD_FUNC_ADD, 0);
	message_put_u64(&m, KTRACE_A_SESSION, id);
	message_put_u32(&m, KTRACE_A_FD, own_file);
	message_put_u32(&m, KTRACE_A_CALLER_FD, own_file);
	message_put(&m, KTRACE_A_FUNCS, packed, len);
}

static void put_change(void)
{
	int32_t pids[] = { target, getppid() };
	struct nest nest;

	nest_begin(&nest, KTRACE_A_WHO);
	nest_put(&nest, KTRACE_WHO_PIDS, pids, sizeof(pids));
	nest_put(&nest, KTRACE_WHO_TIDS, NULL, 0);
	nest_put(&nest, KTRACE_WHO_NOT_PIDS, pids + 1, sizeof(pids[1]));
	message_put_nest(&m, &nest);
	nest_begin(&nest, KTRACE_A_LIMIT);
	nest_put_u64(&nest, KTRACE_LIMIT_MIN_TIME, 100);
	message_put_nest(&m, &nest);
}

static void make_commit(void)
{
	begin_on(KTRACE_CMD_SESSION_COMMIT, 0);
}

static void make_commit_change(void)
{
	begin_on(KTRACE_CMD_SESSION_COMMIT, 0);
	put_change();
}

static void make_change(void)
{
	begin_on(KTRACE_CMD_SESSION_CHANGE, 0);
	put_change();
}

static void make_delete(void)
{
	uint32_t list[] = { 1, 3 };
	uint64_t id = id_of_it();

	message_begin(&m, KTRACE_CMD_FUNC_DEL, 0);
	message_put_u64(&m, KTRACE_A_SESSION, id);
	message_put(&m, KTRACE_A_FUNC_LIST, list, sizeof(list));
}

static void make_read(void)
{
	uint64_t id = id_of_it();

	message_begin(&m, KTRACE_CMD_STREAM_READ, NLM_F_DUMP);
	message_put_u64(&m, KTRACE_A_SESSION, id);
	message_put_u32(&m, KTRACE_A_CPU, 0);
	message_put_u64(&m, KTRACE_A_CURSOR, 0);
	message_put_u32(&m, KTRACE_A_FLAGS, KTRACE_READ_FLUSH);
}

#define DUMP_OF(name, command)						\
static void name(void)							\
{									\
	uint64_t id = id_of_it();					\
									\
	message_begin(&m, KTRACE_CMD_##command, NLM_F_DUMP);		\
	message_put_u64(&m, KTRACE_A_SESSION, id);			\
}
DUMP_OF(make_funcs, FUNC_GET)
DUMP_OF(make_tree, TREE_GET)
DUMP_OF(make_tables, TABLE_GET)
DUMP_OF(make_stacks, STACK_GET)

#define PLAIN(name, command)						\
static void name(void)							\
{									\
	begin_on(KTRACE_CMD_##command, 0);				\
}
PLAIN(make_get, SESSION_GET)
PLAIN(make_reset, SESSION_RESET)
PLAIN(make_pause, SESSION_PAUSE)
PLAIN(make_resume, SESSION_RESUME)
PLAIN(make_watch, SESSION_WATCH)
PLAIN(make_stop, SESSION_STOP)
PLAIN(make_end, SESSION_DEL)

static void make_reset_done(void)
{
	begin_on(KTRACE_CMD_SESSION_RESET, 0);
	message_put_u32(&m, KTRACE_A_FLAGS, KTRACE_RESET_DONE);
}

static void make_list(void)
{
	message_begin(&m, KTRACE_CMD_SESSION_GET, NLM_F_DUMP);
}

static void make_subscribe(void)
{
	message_begin(&m, KTRACE_CMD_SUBSCRIBE, 0);
}

/* The commands in order; each begins with the state that the first nr_before of them make. */
static const struct step {
	const char *name;
	void (*make)(void);
	int nr_before;
	bool reads;		/* changes nothing, and may be repeated */
} steps[] = {
	{ "SESSION_NEW", make_new, 0, false },
	{ "FUNC_ADD", make_add, 1, false },
	{ "SESSION_COMMIT", make_commit, 2, false },
	{ "SESSION_RESET", make_reset, 3, false },
	{ "SESSION_RESET done", make_reset_done, 4, false },
	{ "SESSION_PAUSE", make_pause, 3, false },
	{ "SESSION_RESUME", make_resume, 6, false },
	{ "SESSION_CHANGE", make_change, 3, false },
	{ "FUNC_DEL", make_delete, 3, false },
	{ "SESSION_COMMIT changed", make_commit_change, 9, false },
	{ "SESSION_WATCH", make_watch, 3, false },
	{ "SESSION_STOP", make_stop, 3, false },
	{ "SESSION_DEL", make_end, 3, false },
	{ "INFO", make_info, 0, true },
	{ "SUBSCRIBE", make_subscribe, 0, true },
	{ "SESSION_GET", make_get, 3, true },
	{ "SESSION_GET dump", make_list, 3, true },
	{ "FUNC_GET", make_funcs, 3, true },
	{ "TREE_GET", make_tree, 3, true },
	{ "TABLE_GET", make_tables, 3, true },
	{ "STACK_GET", make_stacks, 3, true },
	{ "STREAM_READ", make_read, 3, true },
};

#define NR_STEPS ((int)(sizeof(steps) / sizeof(steps[0])))

/* --- one after the other -------------------------------------------------- */

static void tear_down(void)
{
	struct timespec moment = { 0, 1000000 };

	begin_on(KTRACE_CMD_SESSION_DEL, 0);
	send_it();
	while (get_state().id)
		nanosleep(&moment, NULL);
}

/* Opens a new socket, so that nothing of an earlier attempt is left on it. */
static bool build(int nr)
{
	int i, error;

	tear_down();
	close(fd);
	fd = genl_open();
	for (i = 0; i < nr; i++) {
		steps[i].make();
		error = send_it();
		if (error) {
			printf("%s failed by itself: %s.\n", steps[i].name, strerror(-error));
			return false;
		}
		wait_until_done();
	}
	return true;
}

static bool is_refusal(int error)
{
	return error == -ENOMEM || error == -ENOBUFS;
}

/* Checks that a command which the module refused has changed nothing. */
static bool is_unchanged(const struct step *step, int nth, const struct state *before)
{
	struct state after = wait_until_done();

	if (!memcmp(&after, before, sizeof(after)))
		return true;
	printf("%s was refused at allocation %d, but changed the session: state %u, %u numbers, "
	       "%u sites, before: %u, %u, %u.\n", step->name, nth, after.state, after.nr_used,
	       after.nr_sites, before->state, before->nr_used, before->nr_sites);
	return false;
}

enum result { WRONG, WHOLE, DONE, REFUSED };	/* WHOLE: no allocation was left to fail */

static enum result attempt(const struct step *step, int nth)
{
	struct state before = get_state();
	bool has_failed;
	int error;

	step->make();
	arm(nth);
	error = send_it();
	has_failed = disarm();
	if (error && !(has_failed && is_refusal(error))) {
		printf("%s at allocation %d: %s.\n", step->name, nth, strerror(-error));
		return WRONG;
	}
	if (error == -ENOMEM)
		return is_unchanged(step, nth, &before) ? REFUSED : WRONG;
	/* ENOBUFS: the command may have succeeded, with the answer lost. */
	return has_failed ? DONE : WHOLE;
}

static bool try(const struct step *step, int every)
{
	enum result result = DONE;
	int nth, nr = 0, nr_refused = 0;

	for (nth = 1; result >= DONE && nth < MAX_NTH;
	     nth += nth < FIRST ? 1 : every) {
		/* A command that was refused, or only reads, has left the state as it was built. */
		if (result == DONE && !(step->reads && nth > 1) && !build(step->nr_before))
			return false;
		result = attempt(step, nth);
		nr += result >= DONE;
		nr_refused += result == REFUSED;
	}
	printf("  %-24s %3d allocations, %3d refused\n", step->name, nr, nr_refused);
	return result == WHOLE;
}

static pid_t start_target(void)
{
	struct timespec moment = { 0, 500000 };
	pid_t pid = fork();

	while (!pid) {
		places_call();
		nanosleep(&moment, NULL);
	}
	return pid;
}

int main(int argc, char **argv)
{
	int i, every = argc > 1 ? atoi(argv[1]) : 1;
	bool is_good = every > 0;

	fail_nth = open("/proc/self/fail-nth", O_RDWR);
	if (fail_nth < 0) {
		puts("this kernel has no fault injection");
		return SKIP;
	}
	prepare_kernel();
	places_init();
	setvbuf(stdout, NULL, _IOLBF, 0);
	target = start_target();
	own_file = open("/proc/self/exe", O_RDONLY);
	fd = genl_open();
	for (i = 0; i < NR_STEPS && every > 0; i++)
		is_good &= try(&steps[i], every);
	tear_down();
	kill(target, SIGKILL);
	waitpid(target, NULL, 0);
	return !is_good;
}
