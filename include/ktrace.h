/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libktrace: the client of the netlink family of the ktrace module. uapi/ktrace.h describes the
 * family, its numbers (KTRACE_*) and the structs of its tables, and uapi/ktrace_record.h the records
 * of streams.
 *
 * Functions return 0 or a negative errno unless noted otherwise; ktr_reason() has the text of a
 * refusal. The library has no global state, starts no threads, prints nothing and never exits. A
 * struct ktr and its streams belong to one thread at a time. Strings and pointers that a callback
 * is passed are valid until it returns; a callback must not send requests on the same struct ktr.
 *
 * Structs grow at their end only. Of a struct that the caller supplies, the library reads or writes
 * as much as the header has with which the caller was compiled.
 */
#ifndef LIBKTRACE_H
#define LIBKTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/ktrace.h"
#include "uapi/ktrace_record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A struct of the interface, with room to grow: words of 64 bits. */
#define KTR_ROOM(type, name, words) union { type name; uint64_t name##_room[words]; }

/* --- the module ------------------------------------------------------------------- */

/* A connection to the module. */
struct ktr;

enum ktr_open_flag {
	KTR_ANY_INTERFACE = 1	/* accept a module whose interface is not KTRACE_ABI */
};

/*
 * Connects to the module. flags: KTR_*. On failure *ktr is NULL. -ENOENT: the module is not loaded;
 * -EPERM: the caller lacks CAP_SYS_ADMIN in the initial user namespace, and is in no group that may
 * read; -EPROTO: the module has another interface.
 */
int ktr_open(struct ktr **ktr, unsigned int flags);
void ktr_close(struct ktr *ktr);	/* ktr may be NULL */

struct ktr_info {
	char version[32];
	uint32_t abi;		/* the module's interface; this header is of KTRACE_ABI */
	uint32_t flags;		/* KTRACE_INFO_* */
	uint64_t features;
	uint64_t mem;		/* bytes of all sessions */
	KTR_ROOM(struct ktrace_limits, limits, 16);
	KTR_ROOM(struct ktrace_costs, costs, 16);	/* unknown if entry is 0 */
};

int ktr_info_sized(struct ktr *ktr, struct ktr_info *info, size_t len);
static inline int ktr_info(struct ktr *ktr, struct ktr_info *info)
{
	return ktr_info_sized(ktr, info, sizeof(*info));
}

/*
 * Returns the module's text for the last refusal, if it was this error, or a text for the error. It
 * has no full stop, and is valid until the next request. ktr may be NULL.
 */
const char *ktr_reason(const struct ktr *ktr, int error);

/*
 * Subscribes to notices at the first call. Returns a descriptor that is readable when a notice has
 * arrived, or -1: the caller then polls the state. A notice says only that something changed: after
 * ktr_notices_drain(), the caller reads the new state.
 */
int ktr_notice_fd(struct ktr *ktr);
void ktr_notices_drain(struct ktr *ktr);

/* --- sessions --------------------------------------------------------------------- */

/* The conditions that a task must meet. A member that is 0 or NULL sets no condition. */
struct ktr_conditions {
	const int32_t *tids;
	size_t nr_tids;
	const uint32_t *uids;
	size_t nr_uids;
	const char *comm;
	const uint64_t *cgroup;
	uint64_t reserved[4];
};

/* A session to be made. What is 0 or NULL is left to the module, except fd. */
struct ktr_new {
	const char *name;	/* a named session outlives its connection */
	uint32_t provider;	/* enum ktrace_provider */
	uint32_t sinks;		/* KTRACE_SINK_* */
	uint32_t flags;		/* KTRACE_F_* */
	uint32_t nr_funcs;	/* 0 for providers that have no functions to add */
	int fd;			/* the traced file; -1: none */
	const int32_t *pids;
	size_t nr_pids;
	bool does_follow;	/* children of pids, too */
	bool is_on_exec;	/* pids count from their exec on */
	struct ktr_conditions conditions;
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
	const struct ktrace_trigger *trigger;	/* with KTRACE_SINK_STREAM; NULL: none */
	uint32_t frequency;	/* samples per second of PROFILE; 0: the module's default */
	const struct ktrace_sample_event *event;	/* that PROFILE samples; NULL: time */
};

