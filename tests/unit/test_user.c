// SPDX-License-Identifier: GPL-2.0
/* The pure parts of the command: figures, names, order, tables. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../include/uapi/ktrace.h"
#include "../../include/uapi/ktrace_record.h"
#include "../../user/util/clock.h"
#include "../../user/session/conditions.h"
#include "../../user/util/cut.h"
#include "../../user/util/demangle.h"
#include "../../user/util/fmt.h"
#include "../../user/report/functions.h"
#include "../../user/report/hist.h"
#include "../../user/session/known.h"
#include "../../user/util/lines.h"
#include "../../user/util/match.h"
#include "../../user/client/parts.h"
#include "../../user/session/merge.h"
#include "../../user/util/number.h"
#include "../../user/cmd/opt.h"
#include "../../user/util/out.h"
#include "../../user/cmd/screen.h"
#include "../../user/util/plain.h"
#include "../../user/util/style.h"
#include "../../user/util/signals.h"
#include "../../user/report/record_value.h"

/* --- the ABI: a moved field is another interface ------------------------- */

#define AT(type, field, offset) assert_int_equal(offsetof(struct type, field), offset)
#define LEN(type, len) assert_int_equal(sizeof(struct type), len)

static void test_abi_control(void **state)
{
	(void)state;
	LEN(ktrace_func, 56);
	AT(ktrace_func, func, 0);
	AT(ktrace_func, nr_exits, 4);
	AT(ktrace_func, ret, 6);
	AT(ktrace_func, flags, 7);
	AT(ktrace_func, entry, 8);
	AT(ktrace_func, start, 16);
	AT(ktrace_func, end, 24);
	AT(ktrace_func, cold_start, 32);
	AT(ktrace_func, cold_end, 40);
	AT(ktrace_func, args, 48);
	AT(ktrace_func, result, 54);
	AT(ktrace_func, traits, 55);
	LEN(ktrace_exit, 24);
	AT(ktrace_exit, offset, 0);
	AT(ktrace_exit, kind, 8);
	AT(ktrace_exit, cc, 9);
	AT(ktrace_exit, base, 10);
	AT(ktrace_exit, index, 11);
	AT(ktrace_exit, scale, 12);
	AT(ktrace_exit, len, 13);
	AT(ktrace_exit, __pad, 14);
	AT(ktrace_exit, disp, 16);
	AT(ktrace_exit, __pad2, 20);
	LEN(ktrace_symbol, 16);
	AT(ktrace_symbol, len, 4);
	AT(ktrace_symbol, flags, 6);
	AT(ktrace_symbol, addr, 8);
	AT(ktrace_symbol, name, 16);
	LEN(ktrace_limits, 32);
	AT(ktrace_limits, max_mem, 0);
	AT(ktrace_limits, nr_cpus, 8);
	AT(ktrace_limits, subbuf_len, 12);
	AT(ktrace_limits, max_depth, 16);
	AT(ktrace_limits, max_sessions, 20);
	AT(ktrace_limits, max_sites, 24);
	LEN(ktrace_clocks, 32);
	AT(ktrace_clocks, tsc, 24);
}

static void test_abi_figures(void **state)
{
	(void)state;
	LEN(ktrace_counters, 27 * 8);
	AT(ktrace_counters, hits, 0);
	AT(ktrace_counters, produced, 3 * 8);
	AT(ktrace_counters, acknowledged, 4 * 8);
	AT(ktrace_counters, held, 5 * 8);
	AT(ktrace_counters, dropped, 6 * 8);
	AT(ktrace_counters, unwound, 15 * 8);
	AT(ktrace_counters, gaps, 16 * 8);
	AT(ktrace_counters, lost_missed, 17 * 8);
	AT(ktrace_counters, lost_stacks, 18 * 8);
	AT(ktrace_counters, lost_files, 19 * 8);
	AT(ktrace_counters, ret_cnt, 20 * 8);
	AT(ktrace_counters, ret_ns, 21 * 8);
	AT(ktrace_counters, lost_rows, 22 * 8);
	AT(ktrace_counters, excluded, 23 * 8);
	AT(ktrace_counters, cost_ns, 24 * 8);
	AT(ktrace_counters, after_trigger, 25 * 8);
	AT(ktrace_counters, missed_samples, 26 * 8);
	LEN(ktrace_trigger, 24);
	AT(ktrace_trigger, min_ns, 8);
	AT(ktrace_trigger, after_ns, 16);
	LEN(ktrace_sample_event, 24);
	AT(ktrace_sample_event, config, 8);
	AT(ktrace_sample_event, period, 16);
	LEN(ktrace_triggered, 40);
	AT(ktrace_triggered, duration, 16);
	AT(ktrace_triggered, func, 24);
	AT(ktrace_triggered, error, 32);
	LEN(ktrace_costs, 40);
	AT(ktrace_costs, stepped, 8);
	AT(ktrace_costs, ret, 16);
	AT(ktrace_costs, own_entry, 24);
	AT(ktrace_costs, own_ret, 32);
	LEN(ktrace_table, 32);
	AT(ktrace_table, values, 0);
	AT(ktrace_table, flags, 8);
	AT(ktrace_table, max_rows, 12);
	AT(ktrace_table, keys, 16);
	LEN(ktrace_column, 32);
	AT(ktrace_column, name, 0);
	AT(ktrace_column, unit, 16);
	AT(ktrace_column, id, 24);
	AT(ktrace_column, is_key, 28);
	AT(ktrace_column, kind, 29);
	AT(ktrace_column, __pad, 30);
	LEN(ktrace_taken_out, 32);
	AT(ktrace_taken_out, calls, 8);
	AT(ktrace_taken_out, cost_ns, 16);
	AT(ktrace_taken_out, moment_ns, 24);
	assert_int_equal(KTRACE_NODE_TAIL, 1);
	assert_int_equal(KTRACE_NODE_AT_MOST, 2);
	LEN(ktrace_syscall_record, 72);
	AT(ktrace_syscall_record, args, 8);
	AT(ktrace_syscall_record, comm, 56);
	assert_int_equal(KTRACE_REC_F_OPEN, 1 << 2);
	assert_int_equal(KTRACE_REC_F_TAIL, 1 << 6);
	assert_int_equal(KTRACE_REC_F_AT_MOST, 1 << 7);
	assert_int_equal(KTRACE_REC_F_STACK, 1 << 6);
	assert_int_equal(KTRACE_REC_F_STRING, 1 << 7);
	assert_int_equal(KTRACE_SYSCALL_STRING_LEN, 96);
	assert_int_equal(KTRACE_STACK_NONE, 0xffffffff);
	LEN(ktrace_request_record, 96);
	AT(ktrace_request_record, sector, 32);
	AT(ktrace_request_record, inode, 40);
	AT(ktrace_request_record, off_cpu_ns, 48);
	AT(ktrace_request_record, file_dev, 56);
	AT(ktrace_request_record, dev, 60);
	AT(ktrace_request_record, bytes, 64);
	AT(ktrace_request_record, stages, 68);
	AT(ktrace_request_record, error, 72);
	AT(ktrace_request_record, pid, 76);
	AT(ktrace_request_record, comm, 80);
	assert_int_equal(KTRACE_REC_REQUEST, 7);
	LEN(ktrace_call_record, 24);
	AT(ktrace_call_record, comm, 8);
	assert_int_equal(KTRACE_REC_CALL, 8);
	LEN(ktrace_period_record, 16);
	assert_int_equal(KTRACE_REC_PERIOD, 9);
	LEN(ktrace_fault_record, 32);
	AT(ktrace_fault_record, error, 8);
	AT(ktrace_fault_record, pid, 12);
	AT(ktrace_fault_record, comm, 16);
	assert_int_equal(KTRACE_REC_FAULT, 10);
	LEN(ktrace_sample_record, 24);
	AT(ktrace_sample_record, comm, 8);
	assert_int_equal(KTRACE_REC_SAMPLE, 11);
	assert_int_equal(KTRACE_BLOCK_FUNC(64, KTRACE_BLOCK_OTHER, KTRACE_BLOCK_Q2C),
			 64 * 64 + 6 * 8 + 4);
	assert_int_equal(KTRACE_NR_BLOCK, 65 * 64);
	assert_int_equal(KTRACE_ERROR_LINK(2U, 38), 0x2026);
	assert_int_equal(KTRACE_VIRTIO_FUNC(512, KTRACE_VIRTIO_INTERRUPT), 512 * 8 + 5);
	assert_int_equal(KTRACE_NR_VIRTIO, 513 * 8);
	LEN(ktrace_bucket, 16);
	AT(ktrace_bucket, count, 8);
	LEN(ktrace_node, 40);
	AT(ktrace_node, parent, 4);
	AT(ktrace_node, func, 8);
	AT(ktrace_node, calls, 16);
	AT(ktrace_node, total_ns, 24);
	AT(ktrace_node, self_ns, 32);
}

