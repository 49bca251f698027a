// SPDX-License-Identifier: GPL-2.0
/* The lines of ktrace.jsonl: what is known of a recording beside its packets. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "keep/folders.h"
#include "keep/kept_tasks.h"
#include "keep/recording.h"
#include "report/json.h"
#include "session/session.h"
#include "util/mem.h"

#define MOST_FRAMES 512
#define MOST_LOSSES 64	/* reasons */

/* --- members -------------------------------------------------------------------- */

static struct json_object *member(struct json_object *of, const char *key, enum json_type type)
{
	struct json_object *value;

	return json_object_object_get_ex(of, key, &value) && json_object_is_type(value, type) ?
	       value : NULL;
}

static const char *text_of(struct json_object *of, const char *key)
{
	struct json_object *value = member(of, key, json_type_string);

	return value ? json_object_get_string(value) : NULL;
}

/* Takes a number, or a text such as "0x2a" or "42", which numbers above 2^53 are. */
static bool number_of(struct json_object *of, const char *key, uint64_t *number)
{
	struct json_object *value = member(of, key, json_type_int);
	const char *text = text_of(of, key);
	char *end;

	if (value && json_object_get_int64(value) >= 0) {
		*number = json_object_get_int64(value);
		return true;
	}
	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*number = strtoull(text, &end, 0);
	return !*end && !errno;
}

/* The same, for a number that fits in 32 bits. */
static bool small_of(struct json_object *of, const char *key, uint32_t *number)
{
	uint64_t wide;

	if (!number_of(of, key, &wide) || wide > UINT32_MAX)
		return false;
	*number = wide;
	return true;
}

static void take_text(char **to, struct json_object *of, const char *key)
{
	const char *text = text_of(of, key);

	if (!text)
		return;
	free(*to);
	*to = mem_string(text);
}

static void take_words(struct kept_words *to, struct json_object *of, const char *key)
{
	struct json_object *list = member(of, key, json_type_array), *word;
	size_t nr = list ? json_object_array_length(list) : 0, i;

	if (!list || to->nr)
		return;
	to->words = mem_alloc((nr + 1) * sizeof(*to->words));
	for (i = 0; i < nr; i++) {
		word = json_object_array_get_idx(list, i);
		to->words[to->nr++] = mem_string(word ? json_object_get_string(word) : "");
	}
}

/* Returns false if a clock is missing. */
static bool read_clocks(struct ktrace_clocks *to, struct json_object *of)
{
	uint64_t monotonic, realtime;

	if (!number_of(of, "monotonic_ns", &monotonic) || !number_of(of, "realtime_ns", &realtime))
		return false;
	to->monotonic = monotonic;
	to->realtime = realtime;
	return true;
}

static void take_clocks(struct ktrace_clocks *to, struct json_object *of, const char *key)
{
	struct json_object *clocks = member(of, key, json_type_object);
	uint64_t number;

	if (!clocks)
		return;
	if (number_of(clocks, "monotonic_ns", &number))
		to->monotonic = number;
	if (number_of(clocks, "realtime_ns", &number))
		to->realtime = number;
}

/* --- the first line ------------------------------------------------------------- */

static int check_format(struct recording *recording, struct json_object *line, struct err *err)
{
	const char *schema = text_of(line, "schema"), *is = text_of(line, "is");
	const char *order = text_of(line, "byte_order");

	if (!is || strcmp(is, "recording") || !schema)
		return err_set(err, "%s/" FACTS_NAME " does not begin as a recording does; name the folder that ktrace record -o has made.",
			       recording->path);
	if (strcmp(schema, RECORDING_SCHEMA))
		return err_set(err, "%s is a recording of the format %.60s, and this ktrace reads " RECORDING_SCHEMA "; read it with the version that made it (%.40s).",
			       recording->path, schema,
			       recording->version ? recording->version : "unknown");
	if (order && strcmp(order, "little"))
		return err_set(err, "%s was recorded on a machine with the byte order %.20s, and packets are little endian; read it on such a machine.",
			       recording->path, order);
	if (recording->arch && strcmp(recording->arch, "x86_64"))
		return err_set(err, "%s was recorded on %.40s, and this ktrace knows the system calls and registers of x86_64 only.",
			       recording->path, recording->arch);
	return 0;
}

