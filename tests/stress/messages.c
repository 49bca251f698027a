// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "messages.h"
#include "places.h"
#include "../../include/uapi/ktrace_unwind.h"

#define DO(name, weight) { KTRACE_CMD_##name, false, weight, #name }
#define DUMP(name, weight) { KTRACE_CMD_##name, true, weight, #name " (dump)" }

const struct kind kinds[NR_KINDS] = {
	DO(INFO, 2), DO(SESSION_NEW, 6), DO(FUNC_ADD, 12), DO(SESSION_COMMIT, 10),
	DO(SESSION_GET, 6), DUMP(SESSION_GET, 2), DO(SESSION_DEL, 3), DO(SESSION_STOP, 1),
	DO(SESSION_RESET, 6), DUMP(FUNC_GET, 8), DUMP(TREE_GET, 8), DUMP(STREAM_READ, 14),
	DO(SUBSCRIBE, 2), DO(FUNC_DEL, 8), DO(SESSION_CHANGE, 8), DO(SESSION_PAUSE, 4),
	DO(SESSION_RESUME, 6), DO(SESSION_GATE, 8), DO(SESSION_WATCH, 3), DO(TASK_CONTINUE, 4),
	DUMP(STACK_GET, 4), DO(COSTS_SET, 2), DUMP(TABLE_GET, 8), DO(SESSION_ARM, 8),
	DO(UNWIND_ADD, 8),
};

const struct kind *kind_choose(struct random *random)
{
	uint32_t sum = 0, at;
	int i;

	for (i = 0; i < NR_KINDS; i++)
		sum += kinds[i].weight;
	at = random_below(random, sum);
	for (i = 0; at >= kinds[i].weight; i++)
		at -= kinds[i].weight;
	return &kinds[i];
}

static int32_t target_of(const struct maker *maker)
{
	return maker->known->targets[random_below(maker->random, NR_TARGETS)];
}

static void put_session(const struct maker *maker, int slot, struct message *m, bool may_name)
{
	char name[16];

	if (may_name && maker->known->slots[slot].is_named && random_one_in(maker->random, 2)) {
		message_put(m, KTRACE_A_NAME, name,
			    snprintf(name, sizeof(name), "fuzz%d", slot) + 1);
		return;
	}
	message_put_u64(m, KTRACE_A_SESSION, maker->known->slots[slot].id);
}

/* --- what a session is asked for ------------------------------------------ */

/* The nests of a message that makes or changes a session. */
struct wish {
	struct nest target, who, limit;
};

static void wish_begin(struct wish *wish)
{
	nest_begin(&wish->target, KTRACE_A_TARGET);
	nest_begin(&wish->who, KTRACE_A_WHO);
	nest_begin(&wish->limit, KTRACE_A_LIMIT);
}

static void put_wish(struct message *m, const struct wish *wish)
{
	message_put_nest(m, &wish->target);
	message_put_nest(m, &wish->who);
	message_put_nest(m, &wish->limit);
}

static void put_numbers(const struct maker *maker, struct nest *who, uint16_t type)
{
	int32_t pids[3];
	uint32_t nr = 1 + random_below(maker->random, 3), i;

	for (i = 0; i < nr; i++)
		pids[i] = target_of(maker);
	nest_put(who, type, pids, nr * sizeof(*pids));
}

static void put_conditions(const struct maker *maker, struct nest *who)
{
	static const uint32_t uids[] = { 0, 65534 };

	if (random_one_in(maker->random, 6))
		nest_put(who, KTRACE_WHO_TIDS, NULL, 0);
	else if (random_one_in(maker->random, 6))
		put_numbers(maker, who, KTRACE_WHO_TIDS);
	if (random_one_in(maker->random, 6))
		nest_put(who, KTRACE_WHO_UIDS, uids, sizeof(uids));
	if (random_one_in(maker->random, 6))
		nest_put(who, KTRACE_WHO_COMM, "genl*", 6);
	if (random_one_in(maker->random, 12))
		nest_put_u64(who, KTRACE_WHO_CGROUP, 0);
}

