// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include <time.h>

#include "keep/summary.h"
#include "report/number_names.h"
#include "session/session.h"
#include "util/clock.h"
#include "util/fmt.h"
#include "util/out.h"

static const char *or_unknown(const char *text)
{
	return text && *text ? text : "unknown";
}

static void print_words(FILE *out, const char *title, const struct kept_words *words)
{
	size_t i;

	if (!words->nr)
		return;
	out_put(out, "%s", title);
	for (i = 0; i < words->nr; i++)
		out_put(out, " %s", words->words[i]);
	fputc('\n', out);
}

static void print_time(FILE *out, const struct recording *recording)
{
	time_t begin = recording->begin.realtime / CLOCK_SECOND;
	uint64_t len = recording_end(recording) - recording->begin.monotonic;
	char text[64] = "unknown";
	struct tm tm;

	if (begin && localtime_r(&begin, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z", &tm);
	out_put(out, "  began     %s, lasted %.3f s%s\n", text, len / 1e9,
		recording_is_ended(recording) ? "" : " as far as it was recorded");
}

static void print_trigger(FILE *out, const struct recording *recording)
{
	const struct kept_trigger *trigger = &recording->trigger;
	char duration[FMT_LEN], error[ERRNO_NAME_LEN];

	if (!trigger->condition)
		return;
	out_put(out, "  trigger   %s: %s took %s%s%s in thread %u, %.6f s after the begin\n",
		trigger->condition, trigger->name ? trigger->name : "the event",
		fmt_plain(duration, trigger->duration), trigger->error ? " and failed with " : "",
		trigger->error ? errno_text(error, trigger->error) : "", trigger->tid,
		(int64_t)(trigger->time - recording->begin.monotonic) / 1e9);
}

static void print_session(FILE *out, const struct kept_session *session)
{
	out_put(out, "  %-15s %-10s %12llu records %12llu lost  %s\n", session->folder,
		session_provider(session->is.provider), (unsigned long long)session->nr_records,
		(unsigned long long)(session->nr_missing > session_lost(&session->is.counters) ?
				     session->nr_missing : session_lost(&session->is.counters)),
		!session->has_end ? "no end: a part" : session->why ? session->why : "ended");
}

void summary_print(FILE *out, const struct recording *recording, const struct kept_session *only)
{
	size_t i;

	out_put(out, "Recording %s\n", recording->path);
	out_put(out, "  made by   ktrace %s on %s, Linux %s, %s, %llu CPUs\n",
		or_unknown(recording->version), or_unknown(recording->host),
		or_unknown(recording->kernel), or_unknown(recording->arch),
		(unsigned long long)recording->nr_cpus);
	print_time(out, recording);
	print_words(out, "  command  ", &recording->command);
	print_words(out, "  program  ", &recording->program);
	print_trigger(out, recording);
	for (i = 0; i < recording->nr; i++)
		if (!only || only == &recording->sessions[i])
			print_session(out, &recording->sessions[i]);
}
