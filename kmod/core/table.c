// SPDX-License-Identifier: GPL-2.0
/*
 * Tables whose rows have keys that a session has chosen.
 *
 * Which rows there are is one open hash table, shared by all CPUs. A slot is a few words:
 *
 *      tag | key | key ...        tag 0: free
 *                                 tag: a hash of the keys, with bit 0 once the keys are written
 *
 * A row is its slot. A hit compares the hash, of 63 bits and a random seed, and the keys once
 * they are written: it never waits for the keys that another CPU, or the context that it
 * interrupts, is about to write. A new row is one cmpxchg on a free slot.
 *
 * Figures are per CPU, in cells that a pool gives when a CPU first hits a row.
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
#include <linux/user_namespace.h>

#include "compat/cgroup.h"
#include "core/table.h"
#include "lib/mem.h"
#include "lib/pool.h"
#include "lib/ticks.h"

#define IS_WRITTEN 1ULL

/* Of a row on one CPU, and written there alone. Without histograms it ends before octaves. */
struct kt_table_cell {
	u64 last;		/* ticks */
	u64 comm[2];
	struct kt_hist hist;
};

#define SHORT_LEN offsetof(struct kt_table_cell, hist.octave)

static struct kt_pool whole_cells, short_cells;

#define NR_READY 32	/* cells, for each table that there is */

void kt_table_init(void)
{
	kt_pool_init(&whole_cells, sizeof(struct kt_table_cell), 0);
	kt_pool_init(&short_cells, SHORT_LEN, 0);
	kt_pool_share(&whole_cells);
	kt_pool_share(&short_cells);
}

void kt_table_exit(void)
{
	kt_pool_exit(&short_cells);
	kt_pool_exit(&whole_cells);
}

void kt_table_trim(u32 keep)
{
	kt_pool_trim(&short_cells, keep);
	kt_pool_trim(&whole_cells, keep);
}

static bool table_has_histogram(const struct kt_table *table)
{
	return table->shape.flags & KTRACE_TABLE_HISTOGRAM;
}

static struct kt_pool *table_pool_of(const struct kt_table *table)
{
	return table_has_histogram(table) ? &whole_cells : &short_cells;
}

/* --- made and given back --------------------------------------------------- */

u32 kt_table_key_words(u32 key)
{
	return key == KTRACE_KEY_NONE ? 0 : key == KTRACE_KEY_COMM ? 2 : 1;
}

static u32 table_slot_words(const struct kt_table *table)
{
	return 1 + table->nr_words;
}

static size_t table_slots_len(const struct kt_table *table)
{
	return (size_t)table_slot_words(table) * sizeof(u64) << table->order;
}

static size_t table_cells_len(const struct kt_table *table)
{
	return kt_table_nr_slots(table) * sizeof(struct kt_table_cell *);
}

