// SPDX-License-Identifier: GPL-2.0
/*
 * Traces three functions of a child process: one begins with an instruction that the kernel
 * emulates, one begins with an instruction that the kernel single-steps, and a loop calls both.
 * The self time of a traced function that does nothing is the cost of one hit, measured from one
 * reading of the clock to the next. The session's counters have the module's part of this cost.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/client.h"
#include "session/costs.h"
#include "session/session.h"
#include "session/wait.h"
#include "system/maps.h"
#include "util/signals.h"

#define ROUNDS 5
#define CALLS 300	/* calls of each function in a round */

#ifdef __x86_64__
/* The first and the last instruction of each function have labels: the probes are placed there. */
__asm__(".pushsection .text\n"
	".globl costs_emulated, costs_emulated_ret, costs_stepped, costs_stepped_ret\n"
	".globl costs_loop, costs_loop_ret\n"
	"costs_emulated:\n"
	"	push %rbp\n"
	"	pop %rbp\n"
	"costs_emulated_ret:\n"
	"	ret\n"
	"costs_stepped:\n"
	"	sub $8, %rsp\n"
	"	add $8, %rsp\n"
	"costs_stepped_ret:\n"
	"	ret\n"
	"costs_loop:\n"
	"	push %rbx\n"
	"	push %rbp\n"
	"	sub $8, %rsp\n"
	"	mov %rdi, %rbx\n"
	"	mov %esi, %ebp\n"
	"1:	call *%rbx\n"
	"	dec %ebp\n"
	"	jne 1b\n"
	"	add $8, %rsp\n"
	"	pop %rbp\n"
	"	pop %rbx\n"
	"costs_loop_ret:\n"
	"	ret\n"
	".popsection\n");
#else
#error "State here which instructions this machine's kernel emulates at a probe, and which it steps."
#endif

extern const char costs_emulated[], costs_emulated_ret[], costs_stepped[], costs_stepped_ret[];
extern const char costs_loop_ret[];
void costs_loop(const char *function, uint32_t nr);

enum { EMULATED, STEPPED, LOOP, NR_FUNCS };

struct child {
	pid_t pid;
	int to, from;	/* pipes: a byte written to "to" orders a round, a byte in "from" ends it */
};

/* The counts of one moment. */
struct figures {
	uint64_t calls[NR_FUNCS], self[NR_FUNCS];
	struct ktrace_counters counters;
};

/* --- the child ------------------------------------------------------------------ */

