/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_TABLE_H
#define KT_TABLE_H

#include <linux/types.h>

#include <uapi/ktrace.h>

#include "core/hist.h"

struct kt_table_cell;
struct task_struct;

/* The most words that the keys of a row take: two for a name and for a file, else one. */
#define KT_KEY_WORDS (KTRACE_TABLE_KEYS + 2)

/* Rows by keys that a session has chosen. The table by function is hist of struct kt_figures. */
struct kt_table {
	struct ktrace_table shape;
	u32 nr_words;		/* of the keys of a row */
	u32 order;		/* log2 of the slots; one more is for the row of the others */
	u64 seed;		/* of hashes; not 0 */
	u32 slot_words;
	bool is_lasting;	/* keys depend on func, and on what a task keeps until an exec */
	bool has_comm;		/* a row has the name of the task that it counted last */
	bool is_of_process;	/* this name is that of the first thread of the process */
	atomic_t nr_rows;
	u64 *slots;		/* see table.c */
	struct kt_table_cell ***cells;	/* [cpu][slot], from a pool at the first hit */
};

#define KT_NR_LASTING 8	/* func is below this in events with slots */

/* The slots of one task's rows in one table with is_lasting, by func. */
struct kt_table_slots {
	u64 seed;		/* of the table; 0: no slot is known */
	u32 slot[KT_NR_LASTING];	/* slot + 1; 0: not known */
};

/* The data of an event that keys depend on. */
struct kt_table_event {
	struct task_struct *who;	/* the task that the event counts for: current, or a */
					/* task that is switched to or from */
	u32 func;
	u32 error;		/* errno, 0: none */
	u64 now;		/* ticks */
	struct kt_table_slots *slots;	/* of who; NULL: each event looks up its row */
};

/* An event that counts for an earlier task, whose keys the caller has noted. */
struct kt_table_noted {
	u64 key[KT_KEY_WORDS];	/* the words of the shape's keys, in their order */
	const char *comm;	/* of this task, or of its process: TASK_COMM_LEN bytes */
	u64 now;		/* ticks */
};

void kt_table_init(void);

u32 kt_table_key_words(u32 key);	/* of a KTRACE_KEY_* */

/* Few words: memcpy() would be checked by FORTIFY_SOURCE. */
static inline void kt_table_copy_words(u64 *to, const u64 *from, u32 nr)
{
	while (nr--)
		*to++ = *from++;
}

/* The two words of a name of TASK_COMM_LEN bytes. */
void kt_table_put_comm(u64 *to, const char *comm);

/* Process context. Returns NULL if there is no memory. */
struct kt_table *kt_table_create(const struct ktrace_table *shape);
/* As kt_pool_want(), for rows that a table of this shape may need at once. */
void kt_table_want(const struct ktrace_table *shape, int rows);
void kt_table_put(struct kt_table *table);	/* no hit uses it any more */

/*
 * Counts an event of duration ns in its row on this CPU, and losses in counters, which belong to
 * this CPU. Returns the row, in which the caller counts all other figures, or NULL if there is no
 * memory. Preemption is off; interrupts are off, too, if interrupts also count in this table. RCU
 * reader; not in an NMI.
 */
struct kt_hist *kt_table_count(struct kt_table *table, const struct kt_table_event *event,
			       u64 duration, struct ktrace_counters *counters);

/* The same, but counts no duration. nr_calls: what is lost if the row is that of the others. */
struct kt_hist *kt_table_row(struct kt_table *table, const struct kt_table_event *event,
			     u32 nr_calls, struct ktrace_counters *counters);

/* The same for an event whose keys were noted. */
struct kt_hist *kt_table_count_noted(struct kt_table *table, const struct kt_table_noted *event,
				     u64 duration, struct ktrace_counters *counters);

/* A row for a reader: the sum of all CPUs, or the figures of one CPU. */
struct kt_table_row {
	u64 key[KT_KEY_WORDS];
	bool is_other;		/* the row of the others */
	u64 last;		/* ns of the module's clock, when the row last counted */
	u64 comm[2];		/* of the task that it counted then, padded with zeroes */
	struct kt_stats stats;
	u64 count[KTRACE_NR_OCTAVES * KT_OCTAVE_LEN];
};

/* Slots of a reader are below this number; the last is that of the others. */
static inline u32 kt_table_nr_slots(const struct kt_table *table)
{
	return (1U << table->order) + 1;
}

/* Returns the first slot from slot on that may have a row: at the latest, that of the others. */
u32 kt_table_next(const struct kt_table *table, u32 slot);

/*
 * Fills in row from one CPU, or from all if cpu is -1. Returns false if nothing was counted there.
 * Process context; CPUs may go on counting.
 */
bool kt_table_get(const struct kt_table *table, u32 slot, int cpu, struct kt_table_row *row);

#endif
