// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <json-c/json.h>

#include "keep/documents.h"
#include "report/json.h"
#include "report/json_write.h"
#include "report/unwind_text.h"
#include "session/session.h"
#include "version.h"

static struct json_object *new_document(const char *is)
{
	struct json_object *to = json_object_new_object();

	json_add_text(to, "is", is);
	return to;
}

static struct json_object *new_of_session(const char *is, size_t index)
{
	struct json_object *to = new_document(is);

	json_add_u64(to, "session", index);
	return to;
}

static void add_hex(struct json_object *to, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
	json_add_text(to, key, text);
}

static void add_words(struct json_object *to, const char *key, char *const *words)
{
	struct json_object *list = json_object_new_array();

	for (; *words; words++)
		json_object_array_add(list, json_object_new_string(*words));
	json_add(to, key, list);
}

static void put_clocks(struct json_object *to, const struct ktrace_clocks *clocks)
{
	json_add_u64(to, "monotonic_ns", clocks->monotonic);
	json_add_u64(to, "realtime_ns", clocks->realtime);
}

static void add_clocks(struct json_object *to, const char *key, const struct ktrace_clocks *clocks)
{
	struct json_object *object = json_object_new_object();

	put_clocks(object, clocks);
	json_add(to, key, object);
}

/* --- the recording ------------------------------------------------------------ */

static void add_machine(struct json_object *to)
{
	struct utsname machine;

	if (uname(&machine))
		return;
	json_add_text(to, "arch", machine.machine);
	json_add_text(to, "host", machine.nodename);
	json_add_text(to, "kernel", machine.release);
}

static void add_pids(struct json_object *to, const struct document_subject *subject)
{
	struct json_object *list = json_object_new_array();
	size_t i;

	for (i = 0; i < subject->nr_pids; i++)
		json_object_array_add(list, json_object_new_int(subject->pids[i]));
	if (subject->nr_pids)
		json_add_u64(to, "pid", subject->pids[0]);
	json_add(to, "pids", list);
}

struct json_object *document_recording(const struct document_subject *subject)
{
	struct json_object *to = new_document("recording");

	json_add_text(to, "schema", "ktrace.recording/1");
	json_add_text(to, "version", KTRACE_VERSION);
	json_add_u64(to, "abi", KTRACE_ABI);
	json_add_u64(to, "packet_len", KTRACE_PACKET_LEN);
	json_add_text(to, "byte_order", "little");
	add_machine(to);
	json_add_text(to, "boot_id", subject->boot);
	json_add_u64(to, "nr_cpus", sysconf(_SC_NPROCESSORS_CONF));
	add_words(to, "command", subject->command);
	if (subject->program)
		add_words(to, "program", subject->program);
	add_pids(to, subject);
	add_clocks(to, "begin", &subject->begin);
	return to;
}

struct json_object *document_task(pid_t pid, const char *comm)
{
	struct json_object *to = new_document("task");

	json_add_u64(to, "pid", pid);
	json_add_u64(to, "tid", pid);
	json_add_text(to, "comm", comm);
	return to;
}

struct json_object *document_disk(uint32_t dev, const char *name)
{
	struct json_object *to = new_document("disk");

	json_add_u64(to, "dev", dev);
	json_add_text(to, "name", name);
	return to;
}

struct json_object *document_inode(uint32_t dev, uint64_t ino, const char *path)
{
	struct json_object *to = new_document("inode");

	json_add_u64(to, "dev", dev);
	json_add_u64(to, "ino", ino);
	json_add_text(to, "path", path);
	return to;
}

struct json_object *document_clock(const struct ktrace_clocks *clocks)
{
	struct json_object *to = new_document("clock");

	put_clocks(to, clocks);
	return to;
}

/* --- a session ------------------------------------------------------------------ */

struct json_object *document_session(size_t index, const struct ktr_session *session,
				     const char *folder, char *const *command)
{
	struct json_object *to = new_of_session("session", index);

	json_add_text(to, "folder", folder);
	json_add_text(to, "provider", session_provider(session->provider));
	json_add_u64(to, "id", session->id);
	add_hex(to, "cookie", session->cookie);
	json_add_u64(to, "sinks", session->sinks);
	json_add_u64(to, "flags", session->flags);
	json_add_u64(to, "min_time_ns", session->min_time);
	if (session->frequency)
		json_add_u64(to, "frequency", session->frequency);
	add_words(to, "command", command);
	add_clocks(to, "begin", &session->start);
	return to;
}