static void put_change(const struct maker *maker, int slot, struct message *m)
{
	bool is_count = maker->known->slots[slot].sinks & KTRACE_SINK_COUNT;
	struct random *random = maker->random;
	struct wish wish;

	wish_begin(&wish);
	if (random_one_in(random, 3))
		put_numbers(maker, &wish.who, KTRACE_WHO_PIDS);
	if (random_one_in(random, 8))
		put_numbers(maker, &wish.who, KTRACE_WHO_NOT_PIDS);
	put_conditions(maker, &wish.who);
	if (!is_count && random_one_in(random, 4))
		nest_put_u64(&wish.limit, KTRACE_LIMIT_MIN_TIME, random_below(random, 2000));
	if (!is_count && random_one_in(random, 4))
		nest_put_u32(&wish.limit, KTRACE_LIMIT_MAX_DEPTH, 1 + random_below(random, 8));
	put_wish(m, &wish);
}

/* --- a session ------------------------------------------------------------ */

/* The kind of a session: its provider, and what it keeps. */
struct sort {
	uint32_t provider, sinks, flags;
};

/* Returns the bit, or 0. */
static uint32_t maybe(struct random *random, uint32_t bit)
{
	return random_below(random, 2) * bit;
}

static uint32_t mostly(struct random *random, uint32_t bit)
{
	return random_one_in(random, 4) ? 0 : bit;
}

/* Puts attributes that any session may have. */
static void put_new(const struct maker *maker, int slot, struct message *m, const struct sort *sort,
		    struct wish *wish)
{
	struct random *random = maker->random;
	char name[16];

	wish_begin(wish);
	if (random_one_in(random, 2))
		message_put(m, KTRACE_A_NAME, name,
			    snprintf(name, sizeof(name), "fuzz%d", slot) + 1);
	message_put_u32(m, KTRACE_A_PROVIDER, sort->provider);
	message_put_u32(m, KTRACE_A_SINKS, sort->sinks);
	if (sort->flags || random_one_in(random, 2))
		message_put_u32(m, KTRACE_A_FLAGS, sort->flags);
	if (random_one_in(random, 2))
		put_numbers(maker, &wish->who, KTRACE_WHO_PIDS);
	if (random_one_in(random, 8))
		put_conditions(maker, &wish->who);
	if (random_one_in(random, 2))
		nest_put_u32(&wish->limit, KTRACE_LIMIT_MAX_NODES, 1 << random_below(random, 10));
	if (random_one_in(random, 8))
		nest_put_u32(&wish->limit, KTRACE_LIMIT_BUDGET, 1 << random_below(random, 22));
}

static void maybe_follow(struct random *random, struct wish *wish)
{
	if (random_one_in(random, 2))
		nest_put(&wish->who, KTRACE_WHO_FOLLOW, NULL, 0);
}

/* For providers that record only events which took long. */
static void maybe_min_time(struct random *random, const struct sort *sort, struct wish *wish)
{
	if ((sort->sinks & KTRACE_SINK_STREAM) && random_one_in(random, 2))
		nest_put_u64(&wish->limit, KTRACE_LIMIT_MIN_TIME, random_below(random, 100000));
}

#define OWN_KEYS(...)	(const uint32_t[]){ __VA_ARGS__ },	\
			sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t)

/* Mostly with keys that the provider has. Small tables are soon full. */
static void put_table(struct random *random, struct message *m, const uint32_t *own,
		      uint32_t nr_own)
{
	uint32_t keys[16] = {
		KTRACE_KEY_TID, KTRACE_KEY_PID, KTRACE_KEY_COMM, KTRACE_KEY_CPU, KTRACE_KEY_UID,
		KTRACE_KEY_CGROUP,
	};
	struct ktrace_table table = { .max_rows = random_below(random, 20) };
	uint32_t nr = 1 + random_below(random, KTRACE_TABLE_KEYS), nr_keys = 6, at, i;

	while (nr_own)
		keys[nr_keys++] = own[--nr_own];
	at = random_below(random, nr_keys);
	for (i = 0; i < nr; i++)
		table.keys[i] = keys[(at + i) % nr_keys];
	if (random_one_in(random, 16))
		table.keys[random_below(random, KTRACE_TABLE_KEYS)] = random_below(random, 20);
	if (random_one_in(random, 2))
		table.flags = KTRACE_TABLE_HISTOGRAM;
	if (random_one_in(random, 4))
		table.values = random_below(random, 1U << 10);
	message_put(m, KTRACE_A_TABLE, &table, sizeof(table));
}

