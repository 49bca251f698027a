// SPDX-License-Identifier: GPL-2.0
/*
 * What is generated from the description of records, and what a record costs on its way from the
 * packet to the line or message.
 *   schema      prints docs/schema/event.json
 *   WHICH NR [SINK]    writes NR records of one kind as lines, or puts them into parts for a sink,
 *               each with a name, a session, a host and a time
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../user/report/io_names.h"
#include "../../user/report/record.h"
#include "../../user/stream/feed_part.h"

/* --- the schema ------------------------------------------------------------- */

#define REF(name) "{\"$ref\":\"common.json#/$defs/" name "\"}"
#define FLAG(name) "{\"type\":\"object\",\"properties\":{\"" name "\":{\"type\":\"boolean\"}}," \
	"\"required\":[\"" name "\"]}"
#define CUT "{\"type\":\"object\",\"properties\":{\"cut\":{\"type\":\"string\"}}," \
	"\"required\":[\"cut\"]}"
#define VALUE "{\"anyOf\":[" REF("s64") ",{\"type\":\"string\"},{\"type\":\"null\"}," \
	FLAG("unreadable") "," CUT "]}"

static const char *const types[] = {
	[FIELD_UNSIGNED] = REF("u64"),
	[FIELD_TIME] = REF("u64"),
	[FIELD_SIGNED] = REF("s64"),
	[FIELD_LIST] = "{\"type\":\"array\",\"items\":" REF("s64") "}",
	[FIELD_CHARS] = "{\"type\":\"string\"}",
	[FIELD_TEXT] = "{\"type\":\"string\"}",
	[FIELD_NAME] = "{\"type\":\"string\"}",
	[FIELD_FUNCTION] = "{\"type\":\"string\"}",
	[FIELD_ERRNO] = "{\"type\":\"string\"}",
	[FIELD_DEV] = "{\"type\":\"string\"}",
	[FIELD_FLAG] = "{\"type\":\"boolean\"}",
	[FIELD_ARGS] = "{\"type\":\"array\",\"items\":" VALUE "}",
	[FIELD_RESULT] = VALUE,
	[FIELD_STRING] = "{\"type\":[\"string\",\"null\"]}",
	[FIELD_STAGES] = "{\"type\":\"object\",\"properties\":{\"q2g\":" REF("u64") ",\"g2i\":"
		REF("u64") ",\"i2d\":" REF("u64") ",\"d2c\":" REF("u64") "},\"required\":[]}",
	[FIELD_STACK] = "{\"anyOf\":[" REF("stack") ",{\"type\":\"null\"}]}",
	[FIELD_MEMBERS] = NULL,		/* those of a row of a table */
};

/* What ktrace stream and --to add to each (stream/identity.h). */
static const char *const added[] = { "id", "session", "host", "boot", "time" };

static void print_kind(const struct record_kind *kind)
{
	size_t i;

	assert(kind->nr <= RECORD_MOST_FIELDS);
	printf("{\"type\":\"object\",\"properties\":{\"schema\":{\"const\":\"" RECORD_SCHEMA "\"},"
	       "\"event\":{\"const\":\"%s\"}", kind->name);
	for (i = 0; i < kind->nr; i++)
		assert(kind->fields[i].kind != FIELD_CHARS || kind->fields[i].width >= RECORD_CHARS);
	for (i = 0; i < kind->nr; i++)
		if (types[kind->fields[i].kind])
			printf(",\"%s\":%s", kind->fields[i].name, types[kind->fields[i].kind]);
	for (i = 0; i < sizeof(added) / sizeof(*added); i++)
		printf(",\"%s\":{\"type\":\"string\"}", added[i]);
	printf("},\"required\":[\"schema\",\"event\"");
	for (i = 0; i < kind->nr; i++)
		if (types[kind->fields[i].kind] && !kind->fields[i].is_optional)
			printf(",\"%s\"", kind->fields[i].name);
	/* The figures of a row are those of its table. */
	printf(kind == record_kind_of(EVENT_ROW) ? "],\"additionalProperties\":{}}" : "]}");
}

static void print_schema(void)
{
	unsigned int id;

	printf("{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
	       "\"title\":\"An event, a document on a line: of --slow, run, ctl read, or ktrace stream\","
	       "\"anyOf\":[");
	for (id = EVENT_GAP; id <= EVENT_SAMPLE; id++) {
		printf(id ? "," : "");
		print_kind(record_kind_of(id));
	}
	for (id = EVENT_BEGIN; id <= EVENT_ROW; id++) {
		printf(",");
		print_kind(record_kind_of(id));
	}
	printf("]}\n");
}

