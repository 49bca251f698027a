// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve/settings.h"
#include "stream/listen.h"
#include "stream/metrics.h"
#include "stream/otlp_post.h"
#include "stream/sink.h"
#include "util/fmt.h"
#include "util/match.h"
#include "util/mem.h"
#include "util/number.h"

#define MOST_SESSIONS 64
#define MOST_KEPT 1000	/* files */
#define DEFAULT_TEXTFILE_NS (15 * 1000000000ULL)
#define DEFAULT_OTLP_NS (60 * 1000000000ULL)

/* --- values ------------------------------------------------------------------ */

static int take_text(void *to, const struct ini_entry *entry, struct err *err)
{
	(void)err;
	*(const char **)to = entry->value;
	return 0;
}

static int take_address(void *to, const struct ini_entry *entry, struct err *err)
{
	if (listen_is_address(entry->value))
		return take_text(to, entry, err);
	return ini_fail(err, &entry->place, "%s is PORT, which is that of 127.0.0.1, or ADDRESS:PORT, not '%s'.",
			entry->key, entry->value);
}

static int take_url(void *to, const struct ini_entry *entry, struct err *err)
{
	struct err why;

	return otlp_check_url(entry->value, &why) ? ini_fail(err, &entry->place, "%s", why.text) :
						    take_text(to, entry, err);
}

static int take_folder(void *to, const struct ini_entry *entry, struct err *err)
{
	struct stat stat_of;

	if (!stat(entry->value, &stat_of) && S_ISDIR(stat_of.st_mode))
		return take_text(to, entry, err);
	return ini_fail(err, &entry->place, "%s is a folder, which %s is not.", entry->key,
			entry->value);
}

static int take_bool(void *to, const struct ini_entry *entry, struct err *err)
{
	static const char *const words[] = { "no", "yes", "false", "true", "off", "on", "0", "1" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcasecmp(entry->value, words[i]))
			continue;
		*(bool *)to = i & 1;
		return 0;
	}
	return ini_fail(err, &entry->place, "%s is yes or no, not '%s'.", entry->key, entry->value);
}

static int take_number(void *to, const struct ini_entry *entry, struct err *err)
{
	if (number_parse(entry->value, UINT32_MAX, to) && *(uint64_t *)to)
		return 0;
	return ini_fail(err, &entry->place, "%s is a number above 0, not '%s'.", entry->key,
			entry->value);
}

static int take_keep(void *to, const struct ini_entry *entry, struct err *err)
{
	uint64_t number = 0;
	int error = take_number(&number, entry, err);

	if (!error && number > MOST_KEPT)
		error = ini_fail(err, &entry->place, "%s is at most %d.", entry->key, MOST_KEPT);

	*(uint32_t *)to = number;
	return error;
}

static int take_size(void *to, const struct ini_entry *entry, struct err *err)
{
	if (fmt_parse_size(entry->value, to) && *(uint64_t *)to)
		return 0;
	return ini_fail(err, &entry->place, "%s is a size with its unit, such as 64M or 1G, not '%s'.",
			entry->key, entry->value);
}

static int take_time(void *to, const struct ini_entry *entry, struct err *err)
{
	if (fmt_parse_duration(entry->value, to) && *(uint64_t *)to >= 1000000000)
		return 0;
	return ini_fail(err, &entry->place, "%s is a time of a second or more, such as 15s or 1m, not '%s'.",
			entry->key, entry->value);
}

static int take_labels(void *to, const struct ini_entry *entry, struct err *err)
{
	static const struct {
		const char *name;
		uint32_t key;
	} labels[] = {
		{ "tid", KTRACE_KEY_TID }, { "pid", KTRACE_KEY_PID }, { "file", KTRACE_KEY_FILE },
	};
	size_t i;

	for (i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
		if (strcasecmp(entry->value, labels[i].name))
			continue;
		*(uint32_t *)to |= 1U << labels[i].key;
		return 0;
	}
	return ini_fail(err, &entry->place, "%s is tid, pid or file, not '%s'; other keys are labels without it.",
			entry->key, entry->value);
}

/* --- keys --------------------------------------------------------------------- */

struct setting {
	const char *key;
	int (*take)(void *to, const struct ini_entry *entry, struct err *err);
	size_t at;
};

#define SERVE(member) offsetof(struct settings, member)
static const struct setting serve_settings[] = {
	{ "Listen", take_address, SERVE(listen) },
	{ "Textfile", take_folder, SERVE(textfile) },
	{ "Collectd", take_folder, SERVE(collectd) },
	{ "TextfileInterval", take_time, SERVE(textfile_ns) },
	{ "OtlpMetrics", take_url, SERVE(otlp) },
	{ "OtlpInterval", take_time, SERVE(otlp_ns) },
	{ "MaxScrape", take_number, SERVE(max_scrape) },
	{ "AllowLabel", take_labels, SERVE(allowed_labels) },
};

