// SPDX-License-Identifier: GPL-2.0
/*
 * The output for known input: writes files into the given folder, which are compared with those of
 * the same name in tests/golden.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "../../include/uapi/ktrace_record.h"
#include "../../user/draw/draw.h"
#include "../../user/report/chains.h"
#include "../../user/report/ctf.h"
#include "../../user/report/format.h"
#include "../../user/report/graph.h"
#include "../../user/report/head.h"
#include "../../user/report/json.h"
#include "../../user/report/json_write.h"
#include "../../user/report/functions.h"
#include "../../user/report/io_names.h"
#include "../../user/report/io_table.h"
#include "../../user/report/layout.h"
#include "../../user/report/plan_text.h"
#include "../../user/report/record.h"
#include "../../user/report/sysenter_table.h"
#include "../../user/report/sched_table.h"
#include "../../user/report/stack_frames.h"
#include "../../user/report/profile.h"
#include "../../user/report/stack_table.h"
#include "../../user/session/session.h"
#include "../../user/session/trace.h"
#include "../../user/report/tree.h"
#include "../../user/report/syscalls.h"
#include "../../user/report/virtio.h"
#include "../../user/util/style.h"
#include "print_chosen.h"

static char *texts[] = {
	(char *)"main", (char *)"run(int)", (char *)"Shape::area()",
	(char *)"malloc@libc.so.6", (char *)"std::map<int, \"x\">::at(int const&)",
	(char *)"ovl_read_iter [overlay]",
};
static struct value_formats formats[] = {
	{ "" }, { "d" }, { { 's', 0, 'x', 'u', 0, 0, 'd' } }, { { 0, 0, 0, 0, 0, 0, 's' } }, { "" },
	{ "" },
};
static const struct names names = {
	.texts = texts, .formats = formats, .nr = sizeof(texts) / sizeof(texts[0]),
};

static FILE *create(const char *folder, const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file)
		exit(1);
	return file;
}

/* time, id, tid, func, depth, duration, flags */
static const uint64_t events[][7] = {
	{ 1000, EVENT_ENTRY, 4711, 0, 0, 0, 0 },
	{ 2000, EVENT_ENTRY, 4711, 2, 1, 0, 0 },
	{ 4031, EVENT_EXIT, 4711, 2, 1, 2031, 0 },
	{ 5000, EVENT_ENTRY, 4711, 1, 1, 0, 0 },
	{ 6000, EVENT_ENTRY, 4712, 1, 0, 0, 0 },
	{ 6100, EVENT_ENTRY, 4711, 3, 2, 0, 0 },
	{ 99987, EVENT_EXIT, 4711, 3, 2, 93887, 0 },
	{ 100000, EVENT_ENTRY, 4712, 4, 1, 0, 0 },
	{ 110000, EVENT_EXIT, 4712, 4, 1, 10000, KTRACE_REC_F_UNWOUND },
	{ 118120, EVENT_EXIT, 4711, 1, 1, 113120, 0 },
	{ 120000, EVENT_ENTRY, 4711, 3, 1, 0, KTRACE_REC_F_NO_RETURN },
	{ 121000, EVENT_FORK, 4711, 0, 0, 4713, 0 },
	{ 122000, EVENT_EXIT, 4713, 0, 0, 121000, KTRACE_REC_F_INHERITED },
	{ 123000, EVENT_EXEC, 4713, 0, 0, 0, 0 },
	{ 130000, EVENT_GAP, 0, 0, 0, 17, 0 },
	{ 140000, EVENT_EXIT, 4712, 1, 0, 134000, KTRACE_REC_F_KILLED },
	{ 140001, EVENT_TASK_EXIT, 4712, 0, 0, 0, 0 },
	{ 374307, EVENT_EXIT, 4711, 0, 0, 373307, 0 },
	{ 375000, EVENT_ENTRY, 4711, 0, 0, 0, 0 },
};

static void each_event(void (*fn)(void *arg, const struct ktr_record *event), void *arg)
{
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct ktr_record event = {
			.time = events[i][0], .id = events[i][1], .tid = events[i][2],
			.func = events[i][3], .depth = events[i][4], .duration = events[i][5],
			.flags = events[i][6], .cpu = 1, .program = "other",
		};

		event.child = event.child_pid = event.id == EVENT_FORK ? event.duration : 0;

		fn(arg, &event);
	}
}

static void to_tree(void *arg, const struct ktr_record *event)
{
	tree_event(arg, event);
}

/* Kinds: string, none, integer, integer; integer; string. */
static const uint64_t args[] = { 0x01010002, 0x105, 0x22410a6261, 0x7f, UINT64_MAX },
		      number[] = { 1, 0xffffffff }, null[] = { 2, 0x200 }, bad[] = { 2, 0x300 },
		      damaged[] = { 2, 0x40 };

/* Calls with values, as leaves and around others. */
static void print_values(const char *folder)
{
	struct ktr_record calls[] = {
		{ .time = 1000, .id = EVENT_ENTRY, .func = 2, .payload = args, .nr_payload = 5 },
		{ .time = 2000, .id = EVENT_ENTRY, .func = 3, .depth = 1 },
		{ .time = 3000, .id = EVENT_EXIT, .func = 3, .depth = 1, .duration = 1000,
		  .payload = null, .nr_payload = 2 },
		{ .time = 4000, .id = EVENT_ENTRY, .func = 1, .depth = 1, .payload = number,
		  .nr_payload = 2 },
		{ .time = 5000, .id = EVENT_EXIT, .func = 1, .depth = 1, .duration = 1000,
		  .flags = KTRACE_REC_F_UNWOUND },
		{ .time = 6000, .id = EVENT_EXIT, .func = 2, .duration = 5000,
		  .payload = number, .nr_payload = 2 },
		{ .time = 7000, .id = EVENT_ENTRY, .func = 3, .payload = bad, .nr_payload = 2,
		  .flags = KTRACE_REC_F_NO_RETURN },
		{ .time = 8000, .id = EVENT_ENTRY, .func = 4, .payload = damaged, .nr_payload = 2,
		  .flags = KTRACE_REC_F_NO_RETURN },
	};
	struct tree_options options = { false, 0 };
	FILE *out = create(folder, "tree-values.txt");
	struct tree *tree = tree_create(out, &names, &options);
	size_t i;

	tree_head(tree);
	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		tree_event(tree, &calls[i]);
	tree_free(tree);
	fclose(out);
}

