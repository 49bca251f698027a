// SPDX-License-Identifier: GPL-2.0
/*
 * The formats of sinks. Writes records with unusual contents in each format into the folder that
 * is named, for formats.py, which compares them.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "../../user/stream/msgpack.h"
#include "../../user/stream/record_journal.h"
#include "../../user/stream/record_line.h"
#include "../../user/stream/record_msgpack.h"
#include "../../user/stream/syslog_5424.h"

static const char *folder;

static const struct identity identity = {
	.session = "web", .session_len = 3, .host = "host1", .host_len = 5,
	.boot = "0b1d2c3e-0000-4000-8000-1234567890ab",
	.json = ",\"session\":\"web\",\"host\":\"host1\",\"boot\":\"0b1d2c3e-0000-4000-8000-1234567890ab\"",
	.json_len = sizeof(",\"session\":\"web\",\"host\":\"host1\",\"boot\":\"0b1d2c3e-0000-4000-8000-1234567890ab\"") - 1,
	.id = "00c0ffee00c0ffee.3.17.42", .id_len = sizeof("00c0ffee00c0ffee.3.17.42") - 1,
	.realtime = 1795871484123456789,
};

/* --- records ---------------------------------------------------------------- */

static char long_text[9001];	/* longer than what is put without a check */
#define ROOM 65536
static char *frames[200];

static struct stack stack = {
	.frames = frames, .nr_kernel = 60, .nr = 200,
	.flags = KTRACE_STACK_KERNEL_CUT | KTRACE_STACK_USER_GONE,
};
static struct stack one_frame = { .frames = frames, .nr_kernel = 0, .nr = 1 };

static void set_name(struct record *record, const char *name)
{
	record->name = name;
	record->name_len = strlen(name);
}

static struct record of(uint32_t id)
{
	struct record record = {
		.kind = record_kind_of(id), .abi = "x86-64",
		.event = { .id = id, .time = 12345678901234, .duration = 1234567, .tid = 123456,
			   .cpu = 3, .depth = 2, .child = 17, .child_pid = 18 },
	};

	set_name(&record, "std::vector<int>::push_back");
	return record;
}

static struct record a_syscall(void)
{
	struct record record = of(EVENT_SYSCALL);

	record.syscall = (struct ktrace_syscall_record){ .ret = -2, .comm = "a\nb",
		.args = { -100, 0x7f3a51c20010, 0, -1, INT64_MIN, INT64_MAX } };
	record.value = (struct value){ .kind = KTRACE_VALUE_STRING, .state = KTRACE_STRING_CUT,
				       .text = "/etc/\xff\xfe\n", .len = 8 };
	record.is_cut = true;
	record.error = 2;
	set_name(&record, "openat");
	record.event.has_stack = true;
	record.stack = &stack;
	record.first = 1;
	return record;
}

static struct record a_request(void)
{
	struct record record = of(EVENT_REQUEST);

	record.request = (struct ktrace_request_record){
		.stage_ns = { 1, 127, 128, 5000000000 }, .sector = 255, .inode = (1ULL << 53) + 1,
		.file_dev = 259 << 20 | 3, .dev = 8 << 20 | 0xfffff, .bytes = 65536,
		.off_cpu_ns = KTRACE_OFF_CPU_UNKNOWN, .stages = 0xe, .pid = 65535, .comm = "\xc3\xa4",
	};
	set_name(&record, "write");
	record.disk = "nvme0n1";
	record.path = long_text;
	return record;
}

static struct record a_call(void)
{
	struct record record = of(EVENT_CALL);

	record.call = (struct ktrace_call_record){ .ret = INT64_MIN + 5, .comm = "x" };
	set_name(&record, long_text);
	record.event.has_stack = true;
	return record;
}

static struct record a_fault(void)
{
	struct record record = of(EVENT_FAULT);