/* Descriptions of traces have it as a UUID. */
static void take_boot(struct recording *recording, const char *text)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	size_t i;

	if (!text || recording->boot || strlen(text) != strlen(form))
		return;
	for (i = 0; form[i]; i++)
		if (form[i] == '-' ? text[i] != '-' : !isxdigit((unsigned char)text[i]))
			return;
	recording->boot = mem_string(text);
}

static int take_recording(struct recording *recording, struct json_object *line, struct err *err)
{
	take_text(&recording->version, line, "version");
	take_text(&recording->host, line, "host");
	take_boot(recording, text_of(line, "boot_id"));
	take_text(&recording->kernel, line, "kernel");
	take_text(&recording->arch, line, "arch");
	number_of(line, "abi", &recording->abi);
	number_of(line, "packet_len", &recording->packet_len);
	number_of(line, "nr_cpus", &recording->nr_cpus);
	number_of(line, "pid", &recording->pid);
	take_words(&recording->command, line, "command");
	take_words(&recording->program, line, "program");
	take_clocks(&recording->begin, line, "begin");
	return check_format(recording, line, err);
}

/* --- sessions ------------------------------------------------------------------- */

/* A name that stays inside the recording: no path, and not hidden. */
static bool is_folder_name(const char *name)
{
	return name && *name && *name != '.' && strlen(name) <= NAME_MAX && !strchr(name, '/');
}

static uint32_t provider_of(const char *name)
{
	uint32_t provider;

	for (provider = 1; name && provider < __KTRACE_PROVIDER_MAX; provider++)
		if (!strcmp(session_provider(provider), name))
			return provider;
	return KTRACE_PROVIDER_UNSPEC;
}

static void put_le(unsigned char to[8], uint64_t number)
{
	int i;

	for (i = 0; i < 8; i++)
		to[i] = number >> 8 * i;
}

static struct kept_session *session_of(struct recording *recording, struct json_object *line)
{
	uint32_t nr;
	size_t i;

	if (!small_of(line, "session", &nr))
		return NULL;
	for (i = 0; i < recording->nr; i++)
		if (recording->sessions[i].nr == nr)
			return &recording->sessions[i];
	return NULL;
}

static bool take_session(struct recording *recording, struct json_object *line)
{
	const char *folder = text_of(line, "folder");
	struct kept_session *session;
	uint64_t id, cookie, min_time = 0;
	uint32_t nr;

	if (!small_of(line, "session", &nr) || session_of(recording, line) ||
	    !is_folder_name(folder) || recording_find(recording, folder) ||
	    !number_of(line, "id", &id) || !number_of(line, "cookie", &cookie) ||
	    recording->nr >= KEPT_MAX_SESSIONS)
		return false;
	recording->sessions = mem_grow(recording->sessions, recording->nr,
				       sizeof(*recording->sessions));
	session = &recording->sessions[recording->nr++];
	session->nr = nr;
	session->folder = mem_string(folder);
	session->is.id = id;
	session->is.cookie = cookie;
	session->is.state = KTRACE_STATE_STOPPED;
	session->is.provider = provider_of(text_of(line, "provider"));
	small_of(line, "sinks", &session->is.sinks);
	small_of(line, "flags", &session->is.flags);
	small_of(line, "frequency", &session->is.frequency);
	number_of(line, "min_time_ns", &min_time);
	session->is.min_time = min_time;
	session->is.start = recording->begin;
	take_clocks(&session->is.start, line, "begin");
	session->is.now = session->is.start;
	take_words(&session->command, line, "command");
	put_le(session->uuid, id);
	put_le(session->uuid + 8, cookie);
	return true;
}