/* All sessions with a trigger have these functions. */
static void maybe_trigger(struct random *random, const struct sort *sort, struct message *m)
{
	struct ktrace_trigger trigger = {
		.func = random_one_in(random, 2) ? KTRACE_TRIGGER_ANY : random_below(random, 2),
		.min_ns = random_below(random, 100000), .after_ns = random_below(random, 1000000),
	};

	if ((sort->sinks & KTRACE_SINK_STREAM) && !random_one_in(random, 4))
		message_put(m, KTRACE_A_TRIGGER, &trigger, sizeof(trigger));
}

/* Its functions exist from the start. */
static void make_syscalls(const struct maker *maker, int slot, struct message *m)
{
	struct random *random = maker->random;
	struct sort sort = {
		KTRACE_PROVIDER_SYSCALLS,
		KTRACE_SINK_HIST | maybe(random, KTRACE_SINK_TABLE) |
			maybe(random, KTRACE_SINK_STREAM),
		maybe(random, KTRACE_F_CPU_TIME) | maybe(random, KTRACE_F_PAGES) |
			mostly(random, KTRACE_F_GATE),
	};
	struct wish wish;

	if (sort.sinks & KTRACE_SINK_STREAM)
		sort.sinks |= maybe(random, KTRACE_SINK_STACKS);
	put_new(maker, slot, m, &sort, &wish);
	if (sort.sinks & KTRACE_SINK_TABLE)
		put_table(random, m, OWN_KEYS(KTRACE_KEY_SYSCALL, KTRACE_KEY_ERRNO));
	maybe_trigger(random, &sort, m);
	maybe_follow(random, &wish);
	maybe_min_time(random, &sort, &wish);
	put_wish(m, &wish);
}

/* The worker makes no null calls: the creation and the end of such a session are tested. */
static void make_sysenter(const struct maker *maker, int slot, struct message *m)
{
	static const struct sort sort = { KTRACE_PROVIDER_SYSENTER, KTRACE_SINK_HIST, 0 };
	struct wish wish;

	put_new(maker, slot, m, &sort, &wish);
	put_wish(m, &wish);
}

static void make_sched(const struct maker *maker, int slot, struct message *m)
{
	struct random *random = maker->random;
	struct sort sort = {
		KTRACE_PROVIDER_SCHED,
		KTRACE_SINK_HIST | maybe(random, KTRACE_SINK_TREE) |
			maybe(random, KTRACE_SINK_STREAM) | maybe(random, KTRACE_SINK_TABLE),
		mostly(random, KTRACE_F_GATE),
	};
	struct wish wish;

	if (sort.sinks & KTRACE_SINK_TREE) {
		sort.sinks |= KTRACE_SINK_STACKS;
		sort.flags |= maybe(random, KTRACE_F_UNWIND);
	}
	put_new(maker, slot, m, &sort, &wish);
	if (sort.sinks & KTRACE_SINK_TABLE)
		put_table(random, m, OWN_KEYS(KTRACE_KEY_PERIOD));
	maybe_follow(random, &wish);
	maybe_min_time(random, &sort, &wish);
	put_wish(m, &wish);
}

static void make_fault(const struct maker *maker, int slot, struct message *m)
{
	struct random *random = maker->random;
	struct sort sort = {
		KTRACE_PROVIDER_FAULT,
		KTRACE_SINK_HIST | maybe(random, KTRACE_SINK_STREAM) |
			maybe(random, KTRACE_SINK_TABLE),
		mostly(random, KTRACE_F_GATE),
	};
	struct wish wish;

	put_new(maker, slot, m, &sort, &wish);
	if (sort.sinks & KTRACE_SINK_TABLE)
		put_table(random, m, OWN_KEYS(KTRACE_KEY_FAULT));
	maybe_follow(random, &wish);
	maybe_min_time(random, &sort, &wish);
	put_wish(m, &wish);
}

