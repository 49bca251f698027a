// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "report/io_names.h"
#include "report/json_line.h"
#include "report/number_names.h"
#include "report/record.h"
#include "report/stack_frames.h"

#define MAX_ERRNO 4095

/* --- the description ------------------------------------------------------ */

#define AT(member)									\
	.offset = offsetof(struct record, member), .width = WIDTH(member)
#define WIDTH(member) sizeof(((struct record *)0)->member)
#define FIELD_OF(name_, otel_, kind_, member, bits)					\
	.name = (name_), .json = ",\"" name_ "\":", .json_len = sizeof(name_) + 3,	\
	.otel = (otel_), .otel_len = sizeof(otel_) - 1,					\
	.kind = FIELD_##kind_, .mask = (bits), AT(member)
#define BITS(member) (UINT64_MAX >> (WIDTH(member) < 8 ? 64 - 8 * WIDTH(member) : 0))
#define FIELD(name, kind, member) FIELD_OF(name, "ktrace." name, kind, member, BITS(member))
/* A field for which OpenTelemetry has a name. */
#define FIELD_AS(otel, name, kind, member) FIELD_OF(name, otel, kind, member, BITS(member))
#define ABSENT_IF(value) .is_optional = true, .none = (uint64_t)(value)
#define NS .unit = "ns"

