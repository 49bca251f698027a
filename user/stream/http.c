// SPDX-License-Identifier: GPL-2.0
/*
 * Uses libmicrohttpd if it was present when ktrace was built; MICROHTTPD is the file to load. Only the
 * process that serves metrics loads it: linked with it, every command would take twice as long to
 * start.
 */
#include "stream/http.h"

#ifdef MICROHTTPD

#include <dlfcn.h>
#include <limits.h>
#include <microhttpd.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stream/metrics_protobuf.h"
#include "util/clock.h"
#include "util/mem.h"

#define MAX_CONNECTIONS 32U
#define MAX_OF_ADDRESS 16U
#define TIMEOUT 10U			/* seconds without progress */
#define LIFE_NS (10 * CLOCK_SECOND)	/* of a connection, which has one request */
#define PAGE_NS CLOCK_SECOND		/* all who ask in this time get the same page */
#define CONNECTION_MEMORY (32U << 10)	/* bytes, for the header of a request */

#if MHD_VERSION < 0x00097002
typedef int result_t;
#else
typedef enum MHD_Result result_t;
#endif

/* el7 has 0.9.33, which does not tell when connections begin, so slow ones live longer there. */
#define HAS_LIFE (MHD_VERSION >= 0x00094000)

#define FUNCTIONS(ONE) \
	ONE(MHD_start_daemon) ONE(MHD_stop_daemon) ONE(MHD_get_daemon_info) ONE(MHD_run) \
	ONE(MHD_get_timeout) ONE(MHD_get_version) ONE(MHD_lookup_connection_value) \
	ONE(MHD_get_connection_info) \
	ONE(MHD_create_response_from_buffer) ONE(MHD_add_response_header) \
	ONE(MHD_queue_response) ONE(MHD_destroy_response)
#define MEMBER(name) __typeof__(name) *name;
#define LOADED(name) { #name, offsetof(struct library, name) },

static struct library {
	FUNCTIONS(MEMBER)
} library;

static const struct {
	const char *name;
	size_t offset;
} functions[] = { FUNCTIONS(LOADED) };

static int load(struct err *err)
{
	void *file = dlopen(MICROHTTPD, RTLD_NOW), *function;
	size_t i;

	for (i = 0; file && i < sizeof(functions) / sizeof(*functions); i++) {
		function = dlsym(file, functions[i].name);
		memcpy((char *)&library + functions[i].offset, &function, sizeof(function));
		if (!function)
			file = NULL;
	}
	return file ? 0 : err_set(err, "Metrics cannot be served, because libmicrohttpd is missing or damaged (%s); install libmicrohttpd (yum, dnf) or libmicrohttpd12 (apt).",
				  dlerror());
}

struct http {
	struct MHD_Daemon *daemon;
	int fd;
	http_page_fn page;
	void *arg;
	struct shared {
		struct MHD_Response *response;	/* or NULL ... */
		struct err why_not;	/* ... if this has a text */
		uint64_t until;		/* ns, CLOCK_MONOTONIC */
	} pages[2];			/* the text, and the protobuf */
	struct client {
		int fd;			/* -1: none */
		uint64_t until;		/* ns, CLOCK_MONOTONIC */
	} clients[MAX_CONNECTIONS];
};

/* --- clients ---------------------------------------------------------------------- */

#if HAS_LIFE

static void take_client(void *arg, struct MHD_Connection *connection, void **context,
			enum MHD_ConnectionNotificationCode code)
{
	struct http *http = arg;
	struct client *client = *context;
	unsigned int i;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED && client)
		client->fd = -1;
	if (code != MHD_CONNECTION_NOTIFY_STARTED)
		return;
	for (i = 0; i < MAX_CONNECTIONS && http->clients[i].fd >= 0; i++)
		;
	if (i == MAX_CONNECTIONS)
		return;
	client = &http->clients[i];
	client->fd = library.MHD_get_connection_info(connection,
						     MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	client->until = clock_now_ns() + LIFE_NS;
	*context = client;
}

#endif

/*
 * The library's own limit is for clients that do nothing. One that sends or reads a byte per second
 * would keep its connection for hours. The library closes a connection that was shut down.
 */
static void end_slow_clients(const struct http *http, uint64_t now)
{
	const struct client *client;

	for (client = http->clients; client < http->clients + MAX_CONNECTIONS; client++)
		if (client->fd >= 0 && now >= client->until)
			shutdown(client->fd, SHUT_RDWR);
}

/* --- answers ---------------------------------------------------------------------- */

/* Returns NULL if there is no memory. Takes the body. */
static struct MHD_Response *respond(const char *type, char *body, size_t len)
{
	struct MHD_Response *response = library.MHD_create_response_from_buffer(len, body,
									MHD_RESPMEM_MUST_FREE);

	if (!response) {
		free(body);
		return NULL;
	}
	library.MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	library.MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	return response;
}

static result_t answer_text(struct MHD_Connection *connection, unsigned int status,
			    const char *text)
{
	char *body = mem_format("%s\n", text);
	struct MHD_Response *response = respond("text/plain; charset=utf-8", body, strlen(body));
	result_t result;

	if (!response)
		return MHD_NO;
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		library.MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = library.MHD_queue_response(connection, status, response);
	library.MHD_destroy_response(response);
	return result;
}

