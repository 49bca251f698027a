// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>

#include <json-c/json.h>

#include "report/head.h"
#include "report/json_write.h"
#include "report/sysenter_table.h"
#include "report/table_read.h"
#include "util/out.h"

/* --- parts of calls --------------------------------------------------------- */

static void take_part(struct sysenter_figure *part, const struct row *row, uint32_t which)
{
	uint64_t nr = row_figure(row, FIG_CALLS, which);

	if (!row->parts[part_first(which)].hist.nr)
		return;
	part->nr = nr;
	part->min = row_figure(row, FIG_MIN, which);
	part->median = row_figure(row, FIG_P50, which);
	part->p99 = row_figure(row, FIG_P99, which);
	part->mean = (double)row_figure(row, FIG_TOTAL, which) / nr;
}

int sysenter_read(struct sysenter_report *report, struct ktr *ktr, uint64_t session)
{
	static const struct table_kind kind = {
		.nr_parts = KTRACE_NR_SYSENTER, .part_key = KTRACE_KEY_STAGE, .needs = FIG_CALLS,
	};
	struct table parts;
	struct table_source source = { .to = &parts, .is_total = true };
	int error, i;

	table_init(&parts, &kind);
	error = table_read(&source, NULL, ktr, session, 0);
	for (i = 0; i < KTRACE_NR_SYSENTER && parts.total.parts; i++)
		take_part(&report->parts[i], &parts.total, 1U << i);
	table_free(&parts);
	return error;
}

/* --- sums ------------------------------------------------------------------- */

static double above_zero(double x)
{
	return x > 0 ? x : 0;
}

double sysenter_cost(const struct sysenter_report *report)
{
	return above_zero(report->untraced.median - report->clock_ns);
}

double sysenter_cpu_time(const struct sysenter_report *report)
{
	double added = above_zero(report->counted.median - report->untraced.median);

	return above_zero(report->share.cpu_ns - report->share.calls * added);
}

double sysenter_share_of(const struct sysenter_report *report)
{
	double whole = sysenter_cpu_time(report), part = report->share.calls * sysenter_cost(report);

	if (!report->share.calls)
		return 0;
	return part < whole ? part / whole : 1;
}

/* --- the table ---------------------------------------------------------------- */

static const struct {
	const char *title, *name;
	size_t at;
} rows[] = {
#define ROW(title, name, member) { title, name, offsetof(struct sysenter_report, member) }
	ROW("untraced call", "untraced", untraced),
	ROW("traced call", "traced", traced),
	ROW("  entry", "entry", parts[KTRACE_SYSENTER_ENTRY]),
	ROW("  handler", "handler", parts[KTRACE_SYSENTER_HANDLER]),
	ROW("  exit", "exit", parts[KTRACE_SYSENTER_EXIT]),
	ROW("  ktrace's own probes", "probes", parts[KTRACE_SYSENTER_PROBES]),
	ROW(NULL, "counted", counted),	/* in JSON only */
};

#define NR_ROWS (sizeof(rows) / sizeof(*rows))

static const struct sysenter_figure *figure_of(const struct sysenter_report *report, size_t row)
{
	return (const void *)((const char *)report + rows[row].at);
}

static void print_rows(FILE *out, const struct sysenter_report *report)
{
	const struct sysenter_figure *figure;
	size_t i;

	out_put(out, "%-24s %9s %11s %11s %11s\n", "ns", "calls", "min", "median", "p99");
	for (i = 0; i < NR_ROWS; i++) {
		figure = figure_of(report, i);
		if (rows[i].title && figure->nr)
			out_put(out, "%-24s %9llu %11.1f %11.1f %11.1f\n", rows[i].title,
				(unsigned long long)figure->nr, figure->min, figure->median, figure->p99);
	}
}

