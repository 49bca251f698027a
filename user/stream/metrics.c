// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/key_names.h"
#include "session/session.h"
#include "session/sidecar.h"
#include "stream/metrics.h"
#include "system/disks.h"
#include "system/inode_names.h"
#include "util/hash.h"
#include "util/plain.h"

#define REPLACEMENT "\xef\xbf\xbd"	/* U+FFFD */
#define MANY_KEYS (1U << KTRACE_KEY_TID | 1U << KTRACE_KEY_PID | 1U << KTRACE_KEY_FILE)

/* A series, and what identifies it: the number of its family, then its labels. */
struct entry {
	struct series series;	/* first: metrics_free() frees entries by it */
	UT_hash_handle hh;
	char key[];
};

struct key {
	char *text;
	size_t len, room;
};

/* The keys of a row that are labels. */
struct row_labels {
	struct row_label {
		uint32_t key;
		const char *name, *text;
	} all[KTRACE_TABLE_KEYS];
	size_t nr;
	bool is_other;
};

struct reading {
	const struct metrics_options *options;
	uint64_t most;		/* series */
	uint64_t nr_before;	/* series of other sessions */
	const struct ktr_session *session;
	char *name;		/* the label of the session */
	bool is_chosen;		/* the table that is exposed is the one of --by */
	struct names functions;
	struct key_names names;
	struct table texts;	/* keeps texts of the session */
	struct entry *entries;	/* a hash */
	uint64_t nr_series;
	struct key key;
};

/* --- series ----------------------------------------------------------------------- */

static void put(struct key *key, const char *text, size_t len)
{
	if (key->len + len > key->room) {
		key->room = 2 * (key->len + len);
		key->text = mem_resize(key->text, key->room);
	}
	memcpy(key->text + key->len, text, len);
	key->len += len;
}

static void put_utf8(struct key *key, const char *text)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + strlen(text);
	size_t len;

	for (; at < end; at += len ? len : 1) {
		len = plain_utf8_len(at, end - at);
		if (len)
			put(key, (const char *)at, len);
		else
			put(key, REPLACEMENT, strlen(REPLACEMENT));
	}
	put(key, "", 1);
}

static void put_label(struct key *key, const char *name, const char *text)
{
	put(key, name, strlen(name) + 1);
	put_utf8(key, text);
}

static void begin_key(struct reading *reading, const struct family *family)
{
	char number = family - families;

	reading->key.len = 0;
	put(&reading->key, &number, 1);
	if (reading->session)
		put_label(&reading->key, "session", reading->name);
}

/* Returns the series with this key, which may be a new one. */
static struct series *find(struct reading *reading, const struct family *family)
{
	const struct key *key = &reading->key;
	struct entry *entry;

	HASH_FIND(hh, reading->entries, key->text, key->len, entry);
	if (!entry) {
		entry = mem_alloc(sizeof(*entry) + key->len);
		memcpy(entry->key, key->text, key->len);
		HASH_ADD(hh, reading->entries, key, key->len, entry);
		entry->series.family = family;
		if (reading->session && family->type != FAMILY_GAUGE)
			entry->series.start = reading->session->start.realtime;
		entry->series.labels = entry->key + 1;
		entry->series.labels_end = entry->key + key->len;
		reading->nr_series += family_nr_series(family);
	}
	return &entry->series;
}

static void free_entries(struct reading *reading)
{
	struct entry *entry, *next;

	HASH_ITER(hh, reading->entries, entry, next) {
		HASH_DEL(reading->entries, entry);
		hist_free(&entry->series.hist);
		free(entry);
	}
}

/* --- labels of a row ----------------------------------------------------------------- */

static const char *name_file(struct table *texts, const struct row_key *file)
{
	char *path = inode_names_ask(file->dev, file->number), number[DISK_NAME_LEN];
	const char *text = path ? table_text(texts, "%s", path) :
			   table_text(texts, "inode %llu of %s",
				      (unsigned long long)file->number,
				      disk_number(number, file->dev));

	free(path);
	return text;
}

