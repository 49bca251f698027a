// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "stream/sink.h"
#include "util/match.h"
#include "util/mem.h"
#include "util/out.h"

/* A name that begins with another one comes first. */
static const struct sink_kind *const kinds[] = {
	&sink_json, &sink_syslog_tcp, &sink_syslog, &sink_relp, &sink_fluent, &sink_journald,
	&sink_journal_remote, &sink_otlp, &sink_otlp_traces,
};

#define NR_KINDS (sizeof(kinds) / sizeof(*kinds))

const char *sink_class(const struct sink_kind *kind, const char *address)
{
	return kind->is_confirmed && (kind != &sink_json || *address) ? "confirmed" : "handed over";
}

const char *sink_promise(const struct sink_kind *kind, const char *address)
{
	return kind == &sink_json && !*address ? "a line is in the pipe, or on the screen" :
	       kind->promise;
}

#define HELP_COLUMN 31
#define HELP_WIDTH 80

void sink_print_help(FILE *out)
{
	const struct sink_kind *kind;
	char name[64], *text;
	size_t i;

	fputs("\nSinks:\n", out);
	for (i = 0; i < NR_KINDS; i++) {
		kind = kinds[i];
		snprintf(name, sizeof(name), kind->needs_address ? "  %s:%s" :
			 kind->address ? "  %s[:%s]" : "  %s", kind->name, kind->address);
		text = mem_format("%s: %s", sink_class(kind, "-"), kind->promise);
		out_put(out, "%s", name);
		out_words(out, text, strlen(name), HELP_COLUMN, HELP_WIDTH);
		free(text);
	}
}

static int fail(const char *text, struct err *err)
{
	const char *names[NR_KINDS], *nearest;
	char word[32];
	size_t i;

	for (i = 0; i < NR_KINDS; i++)
		names[i] = kinds[i]->name;
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(text, ":"), text);
	nearest = match_nearest_word(word, names, NR_KINDS);
	return err_set(err, "\"%s\" is no sink.%s%s%s The kinds of sinks are listed by ktrace stream -h.",
		       text, nearest ? " Did you mean " : "", nearest ? nearest : "",
		       nearest ? "?" : "");
}

const struct sink_kind *sink_find(const char *text, const char **address, struct err *err)
{
	const struct sink_kind *kind;
	size_t i, len;

	for (i = 0; i < NR_KINDS; i++) {
		kind = kinds[i];
		len = strlen(kind->name);
		if (strncmp(text, kind->name, len) || (text[len] && text[len] != ':'))
			continue;
		*address = text[len] ? text + len + 1 : "";
		if (**address ? kind->address != NULL : !kind->needs_address)
			return **address && kind->check && kind->check(*address, err) ? NULL : kind;
		err_set(err, kind->address ? "The sink %s needs an address: %s:%s." :
			"The sink %s takes no address.", kind->name, kind->name, kind->address);
		return NULL;
	}
	fail(text, err);
	return NULL;
}
