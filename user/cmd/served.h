/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SERVED_H
#define SERVED_H

#include "cmd/opt.h"
#include "serve/settings.h"
#include "session/origin.h"

/*
 * The keys of a session's file are the long options of its command: MaxDepth=3 is --max-depth 3.
 *
 * Checks them. Returns 0, or -1 with err set to file, line and the nearest key.
 */
int served_check(const struct settings_session *session, struct err *err);

/* Returns the enum ktrace_provider of a session that was checked. */
uint32_t served_provider(const struct settings_session *session);

/* Returns the key of an option: "MaxDepth" of "max-depth"; or NULL if it has none. */
const char *served_key(char key[64], const struct opt *opt);

/*
 * Returns the words that begin the session under this name, with a NULL behind the last one. The
 * caller frees them one by one, and the list.
 */
char **served_words(const struct settings_session *session, const char *name);

/*
 * Returns the command of a session that stays, "ctl attach" or "syscall", by its words, from its
 * own name on; or NULL if it is none of these.
 */
const char *served_command(const char **words);

/*
 * Calls fn for each option of the words, which have a served_command(). Functions and processes
 * without an option in front are told as --function and --pid. Returns as opt_each() does.
 */
int served_each(const char **words, opt_fn fn, void *arg, struct err *err);

/* Would the file begin a session with the same options as the one of this origin has? */
bool served_is_same(const struct settings_session *session, const struct origin *origin);

#endif