/* Everything is printed that is acknowledged next: the line of 4712 does not wait for 4711. */
static void print_settled(const char *folder)
{
	struct ktr_record calls[] = {
		{ .time = 1000, .id = EVENT_ENTRY, .func = 2, .tid = 4711 },
		{ .time = 2000, .id = EVENT_ENTRY, .func = 3, .tid = 4712 },
		{ .time = 3000, .id = EVENT_EXIT, .func = 3, .tid = 4712, .duration = 1000 },
		{ .time = 4000, .id = EVENT_ENTRY, .func = 3, .tid = 4712 },
	};
	struct tree_options options = { false, 0 };
	FILE *out = create(folder, "tree-settled.txt");
	struct tree *tree = tree_create(out, &names, &options);
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		tree_event(tree, &calls[i]);
	tree_settle(tree);
	tree_free(tree);
	fclose(out);
}

static void print_tree(const char *folder, const char *name, bool with_timestamp)
{
	struct tree_options options = { with_timestamp, 1000 };
	FILE *out = create(folder, name);
	struct tree *tree = tree_create(out, &names, &options);

	tree_head(tree);
	each_event(to_tree, tree);
	tree_flush(tree, UINT64_MAX);
	tree_free(tree);
	fclose(out);
}

#define FIGURES(...)	((const uint64_t[NR_FIGURES]){ __VA_ARGS__ })

static void put(struct row *row, int part, const uint64_t figures[NR_FIGURES])
{
	memcpy(row->parts[part].figures, figures, NR_FIGURES * sizeof(*figures));
}

/* Functions with one call or two. A call of the first, and one of the fourth, have not ended. */
static void fill_functions(struct table *functions)
{
	/* func, entries, self, the first call, and the second one or 0 */
	static const uint64_t calls[][5] = {
		{ 0, 2, 258156, 373307 }, { 2, 1, 2031, 2031 }, { 1, 2, 143233, 113120, 134000 },
		{ 3, 2, 93887, 93887 }, { 4, 1, 10000, 10000 },
	};
	const uint64_t *call;
	struct row *row;
	size_t i;

	table_init(functions, &functions_kind);
	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		call = calls[i];
		row = functions_add(functions, call[0], &names);
		put(row, 0, FIGURES([FIG_ENTRIES] = call[1], [FIG_CALLS] = 1 + !!call[4],
		    [FIG_TOTAL] = call[3] + call[4], [FIG_SELF] = call[2],
		    [FIG_SUM] = call[3] + call[4], [FIG_MIN] = call[3],
		    [FIG_MAX] = call[4] ? call[4] : call[3]));
		hist_add(&row->parts->hist, call[3]);
		if (call[4])
			hist_add(&row->parts->hist, call[4]);
	}
}

static void print_functions(const char *folder)
{
	FILE *out = create(folder, "summary.txt");
	struct table functions;

	fill_functions(&functions);
	functions_sort(&functions, "self");
	functions_print(out, &functions);
	fputc('\n', out);
	functions_sort(&functions, "name");
	functions_print(out, &functions);
	fputc('\n', out);
	functions.flags = FUNCTIONS_COUNT;
	functions_print(out, &functions);
	fclose(out);
	out = create(folder, "hist.txt");
	functions_print_hists(out, &functions);
	fclose(out);
	table_free(&functions);
}

static void print_graph(const char *folder)
{
	/* node, parent, func, pad, calls, total, self; children before parents too */
	static const struct ktrace_node nodes[] = {
		{ 9, 5, 3, 0, 10, 4000, 4000 },
		{ 5, 7, 1, 0, 2, 113120, 109120 },
		{ 7, KTRACE_NODE_ROOT, 0, 0, 1, 373307, 258156 },
		{ 8, 7, 2, 0, 1, 2031, 2031 },
		{ 10, 7, 5, 0, 9, 2000, 2000 },
		/* below 0: the other node of the function loses as much */
		{ 11, 5, 5, 0, 1, 700, -700 },
		{ 64, KTRACE_NODE_ROOT, KTRACE_FUNC_FULL, 0, 3, 30, 30 },
	};
	static const struct ktrace_node bounds[] = {
		{ 12, 7, 1, KTRACE_NODE_AT_MOST, 3, 20000000000, 0 },
		{ 13, KTRACE_NODE_ROOT, 0, KTRACE_NODE_AT_MOST, 0, 0, 5000000 },
	};
	struct graph graph = {
		.nodes = malloc(sizeof(nodes)), .nr = sizeof(nodes) / sizeof(nodes[0]),
		.bounds = malloc(sizeof(bounds)), .nr_bounds = sizeof(bounds) / sizeof(bounds[0]),
	};
	FILE *out = create(folder, "graph.txt");
	struct table functions;

	memcpy(graph.nodes, nodes, sizeof(nodes));
	memcpy(graph.bounds, bounds, sizeof(bounds));
	graph_settle(&graph);
	graph_sort(&graph, "total");
	graph_print(out, &graph, &names);
	fputs("--- by calls\n", out);
	graph_sort(&graph, "calls");
	graph_print(out, &graph, &names);
	fputs("--- run is no longer probed\n", out);
	table_init(&functions, &functions_kind);
	functions_add(&functions, 0, &names)->parts->figures[FIG_HAS_BLIND] = 1;
	functions_add(&functions, 1, &names)->parts->figures[FIG_OBSERVED] = 100000000;
	graph_set_rows(&graph, &functions);
	graph_print(out, &graph, &names);
	graph_free(&graph);
	table_free(&functions);
	fclose(out);
}

/* Files whose names would clear the screen, one of which is not as it should be. */
static void print_plan(const char *folder)
{
	struct elf_file files[] = {
		{ .path = (char *)"/tmp/\033[2Jprog", .source = (char *)".symtab" },
		{ .path = (char *)"/tmp/lib\rx.so", .source = (char *)".dynsym",
		  .refused = (char *)"\033c.debug: it has another build-id" },
	};
	struct plan_func funcs[] = {
		{ .name = texts[0], .desc = { .entry = 0x1120, .nr_exits = 2,
					      .ret = KTRACE_RETURN_SITES } },
		{ .name = texts[3], .object = 1, .desc = { .entry = 0x2000 },
		  .no_return = "it never returns" },
		{ .name = texts[1], .left_out = "its symbol has no size" },
	};
	struct plan plan = {
		.objects = files, .nr_objects = 2,
		.funcs = funcs, .nr_funcs = 3, .nr_probed = 2, .nr_sites = 4,
	};
	FILE *out = create(folder, "plan.txt");

	plan_print(out, &plan);
	fclose(out);
}

static void show(FILE *out, const struct ktr_record *event, const struct record_source *source)
{
	struct record record;

	record_parse(&record, event, source);
	record_print(out, &record, 1000000000);
}

