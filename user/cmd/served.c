// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/served.h"
#include "uapi/ktrace.h"
#include "util/match.h"
#include "util/mem.h"

/* The commands that can begin a session which stays. */
static const struct served {
	const char *command;
	const struct command *of;
	const char *naming;	/* the option for the session's name */
	uint32_t provider;
	const char *needed;	/* a key that a session must have, or NULL; and what it is */
	const char *what;
	const char *rest;	/* the option that words without one belong to, or NULL */
} all[] = {
	{ "ctl attach", &cmd_attach, "name", KTRACE_PROVIDER_USER,
	  "Binary", "the whole path of the program to attach to", "pid" },
	{ "func", &cmd_func, "attach", KTRACE_PROVIDER_KERNEL,
	  "Function", "the kernel functions to time, such as vfs_*", "function" },
	{ "syscall", &cmd_syscall, "attach", KTRACE_PROVIDER_SYSCALLS, NULL, NULL, NULL },
	{ "sched", &cmd_sched, "attach", KTRACE_PROVIDER_SCHED, NULL, NULL, NULL },
	{ "io", &cmd_io, "attach", KTRACE_PROVIDER_BLOCK, NULL, NULL, NULL },
	{ "fault", &cmd_fault, "attach", KTRACE_PROVIDER_FAULT, NULL, NULL, NULL },
	{ "virtio", &cmd_virtio, "attach", KTRACE_PROVIDER_VIRTIO, NULL, NULL, NULL },
};

#define NR (sizeof(all) / sizeof(*all))

/* Options about what is shown, or which ktrace serve gives itself. */
static const char *const others[] = {
	"name", "attach", "format", "output", "output-fd", "to", "to-size", "to-keep", "sort",
	"dry-run", "raw", "color", "time", "duration", "interval", "user", "no-wait", "hist",
};

static bool is_other(const struct opt *opt)
{
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(opt->name, others[i]))
			return true;
	return opt->kind == OPT_HEADING;
}

static const struct served *find_command(const struct settings_session *session)
{
	size_t i;

	for (i = 0; i < NR; i++)
		if (!strcmp(all[i].command, session->command))
			return &all[i];
	return NULL;
}

/* Case and dashes do not count: MaxDepth, max-depth. */
static bool is_same(const char *key, const char *name)
{
	for (;; key++, name++) {
		key += strspn(key, "-_");
		name += strspn(name, "-_");
		if (tolower((unsigned char)*key) != tolower((unsigned char)*name))
			return false;
		if (!*key)
			return true;
	}
}

static const struct opt *find_option(const struct command *command, const char *key)
{
	const struct opt *opt;

	for (opt = command->opts; opt->name; opt++)
		if (!is_other(opt) && is_same(key, opt->name))
			return opt;
	return NULL;
}

uint32_t served_provider(const struct settings_session *session)
{
	return find_command(session)->provider;
}

/* --- checks ------------------------------------------------------------------- */

static int refuse_command(const struct settings_session *session, struct err *err)
{
	const char *names[NR], *nearest;
	size_t i;

	for (i = 0; i < NR; i++)
		names[i] = all[i].command;
	nearest = match_nearest_word(session->command, names, NR);
	return ini_fail(err, &ini_find(session->options, "Command")->place,
			"Command=%s keeps no session%s%s%s", session->command,
			nearest ? "; did you mean " : "", nearest ? nearest : "",
			nearest ? "?" : ": ctl attach, func, syscall, sched, io, fault and virtio do.");
}

/* Makes "MaxDepth" of "max-depth". */
static void key_of(char key[64], const char *name)
{
	bool is_first = true;
	size_t len = 0;

	for (; *name && len < 63; name++) {
		if (*name != '-')
			key[len++] = is_first ? toupper((unsigned char)*name) : *name;
		is_first = *name == '-';
	}
	key[len] = 0;
}

