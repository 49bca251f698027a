/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NL_H
#define NL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "uapi/ktrace.h"
#include "util/err.h"

/*
 * The module's netlink family, behind plain structs. Functions return 0 or a negative errno unless
 * noted otherwise. The manual of the commands is include/uapi/ktrace.h.
 */
struct knl;

/*
 * Connects to the module. Returns NULL with err set if the caller is not root, or the module is not
 * loaded or has another interface.
 */
struct knl *knl_open(struct err *err);
/* Like knl_open(), but also fails if the module refuses to trace in a locked-down kernel. */
struct knl *knl_open_to_trace(struct err *err);
/* Like knl_open_to_trace(), and loads the module if necessary: for a command that makes a session. */
struct knl *knl_open_to_begin(struct err *err);
/*
 * Like knl_open(), but accepts a module with another interface; info->abi is its number. Sessions
 * of any module can be listed (by number, name and owner) and deleted.
 */
struct knl_info;
struct knl *knl_open_any(struct knl_info *info, struct err *err);
void knl_close(struct knl *nl);

/*
 * Subscribes to the module's notices at the first call. Returns a descriptor that becomes readable
 * when a notice arrives; the caller then calls knl_notices_drain() and reads the new state. Returns
 * -1 if there are no notices; the caller then polls the state.
 */
int knl_notice_fd(struct knl *nl);

/* Reads all notices, and keeps those with a pid for knl_notice_take() if this socket watches. */
void knl_notices_drain(struct knl *nl);

/* A notice for the watcher of a session: a process is held (HELD) or has called exec (EXEC). */
struct knl_notice {
	uint64_t session;
	uint32_t event;		/* KTRACE_EVENT_* */
	int32_t pid;
};
/* Takes the oldest notice that was kept. Returns false if there is none. */
bool knl_notice_take(struct knl *nl, struct knl_notice *notice);

struct knl_info {
	char version[32];
	uint32_t abi;
	uint64_t features;
	uint64_t mem;
	uint32_t flags;		/* KTRACE_INFO_* */
	struct ktrace_limits limits;
	struct ktrace_costs costs;	/* unknown if entry is 0 */
};

/* The conditions that a task must meet. A member that is 0 or NULL sets no condition. */
struct knl_conditions {
	const int32_t *tids;
	size_t nr_tids;
	const uint32_t *uids;
	size_t nr_uids;
	const char *comm;
	const uint64_t *cgroup;
};

struct knl_new {
	const char *name;	/* or NULL */
	uint32_t provider;	/* enum ktrace_provider */
	uint32_t sinks;		/* KTRACE_SINK_* */
	uint32_t flags;		/* KTRACE_F_* */
	uint32_t nr_funcs;	/* 0 for providers that have no functions to add */
	int fd;			/* the traced file; -1: none */
	const int32_t *pids;
	size_t nr_pids;
	bool does_follow;	/* children of pids, too */
	bool is_on_exec;	/* pids count from their exec on */
	struct knl_conditions conditions;
	uint64_t min_time;	/* ns */
	uint64_t lifetime;	/* ns; 0: until it is deleted */
	uint32_t budget;	/* thousandths of one CPU; 0: no budget */
	uint32_t max_depth;	/* 0: the module's limit */
	uint32_t nr_subbufs;	/* per CPU; 0: the module's default */
	const uint32_t *devs;	/* trace these disks or virtio devices; NULL: all */
	size_t nr_devs;
	const uint32_t *files;	/* descriptors of the files and folders to trace; NULL: all files */
	size_t nr_files;
	const struct ktrace_table *table;	/* with KTRACE_SINK_TABLE */
};

struct knl_session {
	uint64_t id;
	uint64_t cookie;
	char name[KTRACE_NAME_LEN];
	uint32_t state;
	int32_t error;
	uint32_t provider;	/* enum ktrace_provider */
	uint32_t sinks;		/* KTRACE_SINK_* */
	uint32_t flags;		/* KTRACE_F_* */
	uint32_t nr_funcs;
	uint32_t nr_used;	/* function numbers below it are in use */
	uint32_t nr_sites;
	uint32_t nr_failed;	/* functions that could not be probed */
	int32_t owner;		/* pid */
	int32_t reader;		/* pid of the reader of the stream; 0: none */
	uint64_t mem;
	struct ktrace_clocks start;
	struct ktrace_clocks now;
	struct ktrace_counters counters;
	uint32_t budget;	/* thousandths of one CPU; 0: no budget */
	uint64_t min_time;	/* ns; 0: no minimum */
	struct ktrace_table table;	/* of KTRACE_SINK_TABLE */
	bool does_follow;	/* children of its processes are traced, too */
	bool is_selective;	/* only the processes in pids are traced */
	int32_t pids[KTRACE_GET_PIDS];
	size_t nr_pids;
	uint32_t nr_left;	/* with is_selective: processes that are traced now */
	uint64_t ended_at;	/* ns, CLOCK_MONOTONIC: the last of them ended; 0: some are left */
	bool has_left;		/* left is valid */
	uint64_t left;		/* ns until the session ends by itself */
};

struct knl_func {
	uint32_t func;
	int32_t error;
	uint64_t offset;
	unsigned char build_id[KTRACE_BUILD_ID_LEN];
	size_t build_id_len;
	struct ktrace_taken_out taken_out;	/* time 0: the function was not taken out */
};

