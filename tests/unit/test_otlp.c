// SPDX-License-Identifier: GPL-2.0
/*
 * Records in OTLP, and answers of its servers.
 *   test_otlp FOLDER   tests, and writes records.json, logs.pb and spans.pb, which run.sh compares
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "../../user/stream/otlp.h"
#include "../../user/stream/otlp_record.h"
#include "../../user/stream/record_line.h"
#include "../../user/util/mem.h"

static const char *folder;

/* --- records ---------------------------------------------------------------------------- */

#define NOW 1700000000000000000ULL	/* ns since 1970 */
#define MEMBERS ",\"session\":\"web \xc3\xa9\",\"host\":\"h\",\"boot\":\"b\""

static struct files {
	FILE *json, *logs, *spans;
	unsigned int nr;
} files;

static char memory[65536 + JSON_LINE_SLACK];

static struct json_line *new_line(void)
{
	static struct json_line line;

	line = (struct json_line){ .begin = memory, .limit = memory + 65536 };
	return &line;
}

static void write_record(const struct record *record)
{
	char *end;
	struct identity identity = {
		.session = "web \xc3\xa9", .session_len = 6, .host = "h", .host_len = 1, .boot = "b",
		.json = MEMBERS,
		.json_len = sizeof(MEMBERS) - 1, .realtime = NOW,
	};

	if (record->event.id < EVENT_BEGIN)
		identity.id_len = snprintf(identity.id, sizeof(identity.id),
					   "feed00000000cafe.3.18446744073709551615.%u", files.nr++);
	end = record_line_put(new_line(), memory, record, &identity);
	fprintf(files.json, "%.*s\n", (int)(end - memory), memory);
	end = otlp_record_put_log(new_line(), record, &identity);
	fwrite(memory, 1, end - memory, files.logs);
	end = otlp_record_put_span(new_line(), record, &identity);
	fwrite(memory, 1, end - memory, files.spans);
}

static char *texts[] = {
	(char *)"main", (char *)"caf\xe9 \xc3\xa9", (char *)"std::vector<int>::push_back(int const&)",
};
static char *frames[] = { (char *)"vfs_read", (char *)"bad \xff frame", (char *)"main", (char *)"" };
static struct stack stacks_of[] = {
	{ .frames = frames, .nr_kernel = 2, .nr = 4, .flags = KTRACE_STACK_USER_CUT },
	{ .nr = 0 },
};

static struct record parsed(struct ktr_record *event)
{
	static struct value_formats formats[3];
	static bool are_fallible[] = { true, true, true };
	const struct names names = {
		.texts = texts, .formats = formats, .are_fallible = are_fallible, .nr = 3,
	};
	const struct stacks stacks = { .all = stacks_of, .nr = 2 };
	const struct record_source source = { .names = &names, .stacks = &stacks };
	struct record record;

	memcpy(formats[2].of, "xudsd", 5);
	event->tid = 4294967295U;
	event->time = 12345678901234ULL;
	record_parse(&record, event, &source);
	return record;
}

static void write_event(struct ktr_record event, const void *payload, size_t len)
{
	uint64_t words[64] = { 0 };
	struct record record;

	memcpy(words, payload, len);
	event.payload = words;
	event.nr_payload = (len + 7) / 8;
	record = parsed(&event);
	write_record(&record);
}

static uint64_t string_of(unsigned int state, unsigned int len)
{
	return state << 8 | len;
}

