// SPDX-License-Identifier: GPL-2.0
/*
 * TABLE_GET: tables of a session. The columns of a table come first, then its rows, so that a
 * reader needs no knowledge of the provider.
 *
 * A session has up to two tables: its own, the histograms by function, whose keys follow from the
 * number of the function; and the chosen one, with the keys of TABLE.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <net/genetlink.h>

#include <uapi/ktrace.h>

#include "core/figures.h"
#include "core/hist.h"
#include "core/provider.h"
#include "core/session.h"
#include "core/table.h"
#include "netlink/commands.h"
#include "netlink/dump.h"
#include "netlink/message.h"

/* --- the schema ------------------------------------------------------------ */

static const char *const key_names[__KTRACE_KEY_MAX] = {
	[KTRACE_KEY_FUNCTION] = "function", [KTRACE_KEY_SYSCALL] = "syscall",
	[KTRACE_KEY_ERRNO] = "errno", [KTRACE_KEY_TID] = "tid", [KTRACE_KEY_PID] = "pid",
	[KTRACE_KEY_COMM] = "comm", [KTRACE_KEY_CPU] = "cpu", [KTRACE_KEY_UID] = "uid",
	[KTRACE_KEY_CGROUP] = "cgroup", [KTRACE_KEY_PERIOD] = "period",
	[KTRACE_KEY_DEVICE] = "device", [KTRACE_KEY_OPERATION] = "operation",
	[KTRACE_KEY_STAGE] = "stage", [KTRACE_KEY_QUEUE] = "queue",
	[KTRACE_KEY_FAULT] = "fault", [KTRACE_KEY_FILE] = "file",
	[KTRACE_KEY_MODE] = "mode",
};

struct value {
	const char *name, *unit;
	u8 kind;	/* KTRACE_COLUMN_* */
	u8 stat;	/* offset in struct kt_stats; unused in LAST and COMM */
};

