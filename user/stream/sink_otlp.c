// SPDX-License-Identifier: GPL-2.0
/*
 * Servers of OpenTelemetry, by OTLP/HTTP. A part is one request. It is sent again only if the
 * server says that it may be, or if no whole answer has come: then the server may have it twice.
 */
#include <stdlib.h>
#include <string.h>

#include "stream/otlp_post.h"
#include "stream/otlp_record.h"
#include "stream/sink.h"
#include "util/mem.h"

struct otlp {
	struct web *web;
	struct protobuf request;
};

/* The reader's end ends this process. */
static void look(void *arg)
{
	link_wait(arg, 0, 0);
}

/* libcurl keeps the connection, so link->fd remains -1, and this is called for each part. */
static int open_server(struct link *link, struct err *err)
{
	struct otlp *otlp;

	if (link->own)
		return 0;
	otlp = mem_alloc(sizeof(*otlp));
	if (otlp_open(&otlp->web, link->address, look, link, err)) {
		free(otlp);
		link->is_over = true;
		return -1;
	}
	link->own = otlp;
	return 0;
}

static void close_server(struct link *link)
{
	struct otlp *otlp = link->own;

	if (!otlp)
		return;
	web_close(otlp->web);
	free(otlp->request.bytes);
	free(otlp);
	link->own = NULL;
}

/* --- requests -------------------------------------------------------------------------- */

/* A record that is no span has a message without bytes. */
static uint32_t nr_items(const struct link *link, const struct part *part)
{
	uint32_t i, nr = 0;

	for (i = link->done; i < part->nr; i++)
		nr += part->ends[i] > part_begin_of(part, i);
	return nr;
}

static void build(struct protobuf *to, const struct link *link, const struct part *part)
{
	uint32_t begin = part_begin_of(part, link->done);
	struct otlp_request request;

	to->len = 0;
	request = otlp_request_begin(to);
	protobuf_put(to, part->bytes + begin, part_len(part) - begin);
	otlp_request_end(to, request);
}

/* All messages are done, but so many were refused. The server does not tell which ones. */
static void finish(struct link *link, const struct part *part, uint64_t refused, uint32_t nr,
		   const char *why)
{
	uint32_t done = part->nr;

	for (refused = refused < nr ? refused : nr; refused; refused--)
		link_refuse(link, "%s", why);
	link->done = done;
}

static int send_to(struct link *link, const struct part *part, const char *path, struct err *err)
{
	struct otlp *otlp = link->own;
	uint32_t nr = nr_items(link, part);
	struct otlp_answer answer;

	if (!nr) {
		link->done = part->nr;
		return 0;
	}
	build(&otlp->request, link, part);
	switch (otlp_post(otlp->web, path, &otlp->request, &answer, &link->wait_ms, err)) {
	case OTLP_TAKEN:
		finish(link, part, answer.rejected, nr, answer.why[0] ? answer.why :
		       "the server gives no reason");
		return 0;
	case OTLP_REFUSED:
		finish(link, part, nr, nr, err->text);
		return 0;
	default:
		return -1;
	}
}

/* --- logs and spans -------------------------------------------------------------------- */

static int send_logs(struct link *link, const struct part *part, struct err *err)
{
	return send_to(link, part, "/v1/logs", err);
}

static int send_spans(struct link *link, const struct part *part, struct err *err)
{
	return send_to(link, part, "/v1/traces", err);
}

static const struct transport logs = {
	.open = open_server, .send = send_logs, .close = close_server,
};

static const struct transport spans = {
	.open = open_server, .send = send_spans, .close = close_server,
};

const struct sink_kind sink_otlp = {
	.name = "otlp",
	.address = "URL",
	.needs_address = true,
	.check = otlp_check_url,
	.is_confirmed = true,
	.promise = "an OpenTelemetry server has answered that it has the log records; URL is http://HOST:4318, or https://",
	.max_message = PART_LEN,
	.rights = SECCOMP_CURL,
	.put = otlp_record_put_log,
	.transport = &logs,
};

const struct sink_kind sink_otlp_traces = {
	.name = "otlp-traces",
	.address = "URL",
	.needs_address = true,
	.check = otlp_check_url,
	.is_confirmed = true,
	.promise = "the same for spans: of system calls, requests, slow calls and calls without a traced caller; other records are not sent",
	.max_message = PART_LEN,
	.rights = SECCOMP_CURL,
	.put = otlp_record_put_span,
	.transport = &spans,
};
