/* SPDX-License-Identifier: GPL-2.0 */
/* Sends requests of OTLP to a server, by HTTP or HTTPS. */
#ifndef OTLP_POST_H
#define OTLP_POST_H

#include "stream/otlp.h"
#include "stream/web.h"
#include "util/err.h"

/* Returns 0, or -1 with err set to a sentence if url is no address of a server. */
int otlp_check_url(const char *url, struct err *err);

/*
 * url: "http://HOST:4318", without the path. As web_open(), and the caller closes it with
 * web_close().
 *
 * Variables of the environment are those of OpenTelemetry: OTEL_EXPORTER_OTLP_HEADERS has further
 * headers, and OTEL_EXPORTER_OTLP_CERTIFICATE names a file with certificates that are trusted
 * instead of the system's.
 */
int otlp_open(struct web **web, const char *url, void (*look)(void *arg), void *arg,
	      struct err *err);

enum otlp_outcome {
	OTLP_TAKEN,	/* except for answer->rejected items */
	OTLP_REFUSED,	/* for ever, because of err */
	OTLP_LATER	/* because of err; may be sent again, after *wait_ms if it is not 0 */
};

/* Sends a request to the path, such as "/v1/logs", and waits for the answer, at most 30 s. */
enum otlp_outcome otlp_post(struct web *web, const char *path, const struct protobuf *request,
			    struct otlp_answer *answer, int *wait_ms, struct err *err);

#endif
