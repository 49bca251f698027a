/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_PROVIDER_H
#define KT_PROVIDER_H

#include <linux/types.h>

#include <uapi/ktrace.h>

struct kt_peers;
struct kt_session;
struct kt_staged;

/* What tables of a provider show: the one by function, and the one that TABLE asks for. */
struct kt_columns {
	u32 keys;		/* 1 << KTRACE_KEY_*: that TABLE may ask for */
	u64 values;		/* 1 << KTRACE_FIGURE_* */
	u32 self_sinks;		/* KTRACE_FIGURE_SELF needs one of these ... */
	u32 self_flags;		/* ... or of these; both 0: it needs none */
	u8 own[KTRACE_TABLE_KEYS];	/* KTRACE_KEY_*: what the number of a function is */
	/*
	 * These, of a number; NULL: it is the number. Returns what its driver calls it, as long as
	 * the session, or NULL. Process context.
	 */
	const char *(*own_of)(const struct kt_session *session, u32 func, u64 *keys);
};

/* Keys of a task, which any event has that counts for one. */
#define KT_KEYS_OF_TASKS (1U << KTRACE_KEY_TID | 1U << KTRACE_KEY_PID | 1U << KTRACE_KEY_COMM | \
			  1U << KTRACE_KEY_CPU | 1U << KTRACE_KEY_UID | 1U << KTRACE_KEY_CGROUP)

#define KT_FIGURES_OF_CALLS (1ULL << KTRACE_FIGURE_CALLS | 1ULL << KTRACE_FIGURE_TOTAL | \
			     1ULL << KTRACE_FIGURE_MIN | 1ULL << KTRACE_FIGURE_MAX)
#define KT_FIGURES_OF_PAGES (1ULL << KTRACE_FIGURE_PAGE_HITS | \
			     1ULL << KTRACE_FIGURE_PAGE_MISSES | \
			     1ULL << KTRACE_FIGURE_PAGES_AHEAD | \
			     1ULL << KTRACE_FIGURE_PAGES_DIRTIED)
/* That rows of any table with keys of tasks have. */
#define KT_FIGURES_OF_ROWS (1ULL << KTRACE_FIGURE_LAST | 1ULL << KTRACE_FIGURE_COMM)

static inline u64 kt_columns_values(const struct kt_columns *columns, u32 sinks, u32 flags)
{
	u64 values = columns->values;

	if ((columns->self_sinks | columns->self_flags) && !(sinks & columns->self_sinks) &&
	    !(flags & columns->self_flags))
		values &= ~(1ULL << KTRACE_FIGURE_SELF);
	return flags & KTRACE_F_PAGES ? values : values & ~KT_FIGURES_OF_PAGES;
}

/* Of the table that TABLE asks for. */
static inline u64 kt_columns_row_values(const struct kt_columns *columns, u32 sinks, u32 flags)
{
	return kt_columns_values(columns, sinks, flags) | KT_FIGURES_OF_ROWS;
}

/* Where the events of a session come from. A member that is 0 or NULL: it has no such thing. */
struct kt_provider {
	/* What a command may ask of it. */
	u32 number;		/* enum ktrace_provider */
	u32 sinks;		/* KTRACE_SINK_* that a session may have ... */
	u32 flags;		/* ... and KTRACE_F_* */
	u32 min_time_with;	/* one of these sinks must be there for a MIN_TIME ... */
	u32 max_depth_with;	/* ... for a MAX_DEPTH ... */
	u32 frames_with;	/* ... and for KTRACE_SINK_STACKS */
	u32 nr_funcs;		/* 0: the session's creator says how many */
	bool has_file;		/* its functions are places in it, told of in batches */
	bool has_limits;	/* MIN_TIME and MAX_DEPTH can change while it runs */
	bool has_budget;	/* what its hits cost is known, and can be limited */
	bool has_devs;		/* devices may be chosen ... */
	bool has_files;		/* ... or files */
	bool has_no_task;	/* tasks cannot be chosen */
	bool has_follow;	/* children can be traced, too ... */
	bool has_on_exec;	/* ... or tasks from their exec on */
	bool needs_pids;
	/* What the rest of these cannot say. Any context; or NULL. */
	bool (*are_sinks_good)(u32 sinks, u32 flags);

	/* While the module is loaded, before the first session, and behind the last; or NULL. */
	void (*init)(void);
	void (*exit)(void);

	/* What its events are. */
	bool is_on_kernel_stack;	/* calls of the kernel: results are the kernel's, too */
	bool keeps_max;			/* of each node */
	const struct kt_columns *columns;
	/* Calls that were lost before they reached it. Process context. */
	u64 (*missed)(struct kt_session *session);

	/*
	 * Functions of a session before its first commit, packed struct ktrace_symbol. Under
	 * kt_control; 0, -EINVAL, -EEXIST (a number is taken), -ENOMEM.
	 */
	int (*add)(struct kt_session *session, const void *data, size_t len);
	/*
	 * From the session's work alone, process context, sleep long; of a session that has probes
	 * of its own. stage: what was committed, before they are planted or, in a pause, not.
	 * attach and detach: see kt_provider_attach().
	 */
	int (*stage)(struct kt_session *session, struct kt_staged *staged);
	int (*attach)(struct kt_session *session);
	void (*detach)(struct kt_session *session);
	struct kt_peers *peers;	/* in place of these: sessions that its probes serve together */
	/*
	 * A reset: what has not ended yet counts as far as it went. Process context, sleep,
	 * whether attached or not.
	 */
	void (*cut)(struct kt_session *session);
	/* Of a session that goes, which may never have been attached. */
	void (*put)(struct kt_session *session);
};

/* By enum ktrace_provider. Returns NULL if there is no such provider. Any context. */
const struct kt_provider *kt_provider_of(u32 number);

void kt_providers_init(void);
void kt_providers_exit(void);

/*
 * Its events reach the session from the one on, and no more from the other on, after
 * which no hit runs; again and again. Process context, sleep; the session's work
 * alone. 0, or a negative errno: then nothing is probed.
 */
int kt_provider_attach(struct kt_session *session);
void kt_provider_detach(struct kt_session *session);

#endif
