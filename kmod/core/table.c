// SPDX-License-Identifier: GPL-2.0
/*
 * Tables whose rows have keys that a session has chosen.
 *
 * The rows are in one open hash table, shared by all CPUs. A slot is a few words:
 *
 *      tag | key | key ...        tag 0: free
 *                                 tag: a hash of the keys, with bit 0 once the keys are written
 *
 * The number of a row is that of its slot. A hit compares the hash, which has 63 bits and a random
 * seed, and also the keys once they are written. It never waits for keys that another CPU, or the
 * context that it interrupts, is about to write. A new row takes one cmpxchg on a free slot.
 *
 * Figures are per CPU, in cells from a pool, which a CPU takes when it first hits a row.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/uidgid.h>

#include "compat/cgroup.h"
#include "core/table.h"
#include "lib/mem.h"
#include "lib/pool.h"
#include "lib/ticks.h"

#define IS_WRITTEN 1ULL

/* A row on one CPU, which alone writes it. Without histograms, the memory ends before octaves. */
struct kt_table_cell {
	u64 last;		/* ticks */
	u64 comm[2];
	struct kt_hist hist;
};

#define SHORT_LEN offsetof(struct kt_table_cell, hist.octave)

static struct kt_pool whole_cells, short_cells;

#define NR_READY 32	/* cells in the pool for each table */
#define USUAL_OCTAVES 4	/* most octaves that a new row needs at once */

void kt_table_init(void)
{
	kt_pool_init(&whole_cells, sizeof(struct kt_table_cell), 0);
	kt_pool_init(&short_cells, SHORT_LEN, 0);
	kt_pool_share(&whole_cells);
	kt_pool_share(&short_cells);
}

static bool table_has_histogram(const struct kt_table *table)
{
	return table->shape.flags & KTRACE_TABLE_HISTOGRAM;
}

static struct kt_pool *table_pool_of(const struct kt_table *table)
{
	return table_has_histogram(table) ? &whole_cells : &short_cells;
}

void kt_table_want(const struct ktrace_table *shape, int rows)
{
	bool has_histogram = shape->flags & KTRACE_TABLE_HISTOGRAM;

	kt_pool_want(has_histogram ? &whole_cells : &short_cells, rows);
	if (has_histogram)
		kt_hist_want_octaves(rows * USUAL_OCTAVES);
}

/* --- made and given back --------------------------------------------------- */

u32 kt_table_key_words(u32 key)
{
	if (key == KTRACE_KEY_NONE)
		return 0;
	return key == KTRACE_KEY_COMM || key == KTRACE_KEY_FILE ? 2 : 1;
}

static size_t table_slots_len(const struct kt_table *table)
{
	return (size_t)table->slot_words * sizeof(u64) << table->order;
}

static size_t table_cells_len(const struct kt_table *table)
{
	return kt_table_nr_slots(table) * sizeof(struct kt_table_cell *);
}

static bool table_has_key(const struct ktrace_table *shape, u32 key)
{
	int i;

	for (i = 0; i < KTRACE_TABLE_KEYS; i++)
		if (shape->keys[i] == key)
			return true;
	return false;
}

/* At most half of the slots are taken. */
static void table_set_shape(struct kt_table *table, const struct ktrace_table *shape)
{
	int i;

	table->shape = *shape;
	table->order = order_base_2(max_t(u32, shape->max_rows, 8)) + 1;
	for (i = 0; i < KTRACE_TABLE_KEYS; i++)
		table->nr_words += kt_table_key_words(shape->keys[i]);
	table->slot_words = 1 + table->nr_words;
	table->is_lasting = !table_has_key(shape, KTRACE_KEY_COMM) &&
			    !table_has_key(shape, KTRACE_KEY_CPU) &&
			    !table_has_key(shape, KTRACE_KEY_UID) &&
			    !table_has_key(shape, KTRACE_KEY_CGROUP) &&
			    !table_has_key(shape, KTRACE_KEY_ERRNO);
	table->has_comm = shape->values & 1ULL << KTRACE_FIGURE_COMM;
	table->is_of_process = table_has_key(shape, KTRACE_KEY_PID) &&
			       !table_has_key(shape, KTRACE_KEY_TID);
	get_random_bytes(&table->seed, sizeof(table->seed));
	table->seed |= !table->seed;
}

struct kt_table *kt_table_create(const struct ktrace_table *shape)
{
	struct kt_table *table = kt_mem_alloc(sizeof(*table));
	int cpu;