/* A read of a file that went through all stages; a failed passthrough request without a task. */
static void print_requests(const char *folder)
{
	struct ktrace_request_record request = {
		.stage_ns = { 10001000, 20000001, 8001003, 30001003 }, .sector = 17410, .inode = 12,
		.file_dev = 8 << 20 | 1, .dev = 8 << 20, .off_cpu_ns = 66003000, .bytes = 65536,
		.stages = 15, .pid = 4711, .comm = "dd",
	};
	struct ktr_record event = { .id = EVENT_REQUEST, .time = 2000000000, .tid = 4712,
			       .duration = 68003007, .payload = (uint64_t *)&request,
			       .func = KTRACE_BLOCK_FUNC(0, KTRACE_BLOCK_READ, KTRACE_BLOCK_Q2C),
			       .nr_payload = sizeof(request) / sizeof(uint64_t) };
	struct io_names io = {
		.dev = 8 << 20, .inode = 12, .file_dev = 8 << 20 | 1, .pid = 4711,
		.looked = 2000000000, .disk = "nvme0n1", .path = "/mnt/file",
	};
	const struct record_source source = { .io = &io };
	FILE *out = create(folder, "request.txt");

	show(out, &event, &source);
	io.path[0] = 0;
	request.off_cpu_ns = KTRACE_OFF_CPU_UNKNOWN;
	show(out, &event, &source);
	request = (struct ktrace_request_record){
		.stage_ns = { 0, 0, 1000, 2000 }, .sector = KTRACE_SECTOR_NONE,
		.off_cpu_ns = KTRACE_OFF_CPU_UNKNOWN, .stages = 12, .error = 5,
	};
	event.time = 3000000000;
	event.tid = 0;
	event.duration = 3000;
	event.func = KTRACE_BLOCK_FUNC(0, KTRACE_BLOCK_PASSTHROUGH, KTRACE_BLOCK_Q2C);
	show(out, &event, &source);
	stack_print(out, NULL, 0);
	fclose(out);
}

/* Results: two numbers, one not shown, an errno, none; and a function that is not known. */
static void print_kernel_calls(const char *folder)
{
	static const int64_t results[] = { 4096, INT32_MAX, KTRACE_RESULT_NONE, -12, 7, 7 };
	static char *texts[] = { "vfs_read", "ext4_evict_inode [ext4]" };
	static bool are_fallible[] = { true, false };
	const struct names names = { .texts = texts, .are_fallible = are_fallible, .nr = 2 };
	struct ktrace_call_record call = { .comm = "kworker/u8:1-fl" };	/* no terminating zero */
	uint64_t payload[sizeof(call) / sizeof(uint64_t)];
	struct ktr_record event = { .id = EVENT_CALL, .time = 1000000000, .tid = 4711,
			       .payload = payload, .nr_payload = 3 };
	const struct record_source source = { .names = &names };
	FILE *out = create(folder, "calls.txt");
	unsigned int i;

	for (i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
		call.ret = results[i];
		memcpy(payload, &call, sizeof(call));
		event.func = i < 4 ? 0 : i - 3;
		event.time += 1500;
		event.duration = 1500 << 4 * i;
		show(out, &event, &source);
	}
	event.nr_payload = 0;
	show(out, &event, &source);
	fclose(out);
}

/* A period of each kind, and of an unknown kind; the last one has no name. */
static void print_periods(const char *folder)
{
	struct ktrace_period_record period = { .comm = "kworker/u8:1-fl" };	/* no terminating zero */
	uint64_t payload[sizeof(period) / sizeof(uint64_t)];
	struct ktr_record event = { .id = EVENT_PERIOD, .time = 1000000000, .tid = 4711,
			       .payload = payload, .nr_payload = 2 };
	const struct record_source source = { NULL };
	FILE *out = create(folder, "periods.txt");

	memcpy(payload, &period, sizeof(period));
	for (; event.func <= KTRACE_NR_SCHED; event.func++) {
		event.time += 1500;
		event.duration = 1500ULL << 3 * event.func;
		show(out, &event, &source);
	}
	event.nr_payload = 0;
	show(out, &event, &source);
	fclose(out);
}

/* A fault of each kind and numbers that are none; one ends in a signal, the last has no payload. */
static void print_faults(const char *folder)
{
	struct ktrace_fault_record fault = { .page = 0x7f3a51c20000, .pid = 4710, .comm = "redis-server" };
	uint64_t payload[sizeof(fault) / sizeof(uint64_t)];
	struct ktr_record event = { .id = EVENT_FAULT, .time = 1000000000, .tid = 4711,
			       .payload = payload, .nr_payload = sizeof(fault) / sizeof(uint64_t) };
	const struct record_source source = { NULL };
	FILE *out = create(folder, "faults.txt");

	for (; event.func <= KTRACE_NR_FAULTS; event.func++) {
		fault.error = event.func == KTRACE_FAULT_WRITE ? EFAULT : 0;
		memcpy(payload, &fault, sizeof(fault));
		event.time += 1500;
		event.duration = 1500ULL << 3 * event.func;
		show(out, &event, &source);
	}
	event.nr_payload = 0;
	show(out, &event, &source);
	fclose(out);
}

/* Samples of each mode and of one that is none, with and without a stack; the last has no payload. */
static void print_samples(const char *folder)
{
	struct ktrace_sample_record sample = { .pid = 4710, .comm = "redis-server" };
	static char *frames[] = { (char *)"copy_page", (char *)"dictFind", (char *)"main" };
	struct stack stack = { .comm = frames[2], .frames = frames, .nr_kernel = 1, .nr = 3 };
	const struct stacks stacks = { .all = &stack, .nr = 1 };
	uint64_t payload[sizeof(sample) / sizeof(uint64_t)];
	struct ktr_record event = { .id = EVENT_SAMPLE, .time = 1000000000, .tid = 4711,
			       .duration = 10101010, .payload = payload,
			       .nr_payload = sizeof(sample) / sizeof(uint64_t) };
	const struct record_source source = { .stacks = &stacks };
	FILE *out = create(folder, "samples.txt");

	memcpy(payload, &sample, sizeof(sample));
	for (; event.func <= KTRACE_NR_PROFILE; event.func++) {
		event.time += 10101010;
		event.has_stack = event.func < KTRACE_PROFILE_IDLE;
		event.stack = event.func == KTRACE_PROFILE_USER ? KTRACE_STACK_NONE : 0;
		show(out, &event, &source);
	}
	event.nr_payload = 0;
	show(out, &event, &source);
	fclose(out);
}

static void add_request(struct table *requests, const char *name, uint32_t op)
{
	struct row_key *keys = table_add(requests)->keys;

	keys[IO_NAME].text = name;
	keys[IO_DEV].is_none = true;
	keys[IO_OP].number = op;
	keys[IO_OP].text = io_op_name(op);
}

