// SPDX-License-Identifier: GPL-2.0
/*
 * Uses libcurl if its headers were present when ktrace was built. It is loaded when the first
 * server is opened, because it brings 30 other libraries, which most commands do not need.
 */
#include "stream/otlp_post.h"

#ifdef HAVE_LIBCURL

/* Functions that this file uses are old; which ones are deprecated depends on the version. */
#define CURL_DISABLE_DEPRECATION
#define CURL_DISABLE_TYPECHECK

#include <ctype.h>
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <zlib.h>

#include "util/mem.h"
#include "version.h"

#define TIMEOUT_MS 30000L
#define CONNECT_MS 10000L
#define LONGEST_ANSWER (4U << 20)
#define LONGEST_WAIT 60		/* seconds */
#define SHORTEST_GZIP 1024	/* bytes */

struct otlp_server {
	void *curl;
	struct curl_slist *headers, *gzip_headers;
	char *url;
	void (*look)(void *arg);
	void *arg;
	struct protobuf gzip;	/* the request as it is sent */
	struct protobuf body;	/* of the answer */
	bool is_too_long;
	bool has_headers;	/* all of them: for libcurl, a connection may end among them */
	long retry_after;	/* seconds; 0: the answer does not tell */
	char reason[CURL_ERROR_SIZE];
};

/* --- libraries ------------------------------------------------------------------------- */

#define CURL_FUNCTIONS(ONE) \
	ONE(curl_global_init) ONE(curl_easy_init) ONE(curl_easy_setopt) ONE(curl_easy_perform) \
	ONE(curl_easy_getinfo) ONE(curl_easy_cleanup) ONE(curl_easy_strerror) ONE(curl_getdate) \
	ONE(curl_slist_append) ONE(curl_slist_free_all) ONE(curl_easy_unescape) ONE(curl_free)
#define ZLIB_FUNCTIONS(ONE) ONE(deflateInit2_) ONE(deflateBound) ONE(deflate) ONE(deflateEnd)

#define MEMBER(name) __typeof__(name) *name;
static struct functions {
	CURL_FUNCTIONS(MEMBER)
	ZLIB_FUNCTIONS(MEMBER)
} lib;

struct function {
	const char *name;
	size_t offset;
};

#define FUNCTION(name) { #name, offsetof(struct functions, name) },
static const struct function curl_functions[] = { CURL_FUNCTIONS(FUNCTION) { NULL, 0 } };
static const struct function zlib_functions[] = { ZLIB_FUNCTIONS(FUNCTION) { NULL, 0 } };

/* Returns false if the library or one of the functions is missing. */
static bool load(const char *path, const struct function *functions)
{
	void *library = dlopen(path, RTLD_LAZY), *function;

	for (; library && functions->name; functions++) {
		function = dlsym(library, functions->name);
		if (!function)
			return false;
		memcpy((char *)&lib + functions->offset, &function, sizeof(function));
	}
	return library;
}

/* Debian's libraries of both names have the same functions. libelf has loaded zlib. */
static int load_all(struct err *err)
{
	static bool is_loaded;

	if (is_loaded)
		return 0;
	if (!load("libcurl.so.4", curl_functions) && !load("libcurl-gnutls.so.4", curl_functions))
		return err_set(err, "libcurl is missing or damaged; install libcurl4 (apt) or libcurl (yum, dnf)");
	if (!load("libz.so.1", zlib_functions))
		return err_set(err, "zlib is missing or damaged; install zlib1g (apt) or zlib (yum, dnf)");
	if (lib.curl_global_init(CURL_GLOBAL_DEFAULT))
		return err_set(err, "libcurl cannot be used, because its TLS library does not start");
	is_loaded = true;
	return 0;
}

/* --- what libcurl calls ---------------------------------------------------------------- */

static size_t take_body(char *text, size_t size, size_t nr, void *arg)
{
	struct otlp_server *server = arg;

	if (server->body.len + size * nr > LONGEST_ANSWER) {
		server->is_too_long = true;
		return 0;
	}
	protobuf_put(&server->body, text, size * nr);
	return size * nr;
}

/* Returns the value of a header, or NULL if the line is another one. The line has no zero. */
static char *header_of(const char *line, size_t len, const char *name)
{
	size_t name_len = strlen(name);

	if (len <= name_len || strncasecmp(line, name, name_len) || line[name_len] != ':')
		return NULL;
	for (name_len++; name_len < len && isspace((unsigned char)line[name_len]); name_len++)
		;
	while (len > name_len && isspace((unsigned char)line[len - 1]))
		len--;
	return mem_format("%.*s", (int)(len - name_len), line + name_len);
}

