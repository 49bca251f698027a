/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktrace: what is in a packet.
 *
 * A packet is a CTF 1.8 packet, little endian, at most KTRACE_PACKET_LEN bytes:
 *
 *   +---------------------------+ 0
 *   | struct ktrace_packet      |  header and context, 80 bytes
 *   +---------------------------+ 80
 *   | record | record | ...     |  each a multiple of 8 bytes
 *   +---------------------------+ content_bits / 8 = packet_bits / 8
 *
 *   record:   63             32 31              0
 *            +---------------------------------+
 *            | time, ns CLOCK_MONOTONIC        |  never decreases in a stream
 *            +----------------+----------------+
 *            | tid            | id             |  KTRACE_REC_*
 *            +----------------+----------------+
 *            | nr|flags|depth | func           |
 *            +----------------+----------------+
 *            | duration, ns (EXIT, SYSCALL,    |
 *            |               REQUEST, CALL,    |
 *            |               PERIOD)           |
 *            +---------------------------------+
 *            | payload[nr], 64 bit each        |
 *            +---------------------------------+
 *
 * tid is the thread's id in the initial pid namespace.
 *
 * With KTRACE_REC_F_VALUES the payload holds arguments (ENTRY) or the result
 * (EXIT): a word of kinds, then each value of a kind that is not NONE, in order.
 *
 *   kinds:    63     48 47              8 7    0
 *            +---------+-----------------+------+
 *            | 0       | arguments 6 .. 2| 1    |  KTRACE_VALUE_*; the result's
 *            +---------+-----------------+------+  is at that of argument 1
 *   INT:     | the register                     |
 *            +----------------------------------+
 *   STRING:  | 0              | state : 8 | len:8|  KTRACE_STRING_*
 *            +----------------------------------+
 *            | len characters, padded with zeroes to whole words; none if 0
 *            +----------------------------------+
 *
 * The payload of a SYSCALL is struct ktrace_syscall_record, and then the path of the file
 * that its first argument is, if it is one: the end of it when it is long, zero-padded. With
 * KTRACE_REC_F_STRING it is instead the path that an argument points to, as it was in memory when
 * the call ended: a STRING as above, with that argument's number (from 0) << 16 in its first word.
 * That of a REQUEST is struct ktrace_request_record; tid is the thread that queued it, or 0.
 * That of a CALL is struct ktrace_call_record; tid is who made it, or was interrupted for it.
 * That of a PERIOD is struct ktrace_period_record, func is KTRACE_SCHED_*, tid whose it was; those
 * off the CPU are told of when the thread has one again, as is the wait behind them.
 * With KTRACE_REC_F_STACK, which sessions with KTRACE_SINK_STACKS have, one more word is the last:
 * the STACK of STACK_GET that the call was made, the request queued, or the CPU left on (PERIODs
 * on one, and WAKEUPs, have no such word), or KTRACE_STACK_NONE.
 */
#ifndef _UAPI_KTRACE_RECORD_H
#define _UAPI_KTRACE_RECORD_H

#include <linux/types.h>

#define KTRACE_CTF_MAGIC	0xC1FC1FC1U
#define KTRACE_PACKET_LEN	15872U
#define KTRACE_MAX_ARGS		6

struct ktrace_packet {
	__u32 magic;
	__u32 stream_id;	/* 0 */
	__u8 uuid[16];		/* of the trace: session id, then cookie, both LE */
	__u64 time_begin;
	__u64 time_end;
	__u64 content_bits;
	__u64 packet_bits;
	__u64 events_discarded;	/* of this stream so far */
	__u64 packet_seq;	/* a gap here is a lost packet */
	__u32 cpu_id;
	__u32 nr_records;
};

enum ktrace_rec {
	KTRACE_REC_UNSPEC = 0,
	KTRACE_REC_ENTRY,
	KTRACE_REC_EXIT,
	KTRACE_REC_TASK_EXIT,	/* a thread ended; its open frames were closed before */
	KTRACE_REC_FORK,	/* payload: tid and tgid of the new thread or process */
	KTRACE_REC_EXEC,	/* payload: the program's name, 16 bytes, zero-padded */
	KTRACE_REC_SYSCALL,	/* one that took MIN_TIME; func as of KTRACE_PROVIDER_SYSCALLS */
	KTRACE_REC_REQUEST,	/* of a disk, that took MIN_TIME; func as of Q2C */
	KTRACE_REC_CALL,	/* of a kernel function, that took MIN_TIME */
	KTRACE_REC_PERIOD	/* of a thread, that took MIN_TIME; func: KTRACE_SCHED_* */
};

