// SPDX-License-Identifier: GPL-2.0
/*
 * Pictures and exports of a tree with hostile names, written into the folder that is named. run.sh
 * compares them with tests/golden/draw, and draw.py reads them as others do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../user/draw/draw.h"
#include "../../user/draw/gzip.h"
#include "../../user/draw/perf.h"
#include "../../user/report/fit.h"
#include "../../user/report/graph.h"
#include "../../user/report/head.h"
#include "../../user/report/paths.h"

static const char *folder;

enum { MAIN, SEMICOLON, SCRIPT, LINE, UTF8, BYTES, QUOTES, NOTHING, CDATA, NR_NAMES };

static char *texts[NR_NAMES] = {
	[MAIN] = "main", [SEMICOLON] = "a;b", [SCRIPT] = "<script>alert('x')</script>",
	[LINE] = "two\nlines\tand \x1b[31m", [UTF8] = "na\xc3\xafve \xe2\x82\xac \xef\xbc\x81",
	[BYTES] = "\xff\xfe\xc3", [QUOTES] = "say \"hi\" & C:\\dir \\\"", [NOTHING] = "",
	[CDATA] = "]]> &amp; \xef\xbf\xbe\xef\xbf\xbf \xe2\x80\xae",
};
static const struct names names = { .texts = texts, .nr = NR_NAMES };

/* node, parent, function, marks, calls, total, self */
static const struct ktrace_node nodes[] = {
	{ 1, KTRACE_NODE_ROOT, MAIN, 0, 1, 100000000, 10000000 },
	{ 2, 1, SEMICOLON, 0, 3, 40000000, 15000000 },
	{ 3, 2, SCRIPT, 0, 30, 25000000, 20000000 },
	{ 4, 3, SEMICOLON, 0, 7, 5000000, 5000000 },	/* recursive */
	{ 5, 1, LINE, 0, 2, 30000000, 0 },		/* only callees take time */
	{ 6, 5, UTF8, 0, 1, 29990000, 29990000 },
	{ 7, 5, BYTES, 0, 1, 9999, 9999 },		/* too narrow */
	{ 8, 7, CDATA, 0, 2, 9000, 9000 },
	{ 9, 1, NOTHING, 0, 500, 0, 0 },		/* no time at all */
	{ 10, 1, KTRACE_FUNC_FULL, 0, 12, 9000000, 9000000 },
	{ 11, KTRACE_NODE_ROOT, QUOTES, 0, 5, 50000000, 50000000 },
	{ 12, KTRACE_NODE_ROOT, BYTES, 0, 1, 40000, 40000 },
};

#define NR(array) (sizeof(array) / sizeof(*(array)))

static void take_nodes(struct paths *paths, const struct ktrace_node *of, size_t nr)
{
	struct graph graph = { .nodes = malloc((nr + 1) * sizeof(*of)), .nr = nr };

	memcpy(graph.nodes, of, nr * sizeof(*of));
	graph_sort(&graph, "total");
	paths_take_graph(paths, &graph, &names);
	graph_free(&graph);
}

/* --- paths -------------------------------------------------------------------------- */

struct sums {
	uint64_t calls, self_ns;
	size_t nr;
};

static void add_up(void *arg, const struct path_node *node, const uint32_t *path)
{
	struct sums *sums = arg;

	assert_int_equal(path[node->depth], node->name);
	sums->calls += node->calls;
	sums->self_ns += node->self_ns;
	sums->nr++;
}

static void test_sums_are_those_of_the_tree(void **state)
{
	struct sums of_nodes = { .nr = NR(nodes) }, sums = { .nr = 0 };
	struct paths paths;
	uint64_t outermost = 0;
	size_t i;

	(void)state;
	for (i = 0; i < NR(nodes); i++) {
		of_nodes.calls += nodes[i].calls;
		of_nodes.self_ns += nodes[i].self_ns;
	}
	take_nodes(&paths, nodes, NR(nodes));
	paths_each(&paths, add_up, &sums);
	assert_memory_equal(&sums, &of_nodes, sizeof(sums));
	assert_int_equal(paths.total_ns, sums.self_ns);
	assert_int_equal(paths.calls, sums.calls);
	for (i = 0; i < paths.nr; i++)
		if (paths.nodes[i].parent == PATHS_ROOT)
			outermost += paths.nodes[i].total_ns;
	assert_int_equal(outermost, sums.self_ns);
	paths_free(&paths);
}