static void make_profile(const struct maker *maker, int slot, struct message *m)
{
	struct random *random = maker->random;
	struct sort sort = {
		KTRACE_PROVIDER_PROFILE,
		KTRACE_SINK_HIST | maybe(random, KTRACE_SINK_TREE | KTRACE_SINK_STACKS) |
			maybe(random, KTRACE_SINK_STREAM | KTRACE_SINK_STACKS) |
			maybe(random, KTRACE_SINK_TABLE),
		mostly(random, KTRACE_F_GATE) |
			(random_one_in(random, 4) ? KTRACE_F_ONLY_USER : 0),
	};
	struct wish wish;

	if (sort.sinks & KTRACE_SINK_STACKS)
		sort.flags |= mostly(random, KTRACE_F_UNWIND);
	put_new(maker, slot, m, &sort, &wish);
	if (sort.sinks & KTRACE_SINK_TABLE)
		put_table(random, m, OWN_KEYS(KTRACE_KEY_MODE));
	if (random_one_in(random, 2))
		nest_put_u32(&wish.limit, KTRACE_LIMIT_FREQUENCY, 1 + random_below(random, 500));
	maybe_follow(random, &wish);
	put_wish(m, &wish);
}

static void put_disks(const struct maker *maker, struct nest *target)
{
	struct random *random = maker->random;
	uint32_t devs[KTRACE_BLOCK_DEVS], nr = random_below(random, KTRACE_BLOCK_DEVS), i;

	for (i = 0; i < nr; i++)
		devs[i] = random_below(random, 300) << 20 | random_below(random, 4);
	if (nr && random_one_in(random, 2))
		nest_put(target, KTRACE_TARGET_DEVS, devs, nr * sizeof(*devs));
	if (random_one_in(random, 8))
		nest_put(target, KTRACE_TARGET_FILES, &maker->own_file, sizeof(maker->own_file));
}

/* All disks, or some numbers that may be no disk. */
static void make_block(const struct maker *maker, int slot, struct message *m)
{
	struct random *random = maker->random;
	struct sort sort = {
		KTRACE_PROVIDER_BLOCK,
		KTRACE_SINK_HIST | maybe(random, KTRACE_SINK_TABLE) |
			maybe(random, KTRACE_SINK_STREAM),
		0,
	};
	struct wish wish;

	if (sort.sinks & KTRACE_SINK_STREAM)
		sort.sinks |= maybe(random, KTRACE_SINK_STACKS);
	put_new(maker, slot, m, &sort, &wish);
	if (sort.sinks & KTRACE_SINK_TABLE)
		put_table(random, m, OWN_KEYS(KTRACE_KEY_DEVICE, KTRACE_KEY_OPERATION,
					      KTRACE_KEY_STAGE, KTRACE_KEY_FILE));
	put_disks(maker, &wish.target);
	maybe_follow(random, &wish);
	maybe_min_time(random, &sort, &wish);
	put_wish(m, &wish);
}

/* Mostly refused, because it accepts no tasks. */
static void make_virtio(const struct maker *maker, int slot, struct message *m)
{
	static const struct sort sort = { KTRACE_PROVIDER_VIRTIO, KTRACE_SINK_HIST, 0 };
	uint32_t devs[2] = { random_below(maker->random, 4), random_below(maker->random, 4) };
	struct wish wish;

	put_new(maker, slot, m, &sort, &wish);
	if (random_one_in(maker->random, 2))
		nest_put(&wish.target, KTRACE_TARGET_DEVS, devs, sizeof(devs));
	if (!random_one_in(maker->random, 4))
		nest_begin(&wish.who, KTRACE_A_WHO);
	put_wish(m, &wish);
}

