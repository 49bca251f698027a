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
 * The module's netlink family, behind plain structs. Functions return 0 or a
 * negative errno; the manual of the commands is include/uapi/ktrace.h.
 */
struct knl;

/* NULL, with err set: not root, module not loaded, another version of it. */
struct knl *knl_open(struct err *err);
/* Or it refuses to trace, as the kernel is locked down. */
struct knl *knl_open_to_trace(struct err *err);
/*
 * Or a module of another interface, too: info.abi. Sessions of each can be listed by number, name
 * and owner, and deleted.
 */
struct knl_info;
struct knl *knl_open_any(struct knl_info *info, struct err *err);
void knl_close(struct knl *nl);

/*
 * Becomes readable when the module has something to tell: then drain, and look.
 * -1: it does not tell, look from time to time.
 */
int knl_notice_fd(struct knl *nl);

void knl_notices_drain(struct knl *nl);

/* What the module has told whoever watches a session: HELD and EXEC of a process. */
struct knl_notice {
	uint64_t session;
	uint32_t event;		/* KTRACE_EVENT_* */
	int32_t pid;
};
/* The next one that was drained, in order; false: there is none. */
bool knl_notice_take(struct knl *nl, struct knl_notice *notice);

struct knl_info {
	char version[32];
	uint32_t abi;
	uint64_t features;
	uint64_t mem;
	uint32_t flags;		/* KTRACE_INFO_* */
	struct ktrace_limits limits;
	struct ktrace_costs costs;	/* entry 0: they are not known */
};

/* What tasks must be; what is 0 or NULL is not asked for. */
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
	uint32_t nr_funcs;	/* 0, and no file: the module knows */
	int fd;			/* of the traced file; -1: none */
	const int32_t *pids;
	size_t nr_pids;
	bool does_follow;	/* children of pids, too */
	bool is_on_exec;	/* pids count from their exec on */
	struct knl_conditions conditions;
	uint64_t min_time;
	uint64_t lifetime;	/* ns; 0: until somebody ends it */
	uint32_t budget;	/* thousandths of one CPU; 0: none */
	uint32_t max_depth;	/* 0: the module's limit */
	uint32_t nr_subbufs;	/* of each CPU; 0: its default */
	const uint32_t *devs;	/* these disks or virtio devices; NULL: all */
	size_t nr_devs;
	const uint32_t *files;	/* requests of these, or below these; open, NULL: any */
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
	uint32_t nr_used;	/* numbers of functions below are taken */
	uint32_t nr_sites;
	uint32_t nr_failed;
	int32_t owner;
	int32_t reader;		/* pid, 0: none */
	uint64_t mem;
	struct ktrace_clocks start;
	struct ktrace_clocks now;
	struct ktrace_counters counters;
	uint32_t budget;	/* thousandths of one CPU; 0: none */
	uint64_t min_time;	/* ns; 0: none */
	bool does_follow;	/* children of its processes are traced, too */
	bool is_selective;	/* these processes are traced, and no others */
	int32_t pids[KTRACE_GET_PIDS];
	size_t nr_pids;
	bool has_left;
	uint64_t left;		/* ns until it ends by itself */
};

struct knl_func {
	uint32_t func;
	int32_t error;
	uint64_t offset;
	unsigned char build_id[KTRACE_BUILD_ID_LEN];
	size_t build_id_len;
	struct ktrace_taken_out taken_out;	/* time 0: it was not */
};

/* What a read of one CPU's stream gives: first the head, then packets. */
struct knl_stream {
	uint64_t clock;				/* 0: not flushed */
	struct ktrace_counters counters;	/* of this CPU */
	size_t nr_packets;
};

/* Why the module refused with this error, in its own words; NULL: it said nothing. */
const char *knl_said(const struct knl *nl, int error);
/* The same, or what the error means. Without a full stop. */
const char *knl_reason(const struct knl *nl, int error);

