// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>

#include "report/head.h"
#include "report/json_write.h"
#include "report/sysenter_table.h"

static void add_number(struct json_object *to, const char *key, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.17g", value);
	json_add(to, key, json_number(text));
}

/* Omits parts that were not measured. */
static void add_row(struct json_object *rows, const char *name,
		    const struct sysenter_figure *figure)
{
	struct json_object *row;

	if (!figure->nr)
		return;
	row = json_object_new_object();
	json_add_text(row, "name", name);
	json_add_u64(row, "calls", figure->nr);
	add_number(row, "min_ns", figure->min);
	add_number(row, "median_ns", figure->median);
	add_number(row, "p99_ns", figure->p99);
	add_number(row, "mean_ns", figure->mean);
	json_object_array_add(rows, row);
}

static struct json_object *rows_of(const struct sysenter_report *report)
{
	static const char *const names[KTRACE_NR_SYSENTER] = {
		[KTRACE_SYSENTER_ENTRY] = "entry",
		[KTRACE_SYSENTER_HANDLER] = "handler",
		[KTRACE_SYSENTER_EXIT] = "exit",
		[KTRACE_SYSENTER_PROBES] = "probes",
	};
	struct json_object *rows = json_object_new_array();
	int i;

	add_row(rows, "untraced", &report->untraced);
	add_row(rows, "traced", &report->traced);
	for (i = 0; i < KTRACE_NR_SYSENTER; i++)
		add_row(rows, names[i], &report->parts[i]);
	if (report->share.wall_ns)
		add_row(rows, "counted", &report->counted);
	return rows;
}

static void add_share(struct json_object *to, const struct sysenter_report *report)
{
	const struct sysenter_share *share = &report->share;
	struct json_object *object;

	if (!share->wall_ns)
		return;
	object = json_object_new_object();
	json_add_u64(object, "pid", share->pid);
	json_add_text(object, "comm", share->comm);
	json_add_u64(object, "calls", share->calls);
	json_add_u64(object, "duration_ns", share->wall_ns);
	json_add_u64(object, "cpu_ns", share->cpu_ns);
	add_number(object, "cpu_without_counting_ns", sysenter_cpu_time(report));
	add_number(object, "entry_exit_ns", share->calls * sysenter_cost(report));
	add_number(object, "share", sysenter_share_of(report));
	json_add(object, "ended", json_object_new_boolean(share->is_ended));
	json_add(to, "process", object);
}

static struct json_object *mitigations_of(const struct vulnerabilities *found)
{
	struct json_object *object = json_object_new_object();
	size_t i;

	for (i = 0; i < found->nr; i++)
		json_add_text(object, found->all[i].name, found->all[i].text);
	return object;
}

struct json_object *sysenter_document(const struct sysenter_report *report)
{
	struct json_object *document = head_json(NULL);

	head_add_lost(document, report->lost);
	json_add(document, "rows", rows_of(report));
	json_add_u64(document, "cpu", report->cpu);
	json_add_text(document, "call", "nfsservctl");
	json_add(document, "emulated", json_object_new_boolean(report->is_emulated));
	add_number(document, "tsc_ghz", report->ghz);
	add_number(document, "entry_exit_ns", sysenter_cost(report));
	add_number(document, "clock_ns", report->clock_ns);
	json_add(document, "mitigations", mitigations_of(&report->vulnerabilities));
	add_share(document, report);
	return document;
}