const char *served_key(char key[64], const struct opt *opt)
{
	if (is_other(opt))
		return NULL;
	key_of(key, opt->name);
	return key;
}

static int refuse_key(const struct served *served, const struct ini_entry *entry, struct err *err)
{
	const char *names[128], *nearest;
	char keys[128][64];
	const struct opt *opt;
	size_t nr = 0;

	for (opt = served->of->opts; opt->name && nr < 128; opt++) {
		if (is_other(opt))
			continue;
		key_of(keys[nr], opt->name);
		names[nr] = keys[nr];
		nr++;
	}
	nearest = match_nearest_word(entry->key, names, nr);
	return ini_fail(err, &entry->place, "%s has no key %s%s%s%s", served->command, entry->key,
			nearest ? "; did you mean " : "; its keys are its long options, see ktrace ",
			nearest ? nearest : served->command, nearest ? "?" : " -h.");
}

static bool is_on(const char *value)
{
	return !strcasecmp(value, "yes") || !strcasecmp(value, "true") || !strcasecmp(value, "on") ||
	       !strcmp(value, "1");
}

static bool is_off(const char *value)
{
	return !strcasecmp(value, "no") || !strcasecmp(value, "false") ||
	       !strcasecmp(value, "off") || !strcmp(value, "0");
}

/* What an option may set: the largest configuration of a command is far smaller. */
static char scratch[64 << 10];

/* Parses the value as the command will. */
static int check_value(const struct opt *opt, const struct served *served,
		       const struct ini_entry *entry, struct err *err)
{
	char name[] = "ktrace", *option = mem_format("--%s=%s", opt->name, entry->value);
	char *argv[] = { name, option, NULL };
	struct err why;
	int first, result;

	memset(scratch, 0, sizeof(scratch));
	result = opt_parse(2, argv, served->of->opts, true, scratch, &first, &why);
	free(option);
	return result ? ini_fail(err, &entry->place, "%s", why.text) : 0;
}

static int check_entry(const struct served *served, const struct ini_entry *entry, struct err *err)
{
	const struct opt *opt;

	if (settings_own_key(entry->key))
		return 0;
	opt = find_option(served->of, entry->key);
	if (!opt)
		return refuse_key(served, entry, err);
	if (opt->arg)
		return check_value(opt, served, entry, err);
	if (!is_on(entry->value) && !is_off(entry->value))
		return ini_fail(err, &entry->place, "%s is yes or no, not '%s'.", entry->key,
				entry->value);
	return 0;
}

int served_check(const struct settings_session *session, struct err *err)
{
	const struct served *served = find_command(session);
	const char *value;
	size_t i;

	if (!served)
		return refuse_command(session, err);
	for (i = 0; i < session->options->nr; i++)
		if (check_entry(served, &session->options->entries[i], err))
			return -1;
	value = served->needed ? ini_last(session->options, served->needed) : NULL;
	if (served->needed && (!value || (served->of == &cmd_attach && *value != '/')))
		return ini_fail(err, &session->place, "The session needs %s=, %s.", served->needed,
				served->what);
	return 0;
}

/* --- words --------------------------------------------------------------------- */

struct words {
	char **all;
	size_t nr;
};

static void add(struct words *words, char *word)
{
	words->all = mem_grow(words->all, words->nr, sizeof(*words->all));
	words->all[words->nr++] = word;
}

char **served_words(const struct settings_session *session, const char *name)
{
	const struct served *served = find_command(session);
	const struct ini_entry *entry = session->options->entries;
	char *command = mem_string(served->command), *rest = command, *word;
	struct words words = { NULL, 0 };
	const struct opt *opt;
	size_t i;

	add(&words, mem_string("ktrace"));
	while ((word = strsep(&rest, " ")))
		add(&words, mem_string(word));
	free(command);
	add(&words, mem_format("--%s", served->naming));
	add(&words, mem_string(name));
	for (i = 0; i < session->options->nr; i++, entry++) {
		opt = settings_own_key(entry->key) ? NULL : find_option(served->of, entry->key);
		if (opt && opt->arg)
			add(&words, mem_format("--%s=%s", opt->name, entry->value));
		else if (opt && is_on(entry->value))
			add(&words, mem_format("--%s", opt->name));
	}
	words.all = mem_grow(words.all, words.nr, sizeof(*words.all));
	return words.all;
}

