/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SINK_H
#define SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/json_line.h"
#include "report/record.h"
#include "stream/identity.h"
#include "stream/link.h"
#include "stream/seccomp.h"

/*
 * A kind of sink: a format, in which the reader of the ring writes records because it knows the
 * names in them, and a transport, by which a process without privileges delivers them. One file and
 * one line in sink.c each.
 */
struct sink_kind {
	const char *name;	/* "relp" */
	const char *address;	/* in the help, behind a colon: "HOST[:PORT]"; NULL: none */
	bool needs_address;
	/* Checks an address. Returns 0, or -1 with err set to a sentence. NULL: any text is one. */
	int (*check)(const char *address, struct err *err);
	bool is_confirmed;	/* the collector tells what it has got */
	const char *promise;	/* what its answer, or the absence of one, means: one sentence */
	size_t max_message;	/* bytes of a message at most */
	enum seccomp_kind rights;	/* what the sender may do */
	/* Puts a record as one message from the begin of the line on. Returns its end. */
	char *(*put)(struct json_line *line, const struct record *record,
		     const struct identity *identity);
	const struct transport *transport;
};

extern const struct sink_kind sink_json, sink_syslog, sink_syslog_tcp, sink_relp, sink_journald,
	sink_journal_remote, sink_fluent, sink_otlp, sink_otlp_traces;

/* Returns "confirmed" or "handed over". Standard output confirms nothing. */
const char *sink_class(const struct sink_kind *kind, const char *address);
/* Returns what its delivery is worth. */
const char *sink_promise(const struct sink_kind *kind, const char *address);

/* Prints the help about sinks: one line about each kind. */
void sink_print_help(FILE *out);

/*
 * Finds the kind of "relp:HOST:PORT", and sets *address to the text behind its name. Returns NULL
 * with err set, which names the nearest kind.
 */
const struct sink_kind *sink_find(const char *text, const char **address, struct err *err);

#endif
