/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests that only the command sends, besides those of libktrace (ktrace.h): the functions of a
 * session, its changes, and held tasks. The manual is include/uapi/ktrace.h.
 */
#ifndef CLIENT_H
#define CLIENT_H

#include "ktrace.h"

/* Returns the module's own text for the last refusal with this error, or NULL. */
const char *ktr_said(const struct ktr *ktr, int error);
int ktr_costs_set(struct ktr *ktr, const struct ktrace_costs *costs);

/*
 * A notice for the watcher of a session: a process is held (HELD) or has called exec (EXEC); or for
 * the sender of tables: a process has mapped code of unknown files (MAPS).
 */
struct ktr_notice {
	uint64_t session;
	uint32_t event;		/* KTRACE_EVENT_* */
	int32_t pid;
};
/* Makes this socket the watcher, for which held tasks wait. -EBUSY: there is another watcher. */
int ktr_session_watch(struct ktr *ktr, uint64_t id);
/*
 * Takes the oldest notice with a pid that ktr_notices_drain() kept because this socket watches.
 * Returns false if there is none.
 */
bool ktr_notice_take(struct ktr *ktr, struct ktr_notice *notice);
int ktr_task_continue(struct ktr *ktr, uint64_t id, int32_t pid);

/*
 * Gives a session with KTRACE_F_UNWIND the table of a file, len bytes in the format of
 * ktrace_unwind.h, in as many messages as it takes. fd is the ELF file, open for reading, or -1 for
 * the vDSO. len 0: the file has no table. Returns 0 too if another session has a table of the file,
 * which the session shares then.
 */
int ktr_unwind_add(struct ktr *ktr, uint64_t id, int fd, const void *table, size_t len);
/*
 * From now on, ktr_notices_drain() keeps notices MAPS, one per process and session, or no longer
 * does: then those that are left are dropped.
 */
void ktr_maps_keep(struct ktr *ktr, bool are_kept);
/* Takes the oldest of them, which may be of a session of another command; false: there is none. */
bool ktr_maps_take(struct ktr *ktr, struct ktr_notice *notice);

/* Lists all sessions. The caller frees the list, also after an error. */
int ktr_session_list(struct ktr *ktr, struct ktr_session **sessions, size_t *nr);
/*
 * Opens the gates of sessions with KTRACE_F_GATE, or closes them: all at the same moment, or none.
 */
int ktr_sessions_gate(struct ktr *ktr, const uint64_t *ids, size_t nr, bool is_open);

/* Functions of one file. */
struct ktr_funcs {
	int fd;
	int caller_fd;		/* the file whose calls of imports count; -1: the session's */
	const unsigned char *build_id;
	size_t build_id_len;	/* 0: the file has no build-id */
	const void *funcs;	/* packed: struct ktrace_func, then its struct ktrace_exit */
	size_t len;		/* bytes */
};
int ktr_func_add(struct ktr *ktr, uint64_t id, const struct ktr_funcs *funcs);
/* flags: KTRACE_DEL_UNDO, or 0. With nr 0 it only begins a change. */
int ktr_func_del(struct ktr *ktr, uint64_t id, const uint32_t *funcs, size_t nr, uint32_t flags);
/* Adds functions of the kernel: len bytes of packed struct ktrace_symbol. */
int ktr_symbol_add(struct ktr *ktr, uint64_t id, const void *symbols, size_t len);

/*
 * A change. Members that are NULL or 0 change nothing. A list with no elements, the text "" and a
 * cgroup of 0 remove a condition.
 */
struct ktr_change {
	const int32_t *pids;
	size_t nr_pids;
	const int32_t *not_pids;
	size_t nr_not_pids;
	struct ktr_conditions conditions;
	const uint64_t *min_time;
	uint32_t max_depth;	/* 0: unchanged */
};
int ktr_session_change(struct ktr *ktr, uint64_t id, const struct ktr_change *change);
/* Commits the staged functions and the change together. On an error, neither takes effect. */
int ktr_session_commit_change(struct ktr *ktr, uint64_t id, const struct ktr_change *change);

#endif