/* Callers come before callees, and of siblings the one with the longest time first. */
static void test_order(void **state)
{
	const struct path_node *node;
	struct paths paths;
	size_t i, last[16];

	(void)state;
	take_nodes(&paths, nodes, NR(nodes));
	for (i = 0; i < paths.nr; i++) {
		node = &paths.nodes[i];
		assert_int_equal(node->parent, node->depth ? last[node->depth - 1] : PATHS_ROOT);
		if (i && node->parent == paths.nodes[i - 1].parent)
			assert_true(node->total_ns <= paths.nodes[i - 1].total_ns);
		last[node->depth] = i;
	}
	paths_free(&paths);
}

/* Two functions of the same name with the same caller are one path. */
static void test_same_paths_are_one(void **state)
{
	struct paths paths = { .nr = 0 };
	size_t a = paths_child(&paths, PATHS_ROOT, "a"), i;

	(void)state;
	for (i = 0; i < 1000; i++)
		paths_count(&paths, paths_child(&paths, a, "b"), 1, 2);
	paths_settle(&paths);
	assert_int_equal(paths.nr, 2);
	assert_int_equal(paths.nodes[1].calls, 1000);
	assert_int_equal(paths.nodes[0].total_ns, 2000);
	paths_free(&paths);
}

#define DEEP 100000

/* Neither the order nor an export is recursive. */
static void test_deep_path(void **state)
{
	struct paths paths = { .nr = 0 };
	size_t at = PATHS_ROOT, i;
	FILE *out = fopen("/dev/null", "w");

	(void)state;
	for (i = 0; i < DEEP; i++)
		at = paths_child(&paths, at, "deeper");
	paths_count(&paths, at, 1, 5);
	paths_settle(&paths);
	assert_int_equal(paths.nodes[0].total_ns, 5);
	format_folded.paths(out, &paths);
	format_flame.paths(out, &paths);
	format_speedscope.paths(out, &paths);
	format_pprof.paths(out, &paths);
	format_dot.paths(out, &paths);
	fclose(out);
	paths_free(&paths);
}

/* --- sizes -------------------------------------------------------------------------- */

static void put_wide(struct paths *paths)
{
	size_t at = PATHS_ROOT, i;
	char name[32];

	memset(paths, 0, sizeof(*paths));
	for (i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "function_%zu", i);
		at = paths_child(paths, i % 10 ? at : PATHS_ROOT, name);
		paths_count(paths, at, 1, (i * 7919) % 1000);
	}
	paths_settle(paths);
}

/* Writes the paths to memory. Returns its size. */
static size_t fit_size(const struct output_format *format, const struct paths *paths, size_t max,
		       struct fit *fit)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	fit_put(out, format, paths, max, fit);
	fclose(out);
	free(text);
	return len;
}

static void test_files_fit(void **state)
{
	const struct output_format *formats[] = {
		&format_folded, &format_flame, &format_speedscope, &format_pprof, &format_dot,
	};
	struct paths paths, some;
	struct fit fit;
	size_t i, len;

	(void)state;
	put_wide(&paths);
	for (i = 0; i < NR(formats); i++) {
		len = fit_size(formats[i], &paths, 0, &fit);
		assert_int_equal(fit.nr, 0);
		assert_int_equal(fit_size(formats[i], &paths, len, &fit), len);
		assert_int_equal(fit.nr, 0);
		assert_in_range(fit_size(formats[i], &paths, 12000, &fit), 10000, 12000);
		assert_in_range(fit.nr, 1, paths.nr - 1);
		assert_int_equal(fit.all_nr, 1000);
		assert_int_equal(fit.all_ns, paths.total_ns);
		/* One more path would be too long. */
		paths_take_largest(&some, &paths, paths.nr - fit.nr + 1);
		assert_true(fit_size(formats[i], &some, 0, &fit) > 12000);
		paths_free(&some);
	}
	paths_free(&paths);
}