/* Rarely, because on old kernels each function takes long to probe. */
static void make_kernel(const struct maker *maker, int slot, struct message *m)
{
	static const struct sort sorts[] = {
		{ .sinks = KTRACE_SINK_COUNT },
		{ .sinks = KTRACE_SINK_HIST },
		{ .sinks = KTRACE_SINK_HIST | KTRACE_SINK_TREE },
		{ .sinks = KTRACE_SINK_HIST | KTRACE_SINK_TABLE },
		{ .sinks = KTRACE_SINK_TABLE },
		{ .sinks = KTRACE_SINK_TABLE | KTRACE_SINK_STREAM },
		{ .sinks = KTRACE_SINK_HIST | KTRACE_SINK_TREE, .flags = KTRACE_F_ERRORS },
		{ .sinks = KTRACE_SINK_HIST | KTRACE_SINK_TREE | KTRACE_SINK_STACKS },
		{ .sinks = KTRACE_SINK_HIST | KTRACE_SINK_STREAM },
		{ .sinks = KTRACE_SINK_HIST | KTRACE_SINK_STREAM | KTRACE_SINK_STACKS },
	};
	struct random *random = maker->random;
	struct sort sort = sorts[random_below(random, sizeof(sorts) / sizeof(*sorts))];
	struct wish wish;

	sort.provider = KTRACE_PROVIDER_KERNEL;
	put_new(maker, slot, m, &sort, &wish);
	if (sort.sinks & KTRACE_SINK_TABLE)
		put_table(random, m, OWN_KEYS(KTRACE_KEY_FUNCTION));
	nest_put_u32(&wish.target, KTRACE_TARGET_NR_FUNCS, 1 + random_below(random, 40));
	maybe_follow(random, &wish);
	if ((sort.sinks & KTRACE_SINK_HIST) && !(sort.flags & KTRACE_F_ERRORS) &&
	    random_one_in(random, 4))
		nest_put_u64(&wish.limit, KTRACE_LIMIT_MIN_TIME, random_below(random, 100000));
	put_wish(m, &wish);
}

static void make_user(const struct maker *maker, int slot, struct message *m)
{
	struct random *random = maker->random;
	struct sort sort = {
		KTRACE_PROVIDER_USER,
		maybe(random, KTRACE_SINK_HIST) | maybe(random, KTRACE_SINK_TREE) |
			maybe(random, KTRACE_SINK_STREAM),
		maybe(random, KTRACE_F_OVERWRITE) | maybe(random, KTRACE_F_RAW),
	};
	struct wish wish;

	if (sort.sinks & KTRACE_SINK_STREAM)
		sort.flags |= maybe(random, KTRACE_F_NO_ENTRIES);
	if (random_one_in(random, 8)) {
		sort.sinks = KTRACE_SINK_COUNT;
		sort.flags = 0;
	}
	put_new(maker, slot, m, &sort, &wish);
	maybe_trigger(random, &sort, m);
	maybe_follow(random, &wish);
	nest_put_u32(&wish.target, KTRACE_TARGET_NR_FUNCS, random_one_in(random, 64) ? 20000 :
		     NR_PLACES + random_below(random, 30));
	nest_put_u32(&wish.target, KTRACE_TARGET_FD, maker->own_file);
	if (!random_one_in(random, 16))
		nest_put_u32(&wish.limit, KTRACE_LIMIT_SUBBUFS_PER_CPU,
			     4 << random_below(random, 3));
	if (!(sort.sinks & KTRACE_SINK_COUNT) && random_one_in(random, 4))
		nest_put_u32(&wish.limit, KTRACE_LIMIT_MAX_DEPTH, 1 + random_below(random, 100));
	put_wish(m, &wish);
}

static void make_new(const struct maker *maker, int slot, struct message *m)
{
	static const struct {
		void (*make)(const struct maker *maker, int slot, struct message *m);
		uint32_t one_in;
	} others[] = {
		{ make_syscalls, 8 }, { make_sysenter, 32 }, { make_sched, 8 },
		{ make_block, 8 }, { make_fault, 16 }, { make_virtio, 32 }, { make_profile, 16 },
		{ make_kernel, 64 },
	};
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (random_one_in(maker->random, others[i].one_in))
			break;
	if (i < sizeof(others) / sizeof(*others))
		others[i].make(maker, slot, m);
	else
		make_user(maker, slot, m);
}

/* --- functions ------------------------------------------------------------ */

