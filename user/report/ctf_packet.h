/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CTF_PACKET_H
#define CTF_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/record.h"
#include "report/tasks.h"

/* Kinds of events of a trace, beside those of enum event_id up to EVENT_EXEC. */
enum ctf_id {
	CTF_LATE_ENTRY = EVENT_EXEC + 1,
	CTF_VALUES = 16		/* and above: one id per class of values, by first use */
};

/* The values of one kind of event, by position. A result is at position 0. */
struct ctf_class {
	bool is_exit;
	struct {
		uint8_t kind;	/* KTRACE_VALUE_* */
		char format;	/* of integers: d, u or x */
	} values[KTRACE_MAX_ARGS];
};

struct ctf_classes {
	struct ctf_class *classes;
	size_t nr;
};

/* A packet of a CPU that is being filled, and the counters that continue in the next packet. */
struct ctf_packet {
	struct ktrace_packet head;	/* counters, and the time of the last event */
	uint64_t discarded;		/* events_discarded of the previous packet */
	char *bytes;			/* room for the head, then the events */
	size_t len, room;
};

void ctf_packet_init(struct ctf_packet *packet, unsigned int cpu, uint64_t session,
		     uint64_t cookie);
void ctf_packet_free(struct ctf_packet *packet);

/* Adds an event, EVENT_ENTRY to EVENT_EXEC. Adds the class of its values if the class is new. */
void ctf_packet_add(struct ctf_packet *packet, const struct record *record,
		    const struct task *task, struct ctf_classes *classes);

/* Counts records that are missing at the current end of the packet. */
void ctf_packet_add_gap(struct ctf_packet *packet, uint64_t nr_missing);

/* Returns true if the packet is large enough to be written. */
bool ctf_packet_is_full(const struct ctf_packet *packet);
/* Returns true if the packet contains nothing to write. */
bool ctf_packet_is_empty(const struct ctf_packet *packet);

/*
 * Writes the packet and begins the next one. Returns false, with errno, if the packet was not
 * written, or only a part of it.
 */
bool ctf_packet_write(struct ctf_packet *packet, int fd);

#endif
