/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OPT_H
#define OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/err.h"

/* Each interval reads all figures, so a shorter one would only keep a CPU busy. */
#define OPT_MIN_INTERVAL_MS 10
#define OPT_MIN_SIZE (32ULL << 10)
#define OPT_MAX_SIZE (256ULL << 20)

#define OPT_NONE UINT32_MAX

enum opt_kind {
	OPT_FLAG,	/* int: 1 if given */
	OPT_STRING,	/* const char * */
	OPT_WORDS,	/* struct opt_words: may be given several times */
	OPT_CHOICE,	/* const char *, one of the words of choices */
	OPT_COLUMN,	/* const char *, a name of choices (orders.h) */
	OPT_FORMAT,	/* const struct output_format *, of the kind in choices (format.h) */
	OPT_NUMBER,	/* uint32_t, above 0 */
	OPT_FREQUENCY,	/* the same, at most KTRACE_MAX_FREQUENCY */
	OPT_OR_NONE,	/* the same, or OPT_NONE for the word none */
	OPT_TIME,	/* uint64_t ns: a threshold, with its unit */
	OPT_PERIOD,	/* uint64_t ns above 0: a duration; a bare number is in seconds */
	OPT_SIZE,	/* uint64_t bytes, from OPT_MIN_SIZE to OPT_MAX_SIZE */
	OPT_INTERVAL,	/* like OPT_PERIOD, at least OPT_MIN_INTERVAL_MS */
	OPT_GLOBS,	/* struct match */
	OPT_PIDS,	/* struct opt_pids */
	OPT_STYLE,	/* of the process (util/style.h), with or without choices */
	OPT_HEADING,	/* no option: a heading in the help for the lines below */
	OPT_ARGS,	/* struct value_rules: adds arguments ... */
	OPT_RESULT,	/* ... or a result */
	OPT_THREADS,	/* struct conditions, here and below */
	OPT_USERS,
	OPT_COMM,
	OPT_CGROUP
};

struct opt_pids {
	int32_t *pids;
	size_t nr;
};

struct opt_words {
	const char **words;
	size_t nr;
};

/* An option: one line of a table that ends with a NULL name. */
struct opt {
	char letter;		/* or 0 */
	const char *name;
	const char *arg;	/* as shown in the help; NULL for flags */
	enum opt_kind kind;
	size_t at;		/* offset of its value in the command's configuration */
	const char *help;
	const void *choices;	/* for OPT_CHOICE and OPT_STYLE, words separated by bars; for
				 * OPT_FORMAT, FORMATS_OF_*; for OPT_COLUMN, struct orders */
};

/*
 * Parses options: only those before the first other argument if stops_there is true, otherwise
 * wherever they are. Sets *first to the index of the first other argument. Returns 0, -1 with err
 * set, or 1 for --help.
 */
int opt_parse(int argc, char **argv, const struct opt *opts, bool stops_there,
	      void *config, int *first, struct err *err);

/* Adds processes such as "1,2" to a list. Returns 0, or -1 with err set. */
int opt_add_pids(struct opt_pids *pids, const char *text, struct err *err);

/*
 * Calls fn for each option, in their order, with its value; NULL for a flag. Otherwise like
 * opt_parse(); fn returns as it does.
 */
typedef int (*opt_fn)(void *arg, const struct opt *opt, const char *value, struct err *err);
int opt_each(int argc, char **argv, const struct opt *opts, bool stops_there, opt_fn fn, void *arg,
	     int *first, struct err *err);

void opt_add_word(struct opt_words *words, const char *word);

void opt_print(FILE *out, const struct opt *opts);

#endif