/* What is left out is shorter than what is kept, and callers are kept. */
static void test_shortest_are_left_out(void **state)
{
	uint64_t kept = 0, times[1000];
	struct paths paths, some;
	size_t i, j, nr_longer;

	(void)state;
	put_wide(&paths);
	paths_take_largest(&some, &paths, 300);
	assert_int_equal(some.nr, 300);
	for (i = 0; i < some.nr; i++)
		kept += some.nodes[i].self_ns;
	assert_int_equal(kept, some.total_ns);
	for (i = 0; i < paths.nr; i++)
		times[i] = paths.nodes[i].total_ns;
	for (i = 0; i < paths.nr; i++) {
		for (nr_longer = j = 0; j < paths.nr; j++)
			nr_longer += times[j] > times[i];
		for (j = 0; j < some.nr; j++)
			if (!strcmp(some.names[some.nodes[j].name], paths.names[paths.nodes[i].name]))
				break;
		/* Equal times aside. */
		if (j < some.nr)
			assert_true(nr_longer < 300);
		else
			assert_true(nr_longer >= 290);
	}
	paths_free(&some);
	paths_take_largest(&some, &paths, 0);
	assert_int_equal(some.nr, 0);
	paths_free(&some);
	paths_free(&paths);
}

/* --- files -------------------------------------------------------------------------- */

static void write_as(const char *name, const struct output_format *format,
		     const struct paths *paths)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	out = fopen(path, "w");
	assert_non_null(out);
	format->paths(out, paths);
	fclose(out);
}

static void write_all(const char *name, const struct ktrace_node *of, size_t nr)
{
	static const struct {
		const struct output_format *format;
		const char *ending;
	} all[] = {
		{ &format_folded, "folded" }, { &format_flame, "svg" }, { &format_speedscope, "json" },
		{ &format_pprof, "pb.gz" }, { &format_dot, "dot" },
	};
	struct paths paths;
	char file[64];
	size_t i;

	take_nodes(&paths, of, nr);
	for (i = 0; i < NR(all); i++) {
		snprintf(file, sizeof(file), "%s.%s", name, all[i].ending);
		write_as(file, all[i].format, &paths);
	}
	paths_free(&paths);
}

static void test_files(void **state)
{
	static const struct ktrace_node idle = { 1, KTRACE_NODE_ROOT, MAIN, 0, 500, 0, 0 };

	(void)state;
	write_all("calls", nodes, NR(nodes));
	write_all("no_time", &idle, 1);
	write_all("nothing", nodes, 0);
}

static void write_gzip(const char *name, size_t len)
{
	unsigned char *bytes = malloc(len + 1);
	char path[4096];
	FILE *out;
	size_t i;

	for (i = 0; i < len; i++)
		bytes[i] = i * 7;
	snprintf(path, sizeof(path), "%s/%s.bytes.gz", folder, name);
	out = fopen(path, "w");
	gzip_put(out, bytes, len);
	fclose(out);
	free(bytes);
}

/* Blocks have at most 65535 bytes. */
static void test_gzip(void **state)
{
	(void)state;
	write_gzip("0", 0);
	write_gzip("65535", 65535);
	write_gzip("65536", 65536);
	write_gzip("200000", 200000);
}

/* --- perf ----------------------------------------------------------------------------- */

struct event {
	uint32_t type;
	uint16_t misc, size;
};

/* A sample, as its description (PERF_SAMPLE_*) says. */
struct sample {
	struct event head;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time, period, nr, chain[8];
};

/* Returns the next event, which lies inside of the file. */
static const struct event *next_event(const char *text, size_t len, size_t *at)
{
	const struct event *event = (const void *)(text + *at);

	assert_true(len - *at >= sizeof(*event));
	assert_true(event->size >= sizeof(*event) && event->size <= len - *at && event->size % 8 == 0);
	*at += event->size;
	return event;
}

static const struct sample *next_sample(const char *text, size_t len, size_t *at)
{
	const struct event *event = next_event(text, len, at);
	const struct sample *sample = (const void *)event;

	assert_int_equal(event->type, 9);
	assert_int_equal(event->size, offsetof(struct sample, chain) + sample->nr * 8);
	return sample;
}

