// SPDX-License-Identifier: GPL-2.0
/*
 * Uses libcurl if its headers were present when ktrace was built. It is loaded when the first
 * server is opened, because it brings 30 other libraries, which most commands do not need.
 */
#include <string.h>

#include "stream/web.h"

static bool is_port(const char *text, const char *end)
{
	unsigned long port = 0;

	if (text == end)
		return false;
	for (; text < end && *text >= '0' && *text <= '9' && port <= 65535; text++)
		port = 10 * port + *text - '0';
	return text == end && port && port <= 65535;
}

/* HOST, HOST:PORT, USER:PASSWORD@HOST; an address of IPv6 is in brackets. */
static bool is_server(const char *text, const char *end)
{
	const char *at = memrchr(text, '@', end - text), *port;

	text = at ? at + 1 : text;
	port = *text == '[' ? memchr(text, ']', end - text) : text;
	port = port ? memchr(port, ':', end - port) : NULL;
	if (*text == '[' && !memchr(text, ']', end - text))
		return false;
	return text < (port ? port : end) && (!port || is_port(port + 1, end));
}

bool web_is_url(const char *text)
{
	const char *server = !strncmp(text, "http://", 7) ? text + 7 :
			     !strncmp(text, "https://", 8) ? text + 8 : NULL;

	return server && !strpbrk(server, " ?#") && is_server(server, server + strcspn(server, "/"));
}

#ifdef HAVE_LIBCURL

/* Functions that this file uses are old; which ones are deprecated depends on the version. */
#define CURL_DISABLE_DEPRECATION
#define CURL_DISABLE_TYPECHECK

#include <ctype.h>
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>
#include <zlib.h>

#include "util/mem.h"
#include "version.h"

#define TIMEOUT_MS 30000L
#define CONNECT_MS 10000L
#define LONGEST_ANSWER (WEB_ANSWER_MIB << 20)
#define LONGEST_WAIT 60		/* seconds */
#define SHORTEST_GZIP 1024	/* bytes */

struct web {
	void *curl;
	struct curl_slist *headers, *gzip_headers;
	char *url;
	struct web_options options;
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
	struct web *web = arg;

	if (web->body.len + size * nr > LONGEST_ANSWER) {
		web->is_too_long = true;
		return 0;
	}
	protobuf_put(&web->body, text, size * nr);
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
	struct web *web = arg;
	char *text = header_of(line, size * nr, "Retry-After");

	/* An answer may be behind another one, and have trailers. */
	if (size * nr >= 5 && !strncmp(line, "HTTP/", 5))
		web->has_headers = false;
	if (*line == '\r' || *line == '\n')
		web->has_headers = true;
	if (text)
		web->retry_after = seconds_of(text);
	free(text);
	return size * nr;
}

static int take_progress(void *arg, curl_off_t all_down, curl_off_t down, curl_off_t all_up,
			 curl_off_t up)
{
	struct web *web = arg;

	(void)all_down, (void)down, (void)all_up, (void)up;
	if (web->options.look)
		web->options.look(web->options.arg);
	return 0;
}

/* --- servers --------------------------------------------------------------------------- */

/* Adds "NAME=VALUE,NAME=VALUE", with %20 for a blank. */
static struct curl_slist *add_own(struct curl_slist *list, const char *text)
{
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

static struct curl_slist *headers_of(const struct web_options *options, bool is_gzip)
{
	char *type = mem_format("Content-Type: %s", options->type);
	struct curl_slist *list = lib.curl_slist_append(NULL, type);

	free(type);
	list = add_own(lib.curl_slist_append(list, "Expect:"), options->headers);
	return is_gzip ? lib.curl_slist_append(list, "Content-Encoding: gzip") : list;
}

/* Certificates are verified, and redirections are not followed: that is libcurl's default. */
static void set_options(struct web *web)
{
	const char *certificates = web->options.certificates;
	void *curl = web->curl;

	if (certificates && *certificates)
		lib.curl_easy_setopt(curl, CURLOPT_CAINFO, certificates);
	lib.curl_easy_setopt(curl, CURLOPT_POST, 1L);
	lib.curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	lib.curl_easy_setopt(curl, CURLOPT_USERAGENT, "ktrace/" KTRACE_VERSION);
	lib.curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, TIMEOUT_MS);
	lib.curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
	lib.curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, web->reason);
	lib.curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
	lib.curl_easy_setopt(curl, CURLOPT_WRITEDATA, web);
	lib.curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
	lib.curl_easy_setopt(curl, CURLOPT_HEADERDATA, web);
	lib.curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, take_progress);
	lib.curl_easy_setopt(curl, CURLOPT_XFERINFODATA, web);
	lib.curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
}