static void print_words(FILE *out, const struct sysenter_report *report)
{
	out_put(out, "\nEntry and exit take %.1f ns: an untraced call, which does nothing else, minus\n"
		"one reading of the clock (%.1f ns), which each figure contains.\n", sysenter_cost(report),
		report->clock_ns);
	if (report->parts[KTRACE_SYSENTER_ENTRY].nr)
		out_put(out, "Tracing adds %.1f ns; some of this is in the parts above.\n",
			above_zero(report->traced.median - report->untraced.median));
	else
		out_put(out, "Interrupted before the parts of a call were measured.\n");
	if (report->is_emulated)
		out_put(out, "This processor is emulated by QEMU. These figures do not show the cost of a new\n"
			"CR3, a flushed TLB or a cleared branch predictor on a real processor: counted in\n"
			"instructions they are free; by the clock a flush costs the emulator far more.\n");
}

static void print_vulnerabilities(FILE *out, const struct vulnerabilities *found)
{
	const struct vulnerability *one, *end = found->all + found->nr;
	const char *before = "Not affected by: ";

	if (!found->nr)
		out_put(out, "\nThis kernel does not report which mitigations are active.\n");
	else
		out_put(out, "\nVulnerabilities of this processor, and active mitigations:\n");
	for (one = found->all; one < end; one++)
		if (!vulnerability_is_none(one))
			out_put(out, "  %-24s %s\n", one->name, one->text);
	for (one = found->all; one < end; one++) {
		if (!vulnerability_is_none(one))
			continue;
		if (*before == 'N')
			fputc('\n', out);
		out_put(out, "%s%s", before, one->name);
		before = ", ";
	}
	out_put(out, *before == ',' ? "\n" : "");
}

static void print_share(FILE *out, const struct sysenter_report *report)
{
	const struct sysenter_share *share = &report->share;

	if (!share->wall_ns)
		return;
	out_put(out, "\nProcess %d (%s)%s:\n%llu system calls in %.3f s, %.3f s on the CPU.\n",
		share->pid, share->comm, share->is_ended ? ", which ended" : "",
		(unsigned long long)share->calls, share->wall_ns / 1e9, share->cpu_ns / 1e9);
	out_put(out, "At least %.1f %% of its CPU time was entry and exit: %.3f of %.3f s.\n"
		"A call costs more where caches and the TLB are cold. The cost of counting is not\n"
		"included.\n",
		100 * sysenter_share_of(report), share->calls * sysenter_cost(report) / 1e9,
		sysenter_cpu_time(report) / 1e9);
}

void sysenter_table_print(FILE *out, const struct sysenter_report *report)
{
	out_put(out, "A system call that does nothing, on CPU %d (TSC: %.3f GHz):\n\n",
		report->cpu, report->ghz);
	print_rows(out, report);
	print_words(out, report);
	print_vulnerabilities(out, &report->vulnerabilities);
	print_share(out, report);
}

/* --- JSON ----------------------------------------------------------------------- */

#define REAL	"%.17g"

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
	json_add_real(row, "min_ns", REAL, figure->min);
	json_add_real(row, "median_ns", REAL, figure->median);
	json_add_real(row, "p99_ns", REAL, figure->p99);
	json_add_real(row, "mean_ns", REAL, figure->mean);
	json_object_array_add(rows, row);
}

/* Calls are counted for a process only. */
static struct json_object *rows_of(const struct sysenter_report *report)
{
	struct json_object *list = json_object_new_array();
	size_t i;

	for (i = 0; i < NR_ROWS; i++)
		if (rows[i].title || report->share.wall_ns)
			add_row(list, rows[i].name, figure_of(report, i));
	return list;
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
	json_add_real(object, "cpu_without_counting_ns", REAL, sysenter_cpu_time(report));
	json_add_real(object, "entry_exit_ns", REAL, share->calls * sysenter_cost(report));
	json_add_real(object, "share", REAL, sysenter_share_of(report));
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
	json_add_real(document, "tsc_ghz", REAL, report->ghz);
	json_add_real(document, "entry_exit_ns", REAL, sysenter_cost(report));
	json_add_real(document, "clock_ns", REAL, report->clock_ns);
	json_add(document, "mitigations", mitigations_of(&report->vulnerabilities));
	add_share(document, report);
	return document;
}