struct ktr_session {
	uint64_t id;
	uint64_t cookie;	/* differs from that of any other session since boot */
	char name[KTRACE_NAME_LEN];
	uint32_t state;		/* KTRACE_STATE_* */
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
	uint64_t mem;		/* bytes */
	struct ktrace_clocks start;
	struct ktrace_clocks now;
	KTR_ROOM(struct ktrace_counters, counters, 64);
	uint32_t budget;	/* thousandths of one CPU; 0: no budget */
	uint64_t min_time;	/* ns; 0: no minimum */
	KTR_ROOM(struct ktrace_table, table, 16);	/* of KTRACE_SINK_TABLE */
	bool does_follow;	/* children of its processes are traced, too */
	bool is_selective;	/* only the processes in pids are traced */
	int32_t pids[KTRACE_GET_PIDS];
	size_t nr_pids;
	uint32_t nr_left;	/* with is_selective: processes that are traced now */
	uint64_t ended_at;	/* ns, CLOCK_MONOTONIC: the last of them ended; 0: some are left */
	bool has_left;		/* left is valid */
	uint64_t left;		/* ns until the session ends by itself */
	uint32_t nr_subbufs;	/* per CPU: packets that the ring holds; 0: it has none */
	bool has_trigger;	/* trigger and triggered are valid */
	KTR_ROOM(struct ktrace_trigger, trigger, 8);
	KTR_ROOM(struct ktrace_triggered, triggered, 16);	/* time 0: the trigger is armed */
	uint32_t frequency;	/* samples per second of PROFILE; 0: it takes none */
	bool has_event;			/* PROFILE samples event, not time */
	struct ktrace_sample_event event;
};

typedef void (*ktr_session_fn)(void *arg, const struct ktr_session *session);
/* Calls fn for each session. If the interface differs, only id, name and owner are valid. */
int ktr_session_each(struct ktr *ktr, ktr_session_fn fn, void *arg);

int ktr_session_get_sized(struct ktr *ktr, uint64_t id, struct ktr_session *session, size_t len);
static inline int ktr_session_get(struct ktr *ktr, uint64_t id, struct ktr_session *session)
{
	return ktr_session_get_sized(ktr, id, session, sizeof(*session));
}

int ktr_session_find_sized(struct ktr *ktr, const char *name, struct ktr_session *session,
			   size_t len);
static inline int ktr_session_find(struct ktr *ktr, const char *name, struct ktr_session *session)
{
	return ktr_session_find_sized(ktr, name, session, sizeof(*session));
}

/*
 * Makes a session, which counts once it is committed. Sets *id and *cookie. -E2BIG: new_ has a
 * member that only a newer library knows.
 */
int ktr_session_new_sized(struct ktr *ktr, const struct ktr_new *new_, size_t len, uint64_t *id,
			  uint64_t *cookie);
static inline int ktr_session_new(struct ktr *ktr, const struct ktr_new *new_, uint64_t *id,
				  uint64_t *cookie)
{
	return ktr_session_new_sized(ktr, new_, sizeof(*new_), id, cookie);
}

/* These change the state in the background; the new state is in struct ktr_session. */
int ktr_session_commit(struct ktr *ktr, uint64_t id);
int ktr_session_pause(struct ktr *ktr, uint64_t id);
int ktr_session_resume(struct ktr *ktr, uint64_t id);
/* Ends counting for good; figures and records can still be read. */
int ktr_session_stop(struct ktr *ktr, uint64_t id);
int ktr_session_delete(struct ktr *ktr, uint64_t id);
/* Thaws the ring, which a trigger has frozen, when it was read. -EBUSY: it is being frozen now. */
int ktr_session_arm(struct ktr *ktr, uint64_t id);
/*
 * Sets the figures of all these sessions aside at the same moment, or of none: KTRACE_READ_BEFORE
 * reads them, until a reset with KTRACE_RESET_DONE drops them. flags: KTRACE_RESET_*.
 */
int ktr_sessions_reset(struct ktr *ktr, const uint64_t *ids, size_t nr, uint32_t flags);

/* --- tables ----------------------------------------------------------------------- */

/* The schema of a table. */
struct ktr_table {
	KTR_ROOM(struct ktrace_table, shape, 16);	/* max_rows 0: the table by function */
	const struct ktrace_column *columns;	/* keys first */
	const uint32_t *at;	/* index of each column's first cell in a row */
	size_t nr_columns;
};