/* Retry-After has seconds, or a date. */
static long seconds_of(const char *text)
{
	char *end;
	long seconds = strtol(text, &end, 10);
	time_t date;

	if (end == text || *end) {
		date = lib.curl_getdate(text, NULL);
		seconds = date == (time_t)-1 ? 0 : (long)(date - time(NULL));
	}
	return seconds < 0 ? 0 : seconds > LONGEST_WAIT ? LONGEST_WAIT : seconds;
}

static size_t take_header(char *line, size_t size, size_t nr, void *arg)
{
	struct otlp_server *server = arg;
	char *text = header_of(line, size * nr, "Retry-After");

	server->has_headers = *line == '\r' || *line == '\n';
	if (text)
		server->retry_after = seconds_of(text);
	free(text);
	return size * nr;
}

static int take_progress(void *arg, curl_off_t all_down, curl_off_t down, curl_off_t all_up,
			 curl_off_t up)
{
	struct otlp_server *server = arg;

	(void)all_down, (void)down, (void)all_up, (void)up;
	if (server->look)
		server->look(server->arg);
	return 0;
}

/* --- servers --------------------------------------------------------------------------- */

static int check_url(const char *url, struct err *err)
{
	const char *path = strstr(url, "/v1/");

	if (strncmp(url, "http://", 7) && strncmp(url, "https://", 8))
		return err_set(err, "%s is no address of an OTLP server: give http://HOST:4318, or https://", url);
	if (path)
		return err_set(err, "the path %s is not part of the address: give %.*s", path,
			       (int)(path - url), url);
	return 0;
}

/* Adds the headers in the environment: "NAME=VALUE,NAME=VALUE", with %20 for a blank. */
static struct curl_slist *add_own(struct curl_slist *list)
{
	const char *text = getenv("OTEL_EXPORTER_OTLP_HEADERS");
	char *copy = text ? mem_string(text) : NULL, *rest = copy, *one, *value, *header;

	while ((one = strsep(&rest, ","))) {
		value = strchr(one, '=');
		if (!value)
			continue;
		*value++ = 0;
		value = lib.curl_easy_unescape(NULL, value, 0, NULL);
		header = mem_format("%s: %s", one + strspn(one, " "), value ? value : "");
		if (!strpbrk(header, "\r\n"))
			list = lib.curl_slist_append(list, header);
		free(header);
		lib.curl_free(value);
	}
	free(copy);
	return list;
}

static struct curl_slist *headers_of(bool is_gzip)
{
	struct curl_slist *list = lib.curl_slist_append(NULL, "Content-Type: " OTLP_TYPE);

	list = add_own(lib.curl_slist_append(list, "Expect:"));
	return is_gzip ? lib.curl_slist_append(list, "Content-Encoding: gzip") : list;
}

/* Certificates are verified, and redirections are not followed: that is libcurl's default. */
static void set_options(struct otlp_server *server)
{
	const char *certificates = getenv("OTEL_EXPORTER_OTLP_CERTIFICATE");
	void *curl = server->curl;

	if (certificates && *certificates)
		lib.curl_easy_setopt(curl, CURLOPT_CAINFO, certificates);
	lib.curl_easy_setopt(curl, CURLOPT_POST, 1L);
	lib.curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	lib.curl_easy_setopt(curl, CURLOPT_USERAGENT, "ktrace/" KTRACE_VERSION);
	lib.curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, TIMEOUT_MS);
	lib.curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
	lib.curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, server->reason);
	lib.curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
	lib.curl_easy_setopt(curl, CURLOPT_WRITEDATA, server);
	lib.curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
	lib.curl_easy_setopt(curl, CURLOPT_HEADERDATA, server);
	lib.curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, take_progress);
	lib.curl_easy_setopt(curl, CURLOPT_XFERINFODATA, server);
	lib.curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
}

int otlp_open(struct otlp_server **to, const char *url, void (*look)(void *arg), void *arg,
	      struct err *err)
{
	struct otlp_server *server;
	size_t len = strlen(url);

	*to = NULL;
	if (check_url(url, err) || load_all(err))
		return -1;
	server = mem_alloc(sizeof(*server));
	while (len && url[len - 1] == '/')
		len--;
	server->url = mem_format("%.*s", (int)len, url);
	server->look = look;
	server->arg = arg;
	server->curl = lib.curl_easy_init();
	server->headers = headers_of(false);
	server->gzip_headers = headers_of(true);
	if (!server->curl || !server->headers || !server->gzip_headers) {
		otlp_close(server);
		return err_set(err, "there is no memory for its connection");
	}
	set_options(server);
	*to = server;
	return 0;
}

void otlp_close(struct otlp_server *server)
{
	if (!server)
		return;
	lib.curl_slist_free_all(server->gzip_headers);
	lib.curl_slist_free_all(server->headers);
	if (server->curl)
		lib.curl_easy_cleanup(server->curl);
	free(server->gzip.bytes);
	free(server->body.bytes);
	free(server->url);
	free(server);
}