/* --- words of sessions ----------------------------------------------------------- */

static const struct served *find_words(const char **words)
{
	size_t i;

	for (i = 0; words && words[0] && i < NR; i++)
		if (!strcmp(all[i].of->name, words[0]))
			return &all[i];
	return NULL;
}

const char *served_command(const char **words)
{
	const struct served *served = find_words(words);

	return served ? served->command : NULL;
}

/* Words without an option in front. */
static int give_rest(const struct served *served, char **rest, opt_fn fn, void *arg, struct err *err)
{
	const struct opt *opt = served->rest ? find_option(served->of, served->rest) : NULL;
	int result = 0;

	for (; opt && *rest && !result; rest++)
		result = fn(arg, opt, *rest, err);
	return result;
}

int served_each(const char **words, opt_fn fn, void *arg, struct err *err)
{
	const struct served *served = find_words(words);
	int argc, first, result;
	char **argv;

	for (argc = 0; words[argc]; argc++)
		;
	/* getopt reorders words. */
	argv = mem_alloc((argc + 1) * sizeof(*argv));
	memcpy(argv, words, argc * sizeof(*argv));
	result = opt_each(argc, argv, served->of->opts, false, fn, arg, &first, err);
	if (!result)
		result = give_rest(served, argv + first, fn, arg, err);
	free(argv);
	return result;
}

/* What a session is begun with: all but its name, sorted. */
struct options {
	struct words texts;
	const char *binary;
};

static int add_text(void *arg, const struct opt *opt, const char *value, struct err *err)
{
	struct options *options = arg;

	(void)err;
	if (!strcmp(opt->name, "binary"))
		options->binary = value;
	else if (!is_other(opt))
		add(&options->texts, value ? mem_format("%s=%s", opt->name, value) :
					     mem_string(opt->name));
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void read_options(struct options *options, const char **words)
{
	struct err ignored;

	*options = (struct options){ .binary = NULL };
	served_each(words, add_text, options, &ignored);
	if (options->texts.nr)
		qsort(options->texts.all, options->texts.nr, sizeof(*options->texts.all), compare);
}

static void free_options(struct options *options)
{
	while (options->texts.nr)
		free(options->texts.all[--options->texts.nr]);
	free(options->texts.all);
}

static bool are_same(const struct options *a, const struct options *b)
{
	size_t i;

	for (i = 0; i < a->texts.nr && i < b->texts.nr; i++)
		if (strcmp(a->texts.all[i], b->texts.all[i]))
			return false;
	return a->texts.nr == b->texts.nr;
}

/* A path may have been relative, or a process may have been named in place of it. */
static bool is_same_binary(const char *wanted, const char *given, const struct origin *origin)
{
	return !wanted || (given && !strcmp(wanted, given)) || !strcmp(wanted, origin_name(origin));
}

bool served_is_same(const struct settings_session *session, const struct origin *origin)
{
	const struct served *served = find_command(session);
	char **words = served_words(session, "x"), **word;
	struct options wanted, given;
	bool is_same;

	if (find_words(origin->words) != served) {
		is_same = false;
	} else {
		read_options(&wanted, (const char **)words + 1 + !!strchr(served->command, ' '));
		read_options(&given, origin->words);
		is_same = are_same(&wanted, &given) &&
			  is_same_binary(wanted.binary, given.binary, origin);
		free_options(&wanted);
		free_options(&given);
	}
	for (word = words; *word; word++)
		free(*word);
	free(words);
	return is_same;
}
