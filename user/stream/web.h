/* SPDX-License-Identifier: GPL-2.0 */
/* Sends requests by HTTP or HTTPS, with libcurl, which is loaded for the first server. */
#ifndef WEB_H
#define WEB_H

#include <stdbool.h>

#include "util/err.h"
#include "util/protobuf.h"

struct web;

#define WEB_ANSWER_MIB 4U	/* an answer is read so far */

/* What all requests to a server have in common. Texts stay the caller's, and must stay valid. */
struct web_options {
	const char *type;		/* of the media that are sent */
	bool is_compressed;		/* by gzip, if that is worth it */
	const char *headers;		/* further ones: "NAME=VALUE,NAME=VALUE"; or NULL */
	const char *certificates;	/* a file with those that are trusted; NULL: the system's */
	/* Called at least once a second while a request is on its way. */
	void (*look)(void *arg);
	void *arg;
};

/* Returns true for "http://HOST" and "https://HOST", whatever comes behind. */
bool web_is_url(const char *text);

/*
 * url: "http://HOST:PORT", without the path. Connects only when something is sent. Returns 0, or -1
 * with err set to a part of a sentence: it cannot succeed later either.
 */
int web_open(struct web **web, const char *url, const struct web_options *options, struct err *err);
/* web may be NULL. */
void web_close(struct web *web);

struct web_answer {
	long status;		/* of HTTP; 0: no whole answer came, because of err */
	const unsigned char *bytes;	/* valid until the next request */
	size_t len;
	bool is_too_long;
	long retry_after;	/* seconds, at most 60; 0: the server does not tell */
};

/* Sends a body to the path, such as "/v1/logs", and waits for the answer, at most 30 s. */
void web_post(struct web *web, const char *path, const struct protobuf *body,
	      struct web_answer *answer, struct err *err);

#endif
