/* SPDX-License-Identifier: GPL-2.0 */
/* Sends requests of OTLP to a server, by HTTP or HTTPS. */
#ifndef OTLP_POST_H
#define OTLP_POST_H

#include "stream/otlp.h"
#include "util/err.h"

struct otlp_server;

/*
 * url: "http://HOST:4318", without the path. look is called at least once a second while a request
 * is on its way. Connects only when something is sent. Returns 0, or -1 with err set to a part of a
 * sentence: it cannot succeed later either.
 *
 * Variables of the environment are those of OpenTelemetry: OTEL_EXPORTER_OTLP_HEADERS has further
 * headers, and OTEL_EXPORTER_OTLP_CERTIFICATE names a file with certificates that are trusted
 * instead of the system's.
 */
int otlp_open(struct otlp_server **server, const char *url, void (*look)(void *arg), void *arg,
	      struct err *err);
/* server may be NULL. */
void otlp_close(struct otlp_server *server);

enum otlp_outcome {
	OTLP_TAKEN,	/* except for answer->rejected items */
	OTLP_REFUSED,	/* for ever, because of err */
	OTLP_LATER	/* because of err; may be sent again, after *wait_ms if it is not 0 */
};

/* Sends a request to the path, such as "/v1/logs", and waits for the answer, at most 30 s. */
enum otlp_outcome otlp_post(struct otlp_server *server, const char *path,
			    const struct protobuf *request, struct otlp_answer *answer,
			    int *wait_ms, struct err *err);

#endif