#define TIME { FIELD("time_ns", TIME, event.time), NS, .is_head = true, .column = 1 }
#define TID { FIELD_AS("thread.id", "tid", UNSIGNED, event.tid), .is_head = true, .column = 7 }
#define CPU { FIELD("cpu", UNSIGNED, event.cpu), .is_head = true }
#define COMM(member) { FIELD("comm", CHARS, member), .is_head = true, .column = -15 }
#define DURATION { FIELD("duration_ns", UNSIGNED, event.duration), NS, .column = 8 }
#define FUNCTION { FIELD_AS("code.function.name", "name", FUNCTION, event.func), .ctf = "func" }
#define DEPTH { FIELD("depth", UNSIGNED, event.depth) }
#define FLAGS { FIELD_OF("flags", "ktrace.flags", FLAGS, event.flags, 0), ABSENT_IF(0) }
#define FLAG(name, bit)									\
	{ FIELD_OF(name, "ktrace." name, FLAG, event.flags, KTRACE_REC_F_##bit), ABSENT_IF(0) }
#define ENDS										\
	FLAG("unwound", UNWOUND), FLAG("killed", KILLED), FLAG("inherited", INHERITED)
#define ERROR { FIELD("errno", ERRNO, error), ABSENT_IF(0) }
#define STACK { FIELD("stack", STACK, event.has_stack), ABSENT_IF(false) }

#define TALLY(name) { FIELD(#name, UNSIGNED, tally.name) }

static const struct field gap[] = {
	TIME, CPU, { FIELD("missing", UNSIGNED, event.duration) },
	/* of a streamer */
	{ FIELD("from_ns", UNSIGNED, tally.from), NS, ABSENT_IF(0) },
	{ FIELD("dropped", UNSIGNED, tally.dropped), ABSENT_IF(0) },
	{ FIELD("reason", TEXT, path), ABSENT_IF(NULL) },
};

static const struct field begin[] = {
	TIME, { FIELD("provider", TEXT, name) },
	TALLY(produced), TALLY(acknowledged), TALLY(dropped), TALLY(held),
};

static const struct field clock_set[] = {
	TIME, { FIELD("step_ns", SIGNED, tally.step), NS },
};

static const struct field end[] = {
	TIME, { FIELD("state", TEXT, name) },
	TALLY(produced), TALLY(acknowledged), TALLY(dropped), TALLY(held),
	TALLY(delivered), TALLY(refused), TALLY(skipped),
};

static const struct field entry[] = {
	TIME, TID, FUNCTION, DEPTH, FLAGS, { FIELD("args", ARGS, event.nr_payload), ABSENT_IF(0) },
	ENDS, FLAG("tail", TAIL),
};

static const struct field call_exit[] = {
	TIME, TID, FUNCTION, DEPTH, FLAGS, DURATION,
	{ FIELD("return", RESULT, value.kind), ABSENT_IF(0) }, ENDS, FLAG("at_most", AT_MOST),
	FLAG("open", OPEN), FLAG("tail", TAIL),
};

static const struct field task_exit[] = { TIME, TID };

static const struct field fork[] = {
	TIME, TID, { FIELD("child", UNSIGNED, event.child), .ctf = "child_tid" },
	{ FIELD("child_pid", UNSIGNED, event.child_pid) },
};

static const struct field exec[] = { TIME, TID, { FIELD("program", CHARS, event.program) } };

static const struct field syscall[] = {
	TIME, CPU, TID, COMM(syscall.comm),
	{ FIELD("name", NAME, name) },
	{ FIELD("abi", TEXT, abi) },
	DURATION,
	{ FIELD("args", LIST, syscall.args) },
	{ FIELD("path", TEXT, path), ABSENT_IF(NULL) },
	{ FIELD("filename", STRING, value.kind), ABSENT_IF(0) },
	{ FIELD("is_filename_cut", FLAG, is_cut), ABSENT_IF(false) },
	{ FIELD("return", SIGNED, syscall.ret) },
	ERROR, STACK,
};

static const struct field request[] = {
	TIME, CPU, TID, COMM(request.comm),
	{ FIELD_AS("process.pid", "pid", UNSIGNED, request.pid) },
	{ FIELD("operation", NAME, name) },
	{ FIELD("disk", TEXT, disk) },
	{ FIELD("dev", DEV, request.dev) },
	{ FIELD("sector", UNSIGNED, request.sector), ABSENT_IF(KTRACE_SECTOR_NONE) },
	{ FIELD("bytes", UNSIGNED, request.bytes), .unit = "bytes" },
	{ FIELD("inode", UNSIGNED, request.inode), ABSENT_IF(0) },
	{ FIELD("file_dev", DEV, request.file_dev), ABSENT_IF(0) },
	{ FIELD("path", TEXT, path), ABSENT_IF(NULL) },
	DURATION,
	{ FIELD("stages", STAGES, request.stage_ns), NS },
	{ FIELD("off_cpu_ns", UNSIGNED, request.off_cpu_ns), NS, ABSENT_IF(KTRACE_OFF_CPU_UNKNOWN) },
	ERROR, STACK,
};

static const struct field call[] = {
	TIME, CPU, TID, COMM(call.comm), FUNCTION, DURATION,
	{ FIELD("return", SIGNED, call.ret), ABSENT_IF(KTRACE_RESULT_NONE) },
	ERROR, STACK,
};

static const struct field period[] = {
	TIME, CPU, TID, COMM(period.comm), { FIELD("kind", NAME, name) }, DURATION, STACK,
};

static const struct field fault[] = {
	TIME, CPU, TID, COMM(fault.comm),
	{ FIELD_AS("process.pid", "pid", UNSIGNED, fault.pid) },
	{ FIELD("kind", NAME, name) }, DURATION, { FIELD("page", TEXT, path) }, ERROR,
};

/* A moment, which counts for the time from one sample to the next. */
static const struct field sample[] = {
	TIME, CPU, TID, COMM(sample.comm),
	{ FIELD_AS("process.pid", "pid", UNSIGNED, sample.pid) },
	{ FIELD("mode", NAME, name) },
	{ FIELD("period_ns", UNSIGNED, event.duration), NS, .column = 8 }, STACK,
};

static const struct field row[] = {
	TIME, { FIELD("from_ns", UNSIGNED, tally.from), NS },
	{ FIELD("table", TEXT, name) },
	{ .name = "", .kind = FIELD_MEMBERS, .otel = "ktrace.", .otel_len = 7, AT(members) },
};

#define JSON(name) RECORD_JSON name "\""
#define KIND(name, fields)								\
	{ name, sizeof(name) - 1, fields, sizeof(fields) / sizeof(*(fields)), JSON(name),	\
	  sizeof(JSON(name)) - 1 }

static const struct record_kind kinds[RECORD_NR_KINDS] = {
	[EVENT_GAP] = KIND("gap", gap),
	[EVENT_ENTRY] = KIND("entry", entry),
	[EVENT_EXIT] = KIND("exit", call_exit),
	[EVENT_TASK_EXIT] = KIND("task_exit", task_exit),
	[EVENT_FORK] = KIND("fork", fork),
	[EVENT_EXEC] = KIND("exec", exec),
	[EVENT_SYSCALL] = KIND("syscall", syscall),
	[EVENT_REQUEST] = KIND("request", request),
	[EVENT_CALL] = KIND("call", call),
	[EVENT_PERIOD] = KIND("period", period),
	[EVENT_FAULT] = KIND("fault", fault),
	[EVENT_SAMPLE] = KIND("sample", sample),
	[RECORD_UNKNOWN] = KIND("unknown", task_exit),
	[RECORD_OWN(EVENT_BEGIN)] = KIND("begin", begin),
	[RECORD_OWN(EVENT_CLOCK)] = KIND("clock", clock_set),
	[RECORD_OWN(EVENT_END)] = KIND("end", end),
	[RECORD_OWN(EVENT_ROW)] = KIND("row", row),
};

const struct record_kind *record_kind_of(uint32_t id)
{
	return &kinds[record_kind_number(id)];
}

/* --- records -------------------------------------------------------------- */

/* Copies the fixed part of the payload. Returns the rest, of *len bytes. */
static inline const uint64_t *copy_payload(void *to, size_t room, const struct ktr_record *event,
					   size_t *len)
{
	size_t all = event->nr_payload * sizeof(*event->payload);

	/* A copy of constant length takes fewer instructions. */
	if (all >= room)
		memcpy(to, event->payload, room);
	else
		memset(to, 0, room);
	if (all < room && all)
		memcpy(to, event->payload, all);
	*len = all > room ? all - room : 0;
	return event->payload + room / sizeof(*event->payload);
}

/* A path that was read from memory. */
static void parse_string(struct record *record, const uint64_t *words, size_t len)
{
	if (len < sizeof(*words))
		return;
	record->string_arg = *words >> 16 & 0xff;
	record->value.state = *words >> 8;
	record->value.len = *words & 0xff;
	record->value.text = (const char *)(words + 1);
	if (record->value.len > len - sizeof(*words))
		return;
	record->value.kind = KTRACE_VALUE_STRING;
	record->is_cut = record->value.state == KTRACE_STRING_CUT;
}

static void parse_path(struct record *record, const uint64_t *words, size_t len)
{
	if (len > KTRACE_SYSCALL_PATH_LEN)
		len = KTRACE_SYSCALL_PATH_LEN;
	memcpy(record->path_text, words, len);
	record->path_text[len] = 0;
	record->path = record->path_text[0] ? record->path_text : NULL;
}

static void parse_syscall(struct record *record, const struct ktr_record *event)
{
	const uint64_t *rest;
	size_t len;

	rest = copy_payload(&record->syscall, sizeof(record->syscall), event, &len);
	record->name = syscall_name(event->func);
	if (!record->name)
		record->name = syscall_text(record->name_text, event->func);
	record->abi = syscall_is_compat(event->func) ? "i386" : "x86-64";
	if (len && (event->flags & KTRACE_REC_F_STRING))
		parse_string(record, rest, len);
	else if (len)
		parse_path(record, rest, len);
	if (record->syscall.ret < 0 && record->syscall.ret >= -MAX_ERRNO)
		record->error = -record->syscall.ret;
}

static void parse_request(struct record *record, const struct ktr_record *event, struct io_names *names)
{
	struct ktrace_request_record *request = &record->request;
	size_t len;

	copy_payload(request, sizeof(*request), event, &len);
	record->name = io_op_name(KTRACE_BLOCK_OP(event->func));
	record->error = request->error;
	if (!request->inode)
		request->file_dev = 0;
	if (names)
		io_names_fill(names, request, event->time);
	record->disk = !request->dev ? "(no disk)" : names ? names->disk :
		       disk_number(record->disk_text, request->dev);
	if (names && request->inode && names->path[0])
		record->path = names->path;
}

/* The result is not usable if the function has none, or returns no error. */
static void parse_call(struct record *record, const struct ktr_record *event,
		       const struct names *names)
{
	size_t len;

	copy_payload(&record->call, sizeof(record->call), event, &len);
	if (!names || !names_is_fallible(names, event->func) || record->call.ret < -MAX_ERRNO)
		record->call.ret = KTRACE_RESULT_NONE;
	else if (record->call.ret < 0)
		record->error = -record->call.ret;
	if (record->stack)
		record->first = stack_first(record->stack, record->name);
}

static void parse_fault(struct record *record, const struct ktr_record *event)
{
	size_t len;

	copy_payload(&record->fault, sizeof(record->fault), event, &len);
	record->name = fault_name(event->func);
	record->error = record->fault.error;
	*json_put_bare_hex(record->path_text, record->fault.page) = 0;
	record->path = record->path_text;
}

void record_parse(struct record *record, const struct ktr_record *event,
		  const struct record_source *source)
{
	static const struct record nothing;
	struct value_place place = { 0, 0 };
	uint32_t id = event->id;
	size_t len;

	/* By memcpy(), because compilers make a slow loop of memset(). */
	memcpy(&record->name, &nothing.name,
	       offsetof(struct record, kind) - offsetof(struct record, name));
	record->kind = record_kind_of(id);
	if (event != &record->event)
		record->event = *event;
	if (event->has_stack && source->stacks)
		record->stack = stacks_get(source->stacks, event->stack);
	if (id == EVENT_GAP)
		record->tally = nothing.tally;
	if (id == EVENT_SYSCALL) {
		parse_syscall(record, event);
	} else if (id == EVENT_REQUEST) {
		parse_request(record, event, source->io);
	} else if (id == EVENT_PERIOD) {
		copy_payload(&record->period, sizeof(record->period), event, &len);
		record->name = event->func < KTRACE_NR_SCHED ? sched_kind(event->func) : "unknown";
	} else if (id == EVENT_FAULT) {
		parse_fault(record, event);
	} else if (id == EVENT_SAMPLE) {
		copy_payload(&record->sample, sizeof(record->sample), event, &len);
		record->name = profile_mode(event->func);
	} else if (source->names) {
		record->name = names_get(source->names, event->func);
		record->formats = names_formats(source->names, event->func);
	}
	if (record->name)
		record->name_len = strlen(record->name);
	if (id == EVENT_CALL)
		parse_call(record, event, source->names);
	if (id == EVENT_EXIT && !value_next(event, record->formats, &place, &record->value))
		record->value.kind = 0;
}
