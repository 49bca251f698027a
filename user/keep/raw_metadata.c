// SPDX-License-Identifier: GPL-2.0
/*
 * The description of the module's packets, in TSDL of CTF 1.8 (diamon.org/ctf/v1.8.3).
 *
 * What a record has behind its fixed part depends on its flags and on nr_payload. TSDL cannot
 * compute a length, so a variant has one choice for each number of words. A reader finds the tag of
 * a variant in the fields of the same event only: time and id are the event's header, tid is its
 * context, and all members of struct ktrace_record behind tid are fields.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "keep/raw_metadata.h"
#include "report/number_names.h"
#include "report/syscall_names.h"
#include "report/tsdl.h"
#include "util/own_folder.h"

/* --- names ------------------------------------------------------------------ */

static void print_label(FILE *out, const char *text, uint32_t number)
{
	fputc('\t', out);
	tsdl_print_string(out, text);
	fprintf(out, " = %u,\n", number);
}

static void print_syscalls(FILE *out)
{
	uint32_t func;

	fputs("enum function : uint32_t {\n", out);
	for (func = 0; func < KTRACE_SYSCALL_OTHER; func++)
		if (syscall_name(func))
			print_label(out, syscall_name(func), func);
	fprintf(out, "\t\"no such call\" = %u\n};\n\n", KTRACE_SYSCALL_OTHER);
}

static void print_periods(FILE *out)
{
	uint32_t func;

	fputs("enum function : uint32_t {\n", out);
	for (func = 0; func < KTRACE_NR_SCHED; func++)
		print_label(out, number_periods[func], func);
	fputs("\t\"none\" = 0xffffffff\n};\n\n", out);
}

/* Numbers that are no kind have no label. */
static void print_faults(FILE *out)
{
	uint32_t func;

	fputs("enum function : uint32_t {\n", out);
	for (func = 0; func < KTRACE_NR_FAULTS; func++)
		if (fault_is_known(func))
			print_label(out, fault_name(func), func);
	fputs("\t\"none\" = 0xffffffff\n};\n\n", out);
}

static void print_modes(FILE *out)
{
	uint32_t func;

	fputs("enum function : uint32_t {\n", out);
	for (func = 0; func < KTRACE_NR_PROFILE; func++)
		print_label(out, profile_mode(func), func);
	fputs("\t\"none\" = 0xffffffff\n};\n\n", out);
}

/* KTRACE_BLOCK_FUNC */
static void print_requests(FILE *out)
{
	uint32_t i;

	fputs("enum stage : integer { size = 3; align = 1; signed = false; } {\n", out);
	for (i = 0; i < IO_NR_STAGES; i++)
		print_label(out, number_stages[i], i);
	fputs("\t\"other\" = 7\n};\n\n"
	      "enum operation : integer { size = 3; align = 1; signed = false; } {\n", out);
	for (i = 0; i < 7; i++)
		print_label(out, io_op_name(i), i);
	fputs("\t\"unknown\" = 7\n};\n\n"
	      "typealias integer { size = 26; align = 1; signed = false; } := device_t;\n\n", out);
}

static void print_names(FILE *out, const struct raw_trace *trace)
{
	static const struct names none;

	switch (trace->session->provider) {
	case KTRACE_PROVIDER_SYSCALLS:
		print_syscalls(out);
		break;
	case KTRACE_PROVIDER_SCHED:
		print_periods(out);
		break;
	case KTRACE_PROVIDER_FAULT:
		print_faults(out);
		break;
	case KTRACE_PROVIDER_PROFILE:
		print_modes(out);
		break;
	case KTRACE_PROVIDER_BLOCK:
		print_requests(out);
		break;
	default:
		tsdl_print_functions(out, trace->names ? trace->names : &none);
	}
}

/* --- types ------------------------------------------------------------------- */

#define MAX_WORDS 32	/* of a record whose payload has parts of variable length */