/* --- the cost --------------------------------------------------------------- */

static const uint64_t arg[] = { KTRACE_VALUE_INT, 4096 };

/* What a busy program does: all optional fields that it commonly has, and long names. */
static const struct ktrace_syscall_record syscall_of = {
	.ret = 131072, .comm = "redis-server",
	.args = { 17, 0x7f3a51c20010, 131072, 12345678, 0x7ffd0a1b2c38, 0x55d0c8a3e2a0 },
};
static const struct ktrace_request_record request_of = {
	.stage_ns = { 10001, 200001, 8003, 30001003 }, .sector = 12345678, .inode = 1234567,
	.file_dev = 259 << 20 | 3, .dev = 259 << 20, .off_cpu_ns = 30203001, .bytes = 131072,
	.stages = 15, .pid = 123456, .comm = "redis-server",
};
static const struct ktrace_call_record call_of = { .ret = 131072, .comm = "redis-server" };
static const struct ktrace_period_record period_of = { .comm = "redis-server" };
static const struct ktrace_fault_record fault_of = {
	.page = 0x7f3a51c20000, .pid = 123456, .comm = "redis-server",
};
static const struct ktrace_sample_record sample_of = { .pid = 123456, .comm = "redis-server" };
static const char path[] = "/var/lib/redis/appendonly.aof";

/* The fixed part of the payload, and a text behind it. */
static struct payload {
	const void *fixed;
	size_t len;
	uint32_t func;
	const char *text;
	uint64_t string;	/* the word in front of the text; 0: none */
} payloads[EVENT_SAMPLE + 2] = {
	[EVENT_ENTRY] = { arg, sizeof(arg) }, [EVENT_EXIT] = { arg, sizeof(arg) },
	[EVENT_SYSCALL] = { &syscall_of, sizeof(syscall_of), 17, path },
	[EVENT_REQUEST] = { &request_of, sizeof(request_of),
			    KTRACE_BLOCK_FUNC(0, KTRACE_BLOCK_WRITE, KTRACE_BLOCK_Q2C) },
	[EVENT_CALL] = { &call_of, sizeof(call_of) },
	[EVENT_PERIOD] = { &period_of, sizeof(period_of), KTRACE_SCHED_SLEEP },
	[EVENT_FAULT] = { &fault_of, sizeof(fault_of), KTRACE_FAULT_WRITE },
	[EVENT_SAMPLE] = { &sample_of, sizeof(sample_of), KTRACE_PROFILE_KERNEL },
	/* openat, with the path of its second argument */
	[EVENT_SAMPLE + 1] = { &syscall_of, sizeof(syscall_of), 257, path,
			       1 << 16 | KTRACE_STRING_WHOLE << 8 | (sizeof(path) - 1) },
};

#define MEMBERS ",\"session\":\"web\",\"host\":\"db1.example.com\"," \
	"\"boot\":\"0b1d2c3e-0000-4000-8000-1234567890ab\""

static const struct identity identity = {
	.session = "web", .session_len = 3, .host = "db1.example.com", .host_len = 15,
	.boot = "0b1d2c3e-0000-4000-8000-1234567890ab",
	.json = MEMBERS, .json_len = sizeof(MEMBERS) - 1,
};

/* Returns the format of a sink, or NULL. */
static const struct sink_kind *sink_of(const char *name)
{
	static const struct sink_kind *const sinks[] = {
		&sink_json, &sink_syslog, &sink_relp, &sink_fluent, &sink_journald,
		&sink_otlp, &sink_otlp_traces,
	};
	size_t i;

	for (i = 0; i < sizeof(sinks) / sizeof(*sinks); i++)
		if (!strcmp(sinks[i]->name, name))
			return sinks[i];
	return NULL;
}

/* --- a packet ---------------------------------------------------------------- */

static struct {
	struct ktrace_packet head;
	uint64_t words[(KTRACE_PACKET_LEN - sizeof(struct ktrace_packet)) / sizeof(uint64_t)];
} packet;