static const char *name_function(struct reading *reading, uint64_t func)
{
	if (func < reading->functions.nr && reading->functions.texts[func])
		return reading->functions.texts[func];
	return table_text(&reading->texts, "[function %llu]", (unsigned long long)func);
}

/* A device or queue beyond those that the session numbers. */
static bool is_several(uint32_t key, uint64_t number)
{
	return (key == KTRACE_KEY_DEVICE || key == KTRACE_KEY_QUEUE) && number == UINT64_MAX;
}

static const char *name_virtio(struct table *texts, const struct ktr_row *row, uint32_t key,
			       uint64_t number)
{
	if (key == KTRACE_KEY_QUEUE && row->name)
		return table_text(texts, "%s", row->name);
	return table_text(texts, key == KTRACE_KEY_DEVICE ? "virtio%llu" : "%llu",
			  (unsigned long long)number);
}

/* Returns the text of a key, or NULL if it is not known in this row. */
static const char *name_key(struct reading *reading, const struct ktr_row *row, uint32_t id)
{
	struct table *texts = &reading->texts;
	struct row_key key;

	if (id == KTRACE_KEY_FUNCTION)
		return name_function(reading, ktr_row_key(row, id));
	if (reading->session->provider == KTRACE_PROVIDER_VIRTIO)
		return name_virtio(texts, row, id, ktr_row_key(row, id));
	key = key_read(&reading->names, texts, row, id);
	if (key.is_none)
		return NULL;
	if (id == KTRACE_KEY_FILE)
		return name_file(texts, &key);
	return key.text ? key.text : table_text(texts, "%llu", (unsigned long long)key.number);
}

static bool is_allowed(const struct reading *reading, uint32_t key)
{
	return (MANY_KEYS & ~reading->options->allowed_labels & 1ULL << key) == 0;
}

static void name_keys(struct reading *reading, struct row_labels *labels, const struct ktr_row *row)
{
	const struct ktrace_column *column = row->table->columns;
	const struct ktrace_column *end = column + row->table->nr_columns;
	const char *text;

	*labels = (struct row_labels){ .is_other = row->is_other };
	for (; column < end && labels->nr < KTRACE_TABLE_KEYS; column++) {
		if (!column->is_key || row->is_other || !is_allowed(reading, column->id))
			continue;
		if (is_several(column->id, ktr_row_key(row, column->id))) {
			labels->is_other = true;
			continue;
		}
		text = name_key(reading, row, column->id);
		if (text)
			labels->all[labels->nr++] = (struct row_label){
				column->id, (const char *)column->name, text
			};
	}
}

static void put_labels(struct key *key, const struct family *family,
		       const struct row_labels *labels, const struct ktr_row *row)
{
	const struct row_label *label;

	for (label = labels->all; label < labels->all + labels->nr; label++)
		if (label->key != family->part_key)
			put_label(key, label->name, label->text);
	if (family->label && (!family->unless || !ktr_table_key(row->table, family->unless)))
		put_label(key, family->label, family->value);
	if (labels->is_other)
		put_label(key, "other", "true");
}

/* --- rows ------------------------------------------------------------------------- */

static void add_hist(struct hist *to, const struct ktr_row *row)
{
	struct hist hist;

	hist_read(&hist, row->buckets, row->nr_buckets);
	if (!to->nr) {
		hist_free(to);
		*to = hist;
		return;
	}
	hist_merge(to, &hist);
	hist_free(&hist);
}

/* Sums of recursive functions have their inner calls, as their histograms do. */
static uint32_t number_of(const struct family *family, const struct ktr_table *table)
{
	uint32_t figure = family->figure - FIG_CALLS;

	return figure == KTRACE_FIGURE_SUM && !ktr_table_figure(table, figure) ?
	       KTRACE_FIGURE_TOTAL : figure;
}

