/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OPEN_CALLS_H
#define OPEN_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/hash.h"

/* The calls that were open at one moment, while records are read from the last one to the first. */
struct open_calls;

struct open_call {
	uint64_t begin;		/* ns */
	uint32_t func, cpu;
	uint16_t depth;		/* as recorded: callees are deeper, and begin no earlier */
	uint8_t flags;		/* of its end */
	bool has_entry;		/* a record will tell where it begins */
};

struct open_thread {
	uint32_t tid;
	size_t at;		/* in the heap */
	struct open_call *calls;	/* the innermost is the last one */
	size_t nr, room;
	UT_hash_handle hh;	/* by tid */
};

struct open_calls *open_calls_create(void);
void open_calls_free(struct open_calls *open);

/* Returns a thread with open calls, or NULL. */
struct open_thread *open_calls_of(const struct open_calls *open, uint32_t tid);
/* Returns the thread whose innermost call without a record of its entry began last, or any, or NULL. */
struct open_thread *open_calls_latest(const struct open_calls *open);
/* Adds a call inside of the others of its thread. */
void open_calls_push(struct open_calls *open, uint32_t tid, const struct open_call *call);
/* Removes the innermost call. Frees the thread and returns NULL if it was the only one. */
struct open_thread *open_calls_pop(struct open_calls *open, struct open_thread *thread);

static inline const struct open_call *open_calls_inner(const struct open_thread *thread)
{
	return &thread->calls[thread->nr - 1];
}

/* Returns when the innermost call began; 0: a record will tell. */
static inline uint64_t open_calls_begin(const struct open_thread *thread)
{
	return open_calls_inner(thread)->has_entry ? 0 : open_calls_inner(thread)->begin;
}

#endif