int web_open(struct web **to, const char *url, const struct web_options *options, struct err *err)
{
	size_t len = strlen(url);
	struct web *web;

	*to = NULL;
	if (load_all(err))
		return -1;
	web = mem_alloc(sizeof(*web));
	while (len && url[len - 1] == '/')
		len--;
	web->url = mem_format("%.*s", (int)len, url);
	web->options = *options;
	web->curl = lib.curl_easy_init();
	web->headers = headers_of(options, false);
	web->gzip_headers = headers_of(options, true);
	if (!web->curl || !web->headers || !web->gzip_headers) {
		web_close(web);
		return err_set(err, "there is no memory for its connection");
	}
	set_options(web);
	*to = web;
	return 0;
}

void web_close(struct web *web)
{
	if (!web)
		return;
	lib.curl_slist_free_all(web->gzip_headers);
	lib.curl_slist_free_all(web->headers);
	if (web->curl)
		lib.curl_easy_cleanup(web->curl);
	free(web->gzip.bytes);
	free(web->body.bytes);
	free(web->url);
	free(web);
}

/* --- requests -------------------------------------------------------------------------- */

#define GZIP_WINDOW (15 + 16)	/* the largest window, with the header of gzip */
#define GZIP_MEMORY 8

/* Returns what is sent: the request, compressed if that is worth it. */
static const struct protobuf *compress_request(struct web *web,
					       const struct protobuf *request)
{
	struct protobuf *to = &web->gzip;
	z_stream stream = { .next_in = request->bytes, .avail_in = request->len };
	bool is_done;

	if (!web->options.is_compressed || request->len < SHORTEST_GZIP ||
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

void web_post(struct web *web, const char *path, const struct protobuf *request,
	      struct web_answer *answer, struct err *err)
{
	const struct protobuf *body = compress_request(web, request);
	char *url = mem_format("%s%s", web->url, path);
	long status = 0;
	CURLcode code;

	web->body.len = web->retry_after = 0;
	web->is_too_long = web->has_headers = false;
	web->reason[0] = 0;
	lib.curl_easy_setopt(web->curl, CURLOPT_URL, url);
	lib.curl_easy_setopt(web->curl, CURLOPT_HTTPHEADER, body == request ? web->headers :
			     web->gzip_headers);
	lib.curl_easy_setopt(web->curl, CURLOPT_POSTFIELDSIZE, (long)body->len);
	lib.curl_easy_setopt(web->curl, CURLOPT_POSTFIELDS, body->bytes);
	code = lib.curl_easy_perform(web->curl);
	free(url);
	if (!code && !web->has_headers)
		err_set(err, "there is no whole answer from %s", web->url);
	else if (!code || web->is_too_long)
		lib.curl_easy_getinfo(web->curl, CURLINFO_RESPONSE_CODE, &status);
	else
		err_set(err, "there is no answer from %s: %s", web->url, web->reason[0] ?
			web->reason : lib.curl_easy_strerror(code));
	*answer = (struct web_answer){
		.status = status, .bytes = web->body.bytes, .len = web->body.len,
		.is_too_long = web->is_too_long, .retry_after = web->retry_after,
	};
}

#else

int web_open(struct web **web, const char *url, const struct web_options *options, struct err *err)
{
	(void)url, (void)options;
	*web = NULL;
	return err_set(err, "this ktrace was built without libcurl; install libcurl-devel and zlib-devel (yum, dnf) or libcurl4-openssl-dev (apt) and build it again, with shared libraries");
}

void web_close(struct web *web)
{
	(void)web;
}

void web_post(struct web *web, const char *path, const struct protobuf *body,
	      struct web_answer *answer, struct err *err)
{
	(void)web, (void)path, (void)body, (void)err;
	*answer = (struct web_answer){ .status = 0 };
}

#endif