/* Two requests, of 4 and 68 us, one of which was inserted; and one that failed. */
static void print_io(const char *folder)
{
	static const uint64_t ns[3][IO_NR_STAGES] = {
		{ 1000, 0, 500, 2500, 4000 }, { 10000, 20000, 8000, 30000, 68000 },
		{ 0, 0, 1500, 2500, 4000 },
	};
	FILE *out = create(folder, "io.txt");
	struct row_part *part;
	struct table requests;
	int i, n;

	table_init(&requests, &io_kind);
	requests.duration_ns = 500000000;
	add_request(&requests, "nvme0n1", KTRACE_BLOCK_READ);
	add_request(&requests, "(others)", KTRACE_BLOCK_FLUSH);
	for (i = 0; i < 3; i++)
		for (n = 0; n < IO_NR_STAGES; n++) {
			part = &requests.rows[i / 2].parts[n];
			if (!ns[i][n])
				continue;
			part->figures[FIG_CALLS]++;
			part->figures[FIG_TOTAL] += ns[i][n];
			part->figures[FIG_MAX] = ns[i][n];
			hist_add(&part->hist, ns[i][n]);
		}
	requests.rows[0].parts[KTRACE_BLOCK_Q2C].figures[FIG_BYTES] = 4096 + 65536;
	requests.rows[1].parts[KTRACE_BLOCK_Q2C].figures[FIG_ERRORS] = 1;
	table_print(out, &requests);
	io_print_hists(out, &requests, KTRACE_BLOCK_D2C);
	table_free(&requests);
	fclose(out);
}

/* A queue of a disk, and a queue of a removed device, with requests from before the start. */
static void print_virtio(const char *folder)
{
	static const struct virtio_dev disk = { 0, "virtio_blk", "vda", "0000:00:03.0" };
	FILE *out = create(folder, "virtio.txt");
	struct table queues;
	struct row *row;

	table_init(&queues, &virtio_kind);
	queues.duration_ns = 500000000;
	row = virtio_add(&queues, 0, 1, "req.1", &disk);
	put(row, KTRACE_VIRTIO_ADD, FIGURES([FIG_CALLS] = 2, [FIG_ERRORS] = 1));
	put(row, KTRACE_VIRTIO_OUT, FIGURES([FIG_ENTRIES] = 2, [FIG_BYTES] = 32));
	put(row, KTRACE_VIRTIO_IN, FIGURES([FIG_ENTRIES] = 4, [FIG_BYTES] = 8194));
	put(row, KTRACE_VIRTIO_USED, FIGURES([FIG_ENTRIES] = 2, [FIG_CALLS] = 2,
	    [FIG_BYTES] = 8194, [FIG_TOTAL] = 150000, [FIG_MIN] = 50000, [FIG_MAX] = 100000));
	put(row, KTRACE_VIRTIO_KICK, FIGURES([FIG_ENTRIES] = 1));
	put(row, KTRACE_VIRTIO_INTERRUPT, FIGURES([FIG_CALLS] = 2, [FIG_ERRORS] = 1));
	hist_add(&row->parts[KTRACE_VIRTIO_USED].hist, 50000);
	hist_add(&row->parts[KTRACE_VIRTIO_USED].hist, 100000);
	row = virtio_add(&queues, 12, 0, "input.0", NULL);
	put(row, KTRACE_VIRTIO_USED, FIGURES([FIG_ENTRIES] = 7, [FIG_BYTES] = 686));
	put(virtio_add_others(&queues), KTRACE_VIRTIO_ADD, FIGURES([FIG_CALLS] = 1));
	table_print(out, &queues);
	virtio_print_hists(out, &queues);
	fputs("--- by requests that were used\n", out);
	table_sort(&queues, "used");
	table_print(out, &queues);
	table_free(&queues);
	fclose(out);
}

/* No kernel assigns such numbers to threads, so nothing is read from /proc. */
enum { TID = 5000000, CHILD, OTHER };

static void print_trace(const char *folder)
{
	static const struct ktrace_clocks clocks = { 5000000000, 1700000000000000000, 6000000000, 1 };
	const struct ktr_record all[] = {
		{ .written = 1000, .id = EVENT_EXEC, .tid = TID, .program = "parent" },
		{ .written = 1000, .id = EVENT_ENTRY, .tid = TID, .func = 2, .payload = args,
		  .nr_payload = 5 },
		{ .written = 2000, .id = EVENT_FORK, .tid = TID, .child = CHILD, .child_pid = CHILD },
		{ .written = 2500, .id = EVENT_FORK, .tid = TID, .child = OTHER, .child_pid = TID },
		{ .written = 3000, .id = EVENT_EXIT, .tid = CHILD, .cpu = 1, .func = 3, .depth = 1,
		  .duration = 1000, .payload = null, .nr_payload = 2 },
		{ .written = 4000, .id = EVENT_ENTRY, .tid = OTHER, .func = 1, .payload = number,
		  .nr_payload = 2 },
		{ .written = 4000, .id = EVENT_EXEC, .tid = CHILD, .cpu = 1, .program = "child" },
		{ .id = EVENT_GAP, .duration = 7 },
		{ .written = 5000, .id = EVENT_EXIT, .tid = OTHER, .func = 2, .duration = 5000,
		  .payload = number, .nr_payload = 2 },
		{ .written = 6000, .time = 5500, .id = EVENT_ENTRY, .tid = CHILD, .cpu = 1,
		  .flags = KTRACE_REC_F_LATE },
		{ .written = 7000, .id = EVENT_TASK_EXIT, .tid = CHILD, .cpu = 1 },
		{ .written = 8000, .id = EVENT_ENTRY, .tid = CHILD, .cpu = 1, .func = 4,
		  .payload = damaged, .nr_payload = 2 },
	};
	struct ktr_session session = { .id = 1, .cookie = 0x1122334455667788, .start = clocks };
	char path[4096];
	struct err err;
	struct ctf *ctf;
	size_t i;

	snprintf(path, sizeof(path), "%s/ctf", folder);
	ctf = ctf_create(path, &session, &names, &err);
	if (!ctf)
		exit(1);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		ctf_event(ctf, &all[i]);
	if (ctf_finish(ctf, &err))
		exit(1);
}

static void print_sysenter(const char *folder)
{
	FILE *out = create(folder, "sysenter.txt");
	struct vulnerability weaknesses[] = {
		{ "l1tf", "Not affected" }, { "mds", "Vulnerable" },
		{ "meltdown", "Mitigation: PTI" }, { "tsa", "Not affected" },
	};
	struct sysenter_report report = {
		.cpu = 3, .clock_ns = 8.04, .ghz = 2.6,
		.untraced = { 100000, 70.2, 78.04, 101, 79 },
		.traced = { 100000, 270, 290.5, 444.4, 300 },
		.counted = { 100000, 170, 178.04, 200, 179 },
		.vulnerabilities = { weaknesses, 4 },
	};
	static const struct sysenter_figure part = { 100000, 60, 65.55, 80, 66 };
	int i;

	sysenter_table_print(out, &report);
	fputs("--- with all that there can be\n", out);
	for (i = 0; i < KTRACE_NR_SYSENTER; i++)
		report.parts[i] = part;
	report.is_emulated = true;
	report.share = (struct sysenter_share){ 4711, "redis-server", 1000000, 1500000000,
						300000000, true };
	sysenter_table_print(out, &report);
	fputs("--- of a process that does nothing\n", out);
	report.share = (struct sysenter_share){ 4711, "sleep", 0, 1500000000, 0, false };
	report.vulnerabilities.nr = 0;
	sysenter_table_print(out, &report);
	fclose(out);
}