typedef void (*knl_func_fn)(void *arg, const struct knl_func *func);
typedef void (*knl_node_fn)(void *arg, const struct ktrace_node *nodes, size_t nr);
/* Names of the kernel's frames, each with its zero; addresses of the program's, in process pid. */
struct knl_stack {
	uint32_t nr;
	uint32_t flags;		/* KTRACE_STACK_* */
	char comm[16];		/* of the task */
	const char *names;
	size_t names_len;
	int32_t pid;		/* 0: it has none */
	uint64_t addrs[KTRACE_STACK_FRAMES];
	size_t nr_addrs;
};
typedef void (*knl_stack_fn)(void *arg, const struct knl_stack *stack);
typedef void (*knl_session_fn)(void *arg, const struct knl_session *session);
typedef void (*knl_packet_fn)(void *arg, const void *packet, size_t len);

int knl_info(struct knl *nl, struct knl_info *info);
int knl_costs_set(struct knl *nl, const struct ktrace_costs *costs);
int knl_session_new(struct knl *nl, const struct knl_new *new, uint64_t *id, uint64_t *cookie);
/* Functions of one file; build_id_len 0: it has none. */
struct knl_funcs {
	int fd;
	int caller_fd;		/* the file whose calls of imports count; -1: the session's */
	const unsigned char *build_id;
	size_t build_id_len;
	const void *funcs;
	size_t len;
};
int knl_func_add(struct knl *nl, uint64_t id, const struct knl_funcs *funcs);
/* flags: KTRACE_DEL_UNDO, or 0. None: begins a change. */
int knl_func_del(struct knl *nl, uint64_t id, const uint32_t *funcs, size_t nr, uint32_t flags);
/* Functions of the kernel, packed struct ktrace_symbol. */
int knl_symbol_add(struct knl *nl, uint64_t id, const void *symbols, size_t len);
int knl_session_commit(struct knl *nl, uint64_t id);
int knl_session_pause(struct knl *nl, uint64_t id);
int knl_session_resume(struct knl *nl, uint64_t id);

/* Only what is given changes; a list that is there but empty, "" and a cgroup of 0 mean: any. */
struct knl_change {
	const int32_t *pids;
	size_t nr_pids;
	const int32_t *not_pids;
	size_t nr_not_pids;
	struct knl_conditions conditions;
	const uint64_t *min_time;
	uint32_t max_depth;	/* 0: as it is */
};
int knl_session_change(struct knl *nl, uint64_t id, const struct knl_change *change);
/* The functions that are staged too: both, or neither. */
int knl_session_commit_change(struct knl *nl, uint64_t id, const struct knl_change *change);

/* Held tasks wait for this socket. EBUSY: for another's. */
int knl_session_watch(struct knl *nl, uint64_t id);
int knl_task_continue(struct knl *nl, uint64_t id, int32_t pid);
int knl_session_stop(struct knl *nl, uint64_t id);
int knl_session_reset(struct knl *nl, uint64_t id, uint32_t flags);
int knl_session_del(struct knl *nl, uint64_t id);
int knl_session_get(struct knl *nl, uint64_t id, struct knl_session *session);
int knl_session_find(struct knl *nl, const char *name, struct knl_session *session);
int knl_session_each(struct knl *nl, knl_session_fn fn, void *arg);
/* flags: KTRACE_READ_BEFORE for the figures before the last reset; KTRACE_READ_PROBED */
int knl_func_each(struct knl *nl, uint64_t id, uint32_t flags, knl_func_fn fn, void *arg);
int knl_node_each(struct knl *nl, uint64_t id, uint32_t flags, knl_node_fn fn, void *arg);

/* Stacks of a session with KTRACE_SINK_STACKS, from a number on. */
int knl_stack_each(struct knl *nl, uint64_t id, uint64_t from, knl_stack_fn fn, void *arg);

/* Acknowledges all before cursor, then gives what is there from cursor on; flags: KTRACE_READ_FLUSH. */
int knl_stream_read(struct knl *nl, uint64_t id, uint32_t cpu, uint64_t cursor,
		   uint32_t flags, struct knl_stream *stream, knl_packet_fn fn, void *arg);

#endif
