/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HTTP_H
#define HTTP_H

#include <stdbool.h>
#include <stdio.h>

#include "util/err.h"

/*
 * A server of GET /metrics, in the thread of its caller, which waits in a loop of its own until
 * http_fd() is readable or http_timeout() is over, and then calls http_run(); at least once a second,
 * because a client that takes longer than 10 s is left then.
 */
struct http;

/*
 * Writes the page to out, and returns its media type, or NULL with err set: the client gets the
 * sentence with status 503. All clients that ask within a second get the same page.
 */
typedef const char *(*http_page_fn)(void *arg, bool is_protobuf, FILE *out, struct err *err);

/*
 * Serves on a listening socket (listen.h), which it closes. Returns 0, or -1 with err set, also if
 * ktrace was built without libmicrohttpd.
 */
int http_open(struct http **http, int listener, http_page_fn page, void *arg,
	      struct err *err);
int http_fd(const struct http *http);
int http_timeout(const struct http *http);	/* ms; -1: no limit */
void http_run(struct http *http);
void http_close(struct http *http);	/* http may be NULL */

#endif
