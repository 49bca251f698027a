// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>

#include "report/head.h"
#include "report/json_write.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/plain.h"
#include "version.h"

static struct head {
	char **words;	/* ends with NULL */
	const char *command;
	char *traced;
	uint64_t from, to;
	uint64_t asked;	/* ns: the length that was asked for; 0: none */
	bool is_repeated;
	struct head_origin origin;	/* host NULL: here and now */
} head;

void head_set_words(char *const *words)
{
	size_t nr = 0;

	for (; *words; words++) {
		head.words = mem_grow(head.words, nr, sizeof(*head.words));
		head.words[nr++] = *words;
	}
	head.words = mem_grow(head.words, nr, sizeof(*head.words));
}

void head_set_origin(const struct head_origin *origin)
{
	head.origin = *origin;
}

void head_set_command(const char *name)
{
	head.command = name;
}

const char *head_command(void)
{
	return head.command;
}

void head_set_traced(const char *traced)
{
	free(head.traced);
	head.traced = mem_string(traced);
}

void head_set_window(uint64_t from, uint64_t to)
{
	head.from = from;
	head.to = to;
}

void head_set_asked(uint64_t ns)
{
	head.asked = ns;
}

void head_set_repeated(bool is_repeated)
{
	head.is_repeated = is_repeated;
}

/* --- the line above a table ----------------------------------------------------- */

static long nr_cpus(void)
{
	long nr = head.origin.nr_cpus ? (long)head.origin.nr_cpus : sysconf(_SC_NPROCESSORS_ONLN);

	return nr > 0 ? nr : 1;
}

static void print_time_of_day(FILE *out)
{
	time_t end = clock_realtime_of(head.to) / CLOCK_SECOND;
	char text[32];
	struct tm tm;

	localtime_r(&end, &tm);
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	out_put(out, "%s, ", text);
}

/* A busy machine lets ktrace end late. */
static bool is_too_long(void)
{
	uint64_t len = head.to - head.from;

	return head.asked && len > head.asked + head.asked / 100 + CLOCK_SECOND / 100;
}

void head_print(FILE *out)
{
	double seconds = (head.to - head.from) / 1e9;
	long nr = nr_cpus();

	if (head.is_repeated)
		print_time_of_day(out);
	else
		fputs("Counted for ", out);
	out_put(out, "%.3f s ", seconds);
	if (!head.is_repeated && is_too_long())
		out_put(out, "(%.3f s asked; busy machine) ", head.asked / 1e9);
	out_put(out, "on %ld CPU%s: %s\n", nr, nr == 1 ? "" : "s",
		head.traced ? head.traced : "all processes");
}

char *head_title(void)
{
	char *title = mem_format("ktrace %s: %s, %.3f s", head.command ? head.command : "",
				 head.traced ? head.traced : "all processes",
				 (head.to - head.from) / 1e9);
	char *plain = plain_text(title);

	free(title);
	return plain;
}

/* --- JSON ----------------------------------------------------------------------- */

static struct json_object *moment_of(uint64_t monotonic_ns, uint64_t realtime_ns)
{
	struct json_object *to = json_object_new_object();

	json_add_u64(to, "realtime_ns", realtime_ns);
	json_add_u64(to, "monotonic_ns", monotonic_ns);
	return to;
}

static struct json_object *words_of(char *const *words)
{
	struct json_object *list = json_object_new_array();

	for (; words && *words; words++)
		json_object_array_add(list, json_object_new_string(*words));
	return list;
}

/*
 * Sets the times of day of a window. Here and now the clocks are read once: two readings of the two
 * clocks differ by some ns, also backwards. In a recording, the clock may have been set meanwhile.
 */
static uint64_t realtime_of(uint64_t from, uint64_t to, uint64_t *end)
{
	uint64_t begin = clock_realtime_of(from);

	*end = head.origin.host ? clock_realtime_of(to) : begin + (to - from);
	return begin;
}

uint64_t head_begin(uint64_t *end)
{
	return realtime_of(head.from, head.to, end);
}

struct json_object *head_json(const char *name)
{
	struct json_object *to = json_object_new_object();
	const char *command = head.command ? head.command : "";
	struct utsname machine = { .nodename = "" };
	uint64_t now = head.to ? head.to : clock_now_ns(), from = head.from ? head.from : now;
	uint64_t end, begin = realtime_of(from, now, &end);
	char text[64];

	uname(&machine);
	snprintf(text, sizeof(text), "ktrace.%s/1", name ? name : command);
	json_add_text(to, "schema", text);
	json_add_text(to, "ktrace", KTRACE_VERSION);
	json_add_text(to, "host", head.origin.host ? head.origin.host : machine.nodename);
	json_add_text(to, "kernel", head.origin.kernel ? head.origin.kernel : machine.release);
	json_add(to, "command", words_of(head.origin.words ? head.origin.words : head.words));
	json_add(to, "from", moment_of(from, begin));
	json_add(to, "to", moment_of(now, end));
	json_add_real(to, "window_s", "%.9f", (now - from) / 1e9);
	return to;
}

void head_add_lost(struct json_object *to, uint64_t lost)
{
	json_add(to, "complete", json_object_new_boolean(!lost));
	json_add_u64(to, "lost", lost);
}
