/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktrace: the format of packets and records.
 *
 * A packet is a CTF 1.8 packet, little endian, of at most KTRACE_PACKET_LEN bytes:
 *
 *   +---------------------------+ 0
 *   | struct ktrace_packet      |  header and context, 80 bytes
 *   +---------------------------+ 80
 *   | record | record | ...     |  the length of each is a multiple of 8 bytes
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
 *            |               PERIOD, FAULT,    |
 *            |               SAMPLE)           |
 *            +---------------------------------+
 *            | end (SYSCALL, REQUEST, CALL,    |
 *            |      PERIOD, FAULT, SAMPLE)     |
 *            +---------------------------------+
 *            | payload[nr], 64 bit each        |
 *            +---------------------------------+
 *
 * tid is the ID of the thread in the initial pid namespace.
 *
 * time is when the record got its place in the packet. end is when the event ended, in the same
 * unit: earlier by as long as the end took to be recorded, as when a request's bios have
 * completed before the request, or by the wait that followed a period off the CPU.
 *
 * With KTRACE_REC_F_VALUES the payload contains the arguments (ENTRY) or the result (EXIT): one
 * word of kinds, then the values in order. A value of kind NONE takes no word.
 *
 *   kinds:    63     48 47              8 7    0
 *            +---------+-----------------+------+
 *            | 0       | arguments 6 .. 2| 1    |  KTRACE_VALUE_*; the kind of a result
 *            +---------+-----------------+------+  has the place of argument 1
 *   INT:     | the register                     |
 *            +----------------------------------+
 *   STRING:  | 0              | state : 8 | len:8|  KTRACE_STRING_*
 *            +----------------------------------+
 *            | len characters, padded with zeroes to whole words; no word if len is 0
 *            +----------------------------------+
 *
 * EXIT: the call began at about time - duration. In a session with KTRACE_F_NO_ENTRIES a call has
 * an EXIT only, also an open call when the session ends or is paused (KTRACE_REC_F_OPEN). The EXITs
 * of a thread come in the order in which calls end, callees before their caller: the callees of a
 * call are the calls since the previous EXIT of its depth or less whose depth is one more. Calls
 * with arguments to record have an ENTRY, too, and calls whose return is not observed have only an
 * ENTRY (KTRACE_REC_F_NO_RETURN). With MIN_TIME, a call has an EXIT if it or a callee took as long.
 *
 * SYSCALL: the payload is struct ktrace_syscall_record. If the first argument is a file
 * descriptor, the path of that file follows, zero-padded. Of a path longer than
 * KTRACE_SYSCALL_PATH_LEN the record contains the end. With KTRACE_REC_F_STRING a STRING as above
 * follows instead: the path that an argument points to, read from memory when the call ended. The
 * number of this argument (from 0) << 16 is part of the first word.
 *
 * REQUEST: the payload is struct ktrace_request_record. tid is the thread that queued the request,
 * or 0 if that thread is not known.
 *
 * CALL: the payload is struct ktrace_call_record. tid is the thread that made the call, or that
 * was interrupted for it.
 *
 * PERIOD: the payload is struct ktrace_period_record. func is KTRACE_SCHED_*, tid is the thread
 * that spent the period. A period off the CPU, and the wait that follows it, are recorded when
 * the thread gets a CPU again.
 *
 * FAULT: the payload is struct ktrace_fault_record. func is an enum ktrace_fault.
 *
 * SAMPLE: the payload is struct ktrace_sample_record. func is an enum ktrace_profile, but never
 * IDLE; tid is the thread that was interrupted. end is the moment of the sample, and duration the
 * time between two samples, for which it counts.
 *
 * With KTRACE_REC_F_STACK (in sessions with KTRACE_SINK_STACKS) the payload ends with one more
 * word: a stack number, as STACK_GET reports it, or KTRACE_STACK_NONE. This is the stack on which
 * the call was made, the request was queued, the thread left the CPU, or a sample found it. A
 * PERIOD on the CPU and a WAKEUP have no such word.
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
	__u8 uuid[16];		/* of the trace: SESSION, then COOKIE, both little endian */
	__u64 time_begin;
	__u64 time_end;
	__u64 content_bits;
	__u64 packet_bits;
	__u64 events_discarded;	/* by this stream so far */
	__u64 packet_seq;	/* a gap in these numbers is a lost packet */
	__u32 cpu_id;
	__u32 nr_records;
};

enum ktrace_rec {
	KTRACE_REC_UNSPEC = 0,
	KTRACE_REC_ENTRY,
	KTRACE_REC_EXIT,
	KTRACE_REC_TASK_EXIT,	/* a thread ended; its open frames were closed before */
	KTRACE_REC_FORK,	/* payload: tid and tgid of the new thread or process */
	KTRACE_REC_EXEC,	/* payload: name of the program, 16 bytes, zero-padded */
	/* events that took MIN_TIME or longer: */
	KTRACE_REC_SYSCALL,	/* a system call; func as for KTRACE_PROVIDER_SYSCALLS */
	KTRACE_REC_REQUEST,	/* a disk request; func: KTRACE_BLOCK_FUNC of its Q2C */
	KTRACE_REC_CALL,	/* a call of a kernel function */
	KTRACE_REC_PERIOD,	/* a period of a thread; func: KTRACE_SCHED_* */
	KTRACE_REC_FAULT,	/* a page fault of a program; func: enum ktrace_fault */
	KTRACE_REC_SAMPLE	/* of what a CPU does; func: enum ktrace_profile */
};