static bool take_end(struct recording *recording, struct json_object *line)
{
	struct kept_session *session = session_of(recording, line);
	struct json_object *list = member(line, "lost", json_type_array), *loss;
	struct json_object *counters = member(line, "counters", json_type_object);
	size_t nr = list ? json_object_array_length(list) : 0, i;
	uint64_t number;

	if (!session || session->has_end)
		return false;
	session->has_end = true;
	take_clocks(&session->is.now, line, "end");
	take_text(&session->why, line, "why");
	number_of(line, "records", &session->nr_written);
	if (counters) {
		json_object_object_foreach(counters, key, value) {
			(void)value;
			if (number_of(counters, key, &number))
				json_take_counter(&session->is.counters, key, number);
		}
	}
	for (i = 0; i < nr && i < MOST_LOSSES; i++) {
		loss = json_object_array_get_idx(list, i);
		if (!json_object_is_type(loss, json_type_object) || !number_of(loss, "nr", &number) ||
		    !text_of(loss, "reason"))
			continue;
		session->lost = mem_grow(session->lost, session->nr_lost, sizeof(*session->lost));
		session->lost[session->nr_lost].nr = number;
		take_text(&session->lost[session->nr_lost++].reason, loss, "reason");
	}
	return true;
}

/* --- names ---------------------------------------------------------------------- */

static bool take_file(struct recording *recording, struct json_object *line)
{
	struct kept_session *session = session_of(recording, line);
	uint32_t file;

	/* Files are numbered in the order of their lines. */
	if (!session || !small_of(line, "file", &file) || file > session->nr_files)
		return false;
	if (file == session->nr_files) {
		session->files = mem_grow(session->files, file, sizeof(*session->files));
		session->nr_files++;
	}
	take_text(&session->files[file].path, line, "path");
	take_text(&session->files[file].build_id, line, "build_id");
	return true;
}

static void take_formats(struct value_formats *formats, const char *of)
{
	size_t i;

	for (i = 0; of && i < sizeof(formats->of) && of[i]; i++)
		formats->of[i] = strchr("duxs", of[i]) ? of[i] : 0;
}

static bool take_function(struct recording *recording, struct json_object *line)
{
	struct kept_session *session = session_of(recording, line);
	uint32_t func;

	if (!session || !small_of(line, "func", &func) || !text_of(line, "name") ||
	    !kept_names_room(recording, session, (size_t)func + 1))
		return false;
	take_text(&session->names.texts[func], line, "name");
	take_formats(&session->names.formats[func], text_of(line, "values"));
	session->names.are_fallible[func] = json_object_get_boolean(member(line, "is_fallible",
									   json_type_boolean));
	small_of(line, "file", &session->functions[func].file);
	number_of(line, "offset", &session->functions[func].offset);
	return true;
}

static bool take_task(struct recording *recording, struct json_object *line)
{
	uint32_t tid, pid = 0;

	if (!small_of(line, "tid", &tid))
		return false;
	small_of(line, "pid", &pid);
	kept_tasks_name(recording->tasks, tid, pid, text_of(line, "comm"));
	return true;
}

static void take_frames(struct stack *stack, struct json_object *line, const char *key)
{
	struct json_object *list = member(line, key, json_type_array), *name;
	size_t nr = list ? json_object_array_length(list) : 0, i;

	for (i = 0; i < nr && i < MOST_FRAMES; i++) {
		name = json_object_array_get_idx(list, i);
		stack->frames = mem_grow(stack->frames, stack->nr, sizeof(*stack->frames));
		stack->frames[stack->nr++] = mem_string(name ? json_object_get_string(name) : "");
	}
}

static bool take_stack(struct recording *recording, struct json_object *line)
{
	struct kept_session *session = session_of(recording, line);
	const char *comm = text_of(line, "comm");
	struct stacks *stacks;
	struct stack *stack;
	uint32_t nr;

	if (!session || !small_of(line, "stack", &nr))
		return false;
	stacks = &session->stacks;
	if (nr >= stacks->nr && recording->nr_slots + (nr - stacks->nr) >
	    (1 << 18) + 2 * recording->nr_lines)
		return false;
	while (stacks->nr <= nr) {
		stacks->all = mem_grow(stacks->all, stacks->nr++, sizeof(*stacks->all));
		recording->nr_slots++;
	}
	stack = &stacks->all[nr];
	if (stack->comm)
		return false;
	stack->comm = mem_string(comm ? comm : "");
	small_of(line, "flags", &stack->flags);
	take_frames(stack, line, "kernel");
	stack->nr_kernel = stack->nr;
	take_frames(stack, line, "user");
	return true;
}

