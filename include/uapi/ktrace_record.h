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
 *            | duration, ns (EXIT only)        |
 *            +---------------------------------+
 *            | payload[nr], 64 bit each        |
 *            +---------------------------------+
 *
 * tid is the thread's id in the initial pid namespace.
 */
#ifndef _UAPI_KTRACE_RECORD_H
#define _UAPI_KTRACE_RECORD_H

#include <linux/types.h>

#define KTRACE_CTF_MAGIC	0xC1FC1FC1U
#define KTRACE_PACKET_LEN	15872U

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
	KTRACE_REC_EXEC		/* payload: the program's name, 16 bytes, zero-padded */
};

/* ktrace_record.flags */
#define KTRACE_REC_F_UNWOUND	(1U << 0) /* closed by exception, longjmp or a jump past it */
#define KTRACE_REC_F_KILLED	(1U << 1) /* still open when the thread ended */
#define KTRACE_REC_F_LATE	(1U << 2) /* ENTRY: payload[0] is when it really began */
#define KTRACE_REC_F_NO_RETURN	(1U << 3) /* entry-only: end is that of its parent */
#define KTRACE_REC_F_INHERITED	(1U << 4) /* EXIT of a call that the parent process entered */

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

#endif