/* calls, total, max of each kind of period of two threads */
static const uint64_t periods[][KTRACE_NR_SCHED][3] = {
	{ { 3, 2500000, 1500000 }, { 2, 4000000, 3999999 }, { 3, 30000, 20000 },
	  { 2, 5000000, 4900000 }, { 2, 1000000000, 600000000 }, { 1, 12345, 12345 },
	  { 0, 0, 0 }, { 1, 700000, 700000 } },
	{ { 1, 1000, 1000 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 },
	  { 1, 2000000, 2000000 }, { 0, 0, 0 } },
};

static bool is_kept(const struct row *row)
{
	(void)row;
	return false;
}

static struct row *add_thread(struct table *threads, uint32_t tid, const char *comm)
{
	struct row *row = table_add(threads);

	row->keys[SCHED_TID].number = tid;
	row->keys[SCHED_COMM].text = comm;
	row->keys[SCHED_COMM].is_none = !comm;
	return row;
}

static void print_sched(const char *folder)
{
	FILE *out = create(folder, "sched.txt");
	struct table threads;
	struct row_part *all;
	uint64_t i;
	int what;

	sched_init(&threads);
	add_thread(&threads, 4711, "redis-server");
	add_thread(&threads, 12, NULL);
	all = threads.total.parts;
	for (i = 0; i < 2; i++)
		for (what = 0; what < KTRACE_NR_SCHED; what++) {
			const uint64_t *of = periods[i][what];

			put(&threads.rows[i], what, FIGURES([FIG_CALLS] = of[0],
			    [FIG_TOTAL] = of[1], [FIG_MAX] = of[2]));
			part_add(&all[what], &threads.rows[i].parts[what]);
		}
	/* The times are the maximum, half of it, and so on, so that the histogram has bars. */
	for (what = 0; what < KTRACE_NR_SCHED; what++)
		for (i = 0; i < all[what].figures[FIG_CALLS]; i++)
			hist_add(&all[what].hist, all[what].figures[FIG_MAX] >> i);
	table_sort(&threads, "blocked");
	threads.flags = SCHED_WIDE;
	sched_print(out, &threads);
	table_sort(&threads, "tid");
	threads.flags = 0;
	sched_print(out, &threads);
	sched_print_hists(out, &threads);
	table_keep(&threads, is_kept);
	sched_print(out, &threads);
	table_free(&threads);
	sched_init(&threads);
	sched_print(out, &threads);
	table_free(&threads);
	fclose(out);
}

/* Two threads of the same name, and one of another name, in one graph. */
static void print_stacks(const char *folder)
{
	FILE *out = create(folder, "stacks.txt");
	char *nap[] = { "__schedule", "do_nanosleep", "nap", "main;" }, *work[] = { "worker" };
	char name[] = "redis-server", worker[] = "kworker/0:1";
	struct stack known[] = {
		{ name, nap, 2, 4, KTRACE_STACK_USER_GONE },
		{ worker, work, 1, 1, KTRACE_STACK_KERNEL_CUT },
		{ name, nap, 2, 4, KTRACE_STACK_USER_GONE },
	};
	struct stacks stacks = { .all = known, .nr = 3 };
	struct table threads;
	struct ktrace_node nodes[] = {
		{ 1, KTRACE_NODE_ROOT, 71, 0, 0, 0, 0 },
		{ 2, 1, KTRACE_SCHED_SLEEP, 0, 5, 5000000, 2000000 },
		{ 3, 2, 0, 0, 3, 4000000, 2000000 },
		{ 4, 2, 2, 0, 1, 500000, 500000 },
		{ 5, 1, KTRACE_SCHED_RUN, 0, 4, 4000000, 4000000 },
		{ 6, KTRACE_NODE_ROOT, 72, 0, 0, 0, 0 },
		{ 7, 6, KTRACE_SCHED_PREEMPTED, 0, 2, 1000000, 700000 },
		{ 8, 7, 1, 0, 2, 1000000, 700000 },
		{ 9, 6, KTRACE_SCHED_DISK, 0, 1, 400, 400 },
		{ 10, 9, 1, 0, 1, 400, 400 },
	};
	struct graph graph = { .nodes = malloc(sizeof(nodes)), .nr = sizeof(nodes) / sizeof(nodes[0]) };
	struct table table = { .nr = 0 };
	struct paths paths;

	sched_init(&threads);
	stack_table_print(out, &table);
	memcpy(graph.nodes, nodes, sizeof(nodes));
	graph_sort(&graph, "total");
	stack_table_take(&table, &graph, &threads, &stacks);
	stack_table_print(out, &table);
	stack_table_paths(&paths, &table);
	format_folded.paths(out, &paths);
	paths_free(&paths);
	table_free(&table);
	table_free(&threads);
	graph_free(&graph);
	fclose(out);
}