static void test_abi_records(void **state)
{
	(void)state;
	LEN(ktrace_packet, 80);
	AT(ktrace_packet, stream_id, 4);
	AT(ktrace_packet, uuid, 8);
	AT(ktrace_packet, time_begin, 24);
	AT(ktrace_packet, time_end, 32);
	AT(ktrace_packet, content_bits, 40);
	AT(ktrace_packet, packet_bits, 48);
	AT(ktrace_packet, events_discarded, 56);
	AT(ktrace_packet, packet_seq, 64);
	AT(ktrace_packet, cpu_id, 72);
	AT(ktrace_packet, nr_records, 76);
	LEN(ktrace_record, 24);
	AT(ktrace_record, id, 8);
	AT(ktrace_record, tid, 12);
	AT(ktrace_record, func, 16);
	AT(ktrace_record, depth, 20);
	AT(ktrace_record, flags, 22);
	AT(ktrace_record, nr_payload, 23);
}

static void test_abi_numbers(void **state)
{
	(void)state;
	assert_int_equal(KTRACE_CMD_INFO, 1);
	assert_int_equal(KTRACE_CMD_NOTICE, 13);
	assert_int_equal(KTRACE_CMD_TASK_CONTINUE, 19);
	assert_int_equal(KTRACE_A_VERSION, 1);
	assert_int_equal(KTRACE_A_ABI, 2);
	assert_int_equal(KTRACE_A_PROVIDER, 10);
	assert_int_equal(KTRACE_A_LIMIT, 15);
	assert_int_equal(KTRACE_A_FUNCS, 29);
	assert_int_equal(KTRACE_A_PACKET, 42);
	assert_int_equal(KTRACE_A_PID, 48);
	assert_int_equal(KTRACE_TARGET_FILES, 4);
	assert_int_equal(KTRACE_WHO_ON_EXEC, 8);
	assert_int_equal(KTRACE_LIMIT_BUDGET, 6);
	assert_int_equal(KTRACE_LIMIT_FREQUENCY, 7);
	assert_int_equal(KTRACE_PROVIDER_USER, 1);
	assert_int_equal(KTRACE_PROVIDER_VIRTIO, 7);
	assert_int_equal(KTRACE_PROVIDER_FAULT, 8);
	assert_int_equal(KTRACE_PROVIDER_PROFILE, 9);
	assert_int_equal(KTRACE_KEY_FAULT, 15);
	assert_int_equal(KTRACE_KEY_FILE, 16);
	assert_int_equal(KTRACE_KEY_MODE, 17);
	assert_int_equal(KTRACE_COLUMN_FILE, 7);
	assert_int_equal(KTRACE_SINK_HIST, 1 << 0);
	assert_int_equal(KTRACE_SINK_STREAM, 1 << 5);
	assert_int_equal(KTRACE_F_OVERWRITE, 1 << 0);
	assert_int_equal(KTRACE_F_RAW, 1 << 4);
	assert_int_equal(KTRACE_F_BELOW, 1 << 5);
	assert_int_equal(KTRACE_F_NO_ENTRIES, 1 << 7);
	assert_int_equal(KTRACE_GENL_VERSION, KTRACE_ABI);
}

/* --- figures ------------------------------------------------------------- */

static void check_duration(uint64_t ns, const char *expected)
{
	char text[FMT_LEN];

	assert_string_equal(fmt_duration(text, ns), expected);
}

static void test_duration_is_shown(void **state)
{
	(void)state;
	check_duration(0, "0 ns");
	check_duration(789, "789 ns");
	check_duration(999, "999 ns");
	check_duration(1000, "1.00 us");
	check_duration(2031, "2.03 us");
	check_duration(9994, "9.99 us");
	check_duration(9995, "10.0 us");
	check_duration(45649, "45.6 us");
	check_duration(99950, "100 us");
	check_duration(999499, "999 us");
	check_duration(999500, "1.00 ms");
	check_duration(999600000, "1.00  s");
	check_duration(61000000000ULL, "61.0  s");
	check_duration(3600000000000ULL, "3600  s");
}

static void test_sizes_are_shown(void **state)
{
	struct style raw = { .is_raw = true }, style = *style_get();
	char text[FMT_LEN];

	(void)state;
	assert_string_equal(fmt_bytes(text, 0), "0 B");
	assert_string_equal(fmt_bytes(text, 999), "999 B");
	assert_string_equal(fmt_bytes(text, 1000), "0.98 KiB");
	assert_string_equal(fmt_bytes(text, 4096), "4.00 KiB");
	assert_string_equal(fmt_bytes(text, 12897485), "12.3 MiB");
	assert_string_equal(fmt_bytes(text, UINT64_MAX), "16384 PiB");
	assert_string_equal(fmt_rate(text, 1.234), "1.23");
	assert_string_equal(fmt_rate(text, 48211.7), "48212");
	assert_string_equal(fmt_plain(text, 2000000000), "2.00 s");
	style_set(&raw);
	assert_string_equal(fmt_bytes(text, 12897485), "12897485");
	assert_string_equal(fmt_duration(text, 2031), "2031");
	assert_string_equal(fmt_plain(text, 2031), "2031 ns");
	style_set(&style);
}

static void check_cut(const char *text, size_t columns, const char *expected)
{
	char *cut = plain_cut(text, columns);

	assert_string_equal(cut, expected);
	assert_true(plain_columns(cut, strlen(cut)) <= columns);
	free(cut);
}

/* Letters of two bytes, and control characters that are shown as escapes, are not split. */
static void test_names_are_cut(void **state)
{
	(void)state;
	check_cut("short", 5, "short");
	check_cut("std::vector<int>::push_back", 16, "std::ve...h_back");
	check_cut("std::vector<int>::push_back", 4, "s...");
	check_cut("std::vector<int>::push_back", 2, "..");
	check_cut("\303\244\303\266\303\274\303\237x\303\244\303\266\303\274", 7,
		  "\303\244\303\266...\303\266\303\274");
	check_cut("\033[2J and what is behind it", 9, "... it");
}

/* The style for a terminal, for a file, and with variables of the environment. */
static void test_style_fits(void **state)
{
	struct style style = *style_get();

	(void)state;
	unsetenv("COLUMNS");
	unsetenv("NO_COLOR");
	setenv("TERM", "xterm", 1);
	style_fit(80);
	assert_true(style_get()->columns == 80 && style_get()->has_color);
	style_fit(0);
	assert_true(!style_get()->columns && !style_get()->has_color);
	setenv("COLUMNS", "120", 1);
	style_fit(0);
	assert_true(style_get()->columns == 120 && !style_get()->has_color);
	style_fit(100);
	assert_true(style_get()->columns == 100);
	setenv("COLUMNS", "none", 1);
	setenv("NO_COLOR", "1", 1);
	style_fit(80);
	assert_true(style_get()->columns == 80 && !style_get()->has_color);
	style_choose("color", "always");
	style_fit(0);
	assert_true(style_get()->has_color);
	style_choose("color", "never");
	unsetenv("NO_COLOR");
	style_fit(80);
	assert_false(style_get()->has_color);
	unsetenv("COLUMNS");
	style_set(&style);
}

static void check_moment(const char *how, uint64_t time_ns, const char *expected)
{
	char text[STYLE_MOMENT_LEN];

	style_choose("time", how);
	style_moment(text, time_ns, 1000000000, 6);
	if (expected)
		assert_string_equal(text, expected);
	assert_true((int)strlen(text) <= style_moment_width(6));
}

static void test_moments(void **state)
{
	struct style style = *style_get();

	(void)state;
	check_moment("start", 3500000000, "2.500000");
	check_moment("mono", 3500000000, "3.500000");
	check_moment("wall", 3500001000, NULL);
	style_set(&style);
}

