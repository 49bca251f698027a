// SPDX-License-Identifier: GPL-2.0
/* ktrace record: keeps every event on the disk, of several commands together. */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/recording.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/words.h"

struct config {
	const char *folder;
	int is_forced;
	int has_entries;
	uint64_t sync;
	const char *rotate;
	struct rotation_options rotation;
	uint32_t nr_runs;
	int is_flight;
	const char *condition;
	uint64_t after, holdoff;
	uint32_t count;
};

static const struct opt opts[] = {
	HEADING("The recording"),
	{ 'o', "output", "DIR", OPT_STRING, offsetof(struct config, folder),
	  "write into this folder: a new one, or an empty one", NULL },
	{ 0, "force", NULL, OPT_FLAG, offsetof(struct config, is_forced),
	  "replace a recording that is in DIR", NULL },
	{ 0, "entries", NULL, OPT_FLAG, offsetof(struct config, has_entries),
	  "also a record when a function is entered, not only when it returns", NULL },
	{ 0, "sync", "TIME", OPT_PERIOD, offsetof(struct config, sync),
	  "have what is older than TIME on the disk (1: seconds, 100ms)", NULL },
	{ 0, "rotate", "SIZE,N", OPT_STRING, offsetof(struct config, rotate),
	  "write parts of SIZE, DIR/0001, ..., and keep the newest N: 16M,4", NULL },
	{ 0, "repeat", "N", OPT_NUMBER, offsetof(struct config, nr_runs),
	  "run the program N times, and write DIR/0001, ..., one for each run: ktrace diff A B", NULL },
	HEADING("The flight recorder"),
	{ 0, "overwrite", NULL, OPT_FLAG, offsetof(struct config, is_flight),
	  "keep the newest records in memory; save them as DIR/0001, ... at the end and at SIGUSR2",
	  NULL },
	{ 0, "trigger", "COND", OPT_STRING, offsetof(struct config, condition),
	  "with --overwrite: save when 'FUNC > TIME', 'FUNC = error', 'syscall [NAME] > TIME', 'io [STAGE] > TIME', 'sched [PERIOD] > TIME' or 'fault [KIND] > TIME'",
	  NULL },
	{ 0, "after", "TIME", OPT_PERIOD, offsetof(struct config, after),
	  "keep also what came up to TIME after this event (0)", NULL },
	{ 0, "trigger-count", "N", OPT_OR_NONE, offsetof(struct config, count),
	  "end after N such events (1), or none: at no number", NULL },
	{ 0, "holdoff", "TIME", OPT_PERIOD, offsetof(struct config, holdoff),
	  "wait for the next such event only TIME after the last one (0)", NULL },
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

static const struct command *const kinds[] = {
	&cmd_run, &cmd_attach, &cmd_func, &cmd_syscall, &cmd_sched, &cmd_io, &cmd_fault,
	&cmd_profile,
};

/* The words of one command. */
struct part {
	const struct command *command;
	char **words;		/* its name and options, with a NULL behind the last ... */
	int nr;
	char **all;		/* ... and with the program, for the command */
	int nr_all;
};

struct parts {
	struct part *all;
	size_t nr;
	char **program;		/* "--" and the words behind it; NULL: none */
	int nr_program;
};

/* --- the line ---------------------------------------------------------------------- */

/* Returns how many words an option of record itself takes here, or 0. */
static int own_words(const char *word)
{
	const struct opt *opt;
	size_t len;

	if (!strcmp(word, "-h") || !strcmp(word, "--help"))
		return 1;
	for (opt = opts; opt->name; opt++) {
		len = strlen(opt->name);
		if (opt->kind == OPT_HEADING)
			continue;
		if (opt->letter && word[0] == '-' && word[1] == opt->letter)
			return word[2] ? 1 : 2;
		if (!strncmp(word, "--", 2) && !strncmp(word + 2, opt->name, len) &&
		    (!word[2 + len] || word[2 + len] == '='))
			return opt->arg && !word[2 + len] ? 2 : 1;
	}
	return 0;
}

/* Returns the index of the first word that belongs to a command. */
static int first_of_parts(int end, char **argv)
{
	int at = 1, nr;

	while (at < end && (nr = own_words(argv[at])))
		at += nr;
	return at < end ? at : end;
}

static void add_word(char ***words, int *nr, char *word)
{
	*words = mem_grow(*words, *nr, sizeof(**words));
	(*words)[(*nr)++] = word;
}

/* Behind the last word stands NULL. */
static void end_words(char ***words, int nr)
{
	*words = mem_grow(*words, nr, sizeof(**words));
}

static const struct command *find_kind(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i]->name, name))
			return kinds[i];
	return NULL;
}

