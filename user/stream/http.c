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
#include <unistd.h>

#include "util/mem.h"

#define MAX_CONNECTIONS 8U
#define TIMEOUT 10U			/* seconds without progress */
#define CONNECTION_MEMORY (32U << 10)	/* bytes, for the header of a request */

#if MHD_VERSION < 0x00097002
typedef int result_t;
#else
typedef enum MHD_Result result_t;
#endif

#define FUNCTIONS(ONE) \
	ONE(MHD_start_daemon) ONE(MHD_stop_daemon) ONE(MHD_get_daemon_info) ONE(MHD_run) \
	ONE(MHD_get_timeout) ONE(MHD_get_version) ONE(MHD_lookup_connection_value) \
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
};

static result_t answer(struct MHD_Connection *connection, unsigned int status, const char *type,
		       char *body, size_t len)
{
	struct MHD_Response *response = library.MHD_create_response_from_buffer(len, body,
									MHD_RESPMEM_MUST_FREE);
	result_t result;

	if (!response) {
		free(body);
		return MHD_NO;
	}
	library.MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		library.MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = library.MHD_queue_response(connection, status, response);
	library.MHD_destroy_response(response);
	return result;
}

static result_t answer_text(struct MHD_Connection *connection, unsigned int status,
			    const char *text)
{
	char *body = mem_format("%s\n", text);

	return answer(connection, status, "text/plain; charset=utf-8", body, strlen(body));
}

static result_t answer_page(const struct http *http, struct MHD_Connection *connection)
{
	const char *accept = library.MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
							 MHD_HTTP_HEADER_ACCEPT), *type;
	char *body = NULL;
	struct err err;
	size_t len;
	FILE *out = open_memstream(&body, &len);

	if (!out)
		return MHD_NO;
	type = http->page(http->arg, accept ? accept : "", out, &err);
	if (fclose(out)) {
		free(body);
		return MHD_NO;
	}
	if (type)
		return answer(connection, MHD_HTTP_OK, type, body, len);
	free(body);
	return answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, err.text);
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

	*to = NULL;
	if (load(err)) {
		close(listener);
		return -1;
	}
	http = mem_alloc(sizeof(*http));
	http->page = page;
	http->arg = arg;
	/* 512 is MHD_USE_EPOLL, which had another name before 0.9.52. */
	http->daemon = library.MHD_start_daemon(512, 0, NULL, NULL, take_request, http,
					MHD_OPTION_LISTEN_SOCKET, listener,
					MHD_OPTION_CONNECTION_LIMIT, MAX_CONNECTIONS,
					MHD_OPTION_CONNECTION_TIMEOUT, TIMEOUT,
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
	library.MHD_run(http->daemon);
}

void http_close(struct http *http)
{
	if (!http)
		return;
	library.MHD_stop_daemon(http->daemon);
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