static void test_duration_is_understood(void **state)
{
	uint64_t ns;

	(void)state;
	assert_true(fmt_parse_duration("10us", &ns) && ns == 10000);
	assert_true(fmt_parse_duration("1.5ms", &ns) && ns == 1500000);
	assert_true(fmt_parse_duration("300ns", &ns) && ns == 300);
	assert_true(fmt_parse_duration("0", &ns) && ns == 0);
	assert_true(fmt_parse_duration("1m", &ns) && ns == 60000000000);
	assert_true(fmt_parse_duration("1.5min", &ns) && ns == 90000000000);
	assert_true(fmt_parse_duration("1h", &ns) && ns == 3600000000000);
	assert_false(fmt_parse_duration("300", &ns));
	assert_false(fmt_parse_duration("1d", &ns));
	assert_true(fmt_parse_size("512K", &ns) && ns == 512 << 10);
	assert_true(fmt_parse_size("16M", &ns) && ns == 16 << 20);
	assert_true(fmt_parse_size("999999999G", &ns) && ns == 999999999ULL << 30);
	assert_false(fmt_parse_size("9999999999K", &ns));
	assert_false(fmt_parse_size("16", &ns));
	assert_false(fmt_parse_size("1.5M", &ns));
	assert_false(fmt_parse_size("-1M", &ns));
	assert_false(fmt_parse_size("M", &ns));
	assert_false(fmt_parse_size("1MB", &ns));
	assert_true(fmt_parse_duration("2s", &ns) && ns == 2000000000);
	assert_false(fmt_parse_duration("", &ns));
	assert_false(fmt_parse_duration("-1us", &ns));
	assert_false(fmt_parse_duration("10 us", &ns));
	assert_false(fmt_parse_duration("1e30s", &ns));
}

static bool is_number(const char *text, uint64_t max, uint64_t expected)
{
	uint64_t number = 4711;

	if (number_parse(text, max, &number))
		return number == expected;
	assert_int_equal(number, 4711);
	return false;
}

