// SPDX-License-Identifier: GPL-2.0
/* Options are tables, which getopt_long() reads. */
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/formats.h"
#include "cmd/opt.h"
#include "plan/value.h"
#include "report/format.h"
#include "report/orders.h"
#include "session/conditions.h"
#include "uapi/ktrace.h"
#include "util/fmt.h"
#include "util/match.h"
#include "util/mem.h"
#include "util/number.h"
#include "util/out.h"
#include "util/style.h"
#include "util/words.h"

#define HELP 256	/* getopt's value for --help; options of the table have higher values */

/* --- values ------------------------------------------------------------- */

int opt_add_pids(struct opt_pids *pids, const char *text, struct err *err)
{
	char *copy = mem_string(text), *rest = copy, *word;
	uint64_t pid;
	int result = 0;

	while (!result && (word = strsep(&rest, ","))) {
		if (!number_parse(word, INT32_MAX, &pid) || !pid) {
			result = err_set(err, "'%s' is not a process id; give numbers, as in --pid 12,34.",
					 word);
			break;
		}
		if (pids->nr == KTRACE_MAX_PIDS) {
			result = err_set(err, "At most %d processes can be named; without --pid all are traced (ctl attach: all of --binary FILE).",
					 KTRACE_MAX_PIDS);
			break;
		}
		pids->pids = mem_grow(pids->pids, pids->nr, sizeof(*pids->pids));
		pids->pids[pids->nr++] = pid;
	}
	free(copy);
	return result;
}

void opt_add_word(struct opt_words *words, const char *word)
{
	words->words = mem_grow(words->words, words->nr, sizeof(*words->words));
	words->words[words->nr++] = word;
}

static int set_number(const struct opt *opt, uint32_t *to, const char *value, struct err *err)
{
	bool may_be_none = opt->kind == OPT_OR_NONE;
	uint32_t most = opt->kind == OPT_FREQUENCY ? KTRACE_MAX_FREQUENCY : OPT_NONE - may_be_none;
	uint64_t number = OPT_NONE;

	if (!(may_be_none && !strcmp(value, "none")) &&
	    (!number_parse(value, most, &number) || !number))
		return err_set(err, "--%s takes a number from 1 to %u%s, not '%s'.", opt->name, most,
			       may_be_none ? " or none" : "", value);
	*to = number;
	return 0;
}

static int set_period(const struct opt *opt, uint64_t *to, const char *value, struct err *err)
{
	bool is_bare = *value && !value[strspn(value, "0123456789.")];
	char *text = mem_format("%s%s", value, is_bare ? "s" : "");
	bool is_time = fmt_parse_duration(text, to);

	free(text);
	if (is_time && *to)
		return 0;
	return err_set(err, "--%s takes a time above 0 in seconds, or with its unit (ns, us, ms, s, m, h), such as 10, 500ms or 1h, not '%s'.",
		       opt->name, value);
}

static int set_interval(const struct opt *opt, uint64_t *to, const char *value, struct err *err)
{
	if (set_period(opt, to, value, err))
		return -1;
	if (*to >= OPT_MIN_INTERVAL_MS * 1000000ULL)
		return 0;
	return err_set(err, "--%s cannot be shorter than %dms; '%s' is.", opt->name,
		       OPT_MIN_INTERVAL_MS, value);
}

static int set_size(const struct opt *opt, uint64_t *to, const char *value, struct err *err)
{
	if (fmt_parse_size(value, to) && *to >= OPT_MIN_SIZE && *to <= OPT_MAX_SIZE)
		return 0;
	return err_set(err, "--%s takes a size from 32K to 256M with its unit (K, M), such as 512K or 16M, not '%s'.",
		       opt->name, value);
}

static int refuse_value(const struct opt *opt, const char *choices, const char *value,
			struct err *err)
{
	return err_set(err, "--%s cannot be '%s'; choose one of %s.", opt->name, value, choices);
}

static int check_choice(const struct opt *opt, const char *value, struct err *err)
{
	return words_find(opt->choices, value) >= 0 ? 0 :
	       refuse_value(opt, opt->choices, value, err);
}

static int set_format(const struct opt *opt, const struct output_format **to, const char *value,
		      struct err *err)
{
	char *names;

	*to = format_find(value, opt->choices);
	if (*to)
		return 0;
	names = format_names(opt->choices);
	refuse_value(opt, names, value, err);
	free(names);
	return -1;
}

static int set_column(const struct opt *opt, const char **to, const char *value, struct err *err)
{
	char *names = orders_names(opt->choices);
	int result = 0;

	*to = value;
	if (words_find(names, value) < 0)
		result = refuse_value(opt, names, value, err);
	free(names);
	return result;
}