	if (!table)
		return NULL;
	table_set_shape(table, shape);
	kt_pool_want(table_pool_of(table), NR_READY);
	table->slots = kt_mem_alloc(table_slots_len(table));
	table->cells = kt_mem_alloc(nr_cpu_ids * sizeof(*table->cells));
	if (!table->slots || !table->cells)
		goto put;
	for_each_possible_cpu(cpu) {
		table->cells[cpu] = kt_mem_alloc(table_cells_len(table));
		if (!table->cells[cpu])
			goto put;
	}
	return table;
put:
	kt_table_put(table);
	return NULL;
}

static void table_put_cells(const struct kt_table *table, struct kt_table_cell **cells)
{
	u32 slot;

	for (slot = 0; cells && slot < kt_table_nr_slots(table); slot++) {
		cond_resched();
		if (!cells[slot])
			continue;
		if (table_has_histogram(table))
			kt_hist_put_octaves(&cells[slot]->hist);
		kt_pool_put(table_pool_of(table), cells[slot]);
	}
	kt_mem_free(cells, table_cells_len(table));
}

void kt_table_put(struct kt_table *table)
{
	int cpu;

	if (!table)
		return;
	kt_pool_want(table_pool_of(table), -NR_READY);
	if (table->cells)
		for_each_possible_cpu(cpu)
			table_put_cells(table, table->cells[cpu]);
	kt_mem_free(table->cells, nr_cpu_ids * sizeof(*table->cells));
	kt_mem_free(table->slots, table_slots_len(table));
	kt_mem_free(table, sizeof(*table));
}

/* --- keys ------------------------------------------------------------------ */

/* Returns the bytes of a word before its first 0 byte; the others are 0. */
static u64 table_text_of(u64 word)
{
	u64 zeroes = (word - 0x0101010101010101ULL) & ~word & 0x8080808080808080ULL;

	return zeroes ? word & (((zeroes & -zeroes) >> 7) - 1) : word;
}

/* Clears the bytes after the end of a name in two words: they may be left from a longer name. */
static void table_cut_comm(u64 *words)
{
	bool is_long = table_text_of(words[0]) == words[0] && words[0] >> 56;

	words[0] = table_text_of(words[0]);
	words[1] = is_long ? table_text_of(words[1]) : 0;
}

void kt_table_put_comm(u64 *to, const char *comm)
{
	memcpy(to, comm, TASK_COMM_LEN);
	table_cut_comm(to);
}

static u64 table_cgroup_of(struct task_struct *who)
{
	u64 id;

	rcu_read_lock();
	id = kt_task_cgroup_id(who);
	rcu_read_unlock();
	return id;
}

/*
 * A kuid has the number of the initial namespace. from_kuid() is not used, since it is a function
 * that may have a probe.
 */
static u64 table_uid_of(struct task_struct *who)
{
	u64 uid;

	rcu_read_lock();
	uid = __kuid_val(__task_cred(who)->uid);
	rcu_read_unlock();
	return uid;
}

static u64 table_number_of(u32 key, const struct kt_table_event *event)
{
	if (key <= KTRACE_KEY_SYSCALL || key >= KTRACE_KEY_PERIOD)
		return event->func;
	switch (key) {
	case KTRACE_KEY_TID:
		return event->who->pid;
	case KTRACE_KEY_PID:
		return event->who->tgid;
	case KTRACE_KEY_CPU:
		return smp_processor_id();
	case KTRACE_KEY_UID:
		return table_uid_of(event->who);
	case KTRACE_KEY_CGROUP:
		return table_cgroup_of(event->who);
	default:
		return event->error;
	}
}

static void table_put_key(const struct kt_table *table, const struct kt_table_event *event, u64 *to)
{
	int i;

	for (i = 0; i < KTRACE_TABLE_KEYS && table->shape.keys[i]; i++) {
		if (table->shape.keys[i] == KTRACE_KEY_COMM) {
			kt_table_put_comm(to, event->who->comm);
			to += 2;
		} else {
			*to++ = table_number_of(table->shape.keys[i], event);
		}
	}
}

static u64 table_tag_of(const struct kt_table *table, const u64 *key)
{
	u64 hash = table->seed;
	u32 i;

	for (i = 0; i < table->nr_words; i++) {
		hash = (hash ^ key[i]) * 0xff51afd7ed558ccdULL;
		hash ^= hash >> 32;
		hash *= 0xc4ceb9fe1a85ec53ULL;
		hash ^= hash >> 29;
	}
	hash &= ~IS_WRITTEN;
	return hash ? hash : ~IS_WRITTEN;
}

/* --- hits ------------------------------------------------------------------ */