static void choose_values(struct random *random, struct ktrace_func *func)
{
	uint32_t i;

	for (i = 0; i < 3; i++)
		func->args[i] = random_below(random, KTRACE_VALUE_STRING + 1);
	func->result = random_below(random, KTRACE_VALUE_STRING + 1);
}

/* Exits are given only with a way to see returns that uses them. */
static void vary(const struct maker *maker, int slot, int place, struct ktrace_func *func)
{
	uint32_t sinks = maker->known->slots[slot].sinks;
	struct random *random = maker->random;

	if ((sinks & KTRACE_SINK_COUNT) || random_one_in(random, 8))
		func->ret = KTRACE_RETURN_NONE;
	else if (random_one_in(random, 8))
		func->ret = KTRACE_RETURN_URETPROBE + random_below(random, 3);
	if (place == PLACE_HOLD && random_one_in(random, 2)) {
		func->ret = KTRACE_RETURN_NONE;
		func->flags = KTRACE_FUNC_HOLD;
		return;
	}
	/* This way accepts nothing else, which is sometimes sent all the same. */
	if (func->ret == KTRACE_RETURN_SILENT && !random_one_in(random, 4))
		return;
	if ((sinks & KTRACE_SINK_STREAM) && random_one_in(random, 4))
		choose_values(random, func);
	if (func->ret != KTRACE_RETURN_NONE && random_one_in(random, 8))
		func->flags = 1U << random_below(random, 6);
	if (func->flags == KTRACE_FUNC_HOLD)
		func->flags = KTRACE_FUNC_CALLER;
}

/* Mostly a low number, so that many numbers occur again. */
static uint32_t choose_number(struct random *random, uint32_t nr_funcs)
{
	if (!nr_funcs)
		return 0;
	return random_below(random, nr_funcs > NR_PLACES && !random_one_in(random, 4) ?
			    NR_PLACES : nr_funcs);
}

/* Functions that are called, that take no probe, that do not exist; addresses of nothing. */
static void make_symbols(const struct maker *maker, int slot, struct message *m)
{
	static const char *const names[] = {
		"vfs_read", "ksys_read", "netlink_sendmsg", "schedule", "do_exit", "kprobe_int3_handler",
		"no_such_function", "nothing:at_all", "vfs_write",
	};
	struct random *random = maker->random;
	uint32_t nr = 1 + random_below(random, 3), i;
	uint8_t packed[256] = { 0 };
	struct ktrace_symbol symbol;
	const char *name;
	size_t len = 0;

	for (i = 0; i < nr; i++) {
		name = names[random_below(random, 9)];
		symbol = (struct ktrace_symbol){
			.func = choose_number(random, maker->known->slots[slot].nr_funcs),
			.len = strlen(name),
			.flags = (random_one_in(random, 4) ? KTRACE_FUNC_BELOW : 0) |
				 random_below(random, 2) * KTRACE_FUNC_TASK,
			.addr = random_one_in(random, 4) ? random_below(random, 1U << 31) : 0,
		};
		memcpy(packed + len, &symbol, sizeof(symbol));
		memcpy(packed + len + sizeof(symbol), name, symbol.len);
		len += sizeof(symbol) + (symbol.len + 7) / 8 * 8;
	}
	message_put(m, KTRACE_A_SYMBOLS, packed, len);
}

static void make_add(const struct maker *maker, int slot, struct message *m)
{
	static const uint8_t build_id[KTRACE_BUILD_ID_LEN] = { 1, 2, 3 };
	struct random *random = maker->random;
	uint32_t nr_funcs = maker->known->slots[slot].nr_funcs, i, nr, place;
	uint8_t packed[4096];
	struct place copy;
	size_t len = 0;

	nr = 1 + random_below(random, 6);
	for (i = 0; i < nr; i++) {
		/* Sometimes tasks are to be held. */
		place = i || random_one_in(random, 2) ? random_below(random, NR_PLACES) : PLACE_HOLD;
		copy = places[place];
		copy.func.func = choose_number(random, nr_funcs);
		vary(maker, slot, place, &copy.func);
		if (copy.func.ret != KTRACE_RETURN_SITES &&
		    copy.func.ret != KTRACE_RETURN_SILENT)
			copy.func.nr_exits = 0;
		memcpy(packed + len, &copy, sizeof(copy.func) +
		       copy.func.nr_exits * sizeof(copy.exits[0]));
		len += sizeof(copy.func) + copy.func.nr_exits * sizeof(copy.exits[0]);
	}
	message_put_u32(m, KTRACE_A_FD, maker->own_file);
	if (random_one_in(random, 4))
		message_put_u32(m, KTRACE_A_CALLER_FD, random_one_in(random, 2) ?
				maker->own_file : maker->other_file);
	if (random_one_in(random, 2))
		message_put(m, KTRACE_A_BUILD_ID, build_id, random_below(random, 21));
	message_put(m, KTRACE_A_FUNCS, packed, len);
}