static int set(void *config, const struct opt *opt, const char *value, struct err *err)
{
	void *to = (char *)config + opt->at;

	switch (opt->kind) {
	case OPT_FLAG:
		*(int *)to = 1;
		return 0;
	case OPT_STRING:
		*(const char **)to = value;
		return 0;
	case OPT_WORDS:
		opt_add_word(to, value);
		return 0;
	case OPT_CHOICE:
		*(const char **)to = value;
		return check_choice(opt, value, err);
	case OPT_COLUMN:
		return set_column(opt, to, value, err);
	case OPT_FORMAT:
		return set_format(opt, to, value, err);
	case OPT_STYLE:
		if (opt->choices && check_choice(opt, value, err))
			return -1;
		style_choose(opt->name, value);
		return 0;
	case OPT_HEADING:
		return 0;
	case OPT_OR_NONE:
	case OPT_NUMBER:
	case OPT_FREQUENCY:
		return set_number(opt, to, value, err);
	case OPT_TIME:
		if (fmt_parse_duration(value, to))
			return 0;
		return err_set(err, "--%s takes a time with its unit (ns, us, ms, s, m, h), such as 10us or 1.5ms, not '%s'.",
			       opt->name, value);
	case OPT_PERIOD:
		return set_period(opt, to, value, err);
	case OPT_SIZE:
		return set_size(opt, to, value, err);
	case OPT_INTERVAL:
		return set_interval(opt, to, value, err);
	case OPT_GLOBS:
		if (!value[strspn(value, ",")])
			return err_set(err, "--%s needs names or patterns; omit it for all.",
				       opt->name);
		match_add(to, value);
		return 0;
	case OPT_PIDS:
		return opt_add_pids(to, value, err);
	case OPT_ARGS:
		return value_add_args(to, value, err);
	case OPT_RESULT:
		return value_add_result(to, value, err);
	case OPT_THREADS:
		return conditions_add_threads(to, value, err);
	case OPT_USERS:
		return conditions_add_users(to, value, err);
	case OPT_COMM:
		return conditions_set_comm(to, value, err);
	case OPT_CGROUP:
		return conditions_set_cgroup(to, value, err);
	}
	return 0;
}

/* --- getopt's tables ---------------------------------------------------- */

static size_t count(const struct opt *opts)
{
	size_t nr = 0;

	while (opts[nr].name)
		nr++;
	return nr;
}

static struct option *long_table(const struct opt *opts)
{
	size_t nr = count(opts), i;
	struct option *table = mem_alloc((nr + 2) * sizeof(*table)), *to = table;

	for (i = 0; i < nr; i++) {
		if (opts[i].kind == OPT_HEADING)
			continue;
		to->name = opts[i].name;
		to->has_arg = opts[i].arg ? required_argument : no_argument;
		to->val = HELP + 1 + i;
		to++;
	}
	to->name = "help";
	to->val = HELP;
	return table;
}

/* "+": stop at the first argument; ":": report a missing value. */
static char *short_table(const struct opt *opts, bool stops_there)
{
	char *table = mem_alloc(4 + 2 * count(opts)), *to = table;

	to += sprintf(to, "%s:h", stops_there ? "+" : "");
	for (; opts->name; opts++)
		if (opts->letter)
			to += sprintf(to, "%c%s", opts->letter, opts->arg ? ":" : "");
	return table;
}

static const struct opt *found(const struct opt *opts, int c)
{
	if (c > HELP)
		return &opts[c - HELP - 1];
	for (; opts->name; opts++)
		if (opts->letter == c)
			return opts;
	return NULL;
}

/*
 * Options of other tools, and the options that do the same here, of which a command may have none.
 * A text behind '=' is for all commands.
 */
static const struct alias {
	const char *word;
	const char *here[3];
} aliases[] = {
	{ "d", { "for", "duration" } }, { "duration", { "for" } }, { "timeout", { "for", "duration" } },
	{ "c", { "count", "=totals are printed without it" } },
	{ "summary", { "format summary", "=totals are printed without it" } },
	{ "json", { "format json" } }, { "csv", { "format csv" } },
	{ "top", { "=rows are sorted: use head(1)" } },
	{ "limit", { "=rows are sorted: use head(1)" } },
	{ "e", { "function", "by" } }, { "expr", { "function", "by" } },
	{ "filter", { "function", "by" } }, { "event", { "function", "by" } },
	{ "t", { "thread" } }, { "tid", { "thread" } },
	{ "p", { "binary", "=to trace a running process: ktrace ctl attach --pid PID" } },
	{ "pid", { "binary", "=to trace a running process: ktrace ctl attach --pid PID" } },
	{ "F", { "follow", "=children are followed" } }, { "ff", { "follow", "=children are followed" } },
	{ "k", { "stacks" } }, { "g", { "stacks" } }, { "call-graph", { "stacks" } },
	{ "T", { "time", "min-time" } }, { "threshold", { "min-time", "slow" } },
	{ "time-filter", { "min-time" } }, { "depth", { "max-depth" } }, { "D", { "max-depth" } },
	{ "N", { "no-function" } }, { "buffer-size", { "buffer" } }, { "m", { "buffer" } },
	{ "delay", { "interval" } }, { "I", { "interval" } }, { "cpu", { "by" } }, { "a", { "by" } },
};