/* Connections that have the page keep it as long as they need it. */
static void drop_page(struct shared *shared)
{
	if (shared->response)
		library.MHD_destroy_response(shared->response);
	shared->response = NULL;
	shared->why_not.text[0] = 0;
}

static int make_page(struct http *http, bool is_protobuf, struct err *err)
{
	struct shared *shared = &http->pages[is_protobuf];
	char *body = NULL;
	const char *type;
	size_t len;
	FILE *out = open_memstream(&body, &len);

	err_set(err, "There is no memory for the metrics.");
	if (!out)
		return -1;
	type = http->page(http->arg, is_protobuf, out, err);
	shared->until = clock_now_ns() + PAGE_NS;
	if (fclose(out) || !type) {
		free(body);
		shared->why_not = *err;
		return -1;
	}
	shared->response = respond(type, body, len);
	return shared->response ? 0 : -1;
}

static result_t answer_page(struct http *http, struct MHD_Connection *connection)
{
	const char *accept = library.MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
								 MHD_HTTP_HEADER_ACCEPT);
	bool is_protobuf = accept && metrics_protobuf_is_wanted(accept);
	struct shared *shared = &http->pages[is_protobuf];
	struct err err;

	if (clock_now_ns() >= shared->until)
		drop_page(shared);
	if (shared->why_not.text[0])
		return answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, shared->why_not.text);
	if (!shared->response && make_page(http, is_protobuf, &err))
		return answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, err.text);
	return library.MHD_queue_response(connection, MHD_HTTP_OK, shared->response);
}

static result_t take_request(void *arg, struct MHD_Connection *connection, const char *url,
			     const char *method, const char *version, const char *upload,
			     size_t *upload_len, void **state)
{
	(void)version, (void)upload, (void)upload_len, (void)state;
	if (strcmp(method, "GET") && strcmp(method, "HEAD"))
		return answer_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
				   "Metrics can only be read: GET /metrics.");
	if (strcmp(url, "/metrics"))
		return answer_text(connection, MHD_HTTP_NOT_FOUND,
				   "There is nothing here; metrics are at /metrics.");
	return answer_page(arg, connection);
}

int http_open(struct http **to, int listener, http_page_fn page, void *arg, struct err *err)
{
	const union MHD_DaemonInfo *info;
	struct http *http;
	unsigned int i;

	*to = NULL;
	if (load(err)) {
		close(listener);
		return -1;
	}
	http = mem_alloc(sizeof(*http));
	http->page = page;
	http->arg = arg;
	for (i = 0; i < MAX_CONNECTIONS; i++)
		http->clients[i].fd = -1;
	/* 512 is MHD_USE_EPOLL, which had another name before 0.9.52. */
	http->daemon = library.MHD_start_daemon(512, 0, NULL, NULL, take_request, http,
					MHD_OPTION_LISTEN_SOCKET, listener,
					MHD_OPTION_CONNECTION_LIMIT, MAX_CONNECTIONS,
					MHD_OPTION_PER_IP_CONNECTION_LIMIT, MAX_OF_ADDRESS,
					MHD_OPTION_CONNECTION_TIMEOUT, TIMEOUT,
#if HAS_LIFE
					MHD_OPTION_NOTIFY_CONNECTION, take_client, http,
#endif
					MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
					MHD_OPTION_END);
	info = http->daemon ? library.MHD_get_daemon_info(http->daemon,
						  MHD_DAEMON_INFO_EPOLL_FD_LINUX_ONLY) : NULL;
	if (!info) {
		if (http->daemon)
			library.MHD_stop_daemon(http->daemon);
		else
			close(listener);
		free(http);
		return err_set(err, "libmicrohttpd %s cannot serve metrics here; it needs epoll, memory and a free descriptor.",
			       library.MHD_get_version());
	}
	http->fd = info->listen_fd;	/* of epoll: a union, whose epoll_fd is newer */
	*to = http;
	return 0;
}

int http_fd(const struct http *http)
{
	return http->fd;
}

int http_timeout(const struct http *http)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (library.MHD_get_timeout(http->daemon, &ms) != MHD_YES)
		return -1;
	return ms < INT_MAX ? (int)ms : INT_MAX;
}

void http_run(struct http *http)
{
	uint64_t now;
	size_t i;

	library.MHD_run(http->daemon);
	now = clock_now_ns();
	end_slow_clients(http, now);
	for (i = 0; i < 2; i++)
		if (now >= http->pages[i].until)
			drop_page(&http->pages[i]);
}

void http_close(struct http *http)
{
	if (!http)
		return;
	library.MHD_stop_daemon(http->daemon);
	drop_page(&http->pages[0]);
	drop_page(&http->pages[1]);
	free(http);
}

#else

#include <unistd.h>

int http_open(struct http **http, int listener, http_page_fn page, void *arg, struct err *err)
{
	(void)page, (void)arg;
	close(listener);
	*http = NULL;
	return err_set(err, "This ktrace was built without libmicrohttpd, so it cannot serve metrics; install libmicrohttpd-devel (yum, dnf) or libmicrohttpd-dev (apt) and build it again, or write a file for node_exporter.");
}

int http_fd(const struct http *http)
{
	(void)http;
	return -1;
}

int http_timeout(const struct http *http)
{
	(void)http;
	return -1;
}

void http_run(struct http *http)
{
	(void)http;
}

void http_close(struct http *http)
{
	(void)http;
}

#endif