struct ktr_row {
	const struct ktr_table *table;	/* the table of the row */
	const char *name;	/* the name that a driver gave to its queue, or NULL */
	const uint64_t *cells;	/* words of the columns; 0 in a head, or if the module sent none */
	bool is_head;		/* no row: the columns of the rows that follow, if there are any */
	bool is_other;		/* the row for all keys without a row of their own */
	const struct ktrace_bucket *buckets;	/* of its histogram, by index; 4-byte aligned */
	size_t nr_buckets;
};

typedef void (*ktr_row_fn)(void *arg, const struct ktr_row *row);
/*
 * Calls fn for the head of every table of a session, then for every row, in no particular order.
 * flags: KTRACE_READ_BEFORE.
 */
int ktr_row_each(struct ktr *ktr, uint64_t id, uint32_t flags, ktr_row_fn fn, void *arg);

/* Return the column of a key (KTRACE_KEY_*) or of a figure (KTRACE_FIGURE_*), or NULL. */
const struct ktrace_column *ktr_table_key(const struct ktr_table *table, uint32_t key);
const struct ktrace_column *ktr_table_figure(const struct ktr_table *table, uint32_t figure);
/* Return the number of a key or of a figure, or 0 if the table has no such column. */
uint64_t ktr_row_key(const struct ktr_row *row, uint32_t key);
uint64_t ktr_row_figure(const struct ktr_row *row, uint32_t figure);
/* Copies the text of a column to text, with a terminating zero; "" if column is NULL. */
const char *ktr_row_text(char text[KTRACE_COLUMN_TEXT_LEN + 1], const struct ktr_row *row,
			 const struct ktrace_column *column);
/* Returns the inode of a file and sets dev to its device; both are 0 if column is NULL. */
uint64_t ktr_row_file(uint32_t *dev, const struct ktr_row *row, const struct ktrace_column *column);

/* The range of values of a bucket, in the unit of its figure: [low, high). */
uint64_t ktr_bucket_low(uint32_t index);
uint64_t ktr_bucket_high(uint32_t index);

/* --- functions, trees, stacks ------------------------------------------------------ */

struct ktr_func {
	uint32_t func;
	int32_t error;		/* why it is not probed; 0: it is */
	uint64_t offset;	/* of its entry in the file with build_id */
	unsigned char build_id[KTRACE_BUILD_ID_LEN];
	size_t build_id_len;
	KTR_ROOM(struct ktrace_taken_out, taken_out, 8);	/* time 0: it was not taken out */
};

typedef void (*ktr_func_fn)(void *arg, const struct ktr_func *func);
/* flags: KTRACE_READ_BEFORE for the figures before the last reset; KTRACE_READ_PROBED. */
int ktr_func_each(struct ktr *ktr, uint64_t id, uint32_t flags, ktr_func_fn fn, void *arg);

typedef void (*ktr_node_fn)(void *arg, const struct ktrace_node *nodes, size_t nr);
/*
 * Calls fn for the nodes of the calling-context tree, many at a time; they are aligned to 4 bytes
 * only. flags as above.
 */
int ktr_node_each(struct ktr *ktr, uint64_t id, uint32_t flags, ktr_node_fn fn, void *arg);

struct ktr_stack {
	uint32_t nr;		/* the number of the stack */
	uint32_t flags;		/* KTRACE_STACK_* */
	char comm[16];		/* the name of the task */
	const char *names;	/* names of the kernel's frames, each with a terminating zero */
	size_t names_len;
	int32_t pid;		/* the process that addrs belong to; 0: none */
	uint64_t addrs[32];	/* the innermost of frames */
	size_t nr_addrs;
	const uint64_t *frames;	/* the program's frames, innermost first */
	size_t nr_frames;
	const struct ktrace_place *places;	/* of frames, in files; NULL: without KTRACE_F_UNWIND */
};

typedef void (*ktr_stack_fn)(void *arg, const struct ktr_stack *stack);
/* Reads the stacks of a session with KTRACE_SINK_STACKS, from number "from" on. */
int ktr_stack_each(struct ktr *ktr, uint64_t id, uint64_t from, ktr_stack_fn fn, void *arg);

/* --- streams ---------------------------------------------------------------------- */

/*
 * The reader of a session's stream, of which there is one. The module keeps a packet, and sends it
 * to every new reader again, until it was acknowledged: a packet is named by the session's cookie,
 * its CPU and its number, and never changes.
 */
struct ktr_stream;