/*
 * The forms of records from SYSCALL on: KTRACE_REC_F_STACK, KTRACE_REC_F_STRING, or both. string is
 * a word of TSDL.
 */
static void print_forms(FILE *out)
{
	int i;

	fputs("typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := char_t;\n\n"
	      "enum form : uint8_t {\n"
	      "\t\"plain\" = 0 ... 63,\n\t\"stack\" = 64 ... 127,\n"
	      "\t\"path\" = 128 ... 191,\n\t\"path_stack\" = 192 ... 255\n};\n\n"
	      "enum words : uint8_t {\n", out);
	for (i = 0; i < MAX_WORDS; i++)
		fprintf(out, "\t\"n%d\" = %d,\n", i, i);
	fprintf(out, "\t\"more\" = %d ... 255\n};\n\n", MAX_WORDS);
}

static void print_stream(FILE *out)
{
	fputs("stream {\n\tid = 0;\n"
	      TSDL_PACKET_CONTEXT
	      "\tevent.header := struct {\n"
	      "\t\tclock_t timestamp;\n"
	      "\t\tuint32_t id;\n"
	      "\t};\n"
	      "\tevent.context := struct {\n"
	      "\t\tuint32_t tid;\n"
	      "\t};\n};\n\n", out);
}

/* --- events ------------------------------------------------------------------ */

static void begin_event(FILE *out, const char *name, uint32_t id, const char *func)
{
	fprintf(out, "event {\n\tname = \"%s\";\n\tid = %u;\n\tstream_id = 0;\n"
		"\tfields := struct {\n%s\t\tuint16_t depth;\n", name, id, func);
}

static void end_event(FILE *out)
{
	fputs("\t};\n};\n\n", out);
}

#define FUNCTION "\t\tenum function func;\n"
#define NUMBER "\t\tuint32_t func;\n"
#define REQUEST "\t\tenum stage stage;\n\t\tenum operation op;\n\t\tdevice_t device;\n"
#define HEAD "\t\tuint8_t flags;\n\t\tuint8_t nr_payload;\n"
#define FORM_HEAD "\t\tenum form flags;\n\t\tenum words nr_payload;\n"	\
	"\t\tuint64_t duration;\n\t\tuint64_t end;\n"
#define COMM "\t\tchar_t comm[16];\n"
#define STACK "uint32_t stack; uint32_t none;"

/* Records of user functions, and of threads. */
static void print_calls(FILE *out)
{
	begin_event(out, "entry", KTRACE_REC_ENTRY, FUNCTION);
	fputs(HEAD "\t\thex64_t payload[nr_payload];\n", out);
	end_event(out);
	begin_event(out, "exit", KTRACE_REC_EXIT, FUNCTION);
	fputs(HEAD "\t\tuint64_t duration;\n\t\thex64_t payload[nr_payload];\n", out);
	end_event(out);
}

static void print_threads(FILE *out)
{
	begin_event(out, "task_exit", KTRACE_REC_TASK_EXIT, NUMBER);
	fputs(HEAD "\t\thex64_t payload[nr_payload];\n", out);
	end_event(out);
	begin_event(out, "fork", KTRACE_REC_FORK, NUMBER);
	fputs(HEAD "\t\tuint64_t child_tid;\n\t\tuint64_t child_pid;\n", out);
	end_event(out);
	begin_event(out, "exec", KTRACE_REC_EXEC, NUMBER);
	fputs(HEAD COMM, out);
	end_event(out);
}

/* A record of which nothing but a stack varies. */
static void print_tail(FILE *out)
{
	fputs("\t\tvariant <flags> {\n"
	      "\t\t\tstruct { } plain;\n\t\t\tstruct { " STACK " } stack;\n"
	      "\t\t\tstruct { } path;\n\t\t\tstruct { " STACK " } path_stack;\n"
	      "\t\t} rest;\n", out);
}