static void test_numbers_are_strict(void **state)
{
	static const char *const others[] = {
		"", "-1", "+1", " 1", "1 ", "1\n", "0x1", "1e3", "1.0", "a", "1a", "/", ":", "\xb2",
		"18446744073709551616", "100000000000000000000", "99999999999999999999999999",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(is_number(others[i], UINT64_MAX, 4711));
	assert_true(is_number("0", 0, 0));
	assert_true(is_number("0007", 7, 7));
	assert_true(is_number("18446744073709551615", UINT64_MAX, UINT64_MAX));
	assert_true(is_number("4294967295", UINT32_MAX, UINT32_MAX));
	assert_false(is_number("4294967296", UINT32_MAX, 4711));
	assert_true(is_number("9", 9, 9));
	assert_false(is_number("10", 9, 4711));
	assert_false(is_number("9", 8, 4711));
	assert_false(is_number("1", 0, 4711));
	assert_true(is_number("65535", 65535, 65535));
	assert_false(is_number("65536", 65535, 4711));
}

/* --- lines --------------------------------------------------------------- */

static void check_file(const char *text, const char *first, const char *value)
{
	char path[] = "/tmp/ktrace-lines-XXXXXX", line[8] = "before", *found;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(line_read(line, sizeof(line), "%s", path), first != NULL);
	assert_string_equal(line, first ? first : "before");
	found = line_find("Key:", "/proc/self/fd/%d", fd);
	if (value)
		assert_string_equal(found, value);
	else
		assert_null(found);
	free(found);
	unlink(path);
	close(fd);
}

static void test_lines(void **state)
{
	struct lines lines;
	char line[8] = "before";
	int nr = 0;

	(void)state;
	check_file("", NULL, NULL);
	check_file("\n", "", NULL);
	check_file("one\ntwo\n", "one", NULL);
	check_file("12345678\n", "1234567", NULL);
	check_file("end", "end", NULL);
	check_file("a\nKey:\t a b\nKey: c\n", "a", "a b");
	check_file(" Key: a\nKeys: b\nkey: c\nKey", " Key: a", NULL);
	check_file("Key:", "Key:", "");
	assert_false(line_read(line, sizeof(line), "/no/%s", "file"));
	assert_string_equal(line, "before");
	assert_null(line_find("", "/no/file"));
	assert_false(lines_open(&lines, "/no/file"));
	assert_int_equal(errno, ENOENT);
	assert_false(lines_next(&lines));
	assert_true(lines_open(&lines, "/proc/self/%s", "status"));
	while (lines_next(&lines)) {
		assert_null(strchr(lines.text, '\n'));
		nr++;
	}
	assert_true(nr > 10);
	lines_close(&lines);
}

/* --- files that are known -------------------------------------------------- */

static void test_known_files(void **state)
{
	struct known known = { NULL };
	struct known_file *file = known_find(&known, 1, 2);
	uint64_t i;

	(void)state;
	assert_false(file->is_probed);
	file->is_probed = true;
	for (i = 0; i < 100000; i++)
		known_find(&known, i % 7 + 2, i)->is_held = true;
	assert_ptr_equal(known_find(&known, 1, 2), file);
	assert_true(file->is_probed && !file->is_held);
	assert_true(known_find(&known, 99999 % 7 + 2, 99999)->is_held);
	assert_false(known_find(&known, 2, 1)->is_held);
	assert_null(known_find_path(&known, "/no/file"));
	assert_ptr_equal(known_find_path(&known, "/"), known_find_path(&known, "/usr/.."));
	known_free(&known);
}

/* --- histograms ---------------------------------------------------------- */

static void test_buckets_meet(void **state)
{
	uint64_t value;
	uint32_t i;

	(void)state;
	for (i = 0; i + 1 < KTRACE_NR_OCTAVES * 16; i++) {
		assert_int_equal(ktr_bucket_high(i), ktr_bucket_low(i + 1));
		assert_int_equal(hist_index(ktr_bucket_low(i)), i);
		assert_int_equal(hist_index(ktr_bucket_high(i) - 1), i);
		/* at most 1/16 relative error */
		assert_true((ktr_bucket_high(i) - ktr_bucket_low(i)) * 16 <= ktr_bucket_low(i) || i < 32);
	}
	for (value = 1; value < 1ULL << 62; value = value * 5 / 3 + 1)
		assert_true(ktr_bucket_low(hist_index(value)) <= value);
}

static void test_percentiles(void **state)
{
	struct hist hist = { NULL, 0 };
	int i;

	(void)state;
	assert_int_equal(hist_percentile(&hist, 500), 0);
	for (i = 1; i <= 1000; i++)
		hist_add(&hist, i < 990 ? 8 : 1 << 20);
	assert_int_equal(hist_percentile(&hist, 500), 8);
	assert_int_equal(hist_percentile(&hist, 989), 8);
	assert_in_range(hist_percentile(&hist, 990), 1 << 20, (1 << 20) * 17 / 16);
	hist_free(&hist);
}

/* --- names --------------------------------------------------------------- */

static void check_base(const char *name, const char *expected)
{
	char *base = demangle_base(name);

	assert_string_equal(base, expected);
	free(base);
}

static void test_names_without_parameters(void **state)
{
	(void)state;
	check_base("main", "main");
	check_base("run(int)", "run");
	check_base("ns::f(void (*)(int)) const", "ns::f");
	check_base("A::operator()(int)", "A::operator()");
	check_base("(anonymous namespace)::f()", "(anonymous namespace)::f");
	check_base("(anonymous namespace)::f", "(anonymous namespace)::f");
	check_base("std::map<int, void (*)()>::at(int const&)", "std::map<int, void (*)()>::at");
}

static void check_short(const char *name, size_t columns, const char *expected)
{
	char *cut = cut_name(name, columns);

	assert_string_equal(cut, expected);
	free(cut);
}

/* Parameters go first, then template arguments, then outer scopes. */
static void test_functions_are_cut(void **state)
{
	const char *get = "leveldb::DBImpl::Get(leveldb::ReadOptions const&, leveldb::Slice const&)";
	const char *find = "std::_Rb_tree<int, std::pair<int const, int> >::find(int const&)";

	(void)state;
	check_short(get, 80, get);
	check_short(get, 28, "leveldb::DBImpl::Get(...)");
	check_short(get, 24, "...::DBImpl::Get(...)");
	check_short(get, 15, "...::Get(...)");
	check_short(get, 10, "Get(...)");
	check_short(find, 60, "std::_Rb_tree<int, std::pair<int const, int> >::find(...)");
	check_short(find, 40, "std::_Rb_tree<...>::find(...)");
	check_short(find, 20, "...::find(...)");
	check_short("main", 3, "...");
	check_short("ns::run()", 8, "run()");
	check_short("a_function_of_c_with_a_long_name", 16, "a_funct...g_name");
	check_short("worker_of_all_kinds [a.c]", 16, "worker_... [a.c]");
}

/* Brackets of operators, of scopes and of types are no parameters. */
static void test_odd_names_are_cut(void **state)
{
	(void)state;
	check_short("void ns::sort<int*>(int*, int*)", 20, "ns::sort<int*>(...)");
	check_short("ns::Less::operator()(int, int) const", 34, "ns::Less::operator()(...) const");
	check_short("bool ns::operator< <int>(ns::A<int>, int)", 30, "ns::operator< <int>(...)");
	check_short("ns::A<(ns::B)2>::operator->() const", 30, "ns::A<...>::operator->() const");
	check_short("ns::A::operator unsigned long() const", 36, "...::operator unsigned long() const");
	check_short("(anonymous namespace)::f(int, int)", 33, "(anonymous namespace)::f(...)");
	check_short("(anonymous namespace)::f(int, int)", 13, "...::f(...)");
	check_short("main::{lambda(int, long)#1}::operator()(int) const", 47,
		  "main::{lambda(...)#1}::operator()(...) const");
	check_short("f(int, int)::Local::run()", 24, "f(...)::Local::run()");
	check_short("<alloc::vec::Vec<T> as core::ops::Drop>::drop", 20, "<...>::drop");
	check_short("main.(*Server).Handle", 20, "main.(*Se...).Handle");
	check_short("odd(((::name", 8, "odd...me");
	check_short("getenv_of_all(char const*)@libc.so.6", 35, "getenv_of_all(...)@libc.so.6");
}

static void check_demangled(const char *symbol, const char *expected)
{
	char *name = demangle(symbol);

	assert_string_equal(name, expected);
	free(name);
}

static void test_names_are_demangled(void **state)
{
	(void)state;
	check_demangled("main", "main");
	check_demangled("_ZN5Shape4areaEv", "Shape::area()");
	check_demangled("_Znot_mangled", "_Znot_mangled");
}

static void test_rust_names(void **state)
{
	(void)state;
	check_demangled("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE",
			"core::fmt::Formatter::pad");
	check_demangled("_RNvCs1234_7mycrate3foo", "mycrate::foo");
	check_demangled("_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>");
}

/* Returns a digit of a number in base 62, with leading zeros. */
static char digit(int number, int unit)
{
	return "0123456789abcdefghijklmnopqrstuvwxyz"
	       "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[number / unit % 62];
}

/* Each part stands for twice the part before: 2^60 letters, and as many steps. */
static void test_hostile_names(void **state)
{
	char symbol[2048] = "_Z1f1AIiiE";
	int i, at, next;
	char *name;

	(void)state;
	strcat(symbol, "S_IS0_S0_E");
	for (i = 1; i < 36; i++)
		sprintf(symbol + strlen(symbol), "S_IS%c_S%c_E",
			i < 10 ? '0' + i : 'A' + i - 10, i < 10 ? '0' + i : 'A' + i - 10);
	check_demangled(symbol, symbol);
	/* the same in Rust: tuples of two references to the tuple before */
	strcpy(symbol, "_RINvC1a1fTxxE");
	for (at = 8, i = 0; i < 40; i++) {
		next = strlen(symbol) - 2;
		sprintf(symbol + strlen(symbol), "TB%c%c_B%c%c_E", digit(at - 1, 62),
			digit(at - 1, 1), digit(at - 1, 62), digit(at - 1, 1));
		at = next;
	}
	strcat(symbol, "E");
	check_demangled(symbol, symbol);
	/* names need no more memory than a few times their file */
	strcpy(symbol, "_Z1f1AIiiES_IS0_S0_E");
	for (i = 1; i < 9; i++) {
		sprintf(symbol + strlen(symbol), "S_IS%d_S%d_E", i, i);
		name = demangle(symbol);
		assert_true(strlen(name) <= 8 * strlen(symbol) + 1024);
		free(name);
	}
	/* nested too deep */
	strcpy(symbol, "_Z1f");
	for (i = 0; i < 1900; i++)
		strcat(symbol, "P");
	strcat(symbol, "i");
	name = demangle(symbol);
	free(name);
	strcpy(symbol, "_RMC0");
	for (i = 0; i < 1900; i++)
		strcat(symbol, "R");
	name = demangle(symbol);
	free(name);
}

static char *repeat(const char *text, size_t nr)
{
	size_t len = strlen(text);
	char *all = calloc(1, nr * len + 1);

	while (nr--)
		memcpy(all + nr * len, text, len);
	return all;
}

/* A pattern of 2^nr parts, of which each is looked at before anything is printed. */
static char *searched_name(int nr)
{
	char *symbol = calloc(1, 32 + 16 * nr), *inner = repeat("S_I", nr);
	int i;

	sprintf(symbol, "_Z1fDp1PI%sccE", inner);
	for (i = 0; i < nr; i++)
		sprintf(symbol + strlen(symbol), i < 36 ? "S%c_E" : "S1%c_E", digit(i % 36, 1) -
			(i % 36 > 9 ? 'a' - 'A' : 0));
	free(inner);
	return symbol;
}

/* Types of conversions, each of which is parsed twice. */
static char *converted_name(int nr)
{
	char *open = repeat("T_I", nr), *close = repeat("E", nr), *symbol = calloc(1, 32 + 4 * nr);

	sprintf(symbol, "_ZN1fcv%si%sEv", open, close);
	free(open);
	free(close);
	return symbol;
}

#define NR_SLOW 300

/* 300 names that would take for ever take a second or two; short names are still demangled. */
static void test_names_that_take_for_ever(void **state)
{
	char *symbols[] = {
		searched_name(60), converted_name(60),
		/* declares 62^10 lifetimes, in a part that is not printed */
		strdup("_RNvMIC1aFGzzzzzzzzzz_EuEu1f"), strdup("_RNvMIC1aFGzzzzzzzzzz_EuEu1fu00"),
	};
	size_t nr_before = demangle_nr_given_up(), i;
	clock_t begin = clock();

	(void)state;
	alarm(120);
	for (i = 0; i < NR_SLOW; i++)
		check_demangled(symbols[i % 4], symbols[i % 4]);
	alarm(0);
	assert_int_equal(demangle_nr_given_up() - nr_before, NR_SLOW);
	assert_in_range((clock() - begin) / CLOCKS_PER_SEC, 0, 5);
	for (i = 0; i < 4; i++)
		free(symbols[i]);
	check_demangled("_ZN5Shape4areaEv", "Shape::area()");
}

static void test_patterns(void **state)
{
	struct match match = { 0 };

	(void)state;
	match_add(&match, "run,Shape::*,f(int, char),g<a,b>");
	assert_int_equal(match.nr, 4);
	assert_string_equal(match_unused(&match), "run");
	assert_true(match_name(&match, "run(int)"));
	assert_true(match_name(&match, "Shape::area()"));
	assert_string_equal(match_unused(&match), "f(int, char)");
	assert_true(match_name(&match, "f(int, char)"));
	assert_false(match_name(&match, "f(int)"));
	assert_false(match_name(&match, "rerun"));
	assert_true(match_name(&match, "g<a,b>"));
	assert_null(match_unused(&match));
	match_free(&match);
	/* Signs in names of operators are neither brackets nor commas. */
	match_add(&match, "operator<,A::operator->,operator<<,operator,,operator()(int, char),"
		  "operator<=>,myoperator<a,b>,f");
	assert_int_equal(match.nr, 8);
	assert_true(match_name(&match, "operator<(A const&, A const&)"));
	assert_string_equal(match_unused(&match), "A::operator->");
	assert_true(match_name(&match, "A::operator->() const"));
	assert_true(match_name(&match, "operator<<"));
	assert_string_equal(match_unused(&match), "operator,");
	assert_true(match_name(&match, "operator,(A, B)"));
	assert_true(match_name(&match, "operator()(int, char)"));
	assert_true(match_name(&match, "operator<=>"));
	assert_true(match_name(&match, "myoperator<a,b>"));
	assert_string_equal(match_unused(&match), "f");
	match_free(&match);
	/* Whichever pattern fits first, and in whichever form. */
	match_add(&match, "W*,W::step,*(int)");
	assert_true(match_name(&match, "W::step(int)"));
	assert_null(match_unused(&match));
	match_free(&match);
	/* A pattern that occurs twice, and names that contain a wildcard. */
	match_add(&match, "run,run,operator*,a\\*b,_Z1fv,f");
	assert_true(match_name(&match, "run"));
	assert_true(match_name(&match, "operator*"));
	assert_true(match_name(&match, "a*b"));
	assert_true(match_symbol(&match, "_Z1fv"));
	assert_false(match_symbol(&match, "run"));
	assert_string_equal(match_unused(&match), "f");
	assert_true(match_is_named(&match, "f(int)") && match_is_named(&match, "operator*"));
	assert_false(match_is_named(&match, "g"));
	match_free(&match);
}

static void test_nearest_names(void **state)
{
	static const char *const names[] = { "alpha", "usual", "trouble(int)", "useful" };
	const char *nearest[3];

	(void)state;
	assert_int_equal(match_nearest("usal", names, 4, nearest, 3), 1);
	assert_string_equal(nearest[0], "usual");
	assert_int_equal(match_nearest("troble", names, 4, nearest, 1), 1);
	assert_string_equal(nearest[0], "trouble(int)");
	assert_int_equal(match_nearest("zzz", names, 4, nearest, 3), 0);
}

/* For a typing error the intended word is suggested, and for another word none. */
static void test_nearest_words(void **state)
{
	static const char *const words[] = { "run", "func", "io", "sched", "show", "--version" };
	static const char *const slips[][2] = {
		{ "rnu", "run" }, { "fucn", "func" }, { "oi", "io" }, { "shced", "sched" },
		{ "schdl", "sched" }, { "--verison", "--version" }, { "fun", "func" },
	};
	static const char *const others[] = { "top", "record", "-v", "stop", "", "i", "sch" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(slips) / sizeof(slips[0]); i++)
		assert_string_equal(match_nearest_word(slips[i][0], words, 6), slips[i][1]);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_null(match_nearest_word(others[i], words, 6));
}

/* --- options ------------------------------------------------------------- */

struct config {
	int flag;
	uint32_t number;
	uint64_t time;
	const char *word;
	struct opt_pids pids;
};

static const struct opt opts[] = {
	{ 'x', "flag", NULL, OPT_FLAG, offsetof(struct config, flag), "", NULL },
	{ 0, "number", "N", OPT_NUMBER, offsetof(struct config, number), "", NULL },
	{ 0, "time", "T", OPT_TIME, offsetof(struct config, time), "", NULL },
	{ 'i', "interval", "T", OPT_PERIOD, offsetof(struct config, time), "", NULL },
	{ 'w', "word", "W", OPT_CHOICE, offsetof(struct config, word), "", "one|two" },
	{ 'p', "pid", "P", OPT_PIDS, offsetof(struct config, pids), "", NULL },
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

static int parse(struct config *config, bool stops_there, int *first, struct err *err, ...)
{
	char *argv[16] = { (char *)"test" };
	int argc = 1;
	va_list args;

	memset(config, 0, sizeof(*config));
	va_start(args, err);
	while ((argv[argc] = va_arg(args, char *)))
		argc++;
	va_end(args);
	return opt_parse(argc, argv, opts, stops_there, config, first, err);
}

static void test_options(void **state)
{
	struct config c;
	struct err err;
	int first;

	(void)state;
	assert_int_equal(parse(&c, true, &first, &err, "-x", "--number=7", "--time", "2us", "-wtwo",
			       "-p", "1,2", "-p3", "--", "prog", "-x", NULL), 0);
	assert_true(c.flag && c.number == 7 && c.time == 2000 && c.pids.nr == 3);
	assert_string_equal(c.word, "two");
	assert_int_equal(first, 10);
	free(c.pids.pids);
	assert_int_equal(parse(&c, true, &first, &err, "prog", "-x", NULL), 0);
	assert_int_equal(first, 1);
	assert_false(c.flag);
	assert_int_equal(parse(&c, false, &first, &err, "name", "-x", NULL), 0);
	assert_true(c.flag && first == 2);
	assert_int_equal(parse(&c, true, &first, &err, "-h", NULL), 1);
}

/* Thresholds need a unit; durations without a unit are in seconds. */
static void test_bare_times(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} periods[] = {
		{ "2", 2000000000 }, { "0.5", 500000000 }, { "1h", 3600000000000 },
		{ "1min", 60000000000 }, { "10us", 10000 },
	};
	struct config c;
	struct err err;
	int first;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
		assert_int_equal(parse(&c, true, &first, &err, "-i", periods[i].text, NULL), 0);
		assert_int_equal(c.time, periods[i].ns);
	}
	assert_int_equal(parse(&c, true, &first, &err, "-i", "0", NULL), -1);
	assert_int_equal(parse(&c, true, &first, &err, "--time", "0", NULL), 0);
	assert_int_equal(c.time, 0);
	assert_int_equal(parse(&c, true, &first, &err, "--time", "10", NULL), -1);
	assert_non_null(strstr(err.text, "a time with its unit (ns, us, ms, s, m, h)"));
}