/* A function that is on a stack twice, one that is called from two, and samples without a stack. */
static void print_profile(const char *folder)
{
	FILE *out = create(folder, "profile.txt");
	char *read[] = { "vfs_read", "do_syscall_64", "read", "main;" };
	char *walk[] = { "walk", "walk", "main;" }, *deep[] = { "walk" };
	char name[] = "redis-server";
	struct stack known[] = {
		{ name, read, 2, 4, 0 }, { name, walk, 0, 3, 0 }, { name, deep, 0, 1, KTRACE_STACK_USER_CUT },
	};
	struct stacks stacks = { .all = known, .nr = 3 };
	struct ktrace_node nodes[] = {
		{ 1, KTRACE_NODE_ROOT, KTRACE_PROFILE_USER, 0, 7, 7000000, 0 },
		{ 2, 1, 1, 0, 4, 4000000, 0 },
		{ 3, 1, 2, 0, 2, 2000000, 0 },
		{ 4, KTRACE_NODE_ROOT, KTRACE_PROFILE_KERNEL, 0, 3, 3000000, 0 },
		{ 5, 4, 0, 0, 3, 3000000, 0 },
		{ 6, KTRACE_NODE_ROOT, KTRACE_PROFILE_IDLE, 0, 10, 10000000, 0 },
	};
	struct graph graph = { .nodes = malloc(sizeof(nodes)), .nr = sizeof(nodes) / sizeof(nodes[0]) };
	struct ktr_session session = { .frequency = 1000 };
	struct profile profile = { .session = &session, .texts = &stacks };
	struct graph none = { .nr = 0 };
	struct paths paths;

	profile_take(&profile, &none, NULL, NULL);
	profile_print(out, &profile);
	profile_free(&profile);
	memcpy(graph.nodes, nodes, sizeof(nodes));
	graph_sort(&graph, "total");
	profile_take(&profile, &graph, NULL, NULL);
	table_sort(&profile.functions, "self");
	profile_print(out, &profile);
	profile_paths(&paths, &profile);
	format_folded.paths(out, &paths);
	paths_free(&paths);
	session.flags = KTRACE_F_UNWIND;
	profile_print(out, &profile);
	profile_free(&profile);
	known[0].flags = KTRACE_STACK_USER_FP;
	known[1].flags = KTRACE_STACK_USER_NO_RULE;
	memset(profile.modes, 0, sizeof(profile.modes));
	profile_take(&profile, &graph, NULL, NULL);
	profile_print(out, &profile);
	stack_table_paths(&paths, &profile.stacks);
	format_folded.paths(out, &paths);
	paths_free(&paths);
	profile_free(&profile);
	graph_free(&graph);
	fclose(out);
}

/* A thread that is sampled in two functions, sleeps in one of them, and waits for a CPU after it. */
static void print_off_cpu(const char *folder)
{
	FILE *out = create(folder, "off-cpu.txt");
	char *walk[] = { "walk", "main" }, *nap[] = { "schedule", "do_nanosleep", "walk", "main" };
	char name[] = "redis-server";
	struct stack known[] = { { name, walk, 0, 2, 0 } }, off_known[] = { { name, nap, 2, 4, 0 } };
	struct stacks stacks = { .all = known, .nr = 1 }, off_stacks = { .all = off_known, .nr = 1 };
	struct ktrace_node nodes[] = {
		{ 1, KTRACE_NODE_ROOT, KTRACE_PROFILE_USER, 0, 2, 2000000, 0 },
		{ 2, 1, 0, 0, 2, 2000000, 0 },
	};
	struct ktrace_node off_nodes[] = {
		{ 1, KTRACE_NODE_ROOT, 71, 0, 0, 0, 0 },
		{ 2, 1, KTRACE_SCHED_SLEEP, 0, 3, 5000000, 4000000 },
		{ 3, 2, 0, 0, 3, 5000000, 4000000 },
		{ 4, 1, KTRACE_SCHED_RUN, 0, 3, 2100000, 1000000 },
		{ 5, 1, KTRACE_SCHED_PREEMPTED, 0, 1, 500000, 500000 },
	};
	struct graph graph = { .nodes = malloc(sizeof(nodes)), .nr = 2 };
	struct graph off = { .nodes = malloc(sizeof(off_nodes)), .nr = 5 };
	struct ktr_session session = { .frequency = 1000 };
	struct profile profile = {
		.session = &session, .texts = &stacks, .off_session = &session,
		.off_texts = &off_stacks,
	};
	struct table threads;
	struct paths paths;
	struct row *row;

	memcpy(graph.nodes, nodes, sizeof(nodes));
	graph_sort(&graph, "total");
	memcpy(off.nodes, off_nodes, sizeof(off_nodes));
	graph_sort(&off, "total");
	sched_init(&threads);
	row = table_add(&threads);
	row->keys[SCHED_TID].number = 71;
	row->keys[SCHED_COMM].text = name;
	row->parts[KTRACE_SCHED_WAKEUP].figures[FIG_CALLS] = 3;
	row->parts[KTRACE_SCHED_WAKEUP].figures[FIG_TOTAL] = 2500000;
	profile_take(&profile, &graph, &off, &threads);
	table_sort(&profile.functions, "self");
	profile_print(out, &profile);
	profile_paths(&paths, &profile);
	format_folded.paths(out, &paths);
	format_stack_tree.paths(out, &paths);
	format_callers.paths(out, &paths);
	paths_free(&paths);
	profile_free(&profile);
	graph_free(&graph);
	graph_free(&off);
	fclose(out);
}

/* One chain inside another, one whose errno changes, and one after which a function continued. */
static void print_chains(const char *folder)
{
	FILE *out = create(folder, "chains.txt");
	struct ktrace_node nodes[] = {
		{ 7, KTRACE_NODE_ROOT, KTRACE_ERROR_LINK(3, 2), 0, 12, 12000, 9000 },
		{ 2, 7, KTRACE_ERROR_LINK(2, 2), 0, 5, 5000, 0 },
		{ 5, 7, KTRACE_ERROR_LINK(1, 13), 0, 4, 8000, 8000 },
		{ 9, 5, KTRACE_ERROR_LINK(0, 0), 0, 4, 8000, 0 },
		{ 1, KTRACE_NODE_ROOT, KTRACE_ERROR_LINK(1, 512), 0, 3, 500, 0 },
		{ 16, KTRACE_NODE_ROOT, KTRACE_FUNC_FULL, 0, 1, 1, 0 },
	};
	struct graph graph = { .nodes = malloc(sizeof(nodes)), .nr = sizeof(nodes) / sizeof(nodes[0]) };
	struct table chains;

	table_init(&chains, &chains_kind);
	table_print(out, &chains);
	memcpy(graph.nodes, nodes, sizeof(nodes));
	graph_sort(&graph, "total");
	chains_take(&chains, &graph, &names);
	chains_sort(&chains, "calls");
	table_print(out, &chains);
	chains_sort(&chains, "total");
	table_print(out, &chains);
	chains_free(&chains);
	graph_free(&graph);
	fclose(out);
}

/* Calls that failed, one that moved data, and one with a long name. */
static void print_syscalls(const char *folder)
{
	static const uint64_t figures[][NR_FIGURES] = {
		{ [FIG_CALLS] = 48211, [FIG_TOTAL] = 1234567890, [FIG_MIN] = 789, [FIG_MAX] = 45600000,
		  [FIG_ERRORS] = 3, [FIG_BYTES] = 12897485, [FIG_GAPS] = 48000, [FIG_GAP_TIME] = 96000000 },
		{ [FIG_CALLS] = 2, [FIG_TOTAL] = 2000123456, [FIG_MIN] = 1000000, [FIG_MAX] = 1999123456 },
		{ [FIG_CALLS] = 1, [FIG_TOTAL] = 640, [FIG_MIN] = 640, [FIG_MAX] = 640, [FIG_ERRORS] = 1 },
	};
	static const uint32_t numbers[] = { 0, 232, 273 };	/* read, epoll_wait, set_robust_list */
	FILE *out = create(folder, "syscall.txt");
	struct syscalls syscalls;
	struct row *row;
	int i;

	syscalls_init(&syscalls);
	syscalls.calls.duration_ns = 10003000000;
	for (i = 0; i < 3; i++) {
		row = syscalls_add(&syscalls.calls, numbers[i]);
		put(row, 0, figures[i]);
		hist_add(&row->parts->hist, figures[i][FIG_MIN]);
		hist_add(&row->parts->hist, figures[i][FIG_MAX]);
	}
	syscalls_sort(&syscalls, "total");
	syscalls_print(out, &syscalls);
	fputs("--- wide\n", out);
	syscalls.calls.flags = SYSCALLS_WIDE;
	syscalls_print(out, &syscalls);
	syscalls_free(&syscalls);
	fclose(out);
}