/* --- requests -------------------------------------------------------------------------- */

#define GZIP_WINDOW (15 + 16)	/* the largest window, with the header of gzip */
#define GZIP_MEMORY 8

/* Returns what is sent: the request, compressed if that is worth it. */
static const struct protobuf *compress_request(struct otlp_server *server,
					       const struct protobuf *request)
{
	struct protobuf *to = &server->gzip;
	z_stream stream = { .next_in = request->bytes, .avail_in = request->len };
	bool is_done;

	if (request->len < SHORTEST_GZIP ||
	    lib.deflateInit2_(&stream, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
			      Z_DEFAULT_STRATEGY, ZLIB_VERSION, sizeof(stream)) != Z_OK)
		return request;
	to->len = 0;
	stream.avail_out = lib.deflateBound(&stream, request->len);
	stream.next_out = protobuf_room(to, stream.avail_out);
	is_done = lib.deflate(&stream, Z_FINISH) == Z_STREAM_END;
	to->len = stream.total_out;
	lib.deflateEnd(&stream);
	return is_done ? to : request;
}

/* Returns the status of the answer, or 0 with err set if there is no whole answer. */
static long ask(struct otlp_server *server, const char *path, const struct protobuf *request,
		struct err *err)
{
	const struct protobuf *body = compress_request(server, request);
	char *url = mem_format("%s%s", server->url, path);
	long status = 0;
	CURLcode code;

	server->body.len = server->retry_after = 0;
	server->is_too_long = server->has_headers = false;
	server->reason[0] = 0;
	lib.curl_easy_setopt(server->curl, CURLOPT_URL, url);
	lib.curl_easy_setopt(server->curl, CURLOPT_HTTPHEADER, body == request ? server->headers :
			     server->gzip_headers);
	lib.curl_easy_setopt(server->curl, CURLOPT_POSTFIELDSIZE, (long)body->len);
	lib.curl_easy_setopt(server->curl, CURLOPT_POSTFIELDS, body->bytes);
	code = lib.curl_easy_perform(server->curl);
	free(url);
	if (!code && !server->has_headers)
		err_set(err, "there is no whole answer from %s", server->url);
	else if (!code || server->is_too_long)
		lib.curl_easy_getinfo(server->curl, CURLINFO_RESPONSE_CODE, &status);
	else
		err_set(err, "there is no answer from %s: %s", server->url, server->reason[0] ?
			server->reason : lib.curl_easy_strerror(code));
	return status;
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

static enum otlp_outcome judge_success(struct otlp_server *server, struct otlp_answer *answer,
				       struct err *err)
{
	if (server->is_too_long) {
		err_set(err, "the answer of the server is longer than %u MiB", LONGEST_ANSWER >> 20);
		return OTLP_REFUSED;
	}
	if (otlp_parse_success(answer, server->body.bytes, server->body.len))
		return OTLP_TAKEN;
	err_set(err, "the answer of the server is none of OTLP, so another service may have this address");
	return OTLP_REFUSED;
}

enum otlp_outcome otlp_post(struct otlp_server *server, const char *path,
			    const struct protobuf *request, struct otlp_answer *answer,
			    int *wait_ms, struct err *err)
{
	long status = ask(server, path, request, err);
	struct otlp_answer words;

	*wait_ms = 0;
	memset(answer, 0, sizeof(*answer));
	if (!status)
		return OTLP_LATER;
	if (status >= 200 && status < 300)
		return judge_success(server, answer, err);
	otlp_parse_failure(&words, server->body.bytes, server->body.len);
	err_set(err, "the server has answered %ld%s%s", status, words.why[0] ? ": " : "", words.why);
	if (!is_temporary(status) && !is_redirection(status))
		return OTLP_REFUSED;
	*wait_ms = 1000 * (int)server->retry_after;
	return OTLP_LATER;
}

#else

int otlp_open(struct otlp_server **server, const char *url, void (*look)(void *arg), void *arg,
	      struct err *err)
{
	(void)url, (void)look, (void)arg;
	*server = NULL;
	return err_set(err, "this ktrace was built without libcurl; install libcurl-devel and zlib-devel (yum, dnf) or libcurl4-openssl-dev (apt) and build it again, with shared libraries");
}

void otlp_close(struct otlp_server *server)
{
	(void)server;
}

enum otlp_outcome otlp_post(struct otlp_server *server, const char *path,
			    const struct protobuf *request, struct otlp_answer *answer,
			    int *wait_ms, struct err *err)
{
	(void)server, (void)path, (void)request, (void)answer, (void)wait_ms, (void)err;
	return OTLP_LATER;
}

#endif
