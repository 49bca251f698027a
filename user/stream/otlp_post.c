// SPDX-License-Identifier: GPL-2.0
/* What OTLP/HTTP says about answers: which requests may be sent again, and what was not taken. */
#include <stdlib.h>
#include <string.h>

#include "stream/otlp_post.h"

int otlp_check_url(const char *url, struct err *err)
{
	const char *path = strstr(url, "/v1/");

	if (!web_is_url(url))
		return err_set(err, "'%.200s' is no address of an OTLP server; give http://HOST:4318, or https://.",
			       url);

	if (path)
		return err_set(err, "The path %.100s is not part of the address; give %.*s.", path,
			       (int)(path - url), url);
	return 0;
}

/* Returns the value of a variable, or NULL if it is not set or empty. */
static const char *variable(const char *name)
{
	const char *text = getenv(name);

	return text && *text ? text : NULL;
}

int otlp_open(struct web **to, const char *url, void (*look)(void *arg), void *arg,
	      struct err *err)
{
	const struct web_options options = {
		.type = OTLP_TYPE, .is_compressed = true,
		.headers = variable("OTEL_EXPORTER_OTLP_HEADERS"),
		.certificates = variable("OTEL_EXPORTER_OTLP_CERTIFICATE"),
		.look = look, .arg = arg,
	};

	return web_open(to, url, &options, err);
}

static bool is_temporary(long status)
{
	return status == 429 || status == 502 || status == 503 || status == 504;
}

/* An address that redirects is wrong: records wait until it is corrected. */
static bool is_redirection(long status)
{
	return status >= 300 && status < 400;
}

static enum otlp_outcome judge_success(const struct web_answer *got, struct otlp_answer *answer,
				       struct err *err)
{
	if (got->is_too_long) {
		err_set(err, "the answer of the server is longer than %u MiB", WEB_ANSWER_MIB);
		return OTLP_REFUSED;
	}
	if (otlp_parse_success(answer, got->bytes, got->len))
		return OTLP_TAKEN;
	err_set(err, "the answer of the server is none of OTLP, so another service may have this address");
	return OTLP_REFUSED;
}

enum otlp_outcome otlp_post(struct web *web, const char *path, const struct protobuf *request,
			    struct otlp_answer *answer, int *wait_ms, struct err *err)
{
	struct otlp_answer words;
	struct web_answer got;

	*wait_ms = 0;
	memset(answer, 0, sizeof(*answer));
	web_post(web, path, request, &got, err);
	if (!got.status)
		return OTLP_LATER;
	if (got.status >= 200 && got.status < 300)
		return judge_success(&got, answer, err);
	otlp_parse_failure(&words, got.bytes, got.len);
	err_set(err, "the server has answered %ld%s%s", got.status, words.why[0] ? ": " : "", words.why);
	if (!is_temporary(got.status) && !is_redirection(got.status))
		return OTLP_REFUSED;
	*wait_ms = 1000 * (int)got.retry_after;
	return OTLP_LATER;
}
