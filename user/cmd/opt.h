/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OPT_H
#define OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/err.h"

/* Each interval reads all figures: shorter ones would only keep a CPU busy. */
#define OPT_MIN_INTERVAL_MS 10
#define OPT_MIN_SIZE (32ULL << 10)
#define OPT_MAX_SIZE (256ULL << 20)

enum opt_kind {
	OPT_FLAG,	/* int: 1 when given */
	OPT_STRING,	/* const char * */
	OPT_CHOICE,	/* const char *, one of the words of choices */
	OPT_NUMBER,	/* uint32_t, above 0 */
	OPT_TIME,	/* uint64_t ns: a threshold, with its unit */
	OPT_PERIOD,	/* the same, above 0: how long; a bare number is of seconds */
	OPT_SIZE,	/* uint64_t bytes, OPT_MIN_SIZE to OPT_MAX_SIZE */
	OPT_INTERVAL,	/* the same, OPT_MIN_INTERVAL_MS at least: how often */
	OPT_GLOBS,	/* struct match */
	OPT_PIDS,	/* struct opt_pids */
	OPT_STYLE,	/* of the process (util/style.h), with or without choices */
	OPT_HEADING,	/* no option: those below have this name in the help */
	OPT_OLD,	/* an old name of an option: help is the new one */
	OPT_ARGS,	/* struct value_rules: adds arguments ... */
	OPT_RESULT,	/* ... or a result */
	OPT_THREADS,	/* struct conditions; as all below */
	OPT_USERS,
	OPT_COMM,
	OPT_CGROUP
};

struct opt_pids {
	int32_t *pids;
	size_t nr;
};

/* An option, one line of a table that ends with a name of NULL. */
struct opt {
	char letter;		/* or 0 */
	const char *name;
	const char *arg;	/* as the help shows it; NULL for flags */
	enum opt_kind kind;
	size_t at;		/* offset of its value in the command's configuration */
	const char *help;
	const char *choices;	/* "tree|flat", OPT_CHOICE */
};

/*
 * Parses options, up to the first other argument when stops_there is true, else
 * wherever they are; *first is the index of the first other argument. Returns 0,
 * -1 with err set, or 1 for --help.
 */
int opt_parse(int argc, char **argv, const struct opt *opts, bool stops_there,
	      void *config, int *first, struct err *err);

/* Adds "1,2" to a list of processes. */
int opt_add_pids(struct opt_pids *pids, const char *text, struct err *err);

/* Is it --format json? NULL: no --format was given. */
bool opt_is_json(const char *format);

void opt_print(FILE *out, const struct opt *opts);

#endif
