/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PART_H
#define PART_H

#include <stdint.h>

#include "report/json_line.h"
#include "stream/identity.h"

#define PART_LEN (256U << 10)
#define PART_MESSAGES 1024U

/*
 * Messages for a collector: a packet of the ring, or as much of it as has room, in the format of
 * the sink. It lies in memory that the reader of the ring shares with the sender, and belongs to
 * the sender from the moment it is passed on until it is answered.
 */
struct part {
	char id[IDENTITY_LEN];	/* of its first record; "" if it has none */
	uint32_t nr;		/* messages */
	uint32_t ends[PART_MESSAGES];	/* where each message ends in bytes */
	char bytes[PART_LEN + JSON_LINE_SLACK];
};

static inline uint32_t part_begin_of(const struct part *part, uint32_t message)
{
	return message ? part->ends[message - 1] : 0;
}

static inline uint32_t part_len(const struct part *part)
{
	return part_begin_of(part, part->nr);
}

#endif