static void work(int orders, int answers)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(orders, &byte, 1) == 1) {
		costs_loop(costs_emulated, CALLS);
		costs_loop(costs_stepped, CALLS);
		if (write(answers, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

static int start(struct child *child)
{
	int orders[2], answers[2];

	child->pid = child->to = child->from = -1;
	if (pipe2(orders, O_CLOEXEC))
		return -1;
	if (pipe2(answers, O_CLOEXEC)) {
		close(orders[0]);
		close(orders[1]);
		return -1;
	}
	child->pid = fork();
	if (!child->pid) {
		close(orders[1]);
		close(answers[0]);
		work(orders[0], answers[1]);
	}
	close(orders[0]);
	close(answers[1]);
	child->to = orders[1];
	child->from = answers[0];
	return child->pid > 0 ? 0 : -1;
}

static void end(struct child *child)
{
	close(child->to);
	close(child->from);
	if (child->pid <= 0)
		return;
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
}

/* The child answers every order, unless a signal kills it; read() then returns 0. */
static int do_round(const struct child *child)
{
	char byte = 0;

	return write(child->to, &byte, 1) == 1 && read(child->from, &byte, 1) == 1 ? 0 : -1;
}

/* --- the session ------------------------------------------------------------------ */

static uint64_t offset_of(const struct maps *own, const void *code)
{
	uint64_t addr = (uintptr_t)code;
	const struct mapping *mapping = maps_find(own, addr);

	return mapping ? addr - mapping->start + mapping->offset : 0;
}

struct packed {
	struct ktrace_func func;
	struct ktrace_exit exit;
};

static void pack(struct packed *packed, const struct maps *own, uint32_t nr, const void *first,
		 const void *ret)
{
	packed[nr] = (struct packed){
		.func = {
			.func = nr,
			.nr_exits = 1,
			.ret = KTRACE_RETURN_SITES,
			.entry = offset_of(own, first),
			.start = offset_of(own, first),
			.end = offset_of(own, ret) + 1,
			.traits = nr == STEPPED ? KTRACE_TRAIT_STEPPED : 0,
		},
		.exit = {
			.offset = offset_of(own, ret), .kind = KTRACE_EXIT_RET, .len = 1,
			.base = KTRACE_REG_NONE, .index = KTRACE_REG_NONE,
		},
	};
}

static int wait_active(struct ktr *ktr, uint64_t id)
{
	struct ktr_session session;
	int error;

	for (;;) {
		error = ktr_session_get(ktr, id, &session);
		if (error || session.state == KTRACE_STATE_ACTIVE)
			return error;
		if (session.state != KTRACE_STATE_ATTACHING || signals_nr_ends)
			return -ECANCELED;
		session_wait(ktr);
	}
}

static int attach(struct ktr *ktr, int fd, int32_t pid, uint64_t *id)
{
	struct ktr_new new = {
		.provider = KTRACE_PROVIDER_USER,
		.sinks = KTRACE_SINK_HIST | KTRACE_SINK_TREE, .flags = KTRACE_F_RAW,
		.nr_funcs = NR_FUNCS, .fd = fd, .pids = &pid, .nr_pids = 1,
	};
	struct packed packed[NR_FUNCS];
	struct maps own;
	struct ktr_funcs funcs = {
		.fd = fd, .caller_fd = -1, .funcs = packed, .len = sizeof(packed),
	};
	uint64_t cookie;
	int error = ktr_session_new(ktr, &new, id, &cookie);

	if (error)
		return error;
	maps_read(&own, getpid());
	pack(packed, &own, EMULATED, costs_emulated, costs_emulated_ret);
	pack(packed, &own, STEPPED, costs_stepped, costs_stepped_ret);
	pack(packed, &own, LOOP, (const void *)costs_loop, costs_loop_ret);
	maps_free(&own);
	error = ktr_func_add(ktr, *id, &funcs);
	if (!error)
		error = ktr_session_commit(ktr, *id);
	if (!error)
		error = wait_active(ktr, *id);
	if (error)
		session_delete(ktr, *id);
	return error;
}

/* --- figures ------------------------------------------------------------------------ */

static void take_row(void *arg, const struct ktr_row *row)
{
	uint64_t func = ktr_row_key(row, KTRACE_KEY_FUNCTION);
	struct figures *figures = arg;

	if (row->is_head || func >= NR_FUNCS)
		return;
	figures->calls[func] = ktr_row_figure(row, KTRACE_FIGURE_CALLS);
	figures->self[func] = ktr_row_figure(row, KTRACE_FIGURE_SELF);
}

static int look(struct ktr *ktr, uint64_t id, struct figures *figures)
{
	struct ktr_session session;
	int error;

	memset(figures, 0, sizeof(*figures));
	error = ktr_session_get(ktr, id, &session);
	if (!error)
		error = ktr_row_each(ktr, id, 0, take_row, figures);
	figures->counters = session.counters;
	return error;
}

/* Returns the kernel's part of a hit, without the module's own; at least 1: 0 means unknown. */
static uint64_t rest_of(uint64_t hit, uint64_t own)
{
	return hit > own ? hit - own : 1;
}

static void keep_least(__u64 *least, uint64_t value)
{
	if (!*least || value < *least)
		*least = value;
}

/*
 * Takes the costs of whole hits from one round; the caller subtracts the module's part later.
 * Returns false if the figures of the round are incomplete.
 */
static bool take_round(struct ktrace_costs *least, const struct figures *before,
		       const struct figures *now)
{
	const struct ktrace_counters *a = &before->counters, *b = &now->counters;
	uint64_t nr_rets = b->ret_cnt - a->ret_cnt, rets = b->ret_ns - a->ret_ns;
	uint64_t nr_entries = b->run_cnt - a->run_cnt - nr_rets;
	uint64_t entries = b->run_ns - a->run_ns - rets;

	if (now->calls[EMULATED] - before->calls[EMULATED] != CALLS ||
	    now->calls[STEPPED] - before->calls[STEPPED] != CALLS || !nr_rets || !nr_entries)
		return false;
	keep_least(&least->entry, (now->self[EMULATED] - before->self[EMULATED]) / CALLS);
	keep_least(&least->stepped, (now->self[STEPPED] - before->self[STEPPED]) / CALLS);
	keep_least(&least->ret, (now->self[LOOP] - before->self[LOOP]) / (2 * CALLS));
	keep_least(&least->own_entry, entries / nr_entries);
	keep_least(&least->own_ret, rets / nr_rets);
	return true;
}

static bool measure(struct ktr *ktr, uint64_t id, const struct child *child,
		    struct ktrace_costs *costs)
{
	struct figures before, now;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		if (look(ktr, id, &before) || do_round(child) || look(ktr, id, &now) ||
		    !take_round(costs, &before, &now))
			return false;
	}
	costs->entry = rest_of(costs->entry, costs->own_entry);
	costs->stepped = rest_of(costs->stepped, costs->own_entry);
	costs->ret = rest_of(costs->ret, costs->own_ret);
	return true;
}

static bool measure_in_session(struct ktr *ktr, int fd, const struct child *child,
			       struct ktrace_costs *costs)
{
	uint64_t id;
	bool is_good;

	if (attach(ktr, fd, child->pid, &id))
		return false;
	is_good = measure(ktr, id, child, costs);
	session_delete(ktr, id);
	return is_good;
}

bool costs_measure(struct ktr *ktr)
{
	struct ktrace_costs costs = { 0 };
	struct ktr_info info;
	struct child child;
	bool is_good = false;
	int fd;

	if (ktr_info(ktr, &info))
		return false;
	if (info.costs.entry)
		return true;
	fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ktr_notice_fd(ktr);
	if (!start(&child))
		is_good = measure_in_session(ktr, fd, &child, &costs);
	end(&child);
	close(fd);
	return is_good && !ktr_costs_set(ktr, &costs);
}

uint64_t costs_of_call(const struct ktrace_costs *costs)
{
	return costs->entry + costs->own_entry + costs->ret + costs->own_ret;
}

bool costs_are_whole(const struct ktrace_costs *costs, const struct ktr_session *session)
{
	return costs->entry && session->provider == KTRACE_PROVIDER_USER;
}

double costs_of(const struct ktrace_costs *costs, const struct ktr_session *session)
{
	const struct ktrace_counters *c = &session->counters;

	if (costs_are_whole(costs, session))
		return c->cost_ns;
	return c->run_cnt ? (double)c->hits * c->run_ns / c->run_cnt : 0;
}

double costs_share(const struct ktrace_costs *costs, const struct ktr_session *before,
		   const struct ktr_session *now)
{
	uint64_t from = before ? before->now.monotonic : now->start.monotonic;
	double cost = costs_of(costs, now) - (before ? costs_of(costs, before) : 0);

	/* The rest that is not sampled yet is estimated, and may turn out smaller. */
	return cost > 0 && now->now.monotonic > from ? cost * 100 / (now->now.monotonic - from) : 0;
}