struct ktr_packet {
	uint32_t cpu;
	uint32_t nr_records;
	uint64_t number;	/* of the CPU's packets, from 0 on */
	uint64_t begin, end;	/* ns, CLOCK_MONOTONIC: times of the first and the last record */
	uint64_t discarded;	/* records that the CPU had lost when the packet was closed */
	const void *data;	/* struct ktrace_packet, aligned to 8 bytes, until the next call */
	size_t len;
	uint64_t reserved[4];
};

/* The state of one CPU after the last complete read. */
struct ktr_stream_cpu {
	uint64_t clock;		/* ns: all records before it have been read; 0: not known; */
				/* UINT64_MAX: there is no such CPU */
	KTR_ROOM(struct ktrace_counters, counters, 64);	/* of this CPU */
};

enum ktr_stream_flag {
	KTR_CLOSED_PACKETS = 1	/* only packets that are full: others are not closed for the reader */
};

/*
 * flags: KTR_*. ktr must be closed after the stream. -ENODATA: the session has no records
 * (KTRACE_SINK_STREAM).
 */
int ktr_stream_open(struct ktr *ktr, uint64_t session, unsigned int flags,
		    struct ktr_stream **stream);
/* Changes the flags from the next CPU on. */
void ktr_stream_set_flags(struct ktr_stream *stream, unsigned int flags);
/*
 * Packets that were not acknowledged stay in the module, as do those whose acknowledgement it has
 * not received. stream may be NULL.
 */
void ktr_stream_close(struct ktr_stream *stream);
/*
 * Reads the next packet, CPU by CPU. Returns 1, or 0 at the end of a pass over all CPUs: the next
 * call begins another pass, which has the packets that were closed meanwhile; or a negative errno:
 * -EBUSY: the stream has another reader; -ENOENT: the session is gone. Between two packets of a pass
 * the module keeps the session's memory, even if it is deleted, and cannot be unloaded.
 */
int ktr_stream_next(struct ktr_stream *stream, struct ktr_packet *packet);
unsigned int ktr_stream_nr_cpus(const struct ktr_stream *stream);
int ktr_stream_cpu_sized(const struct ktr_stream *stream, unsigned int cpu,
			 struct ktr_stream_cpu *state, size_t len);
static inline int ktr_stream_cpu(const struct ktr_stream *stream, unsigned int cpu,
				 struct ktr_stream_cpu *state)
{
	return ktr_stream_cpu_sized(stream, cpu, state, sizeof(*state));
}

/*
 * Acknowledges the packets of a CPU below a number. The module is informed when the CPU is read
 * next, or by ktr_stream_sync(), after which a pass goes on with the next CPU.
 */
void ktr_stream_ack(struct ktr_stream *stream, unsigned int cpu, uint64_t below);
int ktr_stream_sync(struct ktr_stream *stream);
/* The next pass has all packets again that were not acknowledged. */
int ktr_stream_rewind(struct ktr_stream *stream);

/* A record. Times are in ns, CLOCK_MONOTONIC. */
struct ktr_record {
	uint64_t time;		/* late entry: when the call began; SYSCALL and later: the end, */
				/* which may precede other records */
	uint64_t written;	/* the time in the record, which never decreases on a CPU */
	uint64_t duration;	/* ns: EXIT, SYSCALL and later */
	uint32_t id;		/* KTRACE_REC_* */
	uint32_t tid;
	uint32_t func;
	uint32_t cpu;
	uint16_t depth;
	uint8_t flags;		/* KTRACE_REC_F_* */
	uint8_t nr_payload;	/* words of values, or of a struct of uapi/ktrace_record.h */
	uint32_t child;		/* FORK: tid of the new thread or process */
	uint32_t child_pid;	/* FORK: its pid; the same number as child if it is a process */
	uint32_t stack;		/* the number of the stack, or KTRACE_STACK_NONE */
	bool has_stack;		/* SYSCALL and later: stack is valid; payload excludes it */
	char program[17];	/* EXEC */
	const uint64_t *payload;	/* valid as long as the packet */
	uint64_t reserved[4];
};

/*
 * Reads the record at *at of a packet, and moves *at to the next one; the first is at 0. data is
 * aligned to 8 bytes. Returns 1, 0 at the end, or -EBADMSG if the packet is malformed there.
 */
int ktr_record_next(const void *data, size_t len, size_t *at, struct ktr_record *record);

#ifdef __cplusplus
}
#endif

#endif