static void make_delete(const struct maker *maker, int slot, struct message *m)
{
	uint32_t nr_funcs = maker->known->slots[slot].nr_funcs, list[3], i, nr;

	if (random_one_in(maker->random, 3))
		message_put_u32(m, KTRACE_A_FLAGS, random_below(maker->random, 2));
	nr = random_below(maker->random, 4);
	for (i = 0; i < nr; i++)
		list[i] = choose_number(maker->random, nr_funcs);
	message_put(m, KTRACE_A_FUNC_LIST, list, nr * sizeof(*list));
}

/* --- reading -------------------------------------------------------------- */

static void make_read(const struct maker *maker, struct message *m)
{
	static const uint64_t cursors[] = { 0, 1, 2, 3, 1000, 1ULL << 40 };
	struct random *random = maker->random;

	message_put_u32(m, KTRACE_A_CPU, random_below(random, 2));
	message_put_u64(m, KTRACE_A_CURSOR, cursors[random_below(random, 6)]);
	if (random_one_in(random, 2))
		message_put_u32(m, KTRACE_A_FLAGS, KTRACE_READ_FLUSH);
}

static void make_figures(const struct maker *maker, struct message *m)
{
	static const uint32_t flags[] = { 0, KTRACE_READ_PROBED, KTRACE_READ_BEFORE };

	if (random_one_in(maker->random, 2))
		message_put_u32(m, KTRACE_A_FLAGS, flags[random_below(maker->random, 3)]);
}

static void make_continue(const struct maker *maker, struct message *m)
{
	message_put_u64(m, KTRACE_A_SESSION, maker->known->held_in);
	message_put_u32(m, KTRACE_A_PID, maker->known->held_pid);
}

/* Sometimes invalid: none, or more than allowed. */
static void make_costs(const struct maker *maker, struct message *m)
{
	struct random *random = maker->random;
	struct ktrace_costs costs = {
		.entry = 1 << random_below(random, 16),
		.stepped = 1 << random_below(random, 16),
		.ret = random_below(random, 4000),
		.own_entry = 1 + random_below(random, 1000),
		.own_ret = 1 + random_below(random, 1000),
	};

	if (random_one_in(random, 8))
		costs.entry = 1ULL << (16 + random_below(random, 48));
	message_put(m, KTRACE_A_COSTS, &costs, sizeof(costs));
}

/* One session, or two, which may be the same. */
static void put_sessions(const struct maker *maker, int slot, struct message *m)
{
	struct random *random = maker->random;
	uint64_t ids[2] = {
		maker->known->slots[slot].id, maker->known->slots[random_below(random, NR_SLOTS)].id,
	};

	message_put(m, KTRACE_A_SESSIONS, ids, random_one_in(random, 4) ? sizeof(ids) : sizeof(*ids));
}

static void make_gate(const struct maker *maker, int slot, struct message *m)
{
	put_sessions(maker, slot, m);
	if (random_one_in(maker->random, 2))
		message_put_u32(m, KTRACE_A_FLAGS, KTRACE_GATE_CLOSE);
}

static void make_reset(const struct maker *maker, int slot, struct message *m)
{
	if (random_one_in(maker->random, 2))
		put_sessions(maker, slot, m);
	else
		put_session(maker, slot, m, true);
	if (random_one_in(maker->random, 2))
		message_put_u32(m, KTRACE_A_FLAGS, KTRACE_RESET_DONE);
}