/* ktrace_record.flags */
#define KTRACE_REC_F_UNWOUND	(1U << 0) /* closed by exception, longjmp or a jump past it */
#define KTRACE_REC_F_KILLED	(1U << 1) /* still open when the thread ended */
#define KTRACE_REC_F_LATE	(1U << 2) /* ENTRY: payload[0] is the time when the call began */
#define KTRACE_REC_F_OPEN	(1U << 2) /* EXIT: still open; duration is the time so far */
#define KTRACE_REC_F_NO_RETURN	(1U << 3) /* ENTRY without EXIT: it ends with its parent */
#define KTRACE_REC_F_INHERITED	(1U << 4) /* EXIT of a call that does not count: see below */
#define KTRACE_REC_F_VALUES	(1U << 5) /* the payload contains values */
/* ENTRY; EXIT in sessions with KTRACE_F_NO_ENTRIES: a tail call, made by a jump of the caller */
#define KTRACE_REC_F_TAIL	(1U << 6)
#define KTRACE_REC_F_STACK	(1U << 6) /* SYSCALL and later: the payload ends with a stack */
#define KTRACE_REC_F_AT_MOST	(1U << 7) /* EXIT: the call ended earlier, unseen */
#define KTRACE_REC_F_STRING	(1U << 7) /* SYSCALL: the payload contains a path argument */

/* The kind of a value, in records and in struct ktrace_func. */
enum ktrace_value {
	KTRACE_VALUE_NONE = 0,
	KTRACE_VALUE_INT,
	KTRACE_VALUE_STRING
};

#define KTRACE_STACK_NONE	0xffffffffU	/* no stack was taken, or it was lost */

#define KTRACE_STRING_LEN	64	/* bytes kept of a string value, plus 1 */
enum ktrace_string {
	KTRACE_STRING_WHOLE = 0,
	KTRACE_STRING_CUT,	/* the string is longer */
	KTRACE_STRING_NULL,	/* the pointer was NULL */
	KTRACE_STRING_UNREADABLE
};

/*
 * INHERITED: the parent process entered the call, and counts it; or the function or the task was
 * removed from the session while the call was open.
 */
struct ktrace_record {
	__u64 time;
	__u32 id;
	__u32 tid;
	__u32 func;
	__u16 depth;		/* 0 is the outermost frame */
	__u8 flags;
	__u8 nr_payload;
	__u64 duration[];	/* one word, in EXIT and from SYSCALL on; there, end follows; */
				/* then the payload */
};

#define KTRACE_SYSCALL_PATH_LEN	48	/* bytes of the path of a descriptor at most */
#define KTRACE_SYSCALL_STRING_LEN 96	/* bytes of a path argument at most */
struct ktrace_syscall_record {
	__s64 ret;
	__u64 args[6];
	char comm[16];		/* of the thread */
};

#define KTRACE_REQUEST_STAGES	4	/* the stages before KTRACE_BLOCK_Q2C */
#define KTRACE_SECTOR_NONE	0xffffffffffffffffULL
#define KTRACE_OFF_CPU_UNKNOWN	0xffffffffffffffffULL	/* for example, the thread has ended */
struct ktrace_request_record {
	__u64 stage_ns[KTRACE_REQUEST_STAGES];	/* their sum is the duration */
	__u64 sector;		/* the first one, in units of 512 bytes; or KTRACE_SECTOR_NONE */
	__u64 inode;		/* of the file of the first bio; 0: no file, or not known */
	__u64 off_cpu_ns;	/* the part of the duration that the queueing thread was off the */
				/* CPU; or KTRACE_OFF_CPU_UNKNOWN */
	__u32 file_dev;		/* of the file system of this file: major << 20 | minor */
	__u32 dev;		/* of the disk: major << 20 | minor */
	__u32 bytes;
	__u32 stages;		/* 1 << enum ktrace_block_stage, of stages it went through */
	__u32 error;		/* errno; 0: no error */
	__u32 pid;		/* of the process that queued it */
	char comm[16];		/* of the thread, when it queued the request */
};

/*
 * The result of a call is a negative errno, or a number from 0 to INT_MAX if the function returns
 * a number. No kernel address lies in this range, nor does the lower half of an address of kernel
 * text. Other results are withheld. On a kernel that is locked down for confidentiality, only
 * errnos are reported.
 */
#define KTRACE_RESULT_NONE	(-0x7fffffffffffffffLL - 1)
struct ktrace_call_record {
	__s64 ret;		/* KTRACE_RESULT_NONE: withheld */
	char comm[16];		/* of the thread */
};

struct ktrace_period_record {
	char comm[16];		/* of the thread */
};

struct ktrace_fault_record {
	__u64 page;		/* address of the page in the program */
	__u32 error;		/* errno; 0: the page is in its place. ENOMEM: there was no */
				/* memory; EHWPOISON: the memory is broken; EFAULT: SIGBUS, or */
				/* SIGSEGV */
	__u32 pid;		/* of the process */
	char comm[16];		/* of the thread */
};

struct ktrace_sample_record {
	__u32 pid;		/* of the process */
	__u32 zero;
	char comm[16];		/* of the thread */
};

#endif
