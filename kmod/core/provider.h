/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_PROVIDER_H
#define KT_PROVIDER_H

#include <linux/types.h>

#include <uapi/ktrace.h>

struct kt_peers;
struct kt_session;
struct kt_staged;

/* The columns of a provider's tables: the table by function, and the table of attribute TABLE. */
struct kt_columns {
	u32 keys;		/* 1 << KTRACE_KEY_*, which TABLE may request */
	u64 values;		/* 1 << KTRACE_FIGURE_* */
	u32 self_sinks;		/* KTRACE_FIGURE_SELF needs one of these sinks ... */
	u32 self_flags;		/* ... or one of these flags; it needs none if both are 0 */
	u8 own[KTRACE_TABLE_KEYS];	/* KTRACE_KEY_*: keys that a function number stands for */
	/*
	 * Fills in the values of these keys for a function number. NULL if the only key is the
	 * number itself. Returns the name that a driver gave it, valid as long as the session, or
	 * NULL. Process context.
	 */
	const char *(*own_of)(const struct kt_session *session, u32 func, u64 *keys);
};

/* Keys of a task: each event that counts for a task has them. */
#define KT_KEYS_OF_TASKS (1U << KTRACE_KEY_TID | 1U << KTRACE_KEY_PID | 1U << KTRACE_KEY_COMM | \
			  1U << KTRACE_KEY_CPU | 1U << KTRACE_KEY_UID | 1U << KTRACE_KEY_CGROUP)

#define KT_FIGURES_OF_CALLS (1ULL << KTRACE_FIGURE_CALLS | 1ULL << KTRACE_FIGURE_TOTAL | \
			     1ULL << KTRACE_FIGURE_MIN | 1ULL << KTRACE_FIGURE_MAX)
#define KT_FIGURES_OF_PAGES (1ULL << KTRACE_FIGURE_PAGE_HITS | \
			     1ULL << KTRACE_FIGURE_PAGE_MISSES | \
			     1ULL << KTRACE_FIGURE_PAGES_AHEAD | \
			     1ULL << KTRACE_FIGURE_PAGES_DIRTIED)
/* Figures of the rows of each table of attribute TABLE. */
#define KT_FIGURES_OF_ROWS (1ULL << KTRACE_FIGURE_LAST | 1ULL << KTRACE_FIGURE_COMM)

static inline u64 kt_columns_values(const struct kt_columns *columns, u32 sinks, u32 flags)
{
	u64 values = columns->values;

	if ((columns->self_sinks | columns->self_flags) && !(sinks & columns->self_sinks) &&
	    !(flags & columns->self_flags))
		values &= ~(1ULL << KTRACE_FIGURE_SELF);
	return flags & KTRACE_F_PAGES ? values : values & ~KT_FIGURES_OF_PAGES;
}

/* The figures of the table of attribute TABLE. Only functions have SINCE. */
static inline u64 kt_columns_row_values(const struct kt_columns *columns, u32 sinks, u32 flags)
{
	u64 values = kt_columns_values(columns, sinks, flags) & ~(1ULL << KTRACE_FIGURE_SINCE);

	return values | KT_FIGURES_OF_ROWS;
}

/* A source of events for sessions. If a member is 0 or NULL, the provider does not have it. */
struct kt_provider {
	/* The requests that it accepts. */
	u32 number;		/* enum ktrace_provider */
	u32 sinks;		/* KTRACE_SINK_* that a session may have */
	u32 flags;		/* KTRACE_F_* that a session may have */
	u32 min_time_with;	/* MIN_TIME needs one of these sinks */
	u32 max_depth_with;	/* MAX_DEPTH needs one of these sinks */
	u32 frames_with;	/* KTRACE_SINK_STACKS needs one of these sinks */
	u32 nr_funcs;		/* 0: the creator of a session sets the number */
	u32 nr_trigger;		/* func of TRIGGER is below it, and below nr_funcs; 0: no TRIGGER */
	bool has_file;		/* functions are places in a file, added in batches */
	bool has_limits;	/* MIN_TIME and MAX_DEPTH can change while a session runs */
	bool has_errors;	/* its events can fail, for TRIGGER */
	bool has_budget;	/* the cost of hits is known, and can be limited */
	bool has_devs;		/* a session can select devices */
	bool has_files;		/* a session can select files */
	bool has_no_task;	/* a session cannot select tasks */
	bool has_follow;	/* children can be traced, too */
	bool has_on_exec;	/* tasks can be traced from their exec on */
	bool needs_pids;	/* a session must select processes */
	bool has_frequency;	/* it takes samples, FREQUENCY per second */
	/* Checks what the other members cannot express. Any context; or NULL. */
	bool (*are_sinks_good)(u32 sinks, u32 flags);

	/* Called while the module loads; or NULL. */
	void (*init)(void);

	/* Properties of its events. */
	bool is_on_kernel_stack;	/* calls of the kernel, whose results are the kernel's */
	bool keeps_max;			/* nodes keep a maximum: see struct kt_tree */
	const struct kt_columns *columns;
	/* Returns how many calls, or sources, were lost before they were hits. Process context. */
	u64 (*missed)(struct kt_session *session);

	/*
	 * Adds functions, packed struct ktrace_symbol, to a session before its first commit. The
	 * caller holds kt_control. Returns 0, -EINVAL, -EEXIST if a number is taken, or -ENOMEM.
	 */
	int (*add)(struct kt_session *session, const void *data, size_t len);
	/*
	 * Called by the session's work only, in process
	 * context; may sleep long. stage() takes the functions that were committed, before they
	 * are planted; during a pause, they are not planted. attach() and detach(): see
	 * kt_provider_attach().
	 */
	int (*stage)(struct kt_session *session, struct kt_staged *staged);
	int (*attach)(struct kt_session *session);
	void (*detach)(struct kt_session *session);
	/*
	 * If all sessions share the probes: the list of the attached ones, or NULL. Its lock is
	 * held during attach() and detach(), which find the list without the session, so that it
	 * is empty for the first and the last session. No hit that saw the session runs when
	 * detach() is called. has_attached() and will_detach() find the session on the list.
	 */
	struct kt_peers *peers;
	void (*has_attached)(struct kt_session *session);
	void (*will_detach)(struct kt_session *session);
	/*
	 * A session with KTRACE_F_GATE. will_open() and will_close() may sleep; the gates of
	 * several sessions change after them. set_open() is atomic. The caller holds kt_control.
	 * NULL: the hits look at counts_from.
	 */
	void (*will_open)(struct kt_session *session);
	void (*will_close)(struct kt_session *session);
	void (*set_open)(struct kt_session *session, bool is_open);
	/*
	 * At a reset: counts the part until now of events that have not ended. The session may be
	 * attached or not. Process context, sleeps.
	 */
	void (*cut)(struct kt_session *session);
	/* The session is freed; it may never have been attached. */
	void (*put)(struct kt_session *session);
};

/* Returns the provider of a number of enum ktrace_provider, or NULL. Any context. */
const struct kt_provider *kt_provider_of(u32 number);

void kt_providers_init(void);

/*
 * Events reach the session from kt_provider_attach() until kt_provider_detach(), after which no hit
 * of the session runs. A session may be attached and detached several times. Called by the
 * session's work only. Process context, sleep. Returns 0, or a negative errno: then nothing is
 * probed.
 */
int kt_provider_attach(struct kt_session *session);
void kt_provider_detach(struct kt_session *session);

#endif