struct json_object *document_file(size_t index, size_t nr, const struct names_file *file)
{
	struct json_object *to = new_of_session("file", index);

	json_add_u64(to, "file", nr);
	json_add_text(to, "path", file->path);
	json_add_text(to, "build_id", file->build_id);
	json_add_u64(to, "dev", file->dev);
	json_add_u64(to, "ino", file->ino);
	return to;
}

/* For example, "d-s---x": one character per argument, then one for the result. */
static void add_formats(struct json_object *to, const struct value_formats *formats)
{
	char text[sizeof(formats->of) + 1] = "";
	size_t i;

	for (i = 0; i < sizeof(formats->of); i++)
		text[i] = formats->of[i] ? formats->of[i] : '-';
	if (text[strspn(text, "-")])
		json_add_text(to, "values", text);
}

struct json_object *document_function(size_t index, uint32_t func, const struct names *names)
{
	struct json_object *to = new_of_session("function", index);

	json_add_u64(to, "func", func);
	json_add_text(to, "name", names_get(names, func));
	if (names->places) {
		json_add_u64(to, "file", names->places[func].file);
		json_add_u64(to, "offset", names->places[func].offset);
	}
	if (names_formats(names, func))
		add_formats(to, names_formats(names, func));
	if (names_is_fallible(names, func))
		json_add(to, "is_fallible", json_object_new_boolean(1));
	return to;
}

static struct json_object *frames_of(char *const *frames, size_t nr)
{
	struct json_object *list = json_object_new_array();

	for (; nr; nr--, frames++)
		json_object_array_add(list, json_object_new_string(*frames));
	return list;
}

struct json_object *document_stack(size_t index, uint32_t nr, const struct stack *stack)
{
	struct json_object *to = new_of_session("stack", index);

	json_add_u64(to, "stack", nr);
	json_add_u64(to, "flags", stack->flags);
	json_add_text(to, "comm", stack->comm);
	json_add(to, "kernel", frames_of(stack->frames, stack->nr_kernel));
	json_add(to, "user", frames_of(stack->frames + stack->nr_kernel,
				       stack->nr - stack->nr_kernel));
	return to;
}

struct json_object *document_unwound(size_t index, const struct unwound *file)
{
	struct json_object *to = new_of_session("unwound", index);

	unwind_json_put(to, file);
	return to;
}

static struct json_object *losses_of(const struct ktrace_counters *counters)
{
	struct json_object *list = json_object_new_array(), *loss;
	uint64_t nr;
	size_t i;

	for (i = 0; i < SESSION_NR_LOSSES; i++) {
		memcpy(&nr, (const char *)counters + session_losses[i].counter, sizeof(nr));
		if (!nr)
			continue;
		loss = json_object_new_object();
		json_add_text(loss, "reason", session_losses[i].reason);
		json_add_u64(loss, "nr", nr);
		json_object_array_add(list, loss);
	}
	return list;
}

struct json_object *document_trigger(size_t index, const struct ktrace_triggered *seen,
				     const char *condition, const char *name)
{
	struct json_object *to = new_of_session("trigger", index);

	json_add_text(to, "condition", condition);
	json_add_u64(to, "monotonic_ns", seen->time);
	json_add_u64(to, "frozen_from_ns", seen->frozen_from);
	json_add_u64(to, "duration_ns", seen->duration);
	json_add_u64(to, "func", seen->func);
	if (name)
		json_add_text(to, "name", name);
	json_add_u64(to, "tid", seen->tid);
	json_add_u64(to, "error", seen->error);
	return to;
}

struct json_object *document_end(size_t index, const struct ktr_session *session,
				 uint64_t nr_records, const char *why)
{
	struct json_object *to = new_of_session("end", index);
	struct ktr_session lossy = *session;

	session_allow_overwritten(&lossy);
	add_clocks(to, "end", &session->now);
	json_add_u64(to, "records", nr_records);
	json_add(to, "counters", json_counters_of(&lossy.counters));
	json_add(to, "lost", losses_of(&lossy.counters));
	if (session->flags & KTRACE_F_OVERWRITE)
		json_add_u64(to, "overwritten", session->counters.dropped_overwritten);
	json_add_text(to, "why", why);
	return to;
}