/* Values of each kind, in each format. */
static void write_calls(void)
{
	static const uint8_t kinds[8] = { KTRACE_VALUE_INT, KTRACE_VALUE_INT, KTRACE_VALUE_INT,
					  KTRACE_VALUE_STRING, KTRACE_VALUE_STRING };
	uint64_t words[] = { 0, UINT64_MAX, UINT64_MAX, -5, string_of(KTRACE_STRING_CUT, 3), 0,
			     string_of(KTRACE_STRING_WHOLE, 4), 0 };
	const uint64_t result[] = { KTRACE_VALUE_INT, 4294967295 };
	const unsigned int states[] = { KTRACE_STRING_NULL, KTRACE_STRING_UNREADABLE };
	unsigned int depth, i;

	memcpy(words, kinds, sizeof(kinds));
	memcpy(&words[5], "a\xff" "b", 3);
	memcpy(&words[7], "\xc3\xa9\0x", 4);
	write_event((struct ktr_record){ .id = EVENT_ENTRY, .func = 2, .depth = 7 }, words,
		    sizeof(words));
	for (i = 0; i < 2; i++) {
		words[0] = KTRACE_VALUE_STRING;
		words[1] = string_of(states[i], 0);
		write_event((struct ktr_record){ .id = EVENT_ENTRY, .func = 0 }, words, 16);
	}
	for (depth = 0; depth < 2; depth++)
		write_event((struct ktr_record){
			    .id = EVENT_EXIT, .func = 1, .depth = depth, .duration = 1234567890123,
			    .flags = KTRACE_REC_F_KILLED | KTRACE_REC_F_UNWOUND }, result,
			    sizeof(result));
	write_event((struct ktr_record){ .id = EVENT_EXIT, .duration = 0 }, result, 0);
}

static void write_system_calls(void)
{
	struct {
		struct ktrace_syscall_record fixed;
		char path[24];
	} open = {
		.fixed = { .ret = -2, .comm = "0123456789abcde", .args = { INT64_MIN, -1, 0, 1,
			   INT64_MAX, 5 } },
		.path = "/var/lib/caf\xe9",
	};
	uint64_t head = 1 << 16 | string_of(KTRACE_STRING_CUT, 5);

	write_event((struct ktr_record){ .id = EVENT_SYSCALL, .func = 17, .duration = 7,
		    .has_stack = true }, &open, sizeof(open));
	write_event((struct ktr_record){ .id = EVENT_SYSCALL, .func = 17, .has_stack = true,
		    .stack = 1 }, &open.fixed, sizeof(open.fixed));
	memcpy(open.path, &head, sizeof(head));
	strcpy(open.path + 8, "/a/b/");
	write_event((struct ktr_record){ .id = EVENT_SYSCALL, .func = 257,
		    .flags = KTRACE_REC_F_STRING }, &open, sizeof(open));
}

static void write_others(void)
{
	const struct ktrace_request_record request = {
		.stage_ns = { 10001, 200001, 8003, 30001003 }, .sector = 12345678, .inode = 1234567,
		.file_dev = 259 << 20 | 3, .dev = 259 << 20, .off_cpu_ns = 30203001,
		.bytes = 131072, .stages = 5, .pid = 123456, .comm = "redis", .error = 5,
	};
	const struct ktrace_request_record flush = { .sector = KTRACE_SECTOR_NONE };
	const struct ktrace_call_record call = { .ret = -13, .comm = "redis" };
	const struct ktrace_period_record period = { .comm = "redis" };

	write_event((struct ktr_record){ .id = EVENT_REQUEST, .duration = 31234567,
		    .func = KTRACE_BLOCK_FUNC(0, KTRACE_BLOCK_WRITE, KTRACE_BLOCK_Q2C) },
		    &request, sizeof(request));
	write_event((struct ktr_record){ .id = EVENT_REQUEST }, &flush, sizeof(flush));
	write_event((struct ktr_record){ .id = EVENT_CALL, .func = 2, .has_stack = true }, &call,
		    sizeof(call));
	write_event((struct ktr_record){ .id = EVENT_PERIOD, .func = KTRACE_SCHED_SLEEP },
		    &period, sizeof(period));
	write_event((struct ktr_record){ .id = EVENT_TASK_EXIT }, &period, 0);
	write_event((struct ktr_record){ .id = EVENT_FORK, .child = 5, .child_pid = 6 },
		    &period, 0);
	write_event((struct ktr_record){ .id = EVENT_EXEC, .program = "/bin/\xffsh" }, &period, 0);
}