/* The result of a read of one CPU's stream. */
struct knl_stream {
	uint64_t clock;				/* ns; 0: the ring was not flushed */
	struct ktrace_counters counters;	/* of this CPU */
	size_t nr_packets;
};

/* Returns the module's own text for the last refusal with this error, or NULL. */
const char *knl_said(const struct knl *nl, int error);
/* Returns the module's own text, or a text for the error. It has no full stop. */
const char *knl_reason(const struct knl *nl, int error);

typedef void (*knl_func_fn)(void *arg, const struct knl_func *func);
typedef void (*knl_node_fn)(void *arg, const struct ktrace_node *nodes, size_t nr);
struct knl_stack {
	uint32_t nr;		/* the number of the stack */
	uint32_t flags;		/* KTRACE_STACK_* */
	char comm[16];		/* the name of the task */
	const char *names;	/* names of the kernel's frames, each with a terminating zero */
	size_t names_len;
	int32_t pid;		/* the process that addrs belong to; 0: none */
	uint64_t addrs[KTRACE_STACK_FRAMES];	/* the program's frames */
	size_t nr_addrs;
};
typedef void (*knl_stack_fn)(void *arg, const struct knl_stack *stack);
typedef void (*knl_packet_fn)(void *arg, const void *packet, size_t len);

int knl_info(struct knl *nl, struct knl_info *info);
int knl_costs_set(struct knl *nl, const struct ktrace_costs *costs);
int knl_session_new(struct knl *nl, const struct knl_new *new, uint64_t *id, uint64_t *cookie);
/* Functions of one file. */
struct knl_funcs {
	int fd;
	int caller_fd;		/* the file whose calls of imports count; -1: the session's */
	const unsigned char *build_id;
	size_t build_id_len;	/* 0: the file has no build-id */
	const void *funcs;	/* packed: struct ktrace_func, then its struct ktrace_exit */
	size_t len;		/* bytes */
};
int knl_func_add(struct knl *nl, uint64_t id, const struct knl_funcs *funcs);
/* flags: KTRACE_DEL_UNDO, or 0. With nr 0 it only begins a change. */
int knl_func_del(struct knl *nl, uint64_t id, const uint32_t *funcs, size_t nr, uint32_t flags);
/* Adds functions of the kernel: len bytes of packed struct ktrace_symbol. */
int knl_symbol_add(struct knl *nl, uint64_t id, const void *symbols, size_t len);
int knl_session_commit(struct knl *nl, uint64_t id);
int knl_session_pause(struct knl *nl, uint64_t id);
int knl_session_resume(struct knl *nl, uint64_t id);

/*
 * A change. Members that are NULL or 0 change nothing. A list with no elements, the text "" and a
 * cgroup of 0 remove a condition.
 */
struct knl_change {
	const int32_t *pids;
	size_t nr_pids;
	const int32_t *not_pids;
	size_t nr_not_pids;
	struct knl_conditions conditions;
	const uint64_t *min_time;
	uint32_t max_depth;	/* 0: unchanged */
};
int knl_session_change(struct knl *nl, uint64_t id, const struct knl_change *change);
/* Commits the staged functions and the change together. On an error, neither takes effect. */
int knl_session_commit_change(struct knl *nl, uint64_t id, const struct knl_change *change);

/* Makes this socket the watcher, for which held tasks wait. -EBUSY: there is another watcher. */
int knl_session_watch(struct knl *nl, uint64_t id);
int knl_task_continue(struct knl *nl, uint64_t id, int32_t pid);
int knl_session_stop(struct knl *nl, uint64_t id);
/*
 * Both change all sessions at the same moment, or none. knl_sessions_gate() opens the gates of
 * sessions with KTRACE_F_GATE, or closes them.
 */
int knl_sessions_gate(struct knl *nl, const uint64_t *ids, size_t nr, bool is_open);
int knl_sessions_reset(struct knl *nl, const uint64_t *ids, size_t nr, uint32_t flags);
int knl_session_del(struct knl *nl, uint64_t id);
int knl_session_get(struct knl *nl, uint64_t id, struct knl_session *session);
int knl_session_find(struct knl *nl, const char *name, struct knl_session *session);
/* Lists all sessions. The caller frees the list, also after an error. */
int knl_session_list(struct knl *nl, struct knl_session **sessions, size_t *nr);
/* flags: KTRACE_READ_BEFORE for the figures before the last reset; KTRACE_READ_PROBED. */
int knl_func_each(struct knl *nl, uint64_t id, uint32_t flags, knl_func_fn fn, void *arg);
int knl_node_each(struct knl *nl, uint64_t id, uint32_t flags, knl_node_fn fn, void *arg);

/* Reads the stacks of a session with KTRACE_SINK_STACKS, from number "from" on. */
int knl_stack_each(struct knl *nl, uint64_t id, uint64_t from, knl_stack_fn fn, void *arg);

/*
 * Acknowledges all packets of a CPU before number cursor, then calls fn, unless it is NULL, for
 * each packet from cursor on. flags: KTRACE_READ_FLUSH.
 */
int knl_stream_read(struct knl *nl, uint64_t id, uint32_t cpu, uint64_t cursor,
		   uint32_t flags, struct knl_stream *stream, knl_packet_fn fn, void *arg);

#endif