	record.fault = (struct ktrace_fault_record){ .pid = 65536, .comm = "0123456789abcdef" };
	set_name(&record, "major write");
	record.path = "0x7f3a51c20000";
	record.error = EHWPOISON;
	return record;
}

static struct record a_sample(void)
{
	struct record record = of(EVENT_SAMPLE);

	record.sample = (struct ktrace_sample_record){ .pid = 77, .comm = "0123456789abcdef" };
	set_name(&record, "kernel");
	record.event.has_stack = true;
	record.stack = &stack;
	return record;
}

static struct record an_exit(const struct value *value)
{
	struct record record = of(EVENT_EXIT);

	record.value = *value;
	record.event.flags = KTRACE_REC_F_UNWOUND;
	return record;
}

/* An entry with a number, and strings in each state. */
static struct record an_entry(void)
{
	static const uint64_t payload[] = {
		KTRACE_VALUE_INT | KTRACE_VALUE_STRING << 8 | KTRACE_VALUE_STRING << 16 |
			KTRACE_VALUE_STRING << 24 | (uint64_t)KTRACE_VALUE_STRING << 32 |
			(uint64_t)KTRACE_VALUE_INT << 40, (uint64_t)-1,
		KTRACE_STRING_WHOLE << 8 | 5, 0x0a6f6c6c68,
		KTRACE_STRING_CUT << 8 | 3, 0x636261, KTRACE_STRING_NULL << 8,
		KTRACE_STRING_UNREADABLE << 8, 0xfedcba9876543210,
	};
	static const struct value_formats formats = { "dssssx" };
	struct record record = of(EVENT_ENTRY);

	record.event.payload = payload;
	record.event.nr_payload = sizeof(payload) / sizeof(*payload);
	record.formats = &formats;
	return record;
}

#define STRING(state_) { .kind = KTRACE_VALUE_STRING, .state = KTRACE_STRING_##state_,		\
			 .text = "a\nb", .len = 3 }

static struct json_object *row;

