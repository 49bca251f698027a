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
	uint64_t time;		/* ns, CLOCK_MONOTONIC; of a late entry: when the call began; of */
				/* SYSCALL and later: the end, which may precede other events */
	uint64_t written;	/* ns: the time in the record, which never decreases on a CPU */
	uint64_t duration;	/* ns: EXIT, SYSCALL and later; GAP: number of missing records */
	uint32_t id;		/* enum event_id */
	uint32_t tid;
	uint32_t func;
	uint32_t cpu;
	uint16_t depth;
	uint8_t flags;		/* KTRACE_REC_F_* */
	uint32_t child;		/* FORK: tid of the new thread or process */
	uint32_t child_pid;	/* FORK: its pid; the same number as child if it is a process */
	char program[17];	/* EXEC */
	uint8_t nr_payload;	/* words of values, or of a struct of ktrace_record.h */
	const uint64_t *payload; /* valid while the event is handled */
	bool has_stack;		/* SYSCALL and later ids: stack is valid; payload excludes it */
	uint32_t stack;		/* the number of the stack, or KTRACE_STACK_NONE */
};

/* Returns a remark on an unusual end or observation of a call, or NULL. */
const char *event_mark(const struct event *event);

/*
 * Calls fn for each record of a packet, in order. Returns 0, or -1 if the packet is malformed;
 * fn has then been called for the records before the fault.
 */
int event_parse(const void *packet, size_t len,
		void (*fn)(void *arg, const struct event *event), void *arg);

#endif