static void test_wrong_options(void **state)
{
	struct config c;
	struct err err;
	int first;

	(void)state;
	assert_int_equal(parse(&c, true, &first, &err, "-w", "three", NULL), -1);
	assert_non_null(strstr(err.text, "one|two"));
	assert_int_equal(parse(&c, true, &first, &err, "--number", "0", NULL), -1);
	assert_int_equal(parse(&c, true, &first, &err, "--number", "-1", NULL), -1);
	assert_int_equal(parse(&c, true, &first, &err, "--number", NULL), -1);
	assert_non_null(strstr(err.text, "needs a value"));
	assert_int_equal(parse(&c, true, &first, &err, "--nothing", NULL), -1);
	assert_non_null(strstr(err.text, "no option"));
	assert_int_equal(parse(&c, true, &first, &err, "--nubmer=7", NULL), -1);
	assert_non_null(strstr(err.text, "did you mean --number?"));
	assert_int_equal(parse(&c, true, &first, &err, "--flag=7", NULL), -1);
	assert_non_null(strstr(err.text, "takes no value"));
	assert_int_equal(parse(&c, true, &first, &err, "-q", NULL), -1);
	assert_int_equal(parse(&c, true, &first, &err, "-p", "12x", NULL), -1);
	free(c.pids.pids);
}

/* --- streams ------------------------------------------------------------- */

struct buffer {
	char data[4096];
	size_t len;
};

static void begin_packet(struct buffer *packet, uint32_t cpu, uint64_t discarded)
{
	struct ktrace_packet head = {
		.magic = KTRACE_CTF_MAGIC, .cpu_id = cpu, .events_discarded = discarded,
		.time_begin = 1,
	};

	memcpy(packet->data, &head, sizeof(head));
	packet->len = sizeof(head);
}

static void put_record(struct buffer *packet, uint64_t time, uint32_t id, uint32_t tid,
		       uint32_t func, uint16_t depth, uint64_t duration)
{
	struct ktrace_record rec = {
		.time = time, .id = id, .tid = tid, .func = func, .depth = depth,
	};

	memcpy(packet->data + packet->len, &rec, sizeof(rec));
	packet->len += sizeof(rec);
	if (id == KTRACE_REC_EXIT) {
		memcpy(packet->data + packet->len, &duration, sizeof(duration));
		packet->len += sizeof(duration);
	}
}

/* Adds the payload of the last record; its length in words is in the fixed part. */
static void put_payload(struct buffer *packet, const uint64_t *words, uint8_t nr,
			size_t nr_before)
{
	size_t at = packet->len - nr_before * 8 - sizeof(struct ktrace_record);

	packet->data[at + offsetof(struct ktrace_record, flags)] |= KTRACE_REC_F_VALUES;
	packet->data[at + offsetof(struct ktrace_record, nr_payload)] = nr;
	memcpy(packet->data + packet->len, words, nr * 8);
	packet->len += nr * 8;
}

static void end_packet(struct buffer *packet)
{
	struct ktrace_packet *head = (struct ktrace_packet *)packet->data;

	head->content_bits = packet->len * 8;
	head->packet_bits = packet->len * 8;
}

static void add_bytes(struct merge *merge, uint32_t cpu, const struct buffer *packet, size_t len)
{
	struct ktr_packet added = ktr_packet_of((const void *)packet->data, len);

	added.cpu = cpu;
	merge_packet(merge, &added);
}

static void add_packet(struct merge *merge, uint32_t cpu, const struct buffer *packet)
{
	add_bytes(merge, cpu, packet, packet->len);
}

struct seen {
	struct ktr_record events[16];
	size_t nr;
};