static size_t all_records(struct record *to)
{
	static const struct value values[] = {
		STRING(WHOLE), STRING(CUT), STRING(NULL), STRING(UNREADABLE),
		{ .kind = KTRACE_VALUE_INT, .format = 'x', .number = UINT64_MAX },
		{ .kind = KTRACE_VALUE_INT, .format = 'u', .number = UINT64_MAX },
		{ .kind = KTRACE_VALUE_INT, .format = 'd', .number = (uint64_t)-33 },
	};
	static const uint32_t plain[] = {
		EVENT_GAP, EVENT_TASK_EXIT, EVENT_FORK, EVENT_EXEC, EVENT_PERIOD, 77, EVENT_BEGIN,
		EVENT_CLOCK, EVENT_END,
	};
	size_t nr = 0, i;

	memset(long_text, 'n', sizeof(long_text) - 1);
	long_text[4100] = '\n';
	long_text[8000] = (char)0xff;
	for (i = 0; i < 200; i++)
		frames[i] = (char *)(i % 2 ? "schedule+0x10" : "a_function_with_a_long_name_in_a_stack [module]");
	to[nr++] = a_syscall();
	to[nr] = a_syscall();
	to[nr].value.state = KTRACE_STRING_UNREADABLE;
	to[nr++].stack = &one_frame;
	to[nr++] = a_request();
	to[nr++] = a_call();
	to[nr++] = a_fault();
	to[nr++] = a_sample();
	to[nr++] = an_entry();
	for (i = 0; i < sizeof(values) / sizeof(*values); i++)
		to[nr++] = an_exit(&values[i]);
	for (i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		to[nr++] = of(plain[i]);
	strcpy(to[nr - 6].event.program, "nginx");
	to[nr] = of(EVENT_ROW);
	to[nr++].members = row;
	return nr;
}

/* --- files ------------------------------------------------------------------ */

typedef char *put_t(struct json_line *line, const struct record *record,
		    const struct identity *identity);

static char *put_json(struct json_line *line, const struct record *record,
		      const struct identity *of_record)
{
	return record_line_put(line, line->begin, record, of_record);
}

/* Puts a message into memory of its own, and a zero behind it. Returns its length. */
static size_t put_message(char **text, put_t *put, const struct record *record,
			  const struct identity *of_record)
{
	char *end, *begin = malloc(ROOM + JSON_LINE_SLACK);
	struct json_line line = { .begin = begin, .limit = begin + ROOM };

	end = put(&line, record, of_record);
	assert_true(json_line_fits(&line, end));
	*end = 0;
	*text = begin;
	return end - begin;
}

/* Writes each message with its length in front. */
static void write_file(const char *name, put_t *put)
{
	struct record *records = calloc(64, sizeof(*records));
	size_t nr = all_records(records), i, len;
	char path[4096], *text;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	for (i = 0; i < nr; i++) {
		len = put_message(&text, put, &records[i], &identity);
		fprintf(file, "%zu\n", len);
		fwrite(text, 1, len, file);
		free(text);
	}
	fclose(file);
	free(records);
}

static void test_files(void **state)
{
	(void)state;
	write_file("json", put_json);
	write_file("msgpack", record_put_msgpack);
	write_file("journal", record_put_journal);
	write_file("5424", syslog_5424_put);
}

/*
 * A message fits if its room has its length, and not if it is shorter. It is never written beyond
 * the slack, which ends with the memory, for ASan.
 */
static void needs_its_length(put_t *put, const struct record *record)
{
	struct json_line line = { .limit = NULL };
	char *text, *memory, *end;
	size_t len = put_message(&text, put, record, &identity), room = len;
	bool fits;

	for (; room; room = room > len - 3 ? room - 1 : room / 2) {
		memory = malloc(room + JSON_LINE_SLACK);
		line = (struct json_line){ .begin = memory, .limit = memory + room };
		end = put(&line, record, &identity);
		fits = json_line_fits(&line, end);
		assert_int_equal(fits, room == len);
		assert_true(end >= memory && end <= memory + room + JSON_LINE_SLACK);
		if (fits)
			assert_memory_equal(memory, text, len);
		free(memory);
	}
	free(text);
}

static void test_rooms(void **state)
{
	static put_t *const formats[] = {
		put_json, record_put_msgpack, record_put_journal, syslog_5424_put,
	};
	struct record *records = calloc(64, sizeof(*records));
	size_t nr = all_records(records), i, j;

	(void)state;
	for (i = 0; i < nr; i++)
		for (j = 0; j < sizeof(formats) / sizeof(*formats); j++)
			needs_its_length(formats[j], &records[i]);
	free(records);
}

/* --- bytes ------------------------------------------------------------------- */

/* Zeros, which lengths have, become dots. */
static char *text_of(put_t *put, const struct record *record, const struct identity *of_record)
{
	char *text;
	size_t len = put_message(&text, put, record, of_record), i;

	for (i = 0; i < len; i++)
		text[i] = text[i] ? text[i] : '.';
	return text;
}

static void test_5424(void **state)
{
	struct record record = of(EVENT_TASK_EXIT);
	struct identity other = identity;
	char host[300], *text;

	(void)state;
	text = text_of(syslog_5424_put, &record, &identity);
	assert_non_null(strstr(text, "<30>1 2026-11-28T"));
	assert_non_null(strstr(text, ".123456Z host1 ktrace - task_exit - @cee: {\"schema\":"));
	assert_int_equal(text[strlen(text) - 1], '}');
	free(text);
	identity_set_host(&other, "");
	text = text_of(syslog_5424_put, &record, &other);
	assert_non_null(strstr(text, "Z - ktrace - task_exit - @cee: {"));
	free(text);
	memset(host, 'h', sizeof(host));
	memcpy(host, "a b\xc3", 4);
	host[299] = 0;
	identity_set_host(&other, host);
	text = text_of(syslog_5424_put, &record, &other);
	assert_non_null(strstr(text, "Z a?b?hh"));
	assert_int_equal(strstr(text, " ktrace - ") - strstr(text, " a?b?") - 1, 255);
	free(text);
}

static void test_journal_message(void **state)
{
	struct record record = a_syscall();
	char *text = text_of(record_put_journal, &record, &identity);

	(void)state;
	assert_ptr_equal(strstr(text, "PRIORITY=6\nSYSLOG_IDENTIFIER=ktrace\nMESSAGE_ID=a22418b9be31"),
			 text);
	assert_non_null(strstr(text, "\nMESSAGE=syscall openat, 1235 us, ENOENT\n"));
	assert_non_null(strstr(text, "\nKTRACE_COMM\n\003.......a\nb\n"));
	free(text);
	record = of(EVENT_GAP);
	text = text_of(record_put_journal, &record, &identity);
	assert_non_null(strstr(text, "\nMESSAGE=gap of records: 1234567\n"));
	free(text);
	record = of(EVENT_EXIT);
	set_name(&record, "two\nlines\n");
	text = text_of(record_put_journal, &record, &identity);
	assert_non_null(strstr(text, "\nMESSAGE=exit two lines , 1235 us\n"));
	free(text);
}

static void test_message_ids(void **state)
{
	uint32_t kinds[32], nr = 0, i, j;

	(void)state;
	for (i = EVENT_GAP; i <= EVENT_SAMPLE + 1; i++)
		kinds[nr++] = i;
	for (i = EVENT_BEGIN; i <= EVENT_ROW; i++)
		kinds[nr++] = i;
	for (i = 0; i < nr; i++) {
		assert_int_equal(strlen(record_message_id(kinds[i])), 32);
		assert_int_equal(strspn(record_message_id(kinds[i]), "0123456789abcdef"), 32);
		for (j = 0; j < i; j++)
			assert_string_not_equal(record_message_id(kinds[i]),
						record_message_id(kinds[j]));
	}
}

/* --- MessagePack -------------------------------------------------------------- */

static void is_number(int64_t number, const char *bytes, size_t len)
{
	char got[MSGPACK_LEN];

	assert_int_equal(msgpack_put_s64(got, number) - got, len);
	assert_memory_equal(got, bytes, len);
}

static void test_numbers(void **state)
{
	char got[MSGPACK_LEN];

	(void)state;
	is_number(0, "\0", 1);
	is_number(127, "\x7f", 1);
	is_number(128, "\xcc\x80", 2);
	is_number(255, "\xcc\xff", 2);
	is_number(256, "\xcd\x01\x00", 3);
	is_number(65535, "\xcd\xff\xff", 3);
	is_number(65536, "\xce\x00\x01\x00\x00", 5);
	is_number(UINT32_MAX, "\xce\xff\xff\xff\xff", 5);
	is_number(1LL << 32, "\xcf\x00\x00\x00\x01\x00\x00\x00\x00", 9);
	is_number(-1, "\xff", 1);
	is_number(-32, "\xe0", 1);
	is_number(-33, "\xd0\xdf", 2);
	is_number(-128, "\xd0\x80", 2);
	is_number(-129, "\xd1\xff\x7f", 3);
	is_number(INT16_MIN, "\xd1\x80\x00", 3);
	is_number(INT16_MIN - 1, "\xd2\xff\xff\x7f\xff", 5);
	is_number(INT32_MIN, "\xd2\x80\x00\x00\x00", 5);
	is_number(INT32_MIN - 1LL, "\xd3\xff\xff\xff\xff\x7f\xff\xff\xff", 9);
	is_number(INT64_MIN, "\xd3\x80\x00\x00\x00\x00\x00\x00\x00", 9);
	assert_int_equal(msgpack_put_u64(got, UINT64_MAX) - got, 9);
	assert_memory_equal(got, "\xcf\xff\xff\xff\xff\xff\xff\xff\xff", 9);
	assert_int_equal(msgpack_put_time(got, 0x12345678ULL * 1000000000 + 0x9abcde) - got, 10);
	assert_memory_equal(got, "\xd7\x00\x12\x34\x56\x78\x00\x9a\xbc\xde", 10);
}

typedef char *put_head_t(char *to, uint32_t nr);

static char *put_text_head(char *to, uint32_t len)
{
	return msgpack_put_text_head(to, len);
}

static void is_head(put_head_t *put, uint32_t nr, const char *bytes, size_t len)
{
	char got[MSGPACK_LEN];

	assert_int_equal(put(got, nr) - got, len);
	assert_memory_equal(got, bytes, len);
}

static void test_heads(void **state)
{
	(void)state;
	is_head(put_text_head, 31, "\xbf", 1);
	is_head(put_text_head, 32, "\xd9\x20", 2);
	is_head(put_text_head, 256, "\xda\x01\x00", 3);
	is_head(put_text_head, 65536, "\xdb\x00\x01\x00\x00", 5);
	is_head(msgpack_put_map_head, 15, "\x8f", 1);
	is_head(msgpack_put_map_head, 16, "\xde\x00\x10", 3);
	is_head(msgpack_put_map_head, 65536, "\xdf\x00\x01\x00\x00", 5);
	is_head(msgpack_put_array_head, 15, "\x9f", 1);
	is_head(msgpack_put_array_head, 16, "\xdc\x00\x10", 3);
	is_head(msgpack_put_array_head, 65536, "\xdd\x00\x01\x00\x00", 5);
	is_head(msgpack_put_bytes_head, 1, "\xc6\x00\x00\x00\x01", 5);
}

/* Every begin of an answer is incomplete. Each is in memory of its own length, for ASan. */
static void is_pair(const char *bytes, size_t len, const char *text)
{
	const char *read;
	size_t read_len, i;
	char *copy;

	for (i = 0; i <= len; i++) {
		copy = malloc(i + 1);
		memcpy(copy + 1, bytes, i);
		assert_int_equal(msgpack_read_pair(copy + 1, i, "ack", &read, &read_len),
				 i < len ? 0 : (int)len);
		if (i == len) {
			assert_int_equal(read_len, strlen(text));
			assert_memory_equal(read, text, read_len);
		}
		free(copy);
	}
}

static void is_no_pair(const char *bytes, size_t len)
{
	const char *read;
	size_t read_len;

	assert_int_equal(msgpack_read_pair(bytes, len, "ack", &read, &read_len), -1);
}

static void test_read_pair(void **state)
{
	(void)state;
	is_pair("\x81\xa3" "ack\xa2" "id", 8, "id");
	is_pair("\x81\xd9\x03" "ack\xd9\x02" "id", 10, "id");
	is_pair("\x81\xa3" "ack\xda\x00\x02" "id", 10, "id");
	is_pair("\x81\xa3" "ack\xa0", 6, "");
	is_no_pair("\x82", 1);
	is_no_pair("\x80", 1);
	is_no_pair("H", 1);
	is_no_pair("\x81\xa3" "acc\xa2" "id", 8);
	is_no_pair("\x81\xa2" "ac\xa2" "id", 7);
	is_no_pair("\x81\xa3" "ack\x07", 6);
	is_no_pair("\x81\xa3" "ack\xdb", 6);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files), cmocka_unit_test(test_rooms),
		cmocka_unit_test(test_5424),
		cmocka_unit_test(test_journal_message), cmocka_unit_test(test_message_ids),
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_heads),
		cmocka_unit_test(test_read_pair),
	};

	int failed;

	if (argc != 2)
		return 2;
	folder = argv[1];
	row = json_tokener_parse("{\"function\":\"a\\nb\",\"calls\":7,\"share\":12.5,\"is_cut\":true,"
				 "\"none\":null,\"histogram\":[{\"low\":-1,\"nr\":300}],"
				 "\"latency\":{\"p50\":\"9007199254740993\"}}");
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	json_object_put(row);
	return failed;
}
