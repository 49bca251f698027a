/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KEEPER_H
#define KEEPER_H

#include "serve/settings.h"
#include "session/origin.h"
#include "stream/meaning.h"
#include "stream/outlet.h"

/*
 * Keeps one session of the settings: finds it in the module or begins it, delivers its records, and
 * begins another generation when its program is updated. Sessions stay in the module when ktrace
 * serve ends, so that nothing is lost until it runs again.
 */
struct keeper;

/* The command that begins a session. */
struct keeper_command {
	uint32_t provider;	/* enum ktrace_provider */
	/* Returns its words, which the caller frees word by word. */
	char **(*argv)(const struct settings_session *wanted, const char *name);
	/* Has the session of this origin the same options? */
	bool (*is_same)(const struct settings_session *wanted, const struct origin *origin);
};

/*
 * outlets: of the session's sinks; the keeper takes the list. words: stderr, for what happens.
 */
struct keeper *keeper_create(struct ktr *ktr, const struct settings_session *wanted,
			     const struct keeper_command *command, struct outlet **outlets,
			     size_t nr, FILE *words);
/* The sessions stay in the module, as do records that are not delivered. */
void keeper_free(struct keeper *keeper);

/* Does what can be done now, without waiting. *has_more: there may be more at once. */
void keeper_step(struct keeper *keeper, bool *has_more);

/* Passes on the last events, and acknowledges what was delivered. */
void keeper_finish(struct keeper *keeper);
/* Returns true if records that were read are not delivered. */
bool keeper_is_behind(const struct keeper *keeper);

/* What is known about a session that is delivered, for metrics and --status. */
struct keeper_account {
	const struct ktr_session *session;
	const struct outlet *outlet;
	struct feed_account account;
};
typedef void (*keeper_account_fn)(void *arg, const struct keeper_account *account);
/* Calls fn for each session and each of its outlets; once with outlet NULL if it has none. */
void keeper_each(const struct keeper *keeper, keeper_account_fn fn, void *arg);

/* Returns the state in words: "waits for /usr/sbin/nginx". The text is valid until the next step. */
const char *keeper_state(const struct keeper *keeper);
const char *keeper_name(const struct keeper *keeper);

#endif