static void see(void *arg, const struct ktr_record *event)
{
	struct seen *seen = arg;

	seen->events[seen->nr++] = *event;
}

static void test_merge_waits_for_every_cpu(void **state)
{
	struct merge *merge = merge_create(2);
	struct buffer a, b;
	struct seen seen = { .nr = 0 };

	(void)state;
	begin_packet(&a, 0, 0);
	put_record(&a, 10, KTRACE_REC_ENTRY, 1, 0, 0, 0);
	put_record(&a, 30, KTRACE_REC_EXIT, 1, 0, 0, 20);
	end_packet(&a);
	begin_packet(&b, 1, 0);
	put_record(&b, 20, KTRACE_REC_ENTRY, 2, 1, 0, 0);
	end_packet(&b);
	add_packet(merge, 0, &a);
	merge_clock(merge, 0, 40);
	merge_drain(merge, see, &seen);
	assert_int_equal(seen.nr, 0);
	add_packet(merge, 1, &b);
	merge_clock(merge, 1, 25);
	merge_drain(merge, see, &seen);
	assert_int_equal(seen.nr, 2);
	assert_int_equal(seen.events[1].tid, 2);
	merge_clock(merge, 1, 100);
	merge_drain(merge, see, &seen);
	assert_int_equal(seen.nr, 3);
	assert_int_equal(seen.events[2].duration, 20);
	merge_free(merge);
}

/* No packet follows the last records that were lost. */
static void test_merge_ends_with_a_gap(void **state)
{
	struct merge *merge = merge_create(2);
	struct seen seen = { .nr = 0 };
	struct buffer packet;

	(void)state;
	begin_packet(&packet, 0, 3);
	put_record(&packet, 10, KTRACE_REC_ENTRY, 1, 0, 0, 0);
	end_packet(&packet);
	add_packet(merge, 0, &packet);
	merge_end(merge, 0, 8);
	merge_end(merge, 1, 0);
	merge_drain(merge, see, &seen);
	assert_int_equal(seen.nr, 3);
	assert_int_equal(seen.events[0].id, EVENT_GAP);
	assert_int_equal(seen.events[0].duration, 3);
	assert_int_equal(seen.events[1].id, EVENT_ENTRY);
	assert_int_equal(seen.events[2].id, EVENT_GAP);
	assert_int_equal(seen.events[2].duration, 5);
	merge_free(merge);
}

struct order {
	uint64_t time;
	uint32_t cpu;
	size_t nr;
};

/* If two CPUs have the same time, the lower one comes first. */
static void check_order(void *arg, const struct ktr_record *event)
{
	struct order *order = arg;

	assert_true(event->time > order->time ||
		    (event->time == order->time && event->cpu >= order->cpu));
	order->time = event->time;
	order->cpu = event->cpu;
	order->nr++;
}

#define NR_CPUS 97
#define NR_PACKETS 20

static void test_merge_of_many_cpus(void **state)
{
	struct merge *merge = merge_create(NR_CPUS);
	struct order order = { 0, 0, 0 };
	uint64_t times[NR_CPUS] = { 0 };
	unsigned int cpu, packet, record, seed = 1;
	struct buffer buffer;

	(void)state;
	for (packet = 0; packet < NR_PACKETS; packet++) {
		for (cpu = 0; cpu < NR_CPUS; cpu++) {
			begin_packet(&buffer, cpu, 0);
			for (record = rand_r(&seed) % 4; record; record--) {
				times[cpu] += rand_r(&seed) % 5;
				put_record(&buffer, times[cpu], KTRACE_REC_ENTRY, cpu, 0, 0, 0);
			}
			end_packet(&buffer);
			add_packet(merge, cpu, &buffer);
		}
		merge_drain(merge, check_order, &order);
		order.cpu = 0;
	}
	for (cpu = 0; cpu < NR_CPUS; cpu++)
		merge_clock(merge, cpu, UINT64_MAX);
	merge_drain(merge, check_order, &order);
	assert_in_range(order.nr, NR_CPUS * NR_PACKETS, NR_CPUS * NR_PACKETS * 3);
	merge_free(merge);
}

static void test_gaps_are_seen(void **state)
{
	struct merge *merge = merge_create(1);
	struct seen seen = { .nr = 0 };
	struct buffer a;

	(void)state;
	begin_packet(&a, 0, 7);
	put_record(&a, 10, KTRACE_REC_ENTRY, 1, 0, 0, 0);
	end_packet(&a);
	add_packet(merge, 0, &a);
	add_bytes(merge, 0, &a, a.len - 8);	/* cut short */
	merge_clock(merge, 0, UINT64_MAX);
	merge_drain(merge, see, &seen);
	assert_int_equal(seen.events[0].id, EVENT_GAP);
	assert_int_equal(seen.events[0].duration, 7);
	assert_int_equal(seen.events[1].id, EVENT_ENTRY);
	assert_int_equal(seen.events[2].id, EVENT_GAP);
	assert_int_equal(seen.nr, 3);
	merge_free(merge);
}

static void see_values(void *arg, const struct ktr_record *event)
{
	static const struct value_formats formats = { { 'd', 0, 's', 0, 0, 0, 'x' } };

	value_print_all(arg, event, &formats);
	fputc(';', arg);
}

/* Evaluates to what out_put() writes. */
#define shown(...) ({ \
	size_t len_; \
	FILE *out_ = open_memstream(&put, &len_); \
	out_put(out_, __VA_ARGS__); \
	fclose(out_); \
	put; \
})

#define assert_shown(expected, ...) do { \
	char *put; \
	assert_string_equal(shown(__VA_ARGS__), expected); \
	free(put); \
} while (0)

/* Names of files, functions and tasks must not control the terminal that shows them. */
static void test_foreign_text_is_escaped(void **state)
{
	(void)state;
	assert_shown("lib\\x1b]0;x\\x07\\x0a\\x09.so", "%s", "lib\033]0;x\007\n\t.so");
	assert_shown("\\x7f \\u009b2J \\u0080", "%s", "\177 \302\2332J \302\200");
	assert_shown("\\x9b \\xc3 \\xe2\\x82 \\xf5 \\xc0\\x9b", "%s",
		     "\233 \303 \342\202 \365 \300\233");
	assert_shown("\\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80 \\xe0\\x80\\x9b", "%s",
		     "\355\240\200 \364\220\200\200 \340\200\233");
	assert_shown("\\u061c\\u200e\\u200f\\u2028\\u2029", "%s", "\u061c\u200e\u200f\u2028\u2029");
	assert_shown("\\u202a\\u202b\\u202c\\u202d\\u202e", "%s", "\u202a\u202b\u202c\u202d\u202e");
	assert_shown("\\u2066\\u2067\\u2068\\u2069", "%s", "\u2066\u2067\u2068\u2069");
	assert_shown("\u00e4 \u00a0 \u200d \u2065 \u65e5 \U0001f600 \\", "%s",
		     "\u00e4 \u00a0 \u200d \u2065 \u65e5 \U0001f600 \\");
	assert_shown("\\x0a", "%c", '\n');
	assert_shown("\n\\x0a\n", "\n%s\n", "\n");
}

static void test_padding_is_of_characters(void **state)
{
	(void)state;
	assert_shown("\u00e4   |", "%-4s|", "\u00e4");
	assert_shown("|   \u00e4", "|%4s", "\u00e4");
	assert_shown("\\x1b  |", "%-*s|", 6, "\033");
	assert_shown("\\x1b  |", "%*s|", -6, "\033");
	assert_shown("ab    |", "%-6.*s|", 2, "abc");
	assert_shown("abc", "%.*s", -1, "abc");
	assert_shown("abc", "%1s", "abc");
}

static void test_numbers_are_as_printf_has_them(void **state)
{
	char *put, *text;

	(void)state;
#define same(...) do { \
	assert_true(asprintf(&text, __VA_ARGS__) > 0); \
	assert_string_equal(shown(__VA_ARGS__), text); \
	free(put); \
	free(text); \
} while (0)
	same("%d %5d|%-5i|%05d %+d", -1, 23, -23, 42, 7);
	same("%u %#x %llu %#llx %#llo", 4294967295u, 255, ~0ULL, 255ULL, 8ULL);
	same("%lu %ld %zu %10.3f|%.1f %% %.0f%%", ~0UL, -1L, (size_t)-1, 3.14159, 2.25, 99.5);
	same("%*u|%-*.*f|%02x", 7, 3, 9, 2, 1.005, 10);
#undef same
}

