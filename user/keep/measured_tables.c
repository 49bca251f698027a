// SPDX-License-Identifier: GPL-2.0
/* The tables and documents of a session that was recorded. */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "keep/measured_parts.h"
#include "report/chosen.h"
#include "report/functions.h"
#include "report/head.h"
#include "report/io_figures.h"
#include "report/json.h"
#include "report/json_write.h"
#include "report/key_names.h"
#include "report/kfunc_figures.h"
#include "report/layout.h"
#include "report/sched_table.h"
#include "report/syscalls.h"
#include "report/unwind_text.h"
#include "system/disks.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/out.h"

/* --- functions ------------------------------------------------------------------ */

static uint64_t at_least_0(int64_t number)
{
	return number > 0 ? number : 0;
}

void measured_fill_calls(const struct measured *measured, struct row *row, uint32_t number,
			 const struct func_sums *of)
{
	const struct func_total *total = &measured->recursion.totals[number];
	uint64_t *figures = row->parts->figures;

	sums_fill(row->parts, &of->sums);
	figures[FIG_TOTAL] = total->total_ns + of->full_ns;
	figures[FIG_CALLS] += of->bound_calls;
	figures[FIG_ENTRIES] = of->entries;
	figures[FIG_SELF] = at_least_0(of->self_ns);
	figures[FIG_AT_MOST] = of->bound_calls;
	figures[FIG_AT_MOST_TIME] = total->bound_ns + of->bound_ns;
	figures[FIG_AT_MOST_SELF] = of->bound_self_ns;
	figures[FIG_SINCE] = of->entries > figures[FIG_CALLS] ? of->since : 0;
}

void measured_functions(const struct measured *measured, struct table *functions)
{
	const struct ktr_session *session = &measured->session->is;
	const struct func_sums *funcs;
	uint32_t nr, func;

	table_init(functions, &functions_kind);
	funcs = calls_functions(measured->calls, &nr);
	for (func = 0; func < nr; func++)
		if (funcs[func].entries || funcs[func].sums.calls || funcs[func].bound_calls)
			measured_fill_calls(measured,
					    functions_add(functions, func, &measured->session->names),
					    func, &funcs[func]);
	functions->flags = session->min_time || measured->filter->min_time ? FUNCTIONS_MIN_TIME : 0;
	functions->now = session->now.monotonic;
}

/* --- other kinds ---------------------------------------------------------------- */

struct filling {
	const struct measured *measured;
	struct table *to;
};

static void add_syscall(void *arg, const struct tally *tally)
{
	const struct filling *filling = arg;

	sums_fill(syscalls_add(filling->to, tally->key[0])->parts, &tally->sums);
}

static void add_error(void *arg, const struct tally *tally)
{
	const struct filling *filling = arg;
	struct row *row = syscalls_add(filling->to, tally->key[0]);
	char name[ERRNO_NAME_LEN];

	row->keys[SYSCALLS_ERRNO].number = tally->key[1];
	row->keys[SYSCALLS_ERRNO].text = table_text(filling->to, "%s",
						    errno_text(name, tally->key[1]));
	sums_fill(row->parts, &tally->sums);
}

static void fill_syscalls(const struct measured *measured, struct syscalls *syscalls)
{
	struct filling calls = { measured, &syscalls->calls };
	struct filling errors = { measured, &syscalls->errors };

	syscalls_init(syscalls);
	tallies_each(measured->tallies, MEASURED_SYSCALLS, add_syscall, &calls);
	tallies_each(measured->tallies, MEASURED_ERRORS, add_error, &errors);
	syscalls->calls.flags = SYSCALLS_ERRORS;
}

static void add_period(void *arg, const struct tally *tally)
{
	const struct filling *filling = arg;
	struct row *row = table_add(filling->to);

	row->keys[SCHED_TID].number = tally->key[0];
	row->keys[SCHED_COMM].text = table_text(filling->to, "%s", tally->comm);
	row->keys[SCHED_COMM].is_none = !tally->comm[0];
	sums_fill(&row->parts[tally->part], &tally->sums);
}

static void add_all_periods(void *arg, const struct tally *tally)
{
	const struct filling *filling = arg;

	sums_fill(&filling->to->total.parts[tally->part], &tally->sums);
}

static void fill_periods(const struct measured *measured, struct table *threads)
{
	struct filling filling = { measured, threads };

	sched_init(threads);
	tallies_each(measured->tallies, MEASURED_PERIODS, add_period, &filling);
	tallies_each(measured->tallies, MEASURED_ALL_PERIODS, add_all_periods, &filling);
	table_unite(threads);
}

static void add_stage(void *arg, const struct tally *tally)
{
	const struct filling *filling = arg;
	struct row *row = table_add(filling->to);
	const char *disk = recording_disk(filling->measured->recording, tally->key[0]);
	char number[DISK_NAME_LEN];

	disk_number(number, tally->key[0]);
	row->keys[IO_NAME].number = row->keys[IO_DEV].number = tally->key[0];
	row->keys[IO_NAME].text = table_text(filling->to, "%s", !tally->key[0] ? "(no disk)" :
					     disk ? disk : number);
	row->keys[IO_DEV].text = table_text(filling->to, "%s", number);
	row->keys[IO_OP].number = tally->key[1];
	row->keys[IO_OP].text = io_op_name(tally->key[1]);
	sums_fill(&row->parts[tally->part], &tally->sums);
}