/* Frames of the kernel and of a file, of two processes; a stack that is too long, and one of nothing. */
static void test_samples_for_perf(void **state)
{
	static const struct perf_place path[] = { { 0, 0x500 }, { 0, 0x100 }, { PERF_NO_FILE, 7 },
						  { PERF_KERNEL, 0xffffffff81000500 } };
	struct perf_place deep[300];
	const struct perf_file file = { "/bin/a b", "00ff" };
	static const uint32_t types[] = { 3, 1, 10, 7, 3, 7, 3 };
	const struct sample *sample;
	const uint64_t *head;
	struct perf *perf;
	char *text;
	size_t len, at, i;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	for (i = 0; i < NR(deep); i++)
		deep[i] = (struct perf_place){ 0, i };
	perf = perf_create(out, 1, "ktrace", 5);
	perf_kernel(perf, 0xffffffff81000000, 0xffffffff82000000);
	perf_file(perf, &file);
	assert_int_equal(perf_task(perf, "one"), 1);
	assert_int_equal(perf_task(perf, "a name that is too long"), 2);
	perf_path(perf, path, 4, 70);
	perf_choose(perf, 1);
	perf_path(perf, deep, NR(deep), 80);
	perf_path(perf, &path[2], 1, 90);
	assert_int_equal(perf_end(perf), 90);
	fclose(out);
	assert_memory_equal(text, "PERFILE2", 8);
	head = (const void *)text;
	at = head[5];
	assert_int_equal(at + head[6], len);
	for (i = 0; i < NR(types); i++)
		assert_int_equal(next_event(text, len, &at)->type, types[i]);
	sample = next_sample(text, len, &at);
	assert_int_equal(sample->pid, 3);
	assert_int_equal(sample->period, 70);
	assert_int_equal(sample->head.misc, 1);
	assert_int_equal(sample->nr, 5);
	assert_true(sample->chain[0] == (uint64_t)-128 && sample->chain[2] == (uint64_t)-512);
	assert_true(sample->chain[1] == 0xffffffff81000500 && sample->ip == sample->chain[1]);
	assert_int_equal(sample->chain[3] - sample->chain[4], 0x101 - 0x501);
	sample = next_sample(text, len, &at);
	assert_int_equal(sample->pid, 2);
	assert_int_equal(sample->head.misc, 2);
	assert_true(sample->nr > 100 && sample->nr < 128);
	assert_int_equal(at, len);
	free(text);
}

/* --- intervals -------------------------------------------------------------- */

/* Returns the first line. The caller frees it. */
static char *first_line(const struct output_format *format, const struct paths *paths)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	format->paths(out, paths);
	fclose(out);
	text[strcspn(text, "\n")] = 0;
	return text;
}

/* Text of an interval begins with the time of day, in each format. */
static void test_time_of_day(void **state)
{
	const struct output_format *const formats[] = {
		&format_stack_tree, &format_callers, &format_callees,
	};
	struct paths paths;
	char *line;
	size_t i;

	(void)state;
	take_nodes(&paths, nodes, NR(nodes));
	for (i = 0; i < NR(formats); i++) {
		line = first_line(formats[i], &paths);
		assert_memory_equal(line, "Counted for 0.250 s on ", 23);
		free(line);
		head_set_repeated(true);
		line = first_line(formats[i], &paths);
		head_set_repeated(false);
		assert_true(line[2] == ':' && line[5] == ':');
		assert_memory_equal(line + 8, ", 0.250 s on ", 13);
		free(line);
	}
	paths_free(&paths);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums_are_those_of_the_tree),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_same_paths_are_one),
		cmocka_unit_test(test_deep_path),
		cmocka_unit_test(test_files_fit),
		cmocka_unit_test(test_shortest_are_left_out),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_gzip),
		cmocka_unit_test(test_samples_for_perf),
		cmocka_unit_test(test_time_of_day),
	};

	if (argc < 2)
		return 2;
	folder = argv[1];
	head_set_command("run");
	head_set_traced("<demo> \"1\" & ;\n (4711)");
	head_set_window(1000000000, 1250000000);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