/* The method of a file without a reason is a table. */
static bool take_unwound(struct recording *recording, struct json_object *line)
{
	struct kept_session *session = session_of(recording, line);
	struct unwound *file;
	uint64_t rows = 0, bytes = 0;

	if (!session || !text_of(line, "file"))
		return false;
	number_of(line, "rows", &rows);
	number_of(line, "bytes", &bytes);
	session->unwound = mem_grow(session->unwound, session->nr_unwound, sizeof(*file));
	file = &session->unwound[session->nr_unwound++];
	file->nr_rows = rows;
	file->len = bytes;
	take_text(&file->name, line, "file");
	take_text(&file->why, line, "reason");
	return true;
}

static bool take_disk(struct recording *recording, struct json_object *line)
{
	uint32_t dev;

	if (!small_of(line, "dev", &dev) || !text_of(line, "name") ||
	    recording_disk(recording, dev) || recording->nr_disks >= 4096)
		return false;
	recording->disks = mem_grow(recording->disks, recording->nr_disks, sizeof(*recording->disks));
	recording->disks[recording->nr_disks].dev = dev;
	take_text(&recording->disks[recording->nr_disks++].name, line, "name");
	return true;
}

static bool take_inode(struct recording *recording, struct json_object *line)
{
	struct kept_inode inode = { .dev = 0 };

	if (!small_of(line, "dev", &inode.dev) || !number_of(line, "ino", &inode.ino) ||
	    !text_of(line, "path"))
		return false;
	recording->inodes = mem_grow(recording->inodes, recording->nr_inodes, sizeof(inode));
	take_text(&inode.path, line, "path");
	recording->inodes[recording->nr_inodes++] = inode;
	return true;
}

static bool take_clock(struct recording *recording, struct json_object *line)
{
	struct ktrace_clocks clock;

	if (!read_clocks(&clock, line))
		return false;
	recording->clocks = mem_grow(recording->clocks, recording->nr_clocks, sizeof(clock));
	recording->clocks[recording->nr_clocks++] = clock;
	return true;
}

static bool take_trigger(struct recording *recording, struct json_object *line)
{
	struct kept_trigger *trigger = &recording->trigger;

	if (trigger->condition || !session_of(recording, line) || !text_of(line, "condition"))
		return false;
	take_text(&trigger->condition, line, "condition");
	take_text(&trigger->name, line, "name");
	number_of(line, "monotonic_ns", &trigger->time);
	number_of(line, "duration_ns", &trigger->duration);
	small_of(line, "tid", &trigger->tid);
	small_of(line, "error", &trigger->error);
	return true;
}

static const struct {
	const char *is;
	bool (*take)(struct recording *recording, struct json_object *line);
} kinds[] = {
	{ "session", take_session }, { "file", take_file }, { "function", take_function },
	{ "task", take_task }, { "stack", take_stack }, { "disk", take_disk },
	{ "inode", take_inode }, { "end", take_end }, { "trigger", take_trigger },
	{ "clock", take_clock }, { "unwound", take_unwound },
};

/* Kinds that are not known are ignored. */
static bool take_kind(struct recording *recording, struct json_object *line)
{
	const char *is = text_of(line, "is");
	size_t i;

	for (i = 0; is && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].is, is))
			return kinds[i].take(recording, line);
	return is;
}

/* Returns NULL if the text is no object. */
static struct json_object *parsed(const char *text, size_t len)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *line = NULL;

	if (tokener && len < INT_MAX)
		line = json_tokener_parse_ex(tokener, text, len);
	if (tokener && line && json_tokener_get_error(tokener) != json_tokener_success) {
		json_object_put(line);
		line = NULL;
	}
	if (tokener)
		json_tokener_free(tokener);
	if (line && !json_object_is_type(line, json_type_object)) {
		json_object_put(line);
		line = NULL;
	}
	return line;
}

int recording_take_line(struct recording *recording, const char *text, size_t len, bool is_first,
			struct err *err)
{
	struct json_object *line = parsed(text, len);
	int error = 0;

	if (!line && is_first)
		return err_set(err, "%s/" FACTS_NAME " does not begin with a JSON document, so %s is no recording; name the folder that ktrace record -o has made.",
			       recording->path, recording->path);
	if (is_first)
		error = take_recording(recording, line, err);
	else if (!line || !take_kind(recording, line))
		recording->nr_bad_lines++;
	json_object_put(line);
	return error;
}