static bool has_row(const struct family *family, const struct ktr_row *row,
		    const struct ktr_session *session)
{
	const struct ktr_table *table = row->table;

	if (family->of != FAMILY_OF_ROWS || !(family->providers >> session->provider & 1) ||
	    !ktr_table_figure(table, number_of(family, table)))
		return false;
	/* A function without an observed return has no times. */
	if (family->type == FAMILY_HISTOGRAM &&
	    (!(table->shape.flags & KTRACE_TABLE_HISTOGRAM) || !row->nr_buckets))
		return false;
	if (family->is_rare && !ktr_row_figure(row, number_of(family, table)))
		return false;
	return row->is_other || !family->part_key || !ktr_table_key(table, family->part_key) ||
	       ktr_row_key(row, family->part_key) == family->part;
}

/* The metrics are refused. Their number is part of the reason, so further series are counted. */
static bool is_over(const struct reading *reading)
{
	return reading->nr_before + reading->nr_series > reading->most;
}

static void add_row(struct reading *reading, const struct family *family,
		    const struct row_labels *labels, const struct ktr_row *row)
{
	struct series *series;

	begin_key(reading, family);
	put_labels(&reading->key, family, labels, row);
	series = find(reading, family);
	series->value += ktr_row_figure(row, number_of(family, row->table));
	if (family->type == FAMILY_HISTOGRAM && !is_over(reading))
		add_hist(&series->hist, row);
}

/* Returns true if all keys are labels, so that no other row has the same series. */
static bool is_alone(const struct reading *reading, const struct ktr_row *row)
{
	const struct ktrace_column *column = row->table->columns;
	const struct ktrace_column *end = column + row->table->nr_columns;

	for (; column < end; column++)
		if (column->is_key && !is_allowed(reading, column->id))
			return false;
	return !row->is_other;
}

static void take_row(void *arg, const struct ktr_row *row)
{
	struct reading *reading = arg;
	const struct family *family;
	struct row_labels labels = { .nr = 0 };
	bool is_named = false, is_counted;

	if (row->is_head || !!row->table->shape.max_rows != reading->is_chosen)
		return;
	is_counted = is_over(reading) && is_alone(reading, row);
	for (family = families; family < families + nr_families; family++) {
		if (!has_row(family, row, reading->session))
			continue;
		if (is_counted) {
			reading->nr_series += family_nr_series(family);
			continue;
		}
		if (!is_named)
			name_keys(reading, &labels, row);
		is_named = true;
		add_row(reading, family, &labels, row);
	}
}

/* --- sessions --------------------------------------------------------------------- */

static uint64_t counter_of(const struct ktr_session *session, size_t offset)
{
	return *(const uint64_t *)((const char *)&session->counters + offset);
}

static void add_losses(struct reading *reading, const struct family *family)
{
	const struct session_loss *loss = session_losses;

	for (; loss < session_losses + SESSION_NR_LOSSES; loss++) {
		begin_key(reading, family);
		put_label(&reading->key, "reason", loss->reason);
		find(reading, family)->value = counter_of(reading->session, loss->counter);
	}
}

static void add_counter(struct reading *reading, const struct family *family)
{
	const struct ktr_session *session = reading->session;

	if (family->sinks && !(family->sinks & session->sinks))
		return;
	begin_key(reading, family);
	if (family->label)
		put_label(&reading->key, family->label, family->value);
	find(reading, family)->value = counter_of(session, family->counter);
}

static void add_delivery(struct reading *reading, const struct family *family,
			 const struct metrics_delivery *delivery)
{
	struct series *series;

	begin_key(reading, family);
	put_label(&reading->key, "sink", delivery->sink);
	if (family->label)
		put_label(&reading->key, family->label, family->value);
	series = find(reading, family);
	memcpy(&series->value, (const char *)delivery + family->counter, sizeof(series->value));
	if (family->type != FAMILY_GAUGE)
		series->start = delivery->begun_at;
}