/* At most half of the slots are taken. */
static void table_set_shape(struct kt_table *table, const struct ktrace_table *shape)
{
	int i;

	table->shape = *shape;
	table->order = order_base_2(max_t(u32, shape->max_rows, 8)) + 1;
	for (i = 0; i < KTRACE_TABLE_KEYS; i++)
		table->nr_words += kt_table_key_words(shape->keys[i]);
	get_random_bytes(&table->seed, sizeof(table->seed));
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

/* What lies behind the end of a name may be left of a longer one. */
static void table_put_comm(u64 *to, const char *comm)
{
	memset(to, 0, TASK_COMM_LEN);
	strscpy((char *)to, comm, TASK_COMM_LEN);
}

static u64 table_cgroup_of_current(void)
{
	u64 id;

	rcu_read_lock();
	id = kt_task_cgroup_id(current);
	rcu_read_unlock();
	return id;
}

static u64 table_number_of(u32 key, const struct kt_table_event *event)
{
	switch (key) {
	case KTRACE_KEY_ERRNO:
		return event->error;
	case KTRACE_KEY_TID:
		return current->pid;
	case KTRACE_KEY_PID:
		return current->tgid;
	case KTRACE_KEY_CPU:
		return smp_processor_id();
	case KTRACE_KEY_UID:
		return from_kuid_munged(&init_user_ns, current_uid());
	case KTRACE_KEY_CGROUP:
		return table_cgroup_of_current();
	default:
		return event->func;
	}
}

static void table_put_key(const struct kt_table *table, const struct kt_table_event *event, u64 *to)
{
	int i;

	for (i = 0; i < KTRACE_TABLE_KEYS && table->shape.keys[i]; i++) {
		if (table->shape.keys[i] == KTRACE_KEY_COMM)
			table_put_comm(to, current->comm);
		else
			*to = table_number_of(table->shape.keys[i], event);
		to += kt_table_key_words(table->shape.keys[i]);
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
	return table->slots + (size_t)slot * table_slot_words(table);
}

/* False: another took it, or there are as many rows as there may be. */
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

/* The number of the others' slot, if there is no room. */
static u32 table_find_or_take(struct kt_table *table, u64 tag, const u64 *key)
{
	u32 mask = (1U << table->order) - 1, at = tag >> (64 - table->order), i;
	u64 *slot, there;

	for (i = 0; i <= mask; i++) {
		slot = table_slot_at(table, (at + i) & mask);
		there = READ_ONCE(*slot);
		if (!there && table_take_slot(table, slot, tag, key))
			return (at + i) & mask;
		/* Another may have taken it meanwhile, for the same row. */
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

/* A process is called what its first thread is, which is there as long as current is a task. */
static const char *table_comm_of(const struct kt_table *table)
{
	int i;

	for (i = 0; i < KTRACE_TABLE_KEYS; i++)
		if (table->shape.keys[i] == KTRACE_KEY_TID)
			return current->comm;
	for (i = 0; i < KTRACE_TABLE_KEYS; i++)
		if (table->shape.keys[i] == KTRACE_KEY_PID && pid_alive(current))
			return current->group_leader->comm;
	return current->comm;
}

/* A reader sees no name that is half written, unless the task changes it. */
static void table_set_comm(struct kt_table_cell *cell, const char *comm)
{
	u64 words[2];

	table_put_comm(words, comm);
	WRITE_ONCE(cell->comm[0], words[0]);
	WRITE_ONCE(cell->comm[1], words[1]);
}

struct kt_hist *kt_table_row(struct kt_table *table, const struct kt_table_event *event,
			     bool *is_other)
{
	struct kt_table_cell *cell, **cells = table->cells[smp_processor_id()];
	u64 key[KT_KEY_WORDS];
	u32 slot;

	table_put_key(table, event, key);
	slot = table_find_or_take(table, table_tag_of(table, key), key);
	*is_other = slot == 1U << table->order;
	cell = cells[slot];
	if (unlikely(!cell)) {
		cell = table_make_cell(table, &cells[slot]);
		if (!cell)
			return NULL;
	}
	cell->last = event->now;
	if (table->shape.values & 1ULL << KTRACE_FIGURE_COMM)
		table_set_comm(cell, table_comm_of(table));
	return &cell->hist;
}

bool kt_table_add(const struct kt_table *table, struct kt_hist *row, u64 duration)
{
	if (table_has_histogram(table))
		return kt_hist_add(row, duration);
	row->uncounted++;
	row->sum_ns += duration;
	row->min_ns = min(row->min_ns, duration);
	row->max_ns = max(row->max_ns, duration);
	return true;
}

/* --- readers --------------------------------------------------------------- */

/* Ordered after the keys were written: see table_take_slot(). */
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
}

bool kt_table_get(const struct kt_table *table, u32 slot, int cpu, struct kt_table_row *row)
{
	bool is_other = slot == 1U << table->order;
	const struct kt_table_cell *cell;
	u64 key[KT_KEY_WORDS] = { 0 };
	int at;

	/* Few rows are hit on one CPU. */
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
	return row->stats.calls || row->stats.entries;
}