/* Without a name, the command is run; without a program, attach. */
static int add_part(struct parts *parts, char **words, int nr, struct err *err)
{
	bool has_name = nr && words[0][0] != '-';
	struct part *part;
	int i;

	parts->all = mem_grow(parts->all, parts->nr, sizeof(*parts->all));
	part = &parts->all[parts->nr++];
	part->command = has_name ? find_kind(words[0]) :
			parts->program ? &cmd_run : &cmd_attach;
	if (!part->command)
		return err_set(err, "There is no command '%s' to record; choose run, attach, func, syscall, sched, io, fault or profile, and put a program behind --.",
			       words[0]);
	add_word(&part->words, &part->nr, (char *)part->command->name);
	for (i = has_name; i < nr; i++)
		add_word(&part->words, &part->nr, words[i]);
	end_words(&part->words, part->nr);
	for (i = 0; i < part->nr; i++)
		add_word(&part->all, &part->nr_all, part->words[i]);
	for (i = 0; i < parts->nr_program && part->command->program != PROGRAM_NONE; i++)
		add_word(&part->all, &part->nr_all, parts->program[i]);
	end_words(&part->all, part->nr_all);
	return 0;
}

static int refuse_plus(bool is_first, struct err *err)
{
	return err_set(err, "A command is missing %s '+'; choose run, attach, func, syscall, sched, io, fault or profile.",
		       is_first ? "in front of" : "behind");
}

/* Commands stand between plus signs. */
static int split(struct parts *parts, char **words, int nr, struct err *err)
{
	int begin = 0, at;

	for (at = 0; at <= nr; at++) {
		if (at < nr && strcmp(words[at], "+"))
			continue;
		if (at == begin && nr)
			return refuse_plus(!begin, err);
		if (add_part(parts, words + begin, at - begin, err))
			return -1;
		begin = at + 1;
	}
	return 0;
}

static void free_parts(struct parts *parts)
{
	size_t i;

	for (i = 0; i < parts->nr; i++) {
		free(parts->all[i].words);
		free(parts->all[i].all);
	}
	free(parts->all);
}

/* --- checks ------------------------------------------------------------------------- */

/* Options for what is shown, and for figures, which are made of records later. */
#define SHOWING "format|output|output-fd|raw|color|time|to|to-size|to-keep|interval|attach|hist|"	\
	"sort|by|wide|errors|count|max-size|stream|no-tree|pages|cpu-time|with-probe-cost"

static int check_option(void *arg, const struct opt *opt, const char *value, struct err *err)
{
	const struct part *part = arg;

	(void)value;
	if (!strcmp(opt->name, "output"))
		return err_set(err, "-o DIR stands in front of the first command: ktrace record -o DIR %s ...",
			       part->command->name);
	if (!strcmp(opt->name, "overwrite"))
		return err_set(err, "--overwrite is for all commands, and stands in front of the first one: ktrace record -o DIR --overwrite %s ...",
			       part->command->name);
	if (words_find(SHOWING, opt->name) < 0)
		return 0;
	return err_set(err, "--%s chooses what %s shows, and a recording shows nothing: omit it here, and choose with ktrace report.",
		       opt->name, part->command->name);
}

static int check_part(const struct part *part, struct err *err)
{
	bool stops_there = part->command->program == PROGRAM_ALWAYS ||
			   part->command->program == PROGRAM_MAYBE;
	char **copy = mem_alloc((part->nr + 1) * sizeof(*copy));
	int first, result;

	/* Words change their places. */
	memcpy(copy, part->words, part->nr * sizeof(*copy));
	result = opt_each(part->nr, copy, part->command->opts, stops_there, check_option,
			  (void *)part, &first, err);
	if (!result && stops_there && first < part->nr)
		result = err_set(err, "'%s' is no option of %s; put a program behind --, and '+' between commands.",
				 copy[first], part->command->name);
	free(copy);
	return result < 0 ? -1 : 0;
}

static int check_flight(const struct config *config, struct err *err)
{
	if (config->rotate && config->is_flight)
		return err_set(err, "--rotate limits what is written, and --overwrite writes single snapshots: omit one of them.");
	if (config->condition && !config->is_flight)
		return err_set(err, "--trigger saves what a ring has kept: add --overwrite.");
	if (!config->condition && (config->after || config->holdoff || config->count))
		return err_set(err, "--after, --holdoff and --trigger-count are about an event: add --trigger COND.");
	return 0;
}

static int check_runs(const struct config *config, const struct parts *parts, struct err *err)
{
	if (!config->nr_runs)
		return 0;
	if (config->is_flight || config->rotate)
		return err_set(err, "--repeat writes one whole recording per run, and %s keeps a part of one: omit one of them.",
			       config->rotate ? "--rotate" : "--overwrite (with --trigger)");
	return parts->program ? 0 :
	       err_set(err, "--repeat runs a program several times, and cannot repeat what other processes do: put a program behind --.");
}