/* Puts a record of the kind `which` as the module does. Returns its end. */
static uint64_t *put_record(uint64_t *to, unsigned int which, uint64_t time)
{
	const struct payload *payload = &payloads[which];
	struct ktrace_record *rec = (void *)to;
	uint64_t *begin;

	*rec = (struct ktrace_record){
		.time = time, .tid = 123456, .func = payload->func,
		.id = which > EVENT_SAMPLE ? EVENT_SYSCALL : which,
		.flags = payload->string ? KTRACE_REC_F_STRING :
			 payload->fixed == arg ? KTRACE_REC_F_VALUES : 0,
	};
	to = (uint64_t *)(rec + 1);
	if (rec->id == EVENT_EXIT || rec->id >= EVENT_SYSCALL)
		*to++ = 1234567;
	if (rec->id >= EVENT_SYSCALL)
		*to++ = time;
	begin = to;
	if (payload->len)
		to = (uint64_t *)((char *)memcpy(to, payload->fixed, payload->len) + payload->len);
	if (payload->string)
		*to++ = payload->string;
	if (payload->text)
		to += (strlen(strcpy((char *)to, payload->text)) + 7) / 8;
	rec->nr_payload = to - begin;
	return to;
}

#define RECORD_WORDS 32	/* at most */

/* Fills the packet with so many records, or as many as have room. */
static void fill_packet(unsigned int which, unsigned int nr)
{
	uint64_t *to = packet.words, time = 12345678901234;
	unsigned int i;

	memset(&packet, 0, sizeof(packet));
	for (i = 0; i < nr && to + RECORD_WORDS <= packet.words + sizeof(packet.words) / 8; i++)
		to = put_record(to, which, time += 1000);
	packet.head = (struct ktrace_packet){
		.magic = KTRACE_CTF_MAGIC, .cpu_id = 13, .nr_records = i,
		.content_bits = ((char *)to - (char *)&packet) * 8,
	};
}

/* --- its way ----------------------------------------------------------------- */

static struct part part;

/* In place of a sender. */
bool __wrap_outlet_pass(struct outlet *outlet, const char *id)
{
	(void)outlet;
	(void)id;
	return true;
}

/* Passes the packet to a sink as the stream does. */
static void pass_packet(const struct sink_kind *sink, const struct record_source *source)
{
	struct outlet outlet = { .sender = { .kind = sink, .part = &part } };
	static struct feed feed = {
		.session = { .cookie = 0xc0ffee00c0ffee }, .options = { .has_entries = true },
		.offset = 1795871484123456789 - 12345678901234,
	};
	struct position positions[14] = { [13] = { .packet = 12345 } };
	struct route route = { .feed = &feed, .outlet = &outlet, .at = positions, .has_begun = true };
	const struct ktr_packet given = {
		.cpu = 13, .nr_records = packet.head.nr_records, .number = 12345, .data = &packet,
		.len = sizeof(packet),
	};
	const struct load load = { .packet = &given, .cpu = 13 };

	feed.options.names.source = *source;
	if (!feed.cookie_len) {
		feed.identity = identity;
		feed_name_session(&feed);
	}
	for (; positions[13].packet == 12345; positions[13] = route.flight.at)
		feed_pass_part(&route, &load);
}

static void print_packet(FILE *out, const struct record_source *source)
{
	struct ktr_record event;
	struct record record;
	size_t at = 0;

	while (ktr_record_next(&packet, sizeof(packet), &at, &event) > 0) {
		record_parse(&record, &event, source);
		record_print_json(out, &record);
	}
}

/* Writes records of the kind `which`; the number after the last kind: a second kind of call. */
static void write_records(FILE *out, unsigned int which, unsigned int nr,
			  const struct sink_kind *sink)
{
	static char *texts[] = { (char *)"std::vector<int>::push_back(int const&)" };
	static bool are_fallible[] = { true };
	const struct names names = { .texts = texts, .are_fallible = are_fallible, .nr = 1 };
	struct io_names io = {
		.dev = request_of.dev, .inode = request_of.inode, .file_dev = request_of.file_dev,
		.pid = request_of.pid, .looked = UINT64_MAX >> 1, .disk = "nvme0n1",
	};
	const struct record_source source = { .names = &names, .io = &io };

	strcpy(io.path, path);
	for (; nr; nr -= packet.head.nr_records) {
		if (!packet.head.nr_records || packet.head.nr_records > nr)
			fill_packet(which, nr);
		if (sink)
			pass_packet(sink, &source);
		else
			print_packet(out, &source);
	}
}

int main(int argc, char **argv)
{
	if (argc >= 3)
		write_records(stdout, atoi(argv[1]), atoi(argv[2]), argc > 3 ? sink_of(argv[3]) : NULL);
	else
		print_schema();
	return 0;
}