static void fill_requests(const struct measured *measured, struct table *requests)
{
	struct filling filling = { measured, requests };

	table_init(requests, &io_kind);
	tallies_each(measured->tallies, MEASURED_REQUESTS, add_stage, &filling);
	table_unite(requests);
}

static void add_kernel(void *arg, const struct tally *tally)
{
	const struct filling *filling = arg;
	struct row *row = functions_add(filling->to, tally->key[0],
					&filling->measured->session->names);

	sums_fill(row->parts, &tally->sums);
	row->parts->figures[FIG_ENTRIES] = tally->sums.calls;
}

static void fill_kernel(const struct measured *measured, struct table *functions)
{
	struct filling filling = { measured, functions };

	table_init(functions, &functions_kind);
	tallies_each(measured->tallies, MEASURED_KERNEL, add_kernel, &filling);
	functions->flags = FUNCTIONS_KERNEL;
}

static void add_fault(void *arg, const struct tally *tally)
{
	struct key_names names = { .functions = NULL };
	const struct filling *filling = arg;
	struct row *row = table_add(filling->to);

	row->keys[0] = key_named(&names, filling->to, KTRACE_KEY_FAULT, tally->key[0]);
	row->keys[1].is_none = true;	/* the name of a task */
	sums_fill(row->parts, &tally->sums);
}

static void fill_faults(const struct measured *measured, struct chosen *faults)
{
	static const struct ktrace_table shape = { .keys = { KTRACE_KEY_FAULT } };
	struct filling filling = { measured, &faults->table };

	chosen_init(faults, &shape, CHOSEN_FAULTS, CHOSEN_ERRORS);
	tallies_each(measured->tallies, MEASURED_FAULTS, add_fault, &filling);
}

/* --- all kinds ------------------------------------------------------------------ */

/* The results of a session, filled as its kind asks for. */
struct results {
	struct syscalls syscalls;
	struct chosen faults;
	struct profile profile;
	struct table table;	/* of all other kinds */
	struct table *main;
	struct graph graph;
};

void measured_window(const struct measured *measured, uint64_t *from, uint64_t *to)
{
	const struct ktr_session *session = &measured->session->is;

	*from = session->start.monotonic;
	*to = session->now.monotonic;
	if (measured->filter->from > *from && measured->filter->from < *to)
		*from = measured->filter->from;
	if (measured->filter->to < *to && measured->filter->to > *from)
		*to = measured->filter->to;
}

static void fill(const struct measured *measured, struct results *results, const char *sort,
		 bool has_hists)
{
	uint64_t from, to;

	memset(results, 0, sizeof(*results));
	results->main = &results->table;
	switch (measured_kind(measured)) {
	case MEASURED_SYSCALLS:
		results->main = &results->syscalls.calls;
		fill_syscalls(measured, &results->syscalls);
		break;
	case MEASURED_PERIODS:
		fill_periods(measured, results->main);
		break;
	case MEASURED_REQUESTS:
		fill_requests(measured, results->main);
		break;
	case MEASURED_KERNEL:
		fill_kernel(measured, results->main);
		break;
	case MEASURED_FAULTS:
		results->main = &results->faults.table;
		fill_faults(measured, &results->faults);
		break;
	case MEASURED_SAMPLES:
		results->main = &results->profile.functions;
		measured_profile(measured, &results->profile);
		break;
	default:
		measured_functions(measured, results->main);
		measured_graph(measured, &results->graph);
	}
	measured_window(measured, &from, &to);
	results->main->duration_ns = to - from;
	results->main->has_hists = has_hists;
	if (measured_kind(measured) == MEASURED_SYSCALLS)
		syscalls_sort(&results->syscalls, sort ? sort : "total");
	else if (measured_kind(measured) == MEASURED_PERIODS)
		table_sort(results->main, sort ? sort : "run");
	else if (measured_kind(measured) == MEASURED_FAULTS)
		table_sort(results->main, sort ? sort : "total");
	else if (measured_kind(measured) == MEASURED_SAMPLES)
		table_sort(results->main, sort && !strcmp(sort, "total") ? sort : "self");
	else if (measured_kind(measured) != MEASURED_REQUESTS)
		functions_sort(results->main, sort);
	if (measured_kind(measured) == MEASURED_CALLS)
		graph_set_rows(&results->graph, results->main);
}

static void free_results(struct results *results)
{
	graph_free(&results->graph);
	syscalls_free(&results->syscalls);
	chosen_free(&results->faults);
	profile_free(&results->profile);
	table_free(&results->table);
}