/* --- all of them ---------------------------------------------------------- */

/* A table of one rule for the first page of a file, whole or in two parts, often damaged. */
static void make_unwind(const struct maker *maker, struct message *m)
{
	struct random *random = maker->random;
	struct {
		struct ktrace_unwind_head head;
		uint32_t pages[2];
		struct ktrace_unwind_rule rule;
		struct ktrace_unwind_row rows[2];
	} table = {
		{ KTRACE_UNWIND_VERSION, 0, 1, 1, 2, 0 }, { 0, 2 },
		{ .cfa = KTRACE_UNWIND_CFA_RSP + random_below(random, 8), .cfa_offset = 8 },
		{ { 0, 0 }, { 1 + random_below(random, 4096), 0 } },
	};
	uint32_t half = sizeof(table) / 2, at = random_one_in(random, 4) ? half : 0;

	if (random_one_in(random, 2))
		message_put_u32(m, KTRACE_A_FD, maker->own_file);
	if (random_one_in(random, 4)) {
		message_put_u32(m, KTRACE_A_UNWIND_LEN, 0);
		return;
	}
	message_put_u32(m, KTRACE_A_UNWIND_LEN, sizeof(table));
	message_put_u32(m, KTRACE_A_UNWIND_OFFSET, at);
	message_put(m, KTRACE_A_UNWIND_PART, (const char *)&table + at,
		    at || random_one_in(random, 2) ? half : sizeof(table));
}

static void make_of_session(const struct maker *maker, const struct kind *kind, int slot,
			    struct message *m)
{
	bool needs_number = kind->is_dump || kind->cmd == KTRACE_CMD_FUNC_ADD ||
			    kind->cmd == KTRACE_CMD_FUNC_DEL;

	put_session(maker, slot, m, !needs_number);
	switch (kind->cmd) {
	case KTRACE_CMD_FUNC_ADD:
		if (maker->known->slots[slot].provider == KTRACE_PROVIDER_KERNEL)
			make_symbols(maker, slot, m);
		else
			make_add(maker, slot, m);
		break;
	case KTRACE_CMD_FUNC_DEL:
		make_delete(maker, slot, m);
		break;
	case KTRACE_CMD_SESSION_COMMIT:
		if (!random_one_in(maker->random, 3))
			break;
		/* fall through */
	case KTRACE_CMD_SESSION_CHANGE:
		put_change(maker, slot, m);
		break;
	case KTRACE_CMD_FUNC_GET:
	case KTRACE_CMD_TREE_GET:
	case KTRACE_CMD_TABLE_GET:
		make_figures(maker, m);
		break;
	case KTRACE_CMD_STREAM_READ:
		make_read(maker, m);
		break;
	case KTRACE_CMD_UNWIND_ADD:
		make_unwind(maker, m);
		break;
	case KTRACE_CMD_STACK_GET:
		if (random_one_in(maker->random, 2))
			message_put_u64(m, KTRACE_A_CURSOR, random_below(maker->random, 100));
		break;
	}
}

void message_make(const struct maker *maker, const struct kind *kind, int slot,
		  struct message *m)
{
	message_begin(m, kind->cmd, kind->is_dump ? NLM_F_DUMP : 0);
	switch (kind->cmd) {
	case KTRACE_CMD_INFO:
	case KTRACE_CMD_SUBSCRIBE:
		break;
	case KTRACE_CMD_SESSION_NEW:
		make_new(maker, slot, m);
		break;
	case KTRACE_CMD_TASK_CONTINUE:
		make_continue(maker, m);
		break;
	case KTRACE_CMD_SESSION_GATE:
		make_gate(maker, slot, m);
		break;
	case KTRACE_CMD_SESSION_RESET:
		make_reset(maker, slot, m);
		break;
	case KTRACE_CMD_COSTS_SET:
		make_costs(maker, m);
		break;
	case KTRACE_CMD_SESSION_GET:
		if (!kind->is_dump)
			put_session(maker, slot, m, true);
		break;
	default:
		make_of_session(maker, kind, slot, m);
	}
}