static void write_own(void)
{
	struct record gap = {
		.kind = record_kind_of(EVENT_GAP), .event = { .id = EVENT_GAP, .duration = 5 },
		.tally = { .from = 1, .dropped = 1ULL << 60 }, .path = "full",
	};
	struct record clock = {
		.kind = record_kind_of(EVENT_CLOCK), .event = { .id = EVENT_CLOCK },
		.tally = { .step = -3600000000000 },
	};
	struct record row = {
		.kind = record_kind_of(EVENT_ROW), .event = { .id = EVENT_ROW }, .name = "calls",
		.members = json_tokener_parse("{\"calls\":3,\"share\":0.5,\"is_cut\":false,\"none\":null,"
			"\"list\":[1,\"a\",[]],\"inner\":{\"p50\":-7,\"name\":\"caf\xc3\xa9\"}}"),
	};

	write_record(&gap);
	write_record(&clock);
	write_record(&row);
	json_object_put(row.members);
}

static FILE *open_file(const char *name)
{
	char *path = mem_format("%s/%s", folder, name);
	FILE *file = fopen(path, "w");

	free(path);
	assert_non_null(file);
	return file;
}

static void test_records(void **state)
{
	(void)state;
	files = (struct files){ open_file("records.json"), open_file("logs.pb"),
				open_file("spans.pb"), 0 };
	write_calls();
	write_system_calls();
	write_others();
	write_own();
	assert_int_equal(fclose(files.json) | fclose(files.logs) | fclose(files.spans), 0);
}

/* --- answers ---------------------------------------------------------------------------- */

#define PARSE(parse, answer, text) parse(answer, text, sizeof(text) - 1)

static void test_answers(void **state)
{
	struct otlp_answer answer;

	(void)state;
	assert_true(PARSE(otlp_parse_success, &answer, ""));
	assert_int_equal(answer.rejected, 0);
	assert_true(PARSE(otlp_parse_success, &answer, "\x0a\x00"));
	assert_true(PARSE(otlp_parse_success, &answer, "\x0a\x0b\x08\x03\x12\x07too old"));
	assert_int_equal(answer.rejected, 3);
	assert_string_equal(answer.why, "too old");
	/* fields of a later version */
	assert_true(PARSE(otlp_parse_success, &answer, "\x0a\x04\x08\x7f\x18\x01\x15" "abcd\x19" "12345678"));
	assert_int_equal(answer.rejected, 127);
	/* -1 */
	assert_true(PARSE(otlp_parse_success, &answer, "\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
	assert_int_equal(answer.rejected, 0);
	assert_false(PARSE(otlp_parse_success, &answer, "<html>"));
	assert_false(PARSE(otlp_parse_success, &answer, "{}"));
	assert_false(PARSE(otlp_parse_success, &answer, "\x08\x01"));	/* no message */
	assert_false(PARSE(otlp_parse_success, &answer, "\x0a\x02\x08\x80"));
	PARSE(otlp_parse_failure, &answer, "\x08\x03\x12\x09" "bad field");
	assert_string_equal(answer.why, "bad field");
	PARSE(otlp_parse_failure, &answer, "not found\r\nsecond line");
	assert_string_equal(answer.why, "not found");
	PARSE(otlp_parse_failure, &answer, "");
	assert_string_equal(answer.why, "");
}

/* No part of an answer, and no answer with other bits, makes the parser read beyond it. */
static void test_answers_that_are_damaged(void **state)
{
	static const char whole[] = "\x0a\x0b\x08\x03\x12\x07too old\x15" "abcd\x19" "12345678";
	struct otlp_answer answer;
	size_t len, bit;
	char *copy;

	(void)state;
	for (len = 0; len < sizeof(whole); len++)
		for (bit = 0; bit <= 8 * len; bit++) {
			copy = malloc(len + !len);
			memcpy(copy, whole, len);
			if (bit < 8 * len)
				copy[bit / 8] ^= 1 << bit % 8;
			otlp_parse_success(&answer, copy, len);
			otlp_parse_failure(&answer, copy, len);
			free(copy);
		}
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_answers_that_are_damaged),
	};

	folder = argv[argc - 1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
