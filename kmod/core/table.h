/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_TABLE_H
#define KT_TABLE_H

#include <linux/types.h>

#include <uapi/ktrace.h>

#include "core/hist.h"

struct kt_table_cell;

/* Words of a row's keys at most: each is one, a name is two. */
#define KT_KEY_WORDS (KTRACE_TABLE_KEYS + 1)

/* Rows by keys that a session has chosen. The table by function is the array of kt_figures. */
struct kt_table {
	struct ktrace_table shape;
	u32 nr_words;		/* of a row's keys */
	u32 order;		/* log2 of the slots; the cell behind the last is of the others */
	u64 seed;		/* of hashes */
	atomic_t nr_rows;
	u64 *slots;		/* see table.c */
	struct kt_table_cell ***cells;	/* [cpu][slot], from a pool when first hit */
};

/* An event, as far as keys need more than the current task. */
struct kt_table_event {
	u32 func;
	u32 error;		/* errno, 0: none */
	u64 now;		/* ticks */
};

void kt_table_init(void);
void kt_table_exit(void);
void kt_table_trim(u32 keep);	/* as kt_pool_trim() */

u32 kt_table_key_words(u32 key);	/* of a KTRACE_KEY_* */

/* Few words: memcpy() would be checked by FORTIFY_SOURCE. */
static inline void kt_table_copy_words(u64 *to, const u64 *from, u32 nr)
{
	while (nr--)
		*to++ = *from++;
}

/* Process context; NULL: no memory. */
struct kt_table *kt_table_create(const struct ktrace_table *shape);
void kt_table_put(struct kt_table *table);	/* no hit uses it any more */

/*
 * Preemption off, and interrupts where they count too; RCU reader; not in an NMI. The row of
 * current and the event on this CPU, where kt_table_add() and the caller count. NULL: there is
 * no memory. is_other is set if the table is full: it is the row of the others.
 */
struct kt_hist *kt_table_row(struct kt_table *table, const struct kt_table_event *event,
			     bool *is_other);

/* False: the call is counted, but in no bucket. */
bool kt_table_add(const struct kt_table *table, struct kt_hist *row, u64 duration);

/* A row for a reader, summed over CPUs or of one. */
struct kt_table_row {
	u64 key[KT_KEY_WORDS];
	bool is_other;
	u64 last;		/* ns of the module's clock: when it was counted last */
	u64 comm[2];		/* of the task that it was counted for then, padded with zeroes */
	struct ktrace_stats stats;
	u64 count[KTRACE_NR_OCTAVES * KT_OCTAVE_LEN];
};

/* Numbers below are of slots, the last of the others. */
static inline u32 kt_table_nr_slots(const struct kt_table *table)
{
	return (1U << table->order) + 1;
}

/* Process context, while CPUs go on counting. cpu -1: all. False: nothing was counted there. */
bool kt_table_get(const struct kt_table *table, u32 slot, int cpu, struct kt_table_row *row);

#endif