#define VALUE(name, unit, kind, member)							\
	((struct value){ name, unit, KTRACE_COLUMN_##kind, offsetof(struct kt_stats, member) })

/* values: by enum ktrace_figure */
static void table_dump_describe(struct value *values)
{
#define KT_SUM(id, name, unit, member)							\
	(values[KTRACE_FIGURE_##id] = VALUE(name, unit, SUM, member))
#include "core/sums.h"
	values[KTRACE_FIGURE_CALLS] = VALUE("calls", "calls", SUM, calls);
	values[KTRACE_FIGURE_TOTAL] = VALUE("total", "ns", SUM, total_ns);
	values[KTRACE_FIGURE_MIN] = VALUE("min", "ns", LEAST, min_ns);
	values[KTRACE_FIGURE_MAX] = VALUE("max", "ns", MOST, max_ns);
	values[KTRACE_FIGURE_SINCE] = VALUE("since", "ns", MOST, since);
	values[KTRACE_FIGURE_LAST] = VALUE("last", "ns", MOST, since);
	values[KTRACE_FIGURE_COMM] = VALUE("of", "", LATEST, since);
}

static u8 table_dump_kind_of(u32 key)
{
	if (key == KTRACE_KEY_FILE)
		return KTRACE_COLUMN_FILE;
	return key == KTRACE_KEY_COMM ? KTRACE_COLUMN_TEXT : KTRACE_COLUMN_NUMBER;
}

#define NR_BUCKETS (KTRACE_NR_OCTAVES * KT_OCTAVE_LEN)
#define MOST_COLUMNS (KTRACE_TABLE_KEYS + __KTRACE_FIGURE_MAX)

/* --- the tables of a session ------------------------------------------------- */

/* cb->args of this dump */
enum { AT = KT_DUMP_OWN, FILLERS, STAGE };

enum stage { OWN_SCHEMA, OWN_ROWS, CHOSEN_SCHEMA, CHOSEN_ROWS, END };

struct dump {
	struct netlink_callback *cb;
	const struct kt_session *session;
	const struct kt_figures *figures;
	struct ktrace_table shape;	/* of the table of this stage */
	bool is_chosen;
	struct value values[__KTRACE_FIGURE_MAX];
	struct ktrace_column columns[MOST_COLUMNS];
	struct kt_table_row row;
	const char *name;		/* that a driver gave the queue of the row, or NULL */
};

static void table_dump_set_shape(struct dump *dump)
{
	const struct kt_columns *columns = dump->session->config.provider->columns;
	u32 sinks = dump->session->config.sinks, i;

	dump->is_chosen = dump->cb->args[STAGE] >= CHOSEN_SCHEMA;
	if (dump->is_chosen) {
		dump->shape = dump->session->config.table;
		return;
	}
	memset(&dump->shape, 0, sizeof(dump->shape));
	dump->shape.values = sinks & KTRACE_SINK_COUNT ? 1ULL << KTRACE_FIGURE_ENTRIES :
			     kt_columns_values(columns, sinks, dump->session->config.flags);
	if (!(sinks & KTRACE_SINK_COUNT))
		dump->shape.flags = KTRACE_TABLE_HISTOGRAM;
	for (i = 0; i < KTRACE_TABLE_KEYS; i++)
		dump->shape.keys[i] = columns->own[i];
}

static bool table_dump_is_hit(const struct dump *dump, u32 func, int cpu)
{
	int at;

	if (cpu >= 0)
		return cpu_possible(cpu) && READ_ONCE(dump->figures->hist[cpu][func]);
	for_each_possible_cpu(at)
		if (READ_ONCE(dump->figures->hist[at][func]))
			return true;
	return false;
}

/*
 * Returns false if the function was not hit on this CPU, or with cpu -1 on any CPU. The check comes
 * first: there may be millions of functions, and few of them hit.
 */
static bool table_dump_get_own_row(struct dump *dump, u32 func, int cpu)
{
	const struct kt_columns *columns = dump->session->config.provider->columns;
	struct kt_table_row *row = &dump->row;
	const struct kt_hist *hist;
	int at;

	if (!table_dump_is_hit(dump, func, cpu))
		return false;
	memset(row, 0, sizeof(*row));
	row->stats.min_ns = ~0ULL;
	for_each_possible_cpu(at) {
		hist = cpu < 0 || cpu == at ? READ_ONCE(dump->figures->hist[at][func]) : NULL;
		if (hist)
			kt_hist_merge(hist, &row->stats, row->count);
	}
	row->stats.since = READ_ONCE(dump->session->hot.funcs[func].since);
	row->key[0] = func;
	if (columns->own_of)
		dump->name = columns->own_of(dump->session, func, row->key);
	return true;
}

static bool table_dump_get_row(struct dump *dump, u32 nr, int cpu)
{
	struct kt_stats *stats = &dump->row.stats;

	dump->name = NULL;
	if (!(dump->is_chosen ? kt_table_get(dump->figures->table, nr, cpu, &dump->row) :
	      table_dump_get_own_row(dump, nr, cpu)))
		return false;
	/* self_ns of one CPU may be negative. The sum of all CPUs is a time: at least 0. */
	if (cpu < 0 && (s64)stats->self_ns < 0)
		stats->self_ns = 0;
	return true;
}

static u32 table_dump_nr_rows(const struct dump *dump)
{
	return dump->is_chosen ? kt_table_nr_slots(dump->figures->table) :
	       dump->figures->nr_funcs;
}

static bool table_dump_has_table(const struct dump *dump)
{
	return dump->is_chosen ? !!dump->figures->table : !!dump->figures->hist;
}

/* --- messages ---------------------------------------------------------------- */

static u32 table_dump_fill_columns(struct dump *dump)
{
	const struct ktrace_table *shape = &dump->shape;
	struct ktrace_column *to = dump->columns;
	u32 nr = 0, i;

	memset(to, 0, sizeof(dump->columns));
	for (i = 0; i < KTRACE_TABLE_KEYS && shape->keys[i]; i++, nr++) {
		to[nr].id = shape->keys[i];
		to[nr].is_key = 1;
		to[nr].kind = table_dump_kind_of(shape->keys[i]);
		strscpy_pad((char *)to[nr].name, key_names[shape->keys[i]], sizeof(to[nr].name));
	}
	for (i = 0; i < __KTRACE_FIGURE_MAX; i++) {
		if (!(shape->values & 1ULL << i))
			continue;
		to[nr].id = i;
		to[nr].kind = dump->values[i].kind;
		strscpy_pad((char *)to[nr].name, dump->values[i].name, sizeof(to[nr].name));
		strscpy_pad((char *)to[nr].unit, dump->values[i].unit, sizeof(to[nr].unit));
		nr++;
	}
	return nr;
}

static int table_dump_put_schema(struct sk_buff *skb, struct dump *dump)
{
	void *head = kt_message_begin(skb, dump->cb, KTRACE_CMD_TABLE_GET);
	u32 nr;

	if (!head)
		return -EMSGSIZE;
	nr = table_dump_fill_columns(dump);
	if (nla_put(skb, KTRACE_A_TABLE, sizeof(dump->shape), &dump->shape) ||
	    nla_put(skb, KTRACE_A_COLUMNS, nr * sizeof(*dump->columns), dump->columns)) {
		genlmsg_cancel(skb, head);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	return 0;
}

static int table_dump_put_cells(struct sk_buff *skb, const struct dump *dump)
{
	u64 cells[KT_KEY_WORDS + __KTRACE_FIGURE_MAX + 1];
	const struct kt_table_row *row = &dump->row;
	u32 nr = 0, i;

	for (i = 0; i < KTRACE_TABLE_KEYS; i++)
		nr += kt_table_key_words(dump->shape.keys[i]);
	kt_table_copy_words(cells, row->key, nr);
	for (i = 0; i < __KTRACE_FIGURE_MAX; i++) {
		if (!(dump->shape.values & 1ULL << i))
			continue;
		if (i == KTRACE_FIGURE_COMM) {
			memcpy(&cells[nr], row->comm, sizeof(row->comm));
			nr += 2;
		} else if (i == KTRACE_FIGURE_LAST) {
			cells[nr++] = row->last;
		} else {
			cells[nr++] = *(u64 *)((char *)&row->stats + dump->values[i].stat);
		}
	}
	return nla_put(skb, KTRACE_A_CELLS, nr * sizeof(*cells), cells);
}

/* Puts the buckets that are not empty. */
static int table_dump_put_buckets(struct sk_buff *skb, const u64 *count)
{
	struct ktrace_bucket *bucket;
	struct nlattr *attr;
	u32 i, nr = 0;

	for (i = 0; i < NR_BUCKETS; i++)
		nr += !!count[i];
	attr = nla_reserve(skb, KTRACE_A_BUCKETS, nr * sizeof(*bucket));
	if (!attr)
		return -EMSGSIZE;
	bucket = nla_data(attr);
	for (i = 0; i < NR_BUCKETS; i++) {
		if (!count[i])
			continue;
		bucket->index = i;
		bucket->__pad = 0;
		bucket->count = count[i];
		bucket++;
	}
	return 0;
}

static int table_dump_put_row(struct sk_buff *skb, const struct dump *dump, int cpu)
{
	void *head = kt_message_begin(skb, dump->cb, KTRACE_CMD_TABLE_GET);

	if (!head)
		return -EMSGSIZE;
	if (table_dump_put_cells(skb, dump) ||
	    (dump->name && nla_put_string(skb, KTRACE_A_NAME, dump->name)) ||
	    (cpu >= 0 && nla_put_u32(skb, KTRACE_A_CPU, cpu)) ||
	    (dump->row.is_other && nla_put_u32(skb, KTRACE_A_FLAGS, KTRACE_ROW_OTHERS)) ||
	    ((dump->shape.flags & KTRACE_TABLE_HISTOGRAM) &&
	     table_dump_put_buckets(skb, dump->row.count))) {
		genlmsg_cancel(skb, head);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	return 0;
}

/* Skips free slots of a table: most slots are free. */
static u32 table_dump_next_row(const struct dump *dump, u32 nr)
{
	return dump->is_chosen ? kt_table_next(dump->figures->table, nr) : nr;
}

/* cb->args[AT] counts pairs of row and CPU, so that a message can end after any pair. */
static int table_dump_put_rows(struct sk_buff *skb, struct dump *dump)
{
	u32 nr_cpus = dump->cb->args[KT_DUMP_FLAGS] & KTRACE_READ_CPUS ? nr_cpu_ids : 1;
	long end = (long)table_dump_nr_rows(dump) * nr_cpus, *at = &dump->cb->args[AT];
	int error = 0, cpu;
	u32 nr, next;

	for (; *at < end; ++*at) {
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
		nr = *at / nr_cpus;
		next = table_dump_next_row(dump, nr);
		if (next != nr)
			*at = (long)next * nr_cpus;
		cpu = dump->cb->args[KT_DUMP_FLAGS] & KTRACE_READ_CPUS ? (int)(*at % nr_cpus) : -1;
		if (!table_dump_get_row(dump, next, cpu))
			continue;
		error = table_dump_put_row(skb, dump, cpu);
		if (error)
			return error;
	}
	*at = 0;
	return 0;
}

/* Returns -EMSGSIZE if the dump continues in another message, -EINTR on a fatal signal. */
static int table_dump_put_tables(struct sk_buff *skb, struct dump *dump)
{
	long *stage = &dump->cb->args[STAGE];
	int error = 0;

	for (; *stage != END; ++*stage) {
		table_dump_set_shape(dump);
		if (!table_dump_has_table(dump))
			continue;
		error = *stage == OWN_SCHEMA || *stage == CHOSEN_SCHEMA ?
			table_dump_put_schema(skb, dump) : table_dump_put_rows(skb, dump);
		if (error)
			return error;
	}
	return 0;
}

int kt_table_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	int error = kt_dump_begin_figures(cb, KTRACE_READ_CPUS);
	struct dump *dump;

	if (error)
		return error;
	if (!cb->args[FILLERS])
		return kt_message_put_filler(skb, cb, KTRACE_CMD_TABLE_GET, &cb->args[FILLERS]);
	dump = kmalloc(sizeof(*dump), GFP_KERNEL);
	if (!dump)
		return -ENOMEM;
	dump->cb = cb;
	dump->session = (const struct kt_session *)cb->args[KT_DUMP_SESSION];
	dump->figures = (const struct kt_figures *)cb->args[KT_DUMP_FIGURES];
	table_dump_describe(dump->values);
	error = table_dump_put_tables(skb, dump);
	kfree(dump);
	if (error == -EINTR)
		return error;
	if (error && !skb->len)
		return kt_message_put_filler(skb, cb, KTRACE_CMD_TABLE_GET, &cb->args[FILLERS]);
	return skb->len;
}
