/* SPDX-License-Identifier: GPL-2.0 */
#ifndef EVENT_H
#define EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A record of a stream, or a gap in it. */
enum event_id {
	EVENT_GAP = 0, EVENT_ENTRY, EVENT_EXIT, EVENT_TASK_EXIT, EVENT_FORK, EVENT_EXEC,
	EVENT_SYSCALL, EVENT_REQUEST, EVENT_CALL, EVENT_PERIOD
};

struct event {
	uint64_t time;		/* ns, CLOCK_MONOTONIC; of a late entry: when it began */
	uint64_t written;	/* ns: what orders the records of a CPU */
	uint64_t duration;	/* ns, EXIT, SYSCALL and what follows; GAP: how many records are missing */
	uint32_t id;		/* enum event_id */
	uint32_t tid;
	uint32_t func;
	uint32_t cpu;
	uint16_t depth;
	uint8_t flags;		/* KTRACE_REC_F_* */
	uint32_t child;		/* FORK: tid of the new thread or process, the new one is a process ... */
	uint32_t child_pid;	/* ... if this number is the same */
	char program[17];	/* EXEC */
	uint8_t nr_payload;	/* words of values, or of the struct in ktrace_record.h; */
	const uint64_t *payload; /* valid while the event is handled */
	bool has_stack;		/* from SYSCALL on; not a part of the payload: */
	uint32_t stack;		/* its number, or KTRACE_STACK_NONE */
};

/* A remark on how a call ended or was seen, if that is unusual; or NULL. */
const char *event_mark(const struct event *event);

/* "entry" and so on. */
const char *event_kind(const struct event *event);

/*
 * Gives the records of a packet to fn, in order. Returns 0, or -1 when the
 * packet is malformed: the records before the fault were given.
 */
int event_parse(const void *packet, size_t len,
		void (*fn)(void *arg, const struct event *event), void *arg);

#endif