static void add_deliveries(struct reading *reading, const struct family *family)
{
	const struct metrics_options *options = reading->options;
	size_t i;

	for (i = 0; i < options->nr_deliveries; i++)
		if (options->deliveries[i].session == reading->session->id)
			add_delivery(reading, family, &options->deliveries[i]);
}

static void add_info(struct reading *reading, const struct family *family)
{
	begin_key(reading, family);
	put_label(&reading->key, "provider", session_provider(reading->session->provider));
	put_label(&reading->key, "state", session_state(reading->session->state));
	find(reading, family)->value = 1;
}

static void add_session(struct reading *reading)
{
	const struct family *family;

	for (family = families; family < families + nr_families; family++) {
		if (family->of == FAMILY_OF_SESSION)
			add_info(reading, family);
		else if (family->of == FAMILY_OF_COUNTERS)
			add_counter(reading, family);
		else if (family->of == FAMILY_OF_LOSSES)
			add_losses(reading, family);
		else if (family->of == FAMILY_OF_DELIVERIES)
			add_deliveries(reading, family);
	}
}

/* Kernel functions have no offset in a file that could name them. */
static int read_names(struct reading *reading, struct ktr *ktr)
{
	const struct ktr_session *session = reading->session;
	struct names *names = &reading->functions;

	if (session->provider != KTRACE_PROVIDER_USER && session->provider != KTRACE_PROVIDER_KERNEL)
		return 0;
	sidecar_read(session->name, session->cookie, session->nr_funcs, names);
	return session->provider == KTRACE_PROVIDER_USER ? names_fill(names, ktr, session->id, 0) : 0;
}

static bool is_chosen(const struct reading *reading)
{
	const struct ktr_session *session = reading->session;
	int i;

	if (!(session->sinks & KTRACE_SINK_TABLE))
		return false;
	if (!(session->sinks & (KTRACE_SINK_HIST | KTRACE_SINK_COUNT)))
		return true;
	if (!(session->table.flags & KTRACE_TABLE_HISTOGRAM))
		return false;
	for (i = 0; i < KTRACE_TABLE_KEYS && session->table.keys[i]; i++)
		if (is_allowed(reading, session->table.keys[i]))
			return true;
	return false;
}

/* Moves the series of a session to the metrics. */
static void keep(struct metrics *metrics, struct reading *reading)
{
	struct entry *entry, *next;

	HASH_ITER(hh, reading->entries, entry, next) {
		HASH_DEL(reading->entries, entry);
		metrics->series = mem_grow(metrics->series, metrics->nr, sizeof(*metrics->series));
		metrics->series[metrics->nr++] = &entry->series;
	}
	metrics->nr_series += reading->nr_series;
	reading->nr_series = 0;
}

static int read_session(struct metrics *metrics, struct reading *reading, struct ktr *ktr)
{
	int error = read_names(reading, ktr);

	reading->is_chosen = is_chosen(reading);
	reading->nr_before = metrics->nr_series;
	add_session(reading);
	if (!error)
		error = ktr_row_each(ktr, reading->session->id, 0, take_row, reading);
	if (!error)
		keep(metrics, reading);
	free_entries(reading);
	reading->nr_series = 0;
	table_free(&reading->texts);
	names_free(&reading->functions);
	return error;
}

/* --- all of them ------------------------------------------------------------------- */

static char *label_of(const struct ktr_session *sessions, size_t nr,
		      const struct ktr_session *session)
{
	size_t i, nr_same = 0;

	if (session->name[0])
		return mem_string(session->name);
	for (i = 0; i < nr; i++)
		nr_same += !sessions[i].name[0] && sessions[i].owner == session->owner;
	if (nr_same == 1)
		return mem_format("(of process %d)", session->owner);
	return mem_format("(of process %d, session %llu)", session->owner,
			  (unsigned long long)session->id);
}