#define SINK(member) offsetof(struct settings_sink, member)
static const struct setting sink_settings[] = {
	{ "To", take_text, SINK(to) },
	{ "Require", take_bool, SINK(is_required) },
	{ "MaxSize", take_size, SINK(limits.size) },
	{ "Keep", take_keep, SINK(limits.keep) },
};

#define NR(array) (sizeof(array) / sizeof(*(array)))

static int refuse_key(const struct ini_section *section, const struct ini_entry *entry,
		      const struct setting *settings, size_t nr, struct err *err)
{
	const char *names[8], *nearest;
	size_t i;

	for (i = 0; i < nr; i++)
		names[i] = settings[i].key;
	nearest = match_nearest_word(entry->key, names, nr);
	if (nearest)
		return ini_fail(err, &entry->place, "[%s] has no key %s; did you mean %s?",
				section->name, entry->key, nearest);
	return ini_fail(err, &entry->place, "[%s] has no key %s.", section->name, entry->key);
}

static int take_entry(void *config, const struct ini_section *section,
		      const struct ini_entry *entry, const struct setting *settings, size_t nr,
		      struct err *err)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcasecmp(entry->key, settings[i].key))
			return settings[i].take((char *)config + settings[i].at, entry, err);
	return refuse_key(section, entry, settings, nr, err);
}

static int take_section(void *config, const struct ini_section *section,
			const struct setting *settings, size_t nr, struct err *err)
{
	size_t i;

	for (i = 0; i < section->nr; i++)
		if (take_entry(config, section, &section->entries[i], settings, nr, err))
			return -1;
	return 0;
}

/* --- the main file -------------------------------------------------------------- */

/* A drop-in may replace To=. In one file, a second one is meant for a sink of its own. */
static int check_one_to(const struct ini_section *section, const struct ini_entry *to,
			struct err *err)
{
	const struct ini_entry *entry;

	for (entry = section->entries; entry < to; entry++)
		if (!strcasecmp(entry->key, "To") && entry->place.path == to->place.path)
			return ini_fail(err, &to->place, "[Sink %s] has To=%s already; another sink is a section of its own, with another name.",
					section->of, entry->value);
	return 0;
}

static int take_sink(struct settings *settings, const struct ini_section *section,
		     struct err *err)
{
	struct settings_sink *sink, *other;
	const struct sink_kind *kind;
	const struct ini_entry *to;
	const char *address;
	struct err why;

	if (!*section->of)
		return ini_fail(err, &section->place, "A sink has a name: [Sink NAME].");
	settings->sinks = mem_grow(settings->sinks, settings->nr_sinks, sizeof(*settings->sinks));
	sink = &settings->sinks[settings->nr_sinks++];
	sink->name = section->of;
	sink->is_required = true;
	if (take_section(sink, section, sink_settings, NR(sink_settings), err))
		return -1;
	if (!sink->to)
		return ini_fail(err, &section->place, "[Sink %s] needs To=, such as To=relp:log1:2514.",
				sink->name);
	to = ini_find(section, "To");
	if (check_one_to(section, to, err))
		return -1;
	kind = sink_find(sink->to, &address, &why);
	if (!kind)
		return ini_fail(err, &to->place, "%s", why.text);
	if (kind == &sink_json && *address != '/')
		return ini_fail(err, &to->place, "To=%s needs the whole path of a file, such as json:/var/log/ktrace/calls.json.",
				sink->to);
	if (sink->limits.keep && !sink->limits.size)
		return ini_fail(err, &ini_find(section, "Keep")->place, "Keep= is the number of former files, which there are with MaxSize= only: add MaxSize=.");
	for (other = settings->sinks; other < sink; other++)
		if (!strcmp(other->to, sink->to))
			return ini_fail(err, &to->place, "[Sink %s] and [Sink %s] are the same: To=%s.",
					other->name, sink->name, sink->to);
	return 0;
}

static int take_main(struct settings *settings, struct err *err)
{
	const struct ini_section *section;
	int error = 0;

	for (section = settings->ini.sections; !error &&
	     section < settings->ini.sections + settings->ini.nr; section++) {
		if (!strcasecmp(section->name, "Serve") && !*section->of)
			error = take_section(settings, section, serve_settings,
					     NR(serve_settings), err);
		else if (!strcasecmp(section->name, "Sink"))
			error = take_sink(settings, section, err);
		else
			error = ini_fail(err, &section->place, "There is no section [%s]; %s has [Serve] and [Sink NAME].",
					 section->name, section->place.path);
	}
	return error;
}

/* --- sessions --------------------------------------------------------------------- */

bool settings_own_key(const char *key)
{
	return !strcasecmp(key, "Command") || !strcasecmp(key, "To");
}

/* To=NAME chooses sinks; without it, all get the records. */
static int choose_sinks(const struct settings *settings, struct settings_session *session,
			struct err *err)
{
	bool is_chosen = ini_last(session->options, "To");
	const struct ini_entry *entry;
	size_t i, k;