static bool has_choice(const struct opt *opt, const char *value)
{
	if (opt->kind == OPT_FORMAT)
		return format_find(value, opt->choices);
	return opt->kind != OPT_COLUMN && opt->choices && words_find(opt->choices, value) >= 0;
}

/* text is the name of an option, or the name and a value. */
static bool has_option(const struct opt *opts, const char *text)
{
	size_t len = strcspn(text, " ");

	for (; opts->name; opts++)
		if (opts->kind != OPT_HEADING &&
		    strlen(opts->name) == len && !strncmp(opts->name, text, len))
			return !text[len] || has_choice(opts, text + len + 1);
	return false;
}

/* Returns the text of what the command has instead of an option of another tool, or NULL. */
static const char *instead_of(const struct opt *opts, const char *word)
{
	const char *const *here;
	size_t i;

	for (i = 0; i < sizeof(aliases) / sizeof(*aliases); i++) {
		if (strcmp(aliases[i].word, word))
			continue;
		for (here = aliases[i].here; here < aliases[i].here + 3 && *here; here++)
			if (**here == '=' || has_option(opts, *here))
				return *here;
	}
	return NULL;
}

static int refuse(const char *dashes, const char *word, const char *instead, struct err *err)
{
	if (!instead)
		return err_set(err, "There is no option %s%s; see -h.", dashes, word);
	if (*instead == '=')
		return err_set(err, "There is no option %s%s; %s.", dashes, word, instead + 1);
	return err_set(err, "There is no option %s%s; use --%s.", dashes, word, instead);
}

static int refuse_short(const struct opt *opts, char letter, struct err *err)
{
	const char word[] = { letter, 0 };

	return refuse("-", word, instead_of(opts, word), err);
}

/* Refuses an unknown long option, with or without a value. */
static int refuse_long(const struct opt *opts, const char *text, struct err *err)
{
	size_t len = strcspn(text, "="), nr = 0;
	char *word = mem_format("%.*s", (int)len - 2, text + 2);
	const char **names = mem_alloc((count(opts) + 1) * sizeof(*names)), *nearest;
	const char *instead = instead_of(opts, word);

	for (; opts->name; opts++)
		if (opts->kind != OPT_HEADING)
			names[nr++] = opts->name;
	names[nr++] = "help";
	nearest = instead ? NULL : match_nearest_word(word, names, nr);
	if (!nearest)
		refuse("--", word, instead, err);
	else
		err_set(err, "There is no option --%s; did you mean --%s?", word, nearest);
	free(names);
	free(word);
	return -1;
}

static int parse_next(int c, char **argv, const struct opt *opts, opt_fn fn, void *arg,
		      struct err *err)
{
	if (c == HELP || c == 'h')
		return 1;
	if (c == ':')
		return err_set(err, "%s needs a value; see -h.", argv[optind - 1]);
	if (c == '?' && optopt >= HELP)
		return err_set(err, "%s: this option takes no value; see -h.", argv[optind - 1]);
	if (c == '?' && optopt)
		return refuse_short(opts, optopt, err);
	if (c == '?')
		return refuse_long(opts, argv[optind - 1], err);
	return fn(arg, found(opts, c), optarg, err);
}

int opt_each(int argc, char **argv, const struct opt *opts, bool stops_there, opt_fn fn, void *arg,
	     int *first, struct err *err)
{
	struct option *longs = long_table(opts);
	char *shorts = short_table(opts, stops_there);
	int c, result = 0;

	optind = 0;
	opterr = 0;
	while (!result && (c = getopt_long(argc, argv, shorts, longs, NULL)) != -1)
		result = parse_next(c, argv, opts, fn, arg, err);
	*first = optind;
	free(shorts);
	free(longs);
	return result;
}

int opt_parse(int argc, char **argv, const struct opt *opts, bool stops_there,
	      void *config, int *first, struct err *err)
{
	return opt_each(argc, argv, opts, stops_there, set, config, first, err);
}

#define HELP_COLUMN 31
#define HELP_WIDTH 80

void opt_print(FILE *out, const struct opt *opts)
{
	const struct opt *first = opts;
	char left[64], *help;

	if (opts->kind != OPT_HEADING)
		out_put(out, "Options:\n");
	for (; opts->name; opts++) {
		if (opts->kind == OPT_HEADING) {
			out_put(out, opts == first ? "%s:\n" : "\n%s:\n", opts->name);
			continue;
		}
		if (opts->letter)
			snprintf(left, sizeof(left), "  -%c, --%s%s%s", opts->letter, opts->name,
				 opts->arg ? " " : "", opts->arg ? opts->arg : "");
		else
			snprintf(left, sizeof(left), "      --%s%s%s", opts->name,
				 opts->arg ? " " : "", opts->arg ? opts->arg : "");
		out_put(out, "%s", left);
		help = opts->kind == OPT_FORMAT ? format_help(opts->choices) :
		       opts->kind == OPT_COLUMN ? orders_help(opts->choices) : NULL;
		out_words(out, help ? help : opts->help, strlen(left), HELP_COLUMN, HELP_WIDTH);
		free(help);
	}
}
