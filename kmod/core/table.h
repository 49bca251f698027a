/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_TABLE_H
#define KT_TABLE_H

#include <linux/types.h>

#include <uapi/ktrace.h>

#include "core/hist.h"

struct kt_table_cell;
struct task_struct;

/* Words of a row's keys at most: each is one, a name and a file are two. */
#define KT_KEY_WORDS (KTRACE_TABLE_KEYS + 2)

/* Rows by keys that a session has chosen. The table by function is the array of kt_figures. */
struct kt_table {
	struct ktrace_table shape;
	u32 nr_words;		/* of a row's keys */
	u32 order;		/* log2 of the slots; the cell behind the last is of the others */
	u64 seed;		/* of hashes; not 0 */
	u32 slot_words;
	bool is_lasting;	/* keys are of func, and of what a task keeps until an exec */
	bool has_comm;		/* a row has the name of the task that it counted last ... */
	bool is_of_process;	/* ... or of the first thread of its process */
	atomic_t nr_rows;
	u64 *slots;		/* see table.c */
	struct kt_table_cell ***cells;	/* [cpu][slot], from a pool when first hit */
};

#define KT_NR_LASTING 8	/* numbers of func below it */

/* Where the rows of one task are in one table, by func, if their other keys stay with the task. */
struct kt_table_slots {
	u64 seed;		/* of the table; 0: none is known */
	u32 slot[KT_NR_LASTING];	/* one more than its number; 0: not known */
};

/* An event, as far as keys need it. */
struct kt_table_event {
	struct task_struct *who;	/* the task that it counts for: current, or one that is */
					/* switched to or from */
	u32 func;
	u32 error;		/* errno, 0: none */
	u64 now;		/* ticks */
	struct kt_table_slots *slots;	/* of who; NULL: they are looked up each time */
};

/* An event that counts for a task of the past: its caller has noted the keys. */
struct kt_table_noted {
	u64 key[KT_KEY_WORDS];	/* the words of the shape's keys, in their order */
	const char *comm;	/* of that task, or of its process: TASK_COMM_LEN bytes */
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

/* The two words of a name of TASK_COMM_LEN bytes. */
void kt_table_put_comm(u64 *to, const char *comm);

/* Process context; NULL: no memory. */
struct kt_table *kt_table_create(const struct ktrace_table *shape);
/* As kt_pool_want(), of new rows of such a table that come at once. */
void kt_table_want(const struct ktrace_table *shape, int rows);
void kt_table_put(struct kt_table *table);	/* no hit uses it any more */

/*
 * Preemption off, and interrupts where they count too; RCU reader; not in an NMI. Counts an event
 * that took duration ns in its row on this CPU, and what is lost of it in counters, which are this
 * CPU's. Returns the row, where the caller counts what else there is; NULL: there is no memory.
 */
struct kt_hist *kt_table_count(struct kt_table *table, const struct kt_table_event *event,
			       u64 duration, struct ktrace_counters *counters);

/* The same, of an event whose keys were noted. */
struct kt_hist *kt_table_count_noted(struct kt_table *table, const struct kt_table_noted *event,
				     u64 duration, struct ktrace_counters *counters);

/* A row for a reader, summed over CPUs or of one. */
struct kt_table_row {
	u64 key[KT_KEY_WORDS];
	bool is_other;
	u64 last;		/* ns of the module's clock: when it was counted last */
	u64 comm[2];		/* of the task that it was counted for then, padded with zeroes */
	struct kt_stats stats;
	u64 count[KTRACE_NR_OCTAVES * KT_OCTAVE_LEN];
};

/* Numbers below are of slots, the last of the others. */
static inline u32 kt_table_nr_slots(const struct kt_table *table)
{
	return (1U << table->order) + 1;
}

/* The first slot from one on that a row may have; at the latest that of the others. */
u32 kt_table_next(const struct kt_table *table, u32 slot);

/* Process context, while CPUs go on counting. cpu -1: all. False: nothing was counted there. */
bool kt_table_get(const struct kt_table *table, u32 slot, int cpu, struct kt_table_row *row);

#endif