	session->goes_to = mem_alloc((settings->nr_sinks + 1) * sizeof(*session->goes_to));
	for (i = 0; i < settings->nr_sinks; i++)
		session->goes_to[i] = !is_chosen;
	for (k = 0; k < session->options->nr; k++) {
		entry = &session->options->entries[k];
		if (strcasecmp(entry->key, "To"))
			continue;
		for (i = 0; i < settings->nr_sinks && strcmp(settings->sinks[i].name, entry->value);)
			i++;
		if (i == settings->nr_sinks)
			return ini_fail(err, &entry->place, "There is no [Sink %s].", entry->value);
		session->goes_to[i] = true;
	}
	return 0;
}

static int take_session(const struct settings *settings, struct settings_session *session,
			settings_check_fn check, struct err *err)
{
	const struct ini_section *section;

	for (section = session->ini.sections; section < session->ini.sections + session->ini.nr;
	     section++)
		if (strcasecmp(section->name, "Session") || *section->of)
			return ini_fail(err, &section->place, "There is no section [%s]; a file of sessions.d has one section, [Session].",
					section->name);
	if (!session->ini.nr)
		return ini_fail(err, &session->place, "The file has no section [Session].");
	session->options = session->ini.sections;
	session->place = session->options->place;
	session->command = ini_last(session->options, "Command");
	if (!session->command)
		session->command = "ctl attach";
	return choose_sinks(settings, session, err) || check(session, err) ? -1 : 0;
}

bool settings_is_name(const char *name)
{
	size_t i = 0;

	while (isalnum((unsigned char)name[i]) || (name[i] && strchr("_-", name[i])))
		i++;
	return i && *name != '-' && !name[i] && i <= SETTINGS_NAME_LEN;
}

/* The name of the file, which must be one that a session can have. */
static char *name_of(const char *file, struct err *err)
{
	char *name = mem_format("%.*s", (int)strlen(file) - 5, file);

	if (settings_is_name(name))
		return name;
	free(name);
	err_set(err, "sessions.d/%s: a session has the name of its file: up to %d letters, digits, _ and -, the first not -.",
		file, SETTINGS_NAME_LEN);
	return NULL;
}

static int read_session(struct settings *settings, const char *folder, const char *file,
			settings_check_fn check, struct err *err)
{
	struct settings_session *session;
	char *name = name_of(file, err), *path;
	int error;

	if (!name)
		return -1;
	if (settings->nr_sessions == MOST_SESSIONS) {
		free(name);
		return err_set(err, "%s has more than %d sessions.", folder, MOST_SESSIONS);
	}
	settings->sessions = mem_grow(settings->sessions, settings->nr_sessions,
				      sizeof(*settings->sessions));
	session = &settings->sessions[settings->nr_sessions++];
	session->name = name;
	path = mem_format("%s/%s", folder, file);
	error = ini_read(&session->ini, path, err);
	if (!error) {
		session->place = (struct ini_place){
			session->ini.nr_paths ? session->ini.paths[0] : "sessions.d", 1,
		};
		error = take_session(settings, session, check, err);
	}
	free(path);
	return error;
}

static int read_sessions(struct settings *settings, const char *folder, settings_check_fn check,
			 struct err *err)
{
	struct dirent **entries = NULL;
	int nr = scandir(folder, &entries, ini_is_conf, alphasort), error = 0, i;

	if (nr < 0 && errno != ENOENT)
		return err_set(err, "%s cannot be read: %s.", folder, strerror(errno));
	for (i = 0; i < nr; i++) {
		if (!error)
			error = read_session(settings, folder, entries[i]->d_name, check, err);
		free(entries[i]);
	}
	free(entries);
	return error;
}

int settings_read(struct settings *settings, const char *folder, settings_check_fn check,
		  struct err *err)
{
	char *main = mem_format("%s/ktrace.conf", folder);
	char *sessions = mem_format("%s/sessions.d", folder);
	int error;

	*settings = (struct settings){
		.textfile_ns = DEFAULT_TEXTFILE_NS, .otlp_ns = DEFAULT_OTLP_NS,
		.max_scrape = METRICS_MAX_SERIES,
	};
	error = access(folder, R_OK | X_OK) ?
		err_set(err, "%s cannot be read: %s; it should have ktrace.conf and sessions.d.",
			folder, strerror(errno)) : ini_read(&settings->ini, main, err);
	if (!error)
		error = take_main(settings, err);
	if (!error)
		error = read_sessions(settings, sessions, check, err);
	free(main);
	free(sessions);
	return error;
}

void settings_free(struct settings *settings)
{
	size_t i;

	for (i = 0; i < settings->nr_sessions; i++) {
		ini_free(&settings->sessions[i].ini);
		free(settings->sessions[i].goes_to);
		free(settings->sessions[i].name);
	}
	ini_free(&settings->ini);
	free(settings->sinks);
	free(settings->sessions);
	*settings = (struct settings){ .nr_sinks = 0 };
}