static u64 *table_slot_at(const struct kt_table *table, u32 slot)
{
	return table->slots + (size_t)slot * table->slot_words;
}

/* Returns false if another context took the slot, or if the table has max_rows rows. */
static bool table_take_slot(struct kt_table *table, u64 *slot, u64 tag, const u64 *key)
{
	if (atomic_read(&table->nr_rows) >= (int)table->shape.max_rows)
		return false;
	if (atomic_inc_return(&table->nr_rows) <= (int)table->shape.max_rows &&
	    !cmpxchg(slot, 0, tag)) {
		kt_table_copy_words(slot + 1, key, table->nr_words);
		xchg(slot, tag | IS_WRITTEN);
		return true;
	}
	atomic_dec(&table->nr_rows);
	return false;
}

static bool table_is_key_of(const struct kt_table *table, const u64 *slot, const u64 *key)
{
	u32 i;

	for (i = 0; i < table->nr_words; i++)
		if (slot[1 + i] != key[i])
			return false;
	return true;
}

/* At most half of the slots are taken, so a free one is near. */
#define MOST_LOOKS 256

/* Returns the slot of the row, or that of the others if there is no room. */
static u32 table_find_or_take(struct kt_table *table, u64 tag, const u64 *key)
{
	u32 mask = (1U << table->order) - 1, at = tag >> (64 - table->order), i;
	u64 *slot, there;

	for (i = 0; i <= mask && i < MOST_LOOKS; i++) {
		slot = table_slot_at(table, (at + i) & mask);
		there = READ_ONCE(*slot);
		if (!there && table_take_slot(table, slot, tag, key))
			return (at + i) & mask;
		/* Another context may have taken the slot meanwhile, for the same row. */
		if (!there)
			there = READ_ONCE(*slot);
		if (!there)
			break;
		if ((there & ~IS_WRITTEN) == tag &&
		    (!(there & IS_WRITTEN) || table_is_key_of(table, slot, key)))
			return (at + i) & mask;
	}
	return mask + 1;
}

static struct kt_table_cell *table_make_cell(struct kt_table *table, struct kt_table_cell **at)
{
	struct kt_table_cell *cell = kt_pool_get(table_pool_of(table));

	if (!cell)
		return NULL;
	cell->hist.min_ns = ~0ULL;
	WRITE_ONCE(*at, cell);
	return cell;
}

/* The name of a process is that of its first thread, which exists as long as any thread does. */
static struct task_struct *table_named_by(const struct kt_table *table,
					  struct task_struct *who)
{
	return table->is_of_process && pid_alive(who) ? who->group_leader : who;
}

/* A reader sees parts of two names only while the name changes. */
static void table_set_comm(struct kt_table_cell *cell, const char *comm)
{
	u64 words[2];

	memcpy(words, comm, sizeof(words));
	WRITE_ONCE(cell->comm[0], words[0]);
	WRITE_ONCE(cell->comm[1], words[1]);
}

static struct kt_table_cell *table_cell_of(struct kt_table *table, u32 slot)
{
	struct kt_table_cell **at = &table->cells[smp_processor_id()][slot];

	return likely(*at) ? *at : table_make_cell(table, at);
}

/* Returns false if there is no memory: the event counts, but in no bucket. */
static bool table_add(const struct kt_table *table, struct kt_hist *row, u64 duration)
{
	if (table_has_histogram(table))
		return kt_hist_add(row, duration);
	row->uncounted++;
	row->sum_ns += duration;
	row->min_ns = min(row->min_ns, duration);
	row->max_ns = max(row->max_ns, duration);
	return true;
}

static noinline u32 table_look_up(struct kt_table *table, const struct kt_table_event *event)
{
	u64 key[KT_KEY_WORDS];

	table_put_key(table, event, key);
	return table_find_or_take(table, table_tag_of(table, key), key);
}

/* Returns the slot of the row. A task caches the slots of the last table that counted it. */
static __always_inline u32 table_slot_of(struct kt_table *table,
					 const struct kt_table_event *event)
{
	struct kt_table_slots *slots = event->slots;
	u32 slot;

	if (!slots || !table->is_lasting)
		return table_look_up(table, event);
	if (likely(slots->seed == table->seed && slots->slot[event->func]))
		return slots->slot[event->func] - 1;
	slot = table_look_up(table, event);
	if (slots->seed != table->seed)
		memset(slots->slot, 0, sizeof(slots->slot));
	slots->seed = table->seed;
	/* The others may be wrong for once, when another CPU makes the row at the same time. */
	if (likely(slot != 1U << table->order))
		slots->slot[event->func] = slot + 1;
	return slot;
}