/* main was observed in 0.1 s of 2 s: its rate is of that time, and it had the largest share then. */
static void print_no_longer_probed(FILE *out, struct table *functions)
{
	struct row *row = functions->rows;

	for (; row < functions->rows + functions->nr; row++) {
		if (row->keys->number == 0)
			row->parts->figures[FIG_OUT_TIME] = 1100000000;
		if (row->keys->number == 3)
			row->parts->figures[FIG_HAS_BLIND] = 1;
	}
	functions_set_window(functions, 1000000000, 3000000000);
	functions_sort(functions, "total");
	functions_print(out, functions);
	functions->flags = FUNCTIONS_NO_TREE;
	functions_print(out, functions);
}

/* Names as in C++, whose lines are too long for a terminal. */
static void print_long_names(const char *folder)
{
	static char *texts[] = {
		"main",
		"std::_Rb_tree<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, std::pair<int const, int> >::find(int const&)",
		"server::connection::read_request(server::buffer&, unsigned long)",
		"worker [a.c]",
	};
	static const struct names names = { .texts = texts, .nr = 4 };
	FILE *out = create(folder, "names.txt");
	struct table functions;
	struct row *row;
	int i;

	table_init(&functions, &functions_kind);
	functions.duration_ns = 2000000000;
	for (i = 0; i < 4; i++) {
		row = functions_add(&functions, i, &names);
		put(row, 0, FIGURES([FIG_CALLS] = 10 << i, [FIG_ENTRIES] = 10 << i,
		    [FIG_TOTAL] = 1000000 << i, [FIG_SELF] = 500000 << i, [FIG_MIN] = 900,
		    [FIG_MAX] = 3000000, [FIG_SUM] = 1100000 << i, [FIG_AT_MOST] = i,
		    [FIG_AT_MOST_TIME] = i * 20000000, [FIG_AT_MOST_SELF] = i == 2 ? 50000000 : 0));
		hist_add(&row->parts->hist, 100000);
	}
	functions_sort(&functions, "total");
	functions_print(out, &functions);
	functions.flags = FUNCTIONS_KERNEL;
	functions_print(out, &functions);
	functions.flags = 0;
	print_no_longer_probed(out, &functions);
	table_free(&functions);
	fclose(out);
}

/* Tables by the keys of --by; rows have a function and a task of long names. */
static void print_chosen(const char *folder)
{
	static char *of[] = {
		(char *)"vfs_read", NULL, NULL, NULL,
		(char *)"ext4_mb_new_group_preallocation_with_a_name_that_no_terminal_has_the_room_for_and_that_is_cut",
	};
	static const struct names functions = { .texts = of, .nr = 5 };
	FILE *out = create(folder, "chosen.txt");

	print_chosen_tables(out, &functions, false);
	fclose(out);
	if (!style_get()->columns) {
		out = create(folder, "csv-by.txt");
		print_chosen_tables(out, &functions, true);
		fclose(out);
	}
}

/* The name of each counter of a loss, in a sentence that has all of them. */
static void print_losses(const char *folder)
{
	static const struct ktrace_counters counters = {
		.dropped = 3, .dropped_full = 1, .dropped_overwritten = 2, .lost_pool = 3,
		.lost_depth = 4, .lost_nested = 5, .lost_fault = 6, .lost_tree = 7, .lost_missed = 8,
		.lost_rows = 9, .lost_stacks = 10, .lost_files = 11, .gaps = 12,
	};
	FILE *out = create(folder, "losses.txt");
	char *text = session_loss_text(&counters), *at, *state;

	fprintf(out, "%llu\n", (unsigned long long)session_lost(&counters));
	for (at = strtok_r(text, ";", &state); at; at = strtok_r(NULL, ";", &state))
		fprintf(out, "%s\n", at + strspn(at, " "));
	free(text);
	fclose(out);
}

/* --- documents ------------------------------------------------------------------ */

static const struct ktr_session counted = {
	.id = 3, .name = "few", .state = KTRACE_STATE_ACTIVE, .nr_used = 3, .nr_funcs = 10,
	.nr_sites = 9, .start = { .monotonic = 1000000000, .realtime = 1795647621525395069 },
	.now = { .monotonic = 3000000000 }, .has_left = true, .left = 5000000000,
	.counters = { .hits = 7, .lost_pool = 2, .run_ns = 1ULL << 53, .produced = (1ULL << 53) + 1 },
};

static void mark_no_longer_probed(struct table *functions, const struct graph *graph)
{
	uint64_t *figures = graph_row(graph, 3)->parts->figures;

	figures[FIG_OUT_TIME] = 1100000000;
	figures[FIG_OUT_CALLS] = 10;
	figures[FIG_OUT_COST] = 5000000;
	figures[FIG_OUT_MOMENT] = 90000000;
	functions_set_window(functions, 1000000000, 3000000000);
	graph_row(graph, 0)->parts->figures[FIG_HAS_BLIND] = 1;
}

/* The rows of a document, if they are not NULL, as csv. */
static FILE *rows;

static void write_rows(const struct table *table)
{
	format_csv.rows(rows, table, false, true);
	fputc('\n', rows);
}

static void write_functions(FILE *out, bool has_hists)
{
	struct ktrace_node nodes[] = {
		{ 7, KTRACE_NODE_ROOT, 0, 0, 1, 373307, 258156 },
		{ 9, 7, 3, KTRACE_NODE_TAIL, 10, 4000, 4000 },
	};
	struct ktrace_node bounds[] = {
		{ 8, KTRACE_NODE_ROOT, 0, KTRACE_NODE_AT_MOST, 2, 5000000, 1000000 },
	};
	struct graph graph = { .nodes = nodes, .nr = 2, .bounds = bounds, .nr_bounds = 1 };
	struct table functions;

	fill_functions(&functions);
	functions_sort(&functions, "self");
	functions.has_hists = has_hists;
	graph_set_rows(&graph, &functions);
	if (has_hists)
		mark_no_longer_probed(&functions, &graph);
	json_write(out, functions_document(&counted, &functions, &graph, &names),
		   JSON_C_TO_STRING_PRETTY);
	write_rows(&functions);
	free(graph.rows);
	table_free(&functions);
}