static int check(const struct config *config, const struct parts *parts, struct err *err)
{
	size_t i, nr_run = 0;

	if (!config->folder || !*config->folder)
		return err_set(err, "Into which folder? ktrace record -o DIR ... -- PROGRAM.");
	if (check_flight(config, err) || check_runs(config, parts, err))
		return -1;
	for (i = 0; i < parts->nr; i++) {
		if (check_part(&parts->all[i], err))
			return -1;
		nr_run += parts->all[i].command == &cmd_run;
	}
	/* One command probes what the program loads and executes meanwhile. */
	return nr_run < 2 ? 0 :
	       err_set(err, "run stands there twice: give it once, with all patterns in its -f.");
}

/* --- running ------------------------------------------------------------------------ */

static int run_part(void *arg, size_t nr)
{
	const struct parts *parts = arg;
	const struct part *part = &parts->all[nr];

	return part->command->run(part->command, part->nr_all, part->all);
}

static char *const *words_of(void *arg, size_t nr)
{
	const struct parts *parts = arg;

	return parts->all[nr].words;
}

/* The words of the whole command. The caller frees the list. */
static char **words_from(int argc, char **argv)
{
	static char ktrace[] = "ktrace";
	char **words = NULL;
	int nr = 0, i;

	add_word(&words, &nr, ktrace);
	for (i = 0; i < argc; i++)
		add_word(&words, &nr, argv[i]);
	end_words(&words, nr);
	return words;
}

static int parse_own(const struct command *command, char **argv, int nr, const struct parts *parts,
		     struct config *config)
{
	char **own = NULL;
	int nr_own = 0, i, first, code;

	for (i = 0; i < nr; i++)
		add_word(&own, &nr_own, argv[i]);
	for (i = 0; i < parts->nr_program; i++)
		add_word(&own, &nr_own, parts->program[i]);
	end_words(&own, nr_own);
	code = cmd_parse(command, nr_own, own, config, &first);
	free(own);
	return code;
}

static void set_options(struct recording_options *options, const struct config *config,
			struct trigger *trigger)
{
	options->recorder = (struct recorder_options){
		.path = config->folder, .is_forced = config->is_forced, .sync_ns = config->sync,
	};
	options->has_entries = config->has_entries;
	options->rotation = config->rotation;
	options->nr_runs = config->nr_runs;
	options->is_flight = config->is_flight;
	options->holdoff = config->holdoff;
	options->count = config->count ? config->count : 1;
	options->trigger = config->condition ? trigger : NULL;
	trigger->wanted.after_ns = config->after;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct config config = { .sync = CLOCK_SECOND };
	int at = cmd_program_at(argc, argv), end = at < argc ? at - 1 : argc, first, code;
	struct parts parts = {
		.program = at < argc ? argv + end : NULL, .nr_program = at < argc ? argc - end : 0,
	};
	struct recording_options options = {
		.program = at < argc ? argv + at : NULL, .run = run_part,
		.words_of = words_of, .arg = &parts,
	};
	struct trigger trigger = { .text = NULL };
	char **words;
	struct err err;

	first = first_of_parts(end, argv);
	code = parse_own(command, argv, first, &parts, &config);
	if (code >= 0)
		return code;
	if ((config.rotate && rotation_parse(&config.rotation, config.rotate, &err)) ||
	    split(&parts, argv + first, end - first, &err) || check(&config, &parts, &err) ||
	    (config.condition && trigger_parse(&trigger, config.condition, &err))) {
		trigger_free(&trigger);
		free_parts(&parts);
		return cmd_fail(CMD_USAGE, &err);
	}
	words = words_from(argc, argv);
	options.words = words;
	options.nr_parts = parts.nr;
	set_options(&options, &config, &trigger);
	code = recording_run(&options);
	trigger_free(&trigger);
	free(words);
	free_parts(&parts);
	return code;
}

const struct command cmd_record = {
	.name = "record",
	.usage = "record -o DIR [options] [COMMAND [options]] [+ ...] [-- PROGRAM]",
	.summary = "Record every event on the disk, of several commands together.",
	.note = "COMMAND is run (the functions of PROGRAM: the default with a program), attach\n"
		"(those of processes of -p or programs of --binary), func, syscall, sched, io,\n"
		"fault or profile, with its options for which functions, which tasks (-p) and\n"
		"how long (-d, of attach: --for). All events are recorded; with --slow TIME only\n"
		"those that took at least TIME. More commands follow behind +.",
	.opts = opts,
	.examples = "  ktrace record -o calls -- /bin/ls\n"
		    "  ktrace record -o all run + syscall + sched -- /bin/ls -l /\n"
		    "  ktrace record -o slow --overwrite --trigger 'syscall > 1ms' syscall -- /bin/ls\n",
	.program = PROGRAM_AFTER_DASHES,
	.run = run,
};