#define SYSCALL_WORDS ((int)(sizeof(struct ktrace_syscall_record) / 8))

/*
 * Prints what follows struct ktrace_syscall_record in one form: `head`, then a text of each possible
 * length, then `end`. fixed: words without the text.
 */
static void print_texts(FILE *out, const char *form, const char *head, const char *end, int fixed)
{
	int nr;

	fputs("\t\t\tvariant <nr_payload> {\n", out);
	for (nr = fixed; nr < MAX_WORDS; nr++) {
		fprintf(out, "\t\t\t\tstruct { %s", head);
		if (nr > fixed)
			fprintf(out, "char_t path[%d]; ", 8 * (nr - fixed));
		fprintf(out, "%s} n%d;\n", end, nr);
	}
	fprintf(out, "\t\t\t} %s;\n", form);
}

static void print_syscall(FILE *out)
{
	static const char string[] = "uint8_t path_len; uint8_t path_state; uint16_t path_arg; uint32_t none1; ";

	begin_event(out, "syscall", KTRACE_REC_SYSCALL, FUNCTION);
	fputs(FORM_HEAD "\t\tint64_t ret;\n\t\thex64_t args[6];\n" COMM
	      "\t\tvariant <flags> {\n", out);
	print_texts(out, "plain", "", "", SYSCALL_WORDS);
	print_texts(out, "stack", "", STACK " ", SYSCALL_WORDS + 1);
	print_texts(out, "path", string, "", SYSCALL_WORDS + 1);
	print_texts(out, "path_stack", string, STACK " ", SYSCALL_WORDS + 2);
	fputs("\t\t} rest;\n", out);
	end_event(out);
}

static void print_request(FILE *out)
{
	uint32_t stage;

	begin_event(out, "request", KTRACE_REC_REQUEST, REQUEST);
	fputs(FORM_HEAD, out);
	for (stage = 0; stage < KTRACE_REQUEST_STAGES; stage++)
		fprintf(out, "\t\tuint64_t %s_ns;\n", number_stages[stage]);
	fputs("\t\tuint64_t sector;\n\t\tuint64_t inode;\n\t\tuint64_t off_cpu_ns;\n"
	      "\t\tuint32_t file_dev;\n\t\tuint32_t dev;\n\t\tuint32_t bytes;\n"
	      "\t\tuint32_t stages;\n\t\tuint32_t error;\n\t\tuint32_t pid;\n" COMM, out);
	print_tail(out);
	end_event(out);
}

static void print_call(FILE *out)
{
	begin_event(out, "call", KTRACE_REC_CALL, FUNCTION);
	fputs(FORM_HEAD "\t\tint64_t ret;\n" COMM, out);
	print_tail(out);
	end_event(out);
}

static void print_period(FILE *out)
{
	begin_event(out, "period", KTRACE_REC_PERIOD, FUNCTION);
	fputs(FORM_HEAD COMM, out);
	print_tail(out);
	end_event(out);
}

static void print_fault(FILE *out)
{
	begin_event(out, "fault", KTRACE_REC_FAULT, FUNCTION);
	fputs(FORM_HEAD "\t\thex64_t page;\n\t\tuint32_t error;\n\t\tuint32_t pid;\n" COMM, out);
	end_event(out);
}

static void print_sample(FILE *out)
{
	begin_event(out, "sample", KTRACE_REC_SAMPLE, FUNCTION);
	fputs(FORM_HEAD "\t\tuint32_t pid;\n\t\tuint32_t zero;\n" COMM, out);
	print_tail(out);
	end_event(out);
}

static void print_events(FILE *out, uint32_t provider)
{
	print_threads(out);
	switch (provider) {
	case KTRACE_PROVIDER_SYSCALLS:
		print_syscall(out);
		break;
	case KTRACE_PROVIDER_BLOCK:
		print_request(out);
		break;
	case KTRACE_PROVIDER_KERNEL:
		print_call(out);
		break;
	case KTRACE_PROVIDER_SCHED:
		print_period(out);
		break;
	case KTRACE_PROVIDER_FAULT:
		print_fault(out);
		break;
	case KTRACE_PROVIDER_PROFILE:
		print_sample(out);
		break;
	default:
		print_calls(out);
	}
}