static void write_syscalls(FILE *out)
{
	struct syscalls syscalls;
	struct row *row;

	syscalls_init(&syscalls);
	syscalls.calls.flags = SYSCALLS_PAGES | SYSCALLS_CPU_TIME;
	row = syscalls_add(&syscalls.calls, 0);
	put(row, 0, FIGURES([FIG_CALLS] = 2, [FIG_TOTAL] = (1ULL << 53) + 1, [FIG_ERRORS] = 1,
	    [FIG_MIN] = 789, [FIG_MAX] = 1ULL << 53, [FIG_BYTES] = 12897485, [FIG_PAGE_HITS] = 3));
	hist_add(&row->parts->hist, 789);
	hist_add(&row->parts->hist, 1ULL << 40);
	json_write(out, syscalls_document(&counted, &syscalls), 0);
	write_rows(&syscalls.calls);
	syscalls_free(&syscalls);
}

static void write_threads(FILE *out)
{
	struct table threads;

	sched_init(&threads);
	threads.has_hists = true;
	put(add_thread(&threads, 4711, "redis-server"), KTRACE_SCHED_RUN,
	    FIGURES([FIG_CALLS] = 3, [FIG_TOTAL] = 2500000, [FIG_MAX] = 1500000));
	part_add(&threads.total.parts[KTRACE_SCHED_RUN],
		 &threads.rows[0].parts[KTRACE_SCHED_RUN]);
	hist_add(&threads.total.parts[KTRACE_SCHED_RUN].hist, 1500000);
	json_write(out, sched_document(&counted, &threads, NULL), 0);
	write_rows(&threads);
	/* Two intervals; the name would end the line, and is a formula to a spreadsheet. */
	threads.rows[0].keys[SCHED_COMM].text = "=1,\"\n\033";
	format_csv.rows(rows, &threads, true, true);
	threads.rows[0].keys[SCHED_COMM].is_none = true;
	format_csv.rows(rows, &threads, true, false);
	fputc('\n', rows);
	table_free(&threads);
}

static void write_queues(FILE *out)
{
	static const struct virtio_dev disk = { 0, "virtio_blk", "vda", "0000:00:03.0" };
	struct table queues;

	table_init(&queues, &virtio_kind);
	virtio_add(&queues, 0, 1, "req.1", &disk);
	virtio_add_others(&queues);
	json_write(out, tables_document(&counted, &(struct json_table){ "rows", &queues }, 1), 0);
	write_rows(&queues);
	table_free(&queues);
}

static void write_requests(void)
{
	struct table requests;

	table_init(&requests, &io_kind);
	add_request(&requests, "nvme0n1", KTRACE_BLOCK_READ);
	put(requests.rows, KTRACE_BLOCK_D2C, FIGURES([FIG_CALLS] = 2, [FIG_TOTAL] = 32500,
	    [FIG_MIN] = 2500, [FIG_MAX] = 30000));
	put(requests.rows, KTRACE_BLOCK_Q2C, FIGURES([FIG_CALLS] = 2, [FIG_TOTAL] = 72000,
	    [FIG_MIN] = 4000, [FIG_MAX] = 68000, [FIG_BYTES] = 69632));
	write_rows(&requests);
	table_free(&requests);
}

static void to_json(void *arg, const struct ktr_record *event)
{
	const struct record_source source = { .names = &names };
	struct record record;

	record_parse(&record, event, &source);
	record_print_json(arg, &record);
}

/* A call whose arguments do not fit into a double, a period, and events that run writes. */
static void write_events(FILE *out)
{
	struct ktrace_period_record period = { .comm = "redis-server" };
	struct ktrace_syscall_record call = {
		.args = { 1, INT64_MIN, (1ULL << 53) + 1 }, .ret = -2, .comm = "dd",
	};
	uint64_t payload[sizeof(call) / sizeof(uint64_t)];
	struct ktr_record event = { .id = EVENT_SYSCALL, .time = 4000, .tid = 4711, .duration = 789,
			       .payload = payload, .nr_payload = sizeof(call) / sizeof(uint64_t) };

	memcpy(payload, &call, sizeof(call));
	to_json(out, &event);
	event.id = EVENT_PERIOD;
	event.nr_payload = 2;
	memcpy(payload, &period, sizeof(period));
	to_json(out, &event);
	each_event(to_json, out);
	json_write(out, json_end(&counted), 0);
}

static void write_documents(const char *folder)
{
	char *words[] = { (char *)"ktrace", (char *)"syscall", (char *)"--format", (char *)"json", NULL };
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/json", folder);
	out = create(path, "documents.txt");
	rows = create(folder, "csv.txt");
	head_set_words(words);
	head_set_window(1000000000, 3000000000);
	head_set_command("run");
	write_functions(out, true);
	head_set_command("read");
	write_functions(out, false);
	head_set_command("syscall");
	write_syscalls(out);
	head_set_command("sched");
	write_threads(out);
	head_set_command("virtio");
	write_queues(out);
	write_requests();
	fclose(rows);
	head_set_command("list");
	json_write(out, sessions_document(&counted, 1), JSON_C_TO_STRING_PRETTY);
	write_events(out);
	fclose(out);
}

/* Tables that are as wide as the terminal. */
static void print_tables(const char *folder)
{
	print_functions(folder);
	print_long_names(folder);
	print_graph(folder);
	print_io(folder);
	print_virtio(folder);
	print_sysenter(folder);
	print_sched(folder);
	print_stacks(folder);
	print_profile(folder);
	print_off_cpu(folder);
	print_chains(folder);
	print_syscalls(folder);
	print_chosen(folder);
	print_requests(folder);
}

static void print_at(const char *folder, unsigned int columns)
{
	struct style style = { .columns = columns }, none = { .columns = 0 };
	char path[4096];

	style_set(&style);
	snprintf(path, sizeof(path), "%s/%u", folder, columns);
	print_tables(path);
	style_set(&none);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	print_settled(argv[1]);
	print_tree(argv[1], "tree.txt", false);
	print_tree(argv[1], "tree-timestamp.txt", true);
	print_values(argv[1]);
	print_plan(argv[1]);
	print_kernel_calls(argv[1]);
	print_periods(argv[1]);
	print_faults(argv[1]);
	print_samples(argv[1]);
	print_trace(argv[1]);
	print_losses(argv[1]);
	print_tables(argv[1]);
	print_at(argv[1], 80);
	print_at(argv[1], 120);
	write_documents(argv[1]);
	return 0;
}
