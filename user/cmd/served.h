/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SERVED_H
#define SERVED_H

#include "serve/settings.h"

/*
 * The keys of a session's file are the long options of its command: MaxDepth=3 is --max-depth 3.
 *
 * Checks them. Returns 0, or -1 with err set to file, line and the nearest key.
 */
int served_check(const struct settings_session *session, struct err *err);

/* Returns the enum ktrace_provider of a session that was checked. */
uint32_t served_provider(const struct settings_session *session);

/* Returns the key of an option: "MaxDepth" of "max-depth"; or NULL if it has none. */
struct opt;
const char *served_key(char key[64], const struct opt *opt);

/*
 * Returns the words that begin the session under this name, with a NULL behind the last one. The
 * caller frees them one by one, and the list.
 */
char **served_words(const struct settings_session *session, const char *name);

#endif
