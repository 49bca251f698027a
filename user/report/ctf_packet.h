/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CTF_PACKET_H
#define CTF_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/record_value.h"
#include "report/tasks.h"
#include "session/event.h"
#include "uapi/ktrace_record.h"

/* Kinds of events of a trace. */
enum ctf_id {
	CTF_ENTRY = 1, CTF_EXIT, CTF_TASK_EXIT, CTF_FORK, CTF_EXEC, CTF_LATE_ENTRY,
	CTF_VALUES = 16		/* and above: by their values, in the order of their first use */
};

/* The values of a kind of event, by position; a result is at the first. */
struct ctf_class {
	bool is_exit;
	struct {
		uint8_t kind;	/* KTRACE_VALUE_* */
		char format;	/* d, u or x, of integers */
	} values[KTRACE_MAX_ARGS];
};

struct ctf_classes {
	struct ctf_class *classes;
	size_t nr;
};

/* A packet of a CPU that is being made, and what goes on in the next one. */
struct ctf_packet {
	struct ktrace_packet head;	/* its counters, and the time of its last event */
	uint64_t discarded;		/* as the packet before said */
	char *events;
	size_t len, room;
};

void ctf_packet_init(struct ctf_packet *packet, unsigned int cpu, uint64_t session,
		     uint64_t cookie);
void ctf_packet_free(struct ctf_packet *packet);

/* Adds an event that is no gap. The class of its values is added if it is a new one. */
void ctf_packet_add(struct ctf_packet *packet, const struct event *event,
		    const struct task *task, const struct value_formats *formats,
		    struct ctf_classes *classes);

/* What is missing at its end. */
void ctf_packet_add_gap(struct ctf_packet *packet, uint64_t nr_missing);

/* Is it large enough to be written? Is there anything to be written? */
bool ctf_packet_is_full(const struct ctf_packet *packet);
bool ctf_packet_is_empty(const struct ctf_packet *packet);

/* Writes it and begins the next. False: it could not be written. */
bool ctf_packet_write(struct ctf_packet *packet, FILE *out);

#endif