void measured_set_head(const struct measured *measured)
{
	const struct recording *recording = measured->recording;
	const struct head_origin origin = {
		.host = recording->host ? recording->host : "",
		.kernel = recording->kernel ? recording->kernel : "",
		.words = recording->command.words, .nr_cpus = recording->nr_cpus,
	};
	const char *what = recording->program.nr ? recording->program.words[0] : NULL;
	uint64_t from, to;
	char *traced;

	measured_window(measured, &from, &to);
	head_set_origin(&origin);
	clock_set_realtime(recording_realtime, recording);
	head_set_window(from, to);
	traced = what && recording->pid ?
		 mem_format("%s (%llu)", strrchr(what, '/') ? strrchr(what, '/') + 1 : what,
			    (unsigned long long)recording->pid) : mem_string("all processes");
	head_set_traced(traced);
	free(traced);
}

/* --- documents ------------------------------------------------------------------ */

static struct json_object *io_document_of(const struct measured *measured, struct results *results)
{
	struct io_layers layers = { .is_on[IO_BLOCK] = true };
	struct io_figures figures = {
		.layers = &layers, .sessions[IO_KIND_BLOCK] = &measured->session->is,
		.block = results->table,
	};

	return io_document(&figures);
}

void measured_set_command(const struct measured *measured)
{
	static const char *const commands[MEASURED_NR] = {
		[MEASURED_CALLS] = "run", [MEASURED_SYSCALLS] = "syscall",
		[MEASURED_PERIODS] = "sched", [MEASURED_REQUESTS] = "io", [MEASURED_KERNEL] = "func",
		[MEASURED_FAULTS] = "fault", [MEASURED_SAMPLES] = "profile",
	};

	head_set_command(commands[measured_kind(measured)]);
}

static struct json_object *document_of(const struct measured *measured, struct results *results)
{
	const struct ktr_session *session = &measured->session->is;
	struct kfunc_figures figures = {
		.session = session, .names = &measured->session->names, .functions = results->table,
	};

	switch (measured_kind(measured)) {
	case MEASURED_SYSCALLS:
		return syscalls_document(session, &results->syscalls);
	case MEASURED_PERIODS:
		return sched_document(session, &results->table, NULL);
	case MEASURED_REQUESTS:
		return io_document_of(measured, results);
	case MEASURED_KERNEL:
		return kfunc_document(&figures);
	case MEASURED_FAULTS:
		return chosen_document(session, &results->faults);
	case MEASURED_SAMPLES:
		return profile_document(&results->profile);
	default:
		return functions_document(session, &results->table, &results->graph,
					  &measured->session->names);
	}
}

/* A session without an end is not complete, whatever its counters say. */
void measured_mark_part(const struct measured *measured, struct json_object *document)
{
	const struct kept_session *session = measured->session;

	if (!session->has_end || session->nr_gaps || session->nr_unknown ||
	    calls_remarks(measured->calls)->nr_orphans)
		json_add(document, "complete", json_object_new_boolean(0));
}

struct json_object *measured_document(const struct measured *measured, bool has_hists)
{
	struct json_object *document;
	struct results results;

	measured_set_head(measured);
	measured_set_command(measured);
	fill(measured, &results, NULL, has_hists);
	document = document_of(measured, &results);
	free_results(&results);
	if (measured->session->nr_unwound)
		json_add(document, "unwind", unwind_json(measured->session->unwound,
							 measured->session->nr_unwound));
	measured_mark_part(measured, document);
	return document;
}

/* --- tables --------------------------------------------------------------------- */

/* Shows samples and, below them, how their stacks were found. */
static void print_samples(FILE *out, const struct measured *measured, const struct profile *profile)
{
	profile_print(out, profile);
	unwind_print(out, measured->session->unwound, measured->session->nr_unwound);
}

void measured_print(FILE *out, const struct measured *measured, size_t nr, const char *sort)
{
	struct results results;
	size_t all;

	measured_set_head(measured);
	fill(measured, &results, sort, false);
	all = results.main->nr;
	if (nr && all > nr)
		results.main->nr = nr;
	head_print(out);
	if (measured_kind(measured) == MEASURED_SYSCALLS)
		syscalls_print(out, &results.syscalls);
	else if (measured_kind(measured) == MEASURED_PERIODS)
		sched_print(out, results.main);
	else if (measured_kind(measured) == MEASURED_REQUESTS)
		table_print(out, results.main);
	else if (measured_kind(measured) == MEASURED_FAULTS)
		chosen_print(out, &results.faults);
	else if (measured_kind(measured) == MEASURED_SAMPLES)
		print_samples(out, measured, &results.profile);
	else
		functions_print(out, results.main);
	if (results.main->nr < all)
		out_put(out, "(%zu of %zu rows; --format table shows all)\n", results.main->nr, all);
	results.main->nr = all;
	free_results(&results);
}

void measured_table(const struct measured *measured, const char *sort,
		    void (*fn)(void *arg, const struct table *table), void *arg)
{
	struct results results;

	measured_set_head(measured);
	fill(measured, &results, sort, false);
	fn(arg, results.main);
	free_results(&results);
}
