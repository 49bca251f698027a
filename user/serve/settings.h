/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serve/ini.h"
#include "stream/link.h"

/*
 * What `ktrace serve` does: FOLDER/ktrace.conf has where figures and records go, and each file of
 * FOLDER/sessions.d a session, which has the file's name.
 */
struct settings_sink {
	const char *name;
	const char *to;		/* "relp:log1:2514" */
	bool is_required;	/* packets wait for it in the ring */
	struct link_limits limits;
};

struct settings_session {
	char *name;
	struct ini ini;
	const char *command;	/* "ctl attach", "syscall", ... */
	const struct ini_section *options;	/* besides keys of settings_own_key() */
	bool *goes_to;		/* by sink */
	struct ini_place place;
};

struct settings {
	struct ini ini;
	const char *listen;	/* of metrics; NULL: no page, unless systemd passes a socket on */
	const char *textfile;	/* a folder, or NULL */
	const char *collectd;	/* the same */
	uint64_t textfile_ns;
	const char *otlp;	/* URL of a server that gets metrics, or NULL */
	uint64_t otlp_ns;
	uint64_t max_scrape;	/* series */
	uint32_t allowed_labels;	/* 1 << KTRACE_KEY_* */
	struct settings_sink *sinks;
	size_t nr_sinks;
	struct settings_session *sessions;
	size_t nr_sessions;
};

/* Checks a session's options. Returns 0, or -1 with err set. */
typedef int (*settings_check_fn)(const struct settings_session *session, struct err *err);

/* Reads and checks all files. Returns 0, or -1 with err set. The caller calls settings_free(). */
int settings_read(struct settings *settings, const char *folder, settings_check_fn check,
		  struct err *err);
void settings_free(struct settings *settings);

/* A session of the settings has a name of at most so many letters, digits, _ and -. */
#define SETTINGS_NAME_LEN 50
bool settings_is_name(const char *name);

/* Returns true for a key of [Session] that is no option of its command: Command, To. */
bool settings_own_key(const char *key);

#endif