/* ktrace_record.flags */
#define KTRACE_REC_F_UNWOUND	(1U << 0) /* closed by exception, longjmp or a jump past it */
#define KTRACE_REC_F_KILLED	(1U << 1) /* still open when the thread ended */
#define KTRACE_REC_F_LATE	(1U << 2) /* ENTRY: payload[0] is when it really began */
#define KTRACE_REC_F_NO_RETURN	(1U << 3) /* entry-only: end is that of its parent */
#define KTRACE_REC_F_INHERITED	(1U << 4) /* EXIT that does not count: see below */
#define KTRACE_REC_F_VALUES	(1U << 5) /* the payload is values */
#define KTRACE_REC_F_TAIL	(1U << 6) /* ENTRY: by a jump, the last thing of its caller */
#define KTRACE_REC_F_STACK	(1U << 6) /* from SYSCALL on: the payload ends with a stack */
#define KTRACE_REC_F_AT_MOST	(1U << 7) /* EXIT: it was before this, and not seen */
#define KTRACE_REC_F_STRING	(1U << 7) /* SYSCALL: the payload has a path that was given */

/* struct ktrace_func's kinds of values too */
enum ktrace_value {
	KTRACE_VALUE_NONE = 0,
	KTRACE_VALUE_INT,
	KTRACE_VALUE_STRING
};

#define KTRACE_STACK_NONE	0xffffffffU	/* there was none, or it was lost */

#define KTRACE_STRING_LEN	64	/* one more than is kept of a string */
enum ktrace_string {
	KTRACE_STRING_WHOLE = 0,
	KTRACE_STRING_CUT,	/* it goes on */
	KTRACE_STRING_NULL,	/* the pointer was NULL */
	KTRACE_STRING_UNREADABLE
};

/*
 * INHERITED: the call was entered by the parent process, which counts it; or its
 * function, or its task, was taken out of the session while it was open.
 */
struct ktrace_record {
	__u64 time;
	__u32 id;
	__u32 tid;
	__u32 func;
	__u16 depth;		/* 0 is the outermost frame */
	__u8 flags;
	__u8 nr_payload;
	__u64 duration[];	/* EXIT: one word; then the payload */
};

#define KTRACE_SYSCALL_PATH_LEN	48	/* bytes of a path at most */
#define KTRACE_SYSCALL_STRING_LEN 96	/* of one that was given */
struct ktrace_syscall_record {
	__s64 ret;
	__u64 args[6];
	char comm[16];		/* of the thread */
};

#define KTRACE_REQUEST_STAGES	4	/* those before KTRACE_BLOCK_Q2C */
#define KTRACE_SECTOR_NONE	0xffffffffffffffffULL
#define KTRACE_OFF_CPU_UNKNOWN	0xffffffffffffffffULL	/* it has ended, for one */
struct ktrace_request_record {
	__u64 stage_ns[KTRACE_REQUEST_STAGES];	/* their sum is the duration */
	__u64 sector;		/* of 512 bytes, its first; or KTRACE_SECTOR_NONE */
	__u64 inode;		/* of the file that its first bio is of; 0: not known, or of none */
	__u64 off_cpu_ns;	/* so long of it the thread that queued it was; or UNKNOWN */
	__u32 file_dev;		/* of that file, major << 20 | minor */
	__u32 dev;		/* of the disk: major << 20 | minor */
	__u32 bytes;
	__u32 stages;		/* bits of those that it went through */
	__u32 error;		/* errno; 0: none */
	__u32 pid;		/* of the process that queued it */
	char comm[16];		/* of the thread, when it did */
};

/*
 * A result is an errno, below 0, or a number from 0 to INT_MAX of a function whose type is one. No
 * address of the kernel lies there, nor the lower half of one of its text. Other results are
 * withheld. A kernel that is locked down for confidentiality shows errnos only.
 */
#define KTRACE_RESULT_NONE	(-0x7fffffffffffffffLL - 1)
struct ktrace_call_record {
	__s64 ret;		/* or KTRACE_RESULT_NONE */
	char comm[16];		/* of the thread */
};

struct ktrace_period_record {
	char comm[16];		/* of the thread */
};

#endif