static void add_module(struct metrics *metrics, struct reading *reading, const char *version)
{
	const struct family *family;

	for (family = families; family < families + nr_families; family++) {
		if (family->of != FAMILY_OF_MODULE)
			continue;
		begin_key(reading, family);
		put_label(&reading->key, "version", version);
		find(reading, family)->value = 1;
	}
	keep(metrics, reading);
}

struct largest {
	char name[KTRACE_NAME_LEN + 64];
	uint64_t nr;
};

static int refuse(const struct metrics *metrics, const struct largest *largest, uint64_t most,
		  struct err *err)
{
	return err_set(err, "There are %llu series, more than the limit of %llu; %llu of them belong to session %s: trace less there, attach with fewer keys or rows (--by), or raise the limit.",
		       (unsigned long long)metrics->nr_series, (unsigned long long)most,
		       (unsigned long long)largest->nr, largest->name);
}

static int read_all(struct metrics *metrics, struct reading *reading, struct ktr *ktr,
		    const struct ktr_session *sessions, size_t nr, struct err *err)
{
	struct largest largest = { .nr = 0 };
	int error = 0;
	size_t i;

	for (i = 0; i < nr && !error; i++) {
		reading->session = &sessions[i];
		reading->name = label_of(sessions, nr, &sessions[i]);
		error = read_session(metrics, reading, ktr);
		if (error == -ENOENT)	/* it has ended since the list was read */
			error = 0;
		else if (error)
			err_set(err, "The figures of session %s cannot be read: %s.", reading->name,
				ktr_reason(ktr, error));
		else if (metrics->nr_series - reading->nr_before > largest.nr) {
			largest.nr = metrics->nr_series - reading->nr_before;
			snprintf(largest.name, sizeof(largest.name), "%s", reading->name);
		}
		free(reading->name);
	}
	if (error)
		return -1;
	return metrics->nr_series > reading->most ?
	       refuse(metrics, &largest, reading->most, err) : 0;
}

static int by_key(const void *a, const void *b)
{
	const struct series *x = *(struct series *const *)a, *y = *(struct series *const *)b;
	size_t x_len = x->labels_end - x->labels, y_len = y->labels_end - y->labels;
	int order = memcmp(x->labels, y->labels, x_len < y_len ? x_len : y_len);

	if (x->family != y->family)
		return x->family < y->family ? -1 : 1;
	return order ? order : x_len < y_len ? -1 : x_len > y_len;
}

int metrics_read(struct metrics *metrics, struct ktr *ktr, const struct metrics_options *options,
		 struct err *err)
{
	struct reading reading = { .options = options };
	struct ktr_session *sessions = NULL;
	struct ktr_info info;
	int error;
	size_t nr;

	memset(metrics, 0, sizeof(*metrics));
	reading.most = options->max_series ? options->max_series : METRICS_MAX_SERIES;
	reading.names.functions = &reading.functions;
	error = ktr_info(ktr, &info);
	if (!error)
		error = ktr_session_list(ktr, &sessions, &nr);
	if (error) {
		err_set(err, "The module's sessions cannot be listed: %s.", ktr_reason(ktr, error));
	} else {
		add_module(metrics, &reading, info.version);
		error = read_all(metrics, &reading, ktr, sessions, nr, err);
	}
	if (metrics->nr)
		qsort(metrics->series, metrics->nr, sizeof(*metrics->series), by_key);
	free(sessions);
	key_names_free(&reading.names);
	free(reading.key.text);
	return error ? -1 : 0;
}

void metrics_free(struct metrics *metrics)
{
	while (metrics->nr) {
		hist_free(&metrics->series[--metrics->nr]->hist);
		free(metrics->series[metrics->nr]);
	}
	free(metrics->series);
	metrics->series = NULL;
}