static bool is_of(uint32_t provider, uint32_t id)
{
	switch (id) {
	case KTRACE_REC_TASK_EXIT:
	case KTRACE_REC_FORK:
	case KTRACE_REC_EXEC:
		return true;
	case KTRACE_REC_SYSCALL:
		return provider == KTRACE_PROVIDER_SYSCALLS;
	case KTRACE_REC_REQUEST:
		return provider == KTRACE_PROVIDER_BLOCK;
	case KTRACE_REC_CALL:
		return provider == KTRACE_PROVIDER_KERNEL;
	case KTRACE_REC_PERIOD:
		return provider == KTRACE_PROVIDER_SCHED;
	case KTRACE_REC_FAULT:
		return provider == KTRACE_PROVIDER_FAULT;
	case KTRACE_REC_SAMPLE:
		return provider == KTRACE_PROVIDER_PROFILE;
	default:
		return id <= KTRACE_REC_EXIT && provider == KTRACE_PROVIDER_USER;
	}
}

/* The words that each form of its payload has. */
static size_t fixed_words(uint32_t id)
{
	static const size_t lens[] = {
		[KTRACE_REC_FORK] = 16, [KTRACE_REC_EXEC] = 16,
		[KTRACE_REC_SYSCALL] = sizeof(struct ktrace_syscall_record),
		[KTRACE_REC_REQUEST] = sizeof(struct ktrace_request_record),
		[KTRACE_REC_CALL] = sizeof(struct ktrace_call_record),
		[KTRACE_REC_PERIOD] = sizeof(struct ktrace_period_record),
		[KTRACE_REC_FAULT] = sizeof(struct ktrace_fault_record),
		[KTRACE_REC_SAMPLE] = sizeof(struct ktrace_sample_record),
	};

	return lens[id] / sizeof(uint64_t);
}

bool raw_metadata_has(uint32_t provider, const struct ktrace_record *record)
{
	size_t words;

	if (!is_of(provider, record->id))
		return false;
	words = fixed_words(record->id);
	if (record->id >= KTRACE_REC_SYSCALL)
		words += !!(record->flags & KTRACE_REC_F_STACK);
	if (record->id == KTRACE_REC_SYSCALL)
		words += !!(record->flags & KTRACE_REC_F_STRING);
	return record->nr_payload >= words;
}

void raw_metadata_print(FILE *out, const struct raw_trace *trace)
{
	fputs("/* CTF 1.8 */\n\n", out);
	tsdl_print_types(out);
	print_forms(out);
	tsdl_print_trace(out, trace->session->id, trace->session->cookie);
	tsdl_print_clock(out, &trace->clocks, trace->boot);
	print_names(out, trace);
	print_stream(out);
	print_events(out, trace->session->provider);
}

/* --- its file ----------------------------------------------------------------- */

#define METADATA "metadata"
#define HIDDEN ".metadata"	/* readers skip hidden files */

static bool write_file(int folder, const struct raw_trace *trace)
{
	int fd = own_folder_create(folder, HIDDEN);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	bool is_written;

	if (!file) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	raw_metadata_print(file, trace);
	is_written = !fflush(file) && !ferror(file) && (!fsync(fileno(file)) || errno == EINVAL);
	return !fclose(file) && is_written;
}

int raw_metadata_write(int folder, const struct raw_trace *trace)
{
	int error;

	errno = 0;
	if (write_file(folder, trace) && !renameat(folder, HIDDEN, folder, METADATA))
		return 0;
	error = errno ? -errno : -EIO;
	unlinkat(folder, HIDDEN, 0);
	return error;
}