static __always_inline struct kt_table_cell *
table_row_in(struct kt_table *table, u32 slot, u64 now, u32 nr_calls,
	     struct ktrace_counters *counters)
{
	struct kt_table_cell *cell = table_cell_of(table, slot);

	if (unlikely(!cell)) {
		counters->lost_pool++;
		return NULL;
	}
	if (unlikely(slot == 1U << table->order))
		counters->lost_rows += nr_calls;
	cell->last = now;
	return cell;
}

static __always_inline struct kt_hist *table_row_of(struct kt_table *table,
						    const struct kt_table_event *event,
						    u32 nr_calls, struct ktrace_counters *counters)
{
	struct kt_table_cell *cell;

	cell = table_row_in(table, table_slot_of(table, event), event->now, nr_calls, counters);
	if (unlikely(!cell))
		return NULL;
	if (table->has_comm)
		table_set_comm(cell, table_named_by(table, event->who)->comm);
	return &cell->hist;
}

struct kt_hist *kt_table_row(struct kt_table *table, const struct kt_table_event *event,
			     u32 nr_calls, struct ktrace_counters *counters)
{
	return table_row_of(table, event, nr_calls, counters);
}

struct kt_hist *kt_table_count(struct kt_table *table, const struct kt_table_event *event,
			       u64 duration, struct ktrace_counters *counters)
{
	struct kt_hist *row = table_row_of(table, event, 1, counters);

	if (likely(row) && unlikely(!table_add(table, row, duration)))
		counters->lost_pool++;
	return row;
}

struct kt_hist *kt_table_count_noted(struct kt_table *table, const struct kt_table_noted *event,
				     u64 duration, struct ktrace_counters *counters)
{
	u32 slot = table_find_or_take(table, table_tag_of(table, event->key), event->key);
	struct kt_table_cell *cell;

	cell = table_row_in(table, slot, event->now, 1, counters);
	if (unlikely(!cell))
		return NULL;
	if (unlikely(!table_add(table, &cell->hist, duration)))
		counters->lost_pool++;
	if (table->has_comm)
		table_set_comm(cell, event->comm);
	return &cell->hist;
}

/* --- readers --------------------------------------------------------------- */

/*
 * Returns false if the keys are not written yet. The cmpxchg orders the reads after the xchg of
 * table_take_slot().
 */
static bool table_get_key(const struct kt_table *table, u32 slot, u64 *key)
{
	u64 *at = table_slot_at(table, slot);
	u64 tag = READ_ONCE(*at);

	if (!(tag & IS_WRITTEN) || cmpxchg(at, tag, tag) != tag)
		return false;
	kt_table_copy_words(key, at + 1, table->nr_words);
	return true;
}

static void table_add_cell(const struct kt_table *table, const struct kt_table_cell *cell,
			   struct kt_table_row *row)
{
	u64 last = kt_ticks_to_ns(READ_ONCE(cell->last));

	kt_hist_merge(&cell->hist, &row->stats, table_has_histogram(table) ? row->count : NULL);
	if (last < row->last)
		return;
	row->last = last;
	row->comm[0] = READ_ONCE(cell->comm[0]);
	row->comm[1] = READ_ONCE(cell->comm[1]);
	table_cut_comm(row->comm);
}

u32 kt_table_next(const struct kt_table *table, u32 slot)
{
	for (; slot < 1U << table->order && !READ_ONCE(*table_slot_at(table, slot)); slot++)
		cond_resched();
	return slot;
}

bool kt_table_get(const struct kt_table *table, u32 slot, int cpu, struct kt_table_row *row)
{
	bool is_other = slot == 1U << table->order;
	const struct kt_table_cell *cell;
	u64 key[KT_KEY_WORDS] = { 0 };
	int at;

	/* Most rows have nothing on a given CPU. */
	if (cpu >= 0 && !(cpu_possible(cpu) && READ_ONCE(table->cells[cpu][slot])))
		return false;
	if (!is_other && !table_get_key(table, slot, key))
		return false;
	memset(row, 0, sizeof(*row));
	memcpy(row->key, key, sizeof(key));
	row->is_other = is_other;
	row->stats.min_ns = ~0ULL;
	for_each_possible_cpu(at) {
		cell = cpu < 0 || cpu == at ? READ_ONCE(table->cells[at][slot]) : NULL;
		if (cell)
			table_add_cell(table, cell, row);
	}
	return row->stats.calls || row->stats.entries || row->stats.at_most_self_ns;
}
