// SPDX-License-Identifier: GPL-2.0
/*
 * Counters and rows of ktrace stat. Software events take the place of hardware events, which most
 * machines that run tests do not have.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include <cmocka.h>

#include <json-c/json.h>

#include "../../user/report/head.h"
#include "../../user/report/json_write.h"
#include "../../user/report/stat.h"
#include "../../user/cmd/stat_counters.h"
#include "../../user/report/stat_show.h"
#include "../../user/system/counter.h"
#include "../../user/system/cpus.h"
#include "../../user/system/pmus.h"
#include "../../user/system/threads.h"
#include "../../user/util/mem.h"
#include "../../user/util/style.h"

#define PAGES 500
#define FEW 20		/* faults of the test itself */
#define PAGE 4096

static const struct counter_event faults = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS };
static const char *folder;

/* AddressSanitizer would touch pages of its own. */
__attribute__((no_sanitize("address", "undefined")))
static void touch(int nr)
{
	volatile char *pages = mmap(NULL, (size_t)nr * PAGE, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	madvise((void *)pages, (size_t)nr * PAGE, MADV_NOHUGEPAGE);
	for (i = 0; i < nr; i++)
		pages[(size_t)i * PAGE] = 1;
	munmap((void *)pages, (size_t)nr * PAGE);
}

static void check_about(uint64_t count, uint64_t expected)
{
	assert_in_range(count, expected, expected + FEW);
}

static struct counter_target own(int32_t *tid)
{
	*tid = syscall(SYS_gettid);
	return (struct counter_target){ .ids = tid, .nr = 1 };
}

/* --- counters --------------------------------------------------------------------- */

static void test_counts_between_start_and_stop(void **state)
{
	struct counter_value value, before;
	struct counter counter;
	int32_t tid;
	struct counter_target target = own(&tid);

	(void)state;
	touch(1);
	assert_int_equal(counter_open(&counter, &faults, &target), 0);
	touch(PAGES);
	value = counter_read(&counter);
	assert_int_equal(value.count, 0);
	assert_int_equal(value.enabled_ns, 0);
	counters_start();
	touch(PAGES);
	before = counter_read(&counter);
	touch(2 * PAGES);
	counters_stop();
	touch(PAGES);
	value = counter_read(&counter);
	check_about(before.count, PAGES);
	check_about(value.count, 3 * PAGES);
	assert_true(value.enabled_ns > before.enabled_ns && before.enabled_ns);
	assert_int_equal(value.enabled_ns, value.running_ns);
	value = counter_since(&value, &before);
	check_about(value.count, 2 * PAGES);
	counter_close(&counter);
	assert_int_equal(counter.nr, 0);
}

static void *touch_in_thread(void *arg)
{
	(void)arg;
	touch(2 * PAGES);
	return NULL;
}

/* Threads and processes that start later belong to the counter. */
static void test_inherits(void **state)
{
	struct counter counter;
	pthread_t thread;
	int32_t tid;
	struct counter_target target = own(&tid);
	pid_t pid;

	(void)state;
	assert_int_equal(counter_open(&counter, &faults, &target), 0);
	counters_start();
	pthread_create(&thread, NULL, touch_in_thread, NULL);
	pthread_join(thread, NULL);
	assert_true(counter_read(&counter).count >= 2 * PAGES);
	pid = fork();
	if (!pid) {
		touch(100 * PAGES);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	assert_true(counter_read(&counter).count >= 102 * PAGES);
	counters_stop();
	counter_close(&counter);
}

struct turn {
	pthread_barrier_t begin, end;
};

static void *take_turn(void *arg)
{
	struct turn *turn = arg;

	pthread_barrier_wait(&turn->begin);
	touch(PAGES);
	pthread_barrier_wait(&turn->end);
	return NULL;
}

/* A thread that exists already has a descriptor of its own. */
static void test_threads(void **state)
{
	int32_t *tids, pid = getpid();
	struct counter_target target = { .nr = 0 };
	struct counter counter;
	struct turn turn;
	pthread_t thread;
	size_t nr_before = threads_list(&tids, &pid, 1);

	(void)state;
	free(tids);
	pthread_barrier_init(&turn.begin, NULL, 2);
	pthread_barrier_init(&turn.end, NULL, 2);
	pthread_create(&thread, NULL, take_turn, &turn);
	target.nr = threads_list(&tids, (int32_t[]){ pid, pid }, 2);
	target.ids = tids;
	assert_int_equal(target.nr, nr_before + 1);
	assert_int_equal(threads_new(tids, target.nr, tids, target.nr), 0);
	assert_int_equal(threads_new(tids, target.nr, &pid, 1), target.nr - 1);
	assert_int_equal(threads_new(tids, target.nr, NULL, 0), target.nr);
	assert_int_equal(counter_open(&counter, &faults, &target), 0);
	assert_int_equal(counter.nr, target.nr);
	counters_start();
	pthread_barrier_wait(&turn.begin);
	pthread_barrier_wait(&turn.end);
	counters_stop();
	assert_in_range(counter_read(&counter).count, PAGES, PAGES + 10 * FEW);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&turn.begin);
	pthread_barrier_destroy(&turn.end);
	counter_close(&counter);
	free(tids);
}

/* What a child does before its execve does not count. */
static void test_from_exec_on(void **state)
{
	struct counter_target target = { .nr = 1, .is_on_exec = true };
	struct counter counter;
	int go[2], touched[2];
	int32_t pid;
	char byte;

	(void)state;
	assert_int_equal(pipe(go) || pipe(touched), 0);
	pid = fork();
	if (!pid) {
		touch(10 * PAGES);
		if (write(touched[1], "t", 1) != 1 || read(go[0], &byte, 1) != 1)
			_exit(1);
		touch(10 * PAGES);
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	assert_int_equal(read(touched[0], &byte, 1), 1);
	target.ids = &pid;
	assert_int_equal(counter_open(&counter, &faults, &target), 0);
	assert_int_equal(counter_read(&counter).count, 0);
	assert_int_equal(write(go[1], "g", 1), 1);
	waitpid(pid, NULL, 0);
	assert_in_range(counter_read(&counter).count, 10, 5 * PAGES);
	counter_close(&counter);
}

static void test_cpus(void **state)
{
	struct counter_target target = { .is_cpus = true };
	struct counter counter;
	int32_t *cpus;

	(void)state;
	target.nr = cpus_list(&cpus, CPUS_ONLINE);
	target.ids = cpus;
	assert_int_equal(target.nr, sysconf(_SC_NPROCESSORS_ONLN));
	if (counter_open(&counter, &faults, &target)) {
		assert_int_not_equal(geteuid(), 0);
		free(cpus);
		return;
	}
	assert_int_equal(counter.nr, target.nr);
	counters_start();
	touch(PAGES);
	counters_stop();
	assert_true(counter_read(&counter).count >= PAGES);
	counter_close(&counter);
	free(cpus);
}

static void test_what_cannot_be_counted(void **state)
{
	const struct counter_event unknown = { 0x7ffffff0, 0 };
	struct counter counter;
	int32_t tid, ended = fork();
	struct counter_target target = own(&tid), of_ended = { .ids = &ended, .nr = 1 };

	(void)state;
	if (!ended)
		_exit(0);
	waitpid(ended, NULL, 0);
	assert_int_equal(counter_open(&counter, &faults, &of_ended), 0);
	assert_int_equal(counter.nr, 0);
	assert_int_equal(counter_read(&counter).count, 0);
	counter_close(&counter);
	assert_int_equal(counter_open(&counter, &unknown, &target), -ENOENT);
	assert_int_equal(counter.nr, 0);
}

static uint64_t scaled(uint64_t count, uint64_t enabled_ns, uint64_t running_ns)
{
	const struct counter_value value = { count, enabled_ns, running_ns };

	return counter_scaled(&value);
}

static void test_scaling(void **state)
{
	(void)state;
	assert_int_equal(scaled(1000, 100, 100), 1000);
	assert_int_equal(scaled(1000, 100, 25), 4000);
	assert_int_equal(scaled(1000, 100, 120), 1000);
	assert_int_equal(scaled(0, 100, 0), 0);
	assert_int_equal(scaled(7, 100, 0), 7);
	/* The product has more than 64 bits. */
	assert_int_equal(scaled(1ULL << 60, 3ULL << 40, 1ULL << 40), 3ULL << 60);
}

/* --- lists ------------------------------------------------------------------------- */

static char *make_file(const char *name, const char *text)
{
	char *path = mem_format("%s/%s", folder, name);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	return path;
}

static void check_cpus(const char *text, const int32_t *expected, size_t nr)
{
	char *path = make_file("cpus", text);
	int32_t *cpus;

	assert_int_equal(cpus_list(&cpus, path), nr);
	if (nr)
		assert_memory_equal(cpus, expected, nr * sizeof(*cpus));
	free(cpus);
	free(path);
}

static void test_lists_of_cpus(void **state)
{
	(void)state;
	check_cpus("0\n", (int32_t[]){ 0 }, 1);
	check_cpus("0-3,8,10-11\n", (int32_t[]){ 0, 1, 2, 3, 8, 10, 11 }, 7);
	check_cpus("\n", NULL, 0);
	check_cpus("", NULL, 0);
	check_cpus("1,x", (int32_t[]){ 1 }, 1);
	check_cpus("3-", NULL, 0);
	check_cpus("0-99999999999\n", NULL, 0);
}

static void make_pmu(const char *name, const char *type, const char *cpus)
{
	char *path = mem_format("%s/pmus/%s", folder, name), *file;

	mkdir(path, 0700);
	free(path);
	file = mem_format("pmus/%s/type", name);
	free(make_file(file, type));
	free(file);
	file = mem_format("pmus/%s/cpus", name);
	free(make_file(file, cpus));
	free(file);
}

static void test_kinds_of_cpus(void **state)
{
	char *path = mem_format("%s/pmus", folder);
	struct pmu *pmus;

	(void)state;
	assert_int_equal(pmus_list(&pmus, path), 0);
	mkdir(path, 0700);
	make_pmu("cpu_core", "4\n", "0-3\n");
	make_pmu("cpu", "9\n", "0\n");
	make_pmu("cpu_broken", "no\n", "0\n");
	assert_int_equal(pmus_list(&pmus, path), 0);
	make_pmu("cpu_atom", "10\n", "4-7\n");
	assert_int_equal(pmus_list(&pmus, path), 2);
	assert_string_equal(pmus[0].name, "cpu_atom");
	assert_int_equal(pmus[0].type, 10);
	assert_int_equal(pmus[0].nr_cpus, 4);
	assert_int_equal(pmus[0].cpus[3], 7);
	assert_string_equal(pmus[1].name, "cpu_core");
	pmus_free(pmus, 2);
	free(path);
}

/* --- rows --------------------------------------------------------------------------- */

static void set(struct stat_table *table, enum stat_id id, const char *pmu,
		struct counter_value value)
{
	stat_find(table, id, pmu)->value = value;
}

#define WHOLE(count) ((struct counter_value){ count, 1000, 1000 })

static void check_quotient(const struct stat_table *table, enum stat_id id, const char *pmu,
			   double expected)
{
	double found = stat_quotient(table, stat_find(table, id, pmu));

	if (found < expected - 1e-9 || found > expected + 1e-9)
		fail_msg("%s: %f, not %f", stat_kinds[id].name, found, expected);
}

static void test_quotients(void **state)
{
	struct stat_table table;

	(void)state;
	stat_init(&table, NULL, 0);
	assert_int_equal(table.nr, STAT_NR);
	table.duration_ns = 2000000000;
	set(&table, STAT_TASK_CLOCK, NULL, (struct counter_value){ .count = 3000000000 });
	set(&table, STAT_SYSCALLS, NULL, (struct counter_value){ .count = 50 });
	set(&table, STAT_FAILED, NULL, (struct counter_value){ .count = 5 });
	set(&table, STAT_CYCLES, NULL, WHOLE(6000000000));
	set(&table, STAT_INSTRUCTIONS, NULL, (struct counter_value){ 3000000000, 1000, 250 });
	set(&table, STAT_BRANCHES, NULL, WHOLE(200));
	set(&table, STAT_CACHE_MISSES, NULL, WHOLE(5));
	stat_finish(&table);
	check_quotient(&table, STAT_TASK_CLOCK, NULL, 1.5);
	check_quotient(&table, STAT_SYSCALLS, NULL, 25);
	check_quotient(&table, STAT_FAILED, NULL, 10);
	check_quotient(&table, STAT_CYCLES, NULL, 2);
	check_quotient(&table, STAT_INSTRUCTIONS, NULL, 2);
	/* Never counted, and no part of what was never counted. */
	assert_false(stat_is_counted(stat_find(&table, STAT_CACHE_REFERENCES, NULL)));
	check_quotient(&table, STAT_CACHE_MISSES, NULL, -1);
	check_quotient(&table, STAT_BRANCH_MISSES, NULL, -1);
	check_quotient(&table, STAT_ELAPSED, NULL, -1);
	assert_int_equal(stat_value(stat_find(&table, STAT_ELAPSED, NULL)), 2000000000);
	stat_find(&table, STAT_BRANCHES, NULL)->error = -ENOENT;
	assert_false(stat_is_counted(stat_find(&table, STAT_BRANCHES, NULL)));
	stat_free(&table);
}

/* A thread was on one kind of CPUs for 1/4 of its time, and on the other for 1/2. */
static void test_kinds_of_cpus_share_the_time(void **state)
{
	char *names[] = { "cpu_atom", "cpu_core" };
	struct stat_table table;
	struct stat_row *row;

	(void)state;
	stat_init(&table, names, 2);
	assert_int_equal(table.nr, STAT_NR + 6);
	table.duration_ns = 4000;
	set(&table, STAT_CYCLES, "cpu_atom", (struct counter_value){ 900, 4000, 1000 });
	set(&table, STAT_CYCLES, "cpu_core", (struct counter_value){ 6000, 4000, 2000 });
	stat_find(&table, STAT_CYCLES, "cpu_atom")->others_ns = 2000;
	stat_find(&table, STAT_CYCLES, "cpu_core")->others_ns = 1000;
	row = stat_find(&table, STAT_CYCLES, "cpu_atom");
	assert_int_equal(stat_value(row), 1200);
	assert_int_equal(stat_running(row), 75);
	check_quotient(&table, STAT_CYCLES, "cpu_atom", 0.9);
	check_quotient(&table, STAT_CYCLES, "cpu_core", 3);
	/* Counters of CPUs do not show how long these ran anything. */
	table.is_of_cpus = true;
	check_quotient(&table, STAT_CYCLES, "cpu_atom", -1);
	stat_free(&table);
}

static void test_windows_add_up(void **state)
{
	struct stat_table window, total;

	(void)state;
	stat_init(&window, NULL, 0);
	stat_init(&total, NULL, 0);
	window.duration_ns = 1000;
	set(&window, STAT_CYCLES, NULL, (struct counter_value){ 100, 1000, 1000 });
	set(&window, STAT_WAIT_MAX, NULL, (struct counter_value){ .count = 70 });
	set(&window, STAT_WAIT, NULL, (struct counter_value){ .count = 90 });
	stat_add(&total, &window);
	set(&window, STAT_CYCLES, NULL, (struct counter_value){ 100, 1000, 0 });
	set(&window, STAT_WAIT_MAX, NULL, (struct counter_value){ .count = 60 });
	stat_add(&total, &window);
	stat_finish(&total);
	assert_int_equal(stat_value(stat_find(&total, STAT_WAIT_MAX, NULL)), 70);
	assert_int_equal(stat_value(stat_find(&total, STAT_WAIT, NULL)), 180);
	assert_int_equal(stat_value(stat_find(&total, STAT_CYCLES, NULL)), 400);
	assert_int_equal(stat_running(stat_find(&total, STAT_CYCLES, NULL)), 50);
	assert_int_equal(stat_value(stat_find(&total, STAT_ELAPSED, NULL)), 2000);
	stat_free(&window);
	stat_free(&total);
}

/* A row of a hardware event, of a counter that exists everywhere. */
static void test_injected_counter(void **state)
{
	struct stat_counter one = { .id = STAT_CYCLES };
	struct stat_counters counters = { .all = &one, .nr = 1 };
	struct stat_table table;
	struct stat_row *row;
	int32_t tid;
	struct counter_target target = own(&tid);

	(void)state;
	stat_init(&table, NULL, 0);
	row = stat_find(&table, STAT_CYCLES, NULL);
	assert_int_equal(counter_open(&one.counter, &faults, &target), 0);
	stat_counters_mark(&counters);
	stat_counters_fill(&counters, &table);
	assert_false(stat_is_counted(row));
	counters_start();
	touch(PAGES);
	stat_counters_mark(&counters);
	stat_counters_fill(&counters, &table);
	check_about(stat_value(row), PAGES);
	assert_true(stat_is_counted(row));
	assert_int_equal(stat_running(row), 100);
	touch(2 * PAGES);
	counters_stop();
	stat_counters_mark(&counters);
	stat_counters_fill(&counters, &table);
	check_about(stat_value(row), 2 * PAGES);
	one.error = -EOPNOTSUPP;
	stat_counters_fill(&counters, &table);
	assert_false(stat_is_counted(row));
	counter_close(&one.counter);
	stat_free(&table);
}

/* All rows of this machine: a hardware event is counted, or has an error. */
static void test_all_counters(void **state)
{
	struct stat_counters counters;
	struct stat_table table;
	struct stat_row *row;
	int32_t tid;
	struct counter_target target = own(&tid);
	struct err err;

	(void)state;
	assert_int_equal(stat_counters_open(&counters, &target, PMUS_FOLDER, &err), 0);
	stat_init(&table, counters.names, counters.nr_pmus);
	counters_start();
	touch(PAGES);
	counters_stop();
	stat_counters_mark(&counters);
	stat_counters_fill(&counters, &table);
	check_about(stat_value(stat_find(&table, STAT_FAULTS, NULL)), PAGES);
	check_about(stat_value(stat_find(&table, STAT_MINOR, NULL)), PAGES);
	assert_int_equal(stat_value(stat_find(&table, STAT_MAJOR, NULL)), 0);
	for (row = table.rows; row < table.rows + table.nr; row++)
		if (stat_kinds[row->id].source == STAT_OF_PROCESSOR)
			assert_true(row->error ? !stat_is_counted(row) :
				    !row->value.running_ns || row->value.count);
	stat_free(&table);
	stat_counters_close(&counters);
}

static void test_too_few_descriptors(void **state)
{
	struct stat_counters counters;
	struct rlimit before, low;
	struct err err;
	int32_t tid;
	struct counter_target target = own(&tid);
	int next = dup(STDERR_FILENO);

	(void)state;
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	low = before;
	low.rlim_cur = next + 2;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	assert_int_equal(stat_counters_open(&counters, &target, PMUS_FOLDER, &err), -1);
	setrlimit(RLIMIT_NOFILE, &before);
	assert_non_null(strstr(err.text, "Too many open files; raise the limit (ulimit -n)"));
	stat_counters_close(&counters);
	/* Nothing stays open. */
	assert_int_equal(dup(STDERR_FILENO), next);
	close(next);
}

/* The folder of a machine with two kinds of CPUs, neither of which is here. */
static void test_hybrid_rows(void **state)
{
	char *path = mem_format("%s/pmus", folder);
	struct stat_counters counters;
	struct stat_table table;
	struct err err;
	int32_t tid;
	struct counter_target target = own(&tid);

	(void)state;
	make_pmu("cpu_core", "2147483632\n", "0\n");
	make_pmu("cpu_atom", "2147483633\n", "0\n");
	assert_int_equal(stat_counters_open(&counters, &target, path, &err), 0);
	assert_int_equal(counters.nr_pmus, 2);
	stat_init(&table, counters.names, 2);
	stat_counters_mark(&counters);
	stat_counters_fill(&counters, &table);
	assert_int_equal(stat_find(&table, STAT_FAULTS, NULL)->error, 0);
	assert_true(stat_find(&table, STAT_CYCLES, "cpu_core")->error < 0);
	assert_true(stat_find(&table, STAT_CYCLES, "cpu_atom")->error < 0);
	assert_null(stat_find(&table, STAT_CYCLES, NULL));
	stat_free(&table);
	stat_counters_close(&counters);
	free(path);
}

/* --- output ---------------------------------------------------------------------------- */

static FILE *create(const char *name)
{
	char *path = mem_format("%s/%s", folder, name);
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	free(path);
	return out;
}

static void fill(struct stat_table *table)
{
	static const uint64_t counts[STAT_NR] = {
		[STAT_TASK_CLOCK] = 1234567890, [STAT_VOLUNTARY] = 1200, [STAT_INVOLUNTARY] = 34,
		[STAT_WAIT] = 4567890, [STAT_WAIT_MAX] = 7654, [STAT_MIGRATIONS] = 3,
		[STAT_FAULTS] = 1000005, [STAT_MINOR] = 1000000, [STAT_MAJOR] = 5,
		[STAT_SYSCALLS] = 1000, [STAT_FAILED] = 12, [STAT_CYCLES] = 4000000000,
		[STAT_INSTRUCTIONS] = 9000000000, [STAT_BRANCHES] = 1500000000,
		[STAT_BRANCH_MISSES] = 4500000,
	};
	struct stat_row *row;

	for (row = table->rows; row < table->rows + table->nr; row++) {
		row->value = (struct counter_value){ .count = counts[row->id] };
		if (stat_kinds[row->id].source != STAT_OF_PROCESSOR)
			continue;
		row->value.enabled_ns = 1234567890;
		row->value.running_ns = counts[row->id] ? 1234567890 : 0;
		if (row->id == STAT_BRANCH_MISSES)
			row->value.running_ns /= 3;
	}
	table->duration_ns = 2000000000;
	stat_finish(table);
}

static void print_all(FILE *out, FILE *csv, FILE *json, const struct stat_table *table,
		      bool is_first)
{
	head_print(out);
	stat_print(out, table);
	fputs("\n", out);
	stat_print_csv(csv, table, is_first);
	json_write(json, stat_document(table), 0);
}

static void test_output(void **state)
{
	char *names[] = { "cpu_atom", "cpu_core" }, *words[] = { "ktrace", "stat", NULL };
	const struct style raw = { .is_raw = true }, usual = { .is_raw = false };
	const struct head_origin origin = { .host = "here", .kernel = "6.1", .nr_cpus = 4 };
	FILE *out = create("table.txt"), *csv = create("rows.csv"), *json = create("documents.txt");
	struct stat_table table;

	(void)state;
	head_set_words(words);
	head_set_command("stat");
	head_set_traced("demo (4711)");
	head_set_origin(&origin);
	head_set_window(1000000000, 3000000000);
	stat_init(&table, NULL, 0);
	fill(&table);
	table.is_total = true;
	print_all(out, csv, json, &table, true);
	style_set(&raw);
	print_all(out, csv, json, &table, false);
	style_set(&usual);
	stat_find(&table, STAT_CYCLES, NULL)->error = -ENOENT;
	stat_find(&table, STAT_INSTRUCTIONS, NULL)->error = -ENOENT;
	stat_find(&table, STAT_MIGRATIONS, NULL)->error = -EACCES;
	print_all(out, csv, json, &table, false);
	stat_free(&table);
	stat_init(&table, names, 2);
	fill(&table);
	table.lost = 3;
	print_all(out, csv, json, &table, false);
	stat_free(&table);
	fclose(out);
	fclose(csv);
	fclose(json);
}

static bool may_count(void)
{
	struct counter counter;
	int32_t tid;
	struct counter_target target = own(&tid);

	if (counter_open(&counter, &faults, &target))
		return false;
	counter_close(&counter);
	return true;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest of_rows[] = {
		cmocka_unit_test(test_scaling),
		cmocka_unit_test(test_lists_of_cpus),
		cmocka_unit_test(test_kinds_of_cpus),
		cmocka_unit_test(test_quotients),
		cmocka_unit_test(test_kinds_of_cpus_share_the_time),
		cmocka_unit_test(test_windows_add_up),
		cmocka_unit_test(test_output),
	};
	const struct CMUnitTest of_counters[] = {
		cmocka_unit_test(test_counts_between_start_and_stop),
		cmocka_unit_test(test_inherits),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_from_exec_on),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_what_cannot_be_counted),
		cmocka_unit_test(test_injected_counter),
		cmocka_unit_test(test_all_counters),
		cmocka_unit_test(test_too_few_descriptors),
		cmocka_unit_test(test_hybrid_rows),
	};

	if (argc != 2)
		return 2;
	folder = argv[1];
	if (cmocka_run_group_tests(of_rows, NULL, NULL))
		return 1;
	if (!may_count()) {
		puts("perf_event_open(2) is not permitted here");
		return 77;
	}
	return cmocka_run_group_tests(of_counters, NULL, NULL) != 0;
}