static void check_stack(const struct ktr_record *record, unsigned int nr)
{
	static const uint32_t stacks[] = { 7, KTRACE_STACK_NONE, 0, 0 };
	static const uint8_t nr_payloads[] = { 1, 0, 2, 0 };

	assert_int_equal(record->has_stack, nr < 2);
	if (record->has_stack)
		assert_int_equal(record->stack, stacks[nr]);
	assert_int_equal(record->nr_payload, nr_payloads[nr]);
	assert_int_equal(record->duration, 5);
	assert_int_equal(record->time, 9);
}

/* The stack is the last word, if the record's flags show that it has one. */
static void test_records_have_stacks(void **state)
{
	struct {
		struct ktrace_packet head;
		struct {
			struct ktrace_record rec;
			uint64_t duration, end, payload[2];
		} call;
		struct {
			struct ktrace_record rec;
			uint64_t duration, end, payload[1];
		} request;
		struct {
			struct ktrace_record rec;
			uint64_t duration, end, payload[2];
		} plain;
		struct {
			struct ktrace_record rec;
			uint64_t duration, end;
		} none;
	} packet = {
		.head = { .magic = KTRACE_CTF_MAGIC, .content_bits = 8 * sizeof(packet) },
		.call = { { .id = KTRACE_REC_SYSCALL, .flags = KTRACE_REC_F_STACK,
			    .nr_payload = 2 }, 5, 9, { 6, 7 } },
		.request = { { .id = KTRACE_REC_REQUEST, .flags = KTRACE_REC_F_STACK,
			       .nr_payload = 1 }, 5, 9, { KTRACE_STACK_NONE } },
		.plain = { { .id = KTRACE_REC_SYSCALL, .nr_payload = 2 }, 5, 9, { 6, 7 } },
		.none = { { .id = KTRACE_REC_SYSCALL, .flags = KTRACE_REC_F_STACK }, 5, 9 },
	};
	struct ktr_record record;
	unsigned int nr = 0;
	size_t at = 0;
	int got;

	(void)state;
	while ((got = ktr_record_next(&packet, sizeof(packet), &at, &record)) > 0)
		check_stack(&record, nr++);
	assert_int_equal(got, 0);
	assert_int_equal(nr, 4);
}

/* Values stay while events wait for other CPUs, and are freed, shown or not. */
static void test_values_travel(void **state)
{
	/* kinds, 7; kinds, -1, head, "ab" */
	static const uint64_t result[] = { 1, 7 }, args[] = { 0x020001, UINT32_MAX, 2, 0x6261 };
	struct merge *merge = merge_create(2);
	struct buffer a;
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	begin_packet(&a, 0, 0);
	put_record(&a, 10, KTRACE_REC_ENTRY, 1, 0, 0, 0);
	put_payload(&a, args, 4, 0);
	put_record(&a, 30, KTRACE_REC_EXIT, 1, 0, 0, 20);
	put_payload(&a, result, 2, 1);
	end_packet(&a);
	add_packet(merge, 0, &a);
	memset(a.data, 0xff, a.len);
	merge_clock(merge, 0, 40);
	merge_clock(merge, 1, 20);
	merge_drain(merge, see_values, out);
	fclose(out);
	assert_string_equal(text, "-1, \"ab\";");
	free(text);
	merge_free(merge);
}

static void test_values_asked_for(void **state)
{
	static const char *const bad[] = { "f", "f@", "@1", "f@0", "f@7", "f@1,", "f@1/q", "f@1,1" };
	struct value_rules rules = { NULL, 0 };
	struct value_formats formats = { { 0 } };
	struct err err;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(value_add_args(&rules, bad[i], &err), -1);
	assert_int_equal(value_add_args(&rules, "write@libc@2/s,1", &err), 0);
	assert_int_equal(value_add_result(&rules, "wr*", &err), 0);
	assert_int_equal(value_add_result(&rules, "f/x", &err), 0);
	value_rules_apply(&rules, "write", "write@libc.so.6", &formats);
	assert_memory_equal(formats.of, "ds\0\0\0\0d", 7);
	assert_true(rules.rules[0].is_used && rules.rules[1].is_used);
	assert_false(rules.rules[2].is_used);
	value_rules_free(&rules);
}

static void add_counted(struct table *functions, uint32_t func, const struct names *names,
			uint64_t entries, uint64_t calls, uint64_t sum)
{
	struct row *row = functions_add(functions, func, names);

	row->parts->figures[FIG_ENTRIES] = entries;
	row->parts->figures[FIG_CALLS] = calls;
	row->parts->figures[FIG_SUM] = sum;
}

/* Figures that do not fit into a double. */
static void test_sorts_by_any_average(void **state)
{
	char *texts[] = { (char *)"a", (char *)"b" };
	struct names names = { .texts = texts, .nr = 2 };
	struct table functions;

	(void)state;
	table_init(&functions, &functions_kind);
	add_counted(&functions, 0, &names, 1, 1, UINT64_MAX - 1);
	add_counted(&functions, 1, &names, 1, 1, UINT64_MAX);
	functions_sort(&functions, "avg");
	assert_string_equal(functions.rows[0].keys->text, "b");
	table_free(&functions);
}

/* Sorted by the shown column: a call that has not returned is not in it. */
static void test_sorts_by_calls_shown(void **state)
{
	char *texts[] = { (char *)"a", (char *)"b", (char *)"c" };
	struct names names = { .texts = texts, .nr = 3 };
	struct table functions;

	(void)state;
	table_init(&functions, &functions_kind);
	add_counted(&functions, 0, &names, 9, 2, 0);
	add_counted(&functions, 1, &names, 5, 5, 0);
	add_counted(&functions, 2, &names, 4, 0, 0);
	functions_sort(&functions, "calls");
	assert_string_equal(functions.rows[0].keys->text, "b");
	assert_string_equal(functions.rows[1].keys->text, "c");
	assert_string_equal(functions.rows[2].keys->text, "a");
	table_free(&functions);
}

static void test_conditions(void **state)
{
	struct conditions conditions;
	struct ktr_conditions of;
	struct err err;

	(void)state;
	memset(&conditions, 0, sizeof(conditions));
	assert_false(conditions_are_given(&conditions));
	assert_int_equal(conditions_add_users(&conditions, "0,1234", &err), 0);
	assert_int_equal(conditions_add_users(&conditions, "root", &err), 0);
	assert_int_equal(conditions_add_threads(&conditions, "any", &err), 0);
	assert_int_equal(conditions_set_cgroup(&conditions, "any", &err), 0);
	assert_int_equal(conditions_set_comm(&conditions, "redis*", &err), 0);
	of = conditions_of(&conditions);
	assert_int_equal(of.nr_uids, 3);
	assert_int_equal(of.uids[1], 1234);
	assert_non_null(of.tids);
	assert_int_equal(of.nr_tids, 0);
	assert_int_equal(*of.cgroup, 0);
	assert_string_equal(of.comm, "redis*");
	assert_int_equal(conditions_add_users(&conditions, "no such user", &err), -1);
	assert_int_equal(conditions_add_threads(&conditions, "0", &err), -1);
	assert_int_equal(conditions_add_threads(&conditions, "1,x", &err), -1);
	assert_int_equal(conditions_set_comm(&conditions, "sixteen letters!", &err), -1);
	assert_int_equal(conditions_set_comm(&conditions, "*", &err), -1);
	assert_int_equal(conditions_set_comm(&conditions, "a*b", &err), -1);
	assert_int_equal(conditions_set_cgroup(&conditions, "/proc/self", &err), -1);
}

static void test_screens(void **state)
{
	struct screen screen = { 2, 3 }, none = { 0, 0 };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	screen_show(out, &screen, "a\033[1mbc\033[0md\n\303\244\303\266\303\274x\nthird\n");
	screen_show(out, &none, "abcd\n");
	fclose(out);
	assert_string_equal(text, "\033[H\033[Ka\033[1mbc\033[0m\n\033[K\303\244\303\266\303\274abcd\n\n");
	free(text);
}

/* --- what is written -------------------------------------------------------- */

/* The write fails while the output is printed; nothing is left for the close. */
static void print_too_much(FILE *out)
{
	static char room[16];

	assert_non_null(out);
	setvbuf(out, room, _IOFBF, sizeof(room));
	assert_int_not_equal(fwrite("0123456789abcdef0123456789abcdef", 1, 32, out), 32);
	assert_true(ferror(out));
}

static void test_output_that_fails_early(void **state)
{
	struct output pipe_end = { .path = NULL }, full = { .path = "/dev/full" };
	struct err err;
	int ends[2];
	FILE *out;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	pipe_end.fd = ends[1];
	out = out_open(&pipe_end, &err);
	print_too_much(out);
	assert_int_equal(out_flush(out, &pipe_end, &err), -EPIPE);
	assert_non_null(strstr(err.text, "closed by its reader"));
	fclose(out);
	close(ends[1]);
	out = out_open(&full, &err);
	print_too_much(out);
	assert_int_equal(out_close(out, &full, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "Writing to /dev/full failed: No space left"));
}

/* Prints more than a pipe can hold, which nobody reads. */
static void print_blocked(int fd)
{
	struct output output = { .fd = fd };
	struct err err;
	FILE *out;
	int i;

	signals_init();
	out = out_open(&output, &err);
	for (i = 0; i < 1000000; i++)
		out_put(out, "%d\n", i);
	_exit(0);
}

#define MUCH (1UL << 20)

/* Reads all, but not before the pipe is nearly full. Returns whether all arrived. */
static bool read_much(int fd)
{
	static char bytes[65536];
	size_t all = 0;
	int held = 0;
	ssize_t len;

	while (held < 60000)
		if (ioctl(fd, FIONREAD, &held))
			return false;
	while ((len = read(fd, bytes, sizeof(bytes))) > 0)
		all += len;
	return all == MUCH;
}

/* Some programs set their standard output, which ktrace shares, to non-blocking. */
static void test_output_that_does_not_block(void **state)
{
	struct output output = { .path = NULL };
	struct err err = { "" };
	int ends[2], status, i;
	FILE *out;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	fcntl(ends[0], F_SETFL, 0);
	pid = fork();
	if (!pid) {
		close(ends[1]);
		alarm(60);
		_exit(!read_much(ends[0]));
	}
	output.fd = ends[1];
	out = out_open(&output, &err);
	for (i = 0; i < (int)(MUCH / 16); i++)
		fputs("0123456789abcde\n", out);
	if (out_close(out, &output, &err))
		fail_msg("%s", err.text);
	close(ends[1]);
	close(ends[0]);
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

/* Reports of losses must arrive, too. */
static void test_words_that_do_not_block(void **state)
{
	int ends[2], status, i;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	fcntl(ends[0], F_SETFL, 0);
	pid = fork();
	if (!pid) {
		alarm(60);
		dup2(ends[1], STDERR_FILENO);
		out_init();
		for (i = 0; i < (int)(MUCH / 16); i++)
			out_put(stderr, "%s\n", "0123456789abcde");
		_exit(0);
	}
	close(ends[1]);
	assert_true(read_much(ends[0]));
	close(ends[0]);
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

static void check_contents(const char *path, const char *expected)
{
	char text[32] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	assert_string_equal(text, expected);
}

/* A command that fails leaves an older result as it was. Other users cannot read a new one. */
static void test_output_files(void **state)
{
	char folder[] = "/tmp/ktrace-test-XXXXXX", path[64];
	struct output output = { .path = path };
	mode_t mask = umask(0);
	struct err err;
	struct stat st;
	FILE *out;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/out", folder);
	out = out_open(&output, &err);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	fputs("older result\n", out);
	assert_int_equal(out_close(out, &output, &err), 0);
	chmod(path, 0640);
	out = out_open(&output, &err);
	fclose(out);
	check_contents(path, "older result\n");
	out = out_open(&output, &err);
	fputs("new\n", out);
	assert_int_equal(out_flush(out, &output, &err), 0);
	fputs("more\n", out);
	assert_int_equal(out_close(out, &output, &err), 0);
	check_contents(path, "new\nmore\n");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	out = out_open(&output, &err);
	assert_int_equal(out_close(out, &output, &err), 0);
	check_contents(path, "");
	unlink(path);
	rmdir(folder);
	umask(mask);
}

static void wait_ms(int ms)
{
	struct timespec time = { 0, ms * 1000000L };

	nanosleep(&time, NULL);
}

/* The first signal ends the collection, the second one ends a blocked output. */
static void test_second_signal_ends_blocked_output(void **state)
{
	static const int numbers[] = { SIGINT, SIGTERM };
	int ends[2], status;
	size_t i;
	pid_t pid;

	(void)state;
	for (i = 0; i < 2; i++) {
		assert_int_equal(pipe(ends), 0);
		pid = fork();
		if (!pid)
			print_blocked(ends[1]);
		wait_ms(300);
		kill(pid, SIGINT);
		wait_ms(200);
		assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
		kill(pid, numbers[i]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == numbers[i]);
		close(ends[0]);
		close(ends[1]);
	}
}

/* Output that is read after one signal is complete. */
static void test_one_signal_loses_no_output(void **state)
{
	static char data[65536];
	size_t sum = 0;
	int ends[2], status;
	ssize_t len;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid)
		print_blocked(ends[1]);
	close(ends[1]);
	wait_ms(200);
	kill(pid, SIGINT);
	while ((len = read(ends[0], data, sizeof(data))) > 0)
		sum += len;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && sum > 6880000);
	close(ends[0]);
}

/* --- signals ------------------------------------------------------------- */

static void work(int words)
{
	bool is_told = false;

	signals_init();
	if (write(words, "w", 1) != 1)
		_exit(1);
	for (;;) {
		signals_look();
		if (!signals_nr_ends || is_told)
			continue;
		is_told = true;
		if (write(words, "e", 1) != 1)
			_exit(1);
	}
}

/* The first Ctrl-C is counted; when the work has taken a second, another one ends it. */
static void test_signals_during_long_work(void **state)
{
	uint64_t begin = clock_now_ns();
	int words[2], status;
	char word;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(words), 0);
	pid = fork();
	if (!pid) {
		alarm(60);
		work(words[1]);
	}
	assert_int_equal(read(words[0], &word, 1), 1);
	assert_int_equal(kill(pid, SIGINT), 0);
	assert_int_equal(read(words[0], &word, 1), 1);
	assert_int_equal(word, 'e');
	while (!waitpid(pid, &status, WNOHANG)) {
		kill(pid, SIGINT);
		poll(NULL, 0, 110);
	}
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGINT);
	assert_true(clock_now_ns() - begin > CLOCK_SECOND);
	close(words[0]);
	close(words[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_screens),
		cmocka_unit_test(test_sizes_are_shown),
		cmocka_unit_test(test_names_are_cut),
		cmocka_unit_test(test_style_fits),
		cmocka_unit_test(test_moments),
		cmocka_unit_test(test_output_that_fails_early),
		cmocka_unit_test(test_output_that_does_not_block),
		cmocka_unit_test(test_words_that_do_not_block),
		cmocka_unit_test(test_output_files),
		cmocka_unit_test(test_second_signal_ends_blocked_output),
		cmocka_unit_test(test_one_signal_loses_no_output),
		cmocka_unit_test(test_abi_control),
		cmocka_unit_test(test_abi_figures),
		cmocka_unit_test(test_abi_records),
		cmocka_unit_test(test_abi_numbers),
		cmocka_unit_test(test_duration_is_shown),
		cmocka_unit_test(test_duration_is_understood),
		cmocka_unit_test(test_numbers_are_strict),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_known_files),
		cmocka_unit_test(test_buckets_meet),
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_names_without_parameters),
		cmocka_unit_test(test_functions_are_cut),
		cmocka_unit_test(test_odd_names_are_cut),
		cmocka_unit_test(test_names_are_demangled),
		cmocka_unit_test(test_rust_names),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_names_that_take_for_ever),
		cmocka_unit_test(test_signals_during_long_work),
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_nearest_names),
		cmocka_unit_test(test_nearest_words),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_bare_times),
		cmocka_unit_test(test_wrong_options),
		cmocka_unit_test(test_merge_waits_for_every_cpu),
		cmocka_unit_test(test_merge_ends_with_a_gap),
		cmocka_unit_test(test_merge_of_many_cpus),
		cmocka_unit_test(test_gaps_are_seen),
		cmocka_unit_test(test_records_have_stacks),
		cmocka_unit_test(test_values_travel),
		cmocka_unit_test(test_foreign_text_is_escaped),
		cmocka_unit_test(test_padding_is_of_characters),
		cmocka_unit_test(test_numbers_are_as_printf_has_them),
		cmocka_unit_test(test_values_asked_for),
		cmocka_unit_test(test_sorts_by_any_average),
		cmocka_unit_test(test_sorts_by_calls_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
