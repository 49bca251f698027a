// SPDX-License-Identifier: GPL-2.0
/*
 * systemd-journal-remote: entries in the export format of the journal, by HTTP. A part is a request,
 * whose answer says that the entries are in the file of the journal.
 */
#include <stdlib.h>
#include <string.h>

#include "report/json_line.h"
#include "stream/record_journal.h"
#include "stream/sink.h"
#include "stream/web.h"

#define ACCEPTED 202
#define HOST_LEN 64
#define REASON_LEN 100

/* --- entries ------------------------------------------------------------------------------ */

/* Puts the ID of the boot without its dashes. */
static char *put_boot(char *to, const char *boot)
{
	for (; *boot; boot++)
		if (*boot != '-')
			*to++ = *boot;
	return to;
}

/* Puts a name without characters that would end its line. */
static char *put_host(char *to, const char *host)
{
	size_t len = strnlen(host, HOST_LEN), i;

	for (i = 0; i < len; i++)
		to[i] = (unsigned char)host[i] < ' ' ? '?' : host[i];
	return to + len;
}

/* A journald would add these fields by itself. Times are in us. */
static char *put_entry(struct json_line *line, const struct record *record,
		       const struct identity *identity)
{
	char *to = json_put(line->begin, "__REALTIME_TIMESTAMP=");

	to = json_put_u64(to, identity->realtime / 1000);
	to = json_put_u64(json_put(to, "\n__MONOTONIC_TIMESTAMP="), record->event.time / 1000);
	to = put_boot(json_put(to, "\n_BOOT_ID="), identity->boot);
	to = put_host(json_put(to, "\n_HOSTNAME="), identity->host);
	to = record_add_journal(line, json_put(to, "\n_TRANSPORT=journal\n"), record, identity);
	return json_put(to, "\n");
}

/* --- requests ----------------------------------------------------------------------------- */

/* The reader's end ends this process. */
static void look(void *arg)
{
	link_wait(arg, 0, 0);
}

/* libcurl keeps the connection, so link->fd remains -1, and this is called for each part. */
static int open_server(struct link *link, struct err *err)
{
	const struct web_options options = {
		.type = "application/vnd.fdo.journal", .look = look, .arg = link,
	};
	struct web *web = link->own;

	if (!web && web_open(&web, link->address, &options, err)) {
		link->is_over = true;
		return -1;
	}
	link->own = web;
	return 0;
}

static void close_server(struct link *link)
{
	web_close(link->own);
	link->own = NULL;
}

/* Is the answer about these entries? Others come from a server that is wrong, or that is busy. */
static bool is_final(long status)
{
	static const long finals[] = { 400, 413, 415, 417, 422 };
	size_t i;

	for (i = 0; i < sizeof(finals) / sizeof(*finals); i++)
		if (status == finals[i])
			return true;
	return false;
}

static int send_entries(struct link *link, const struct part *part, struct err *err)
{
	struct protobuf body = { .bytes = (unsigned char *)part->bytes, .len = part_len(part) };
	struct web_answer answer;

	web_post(link->own, "/upload", &body, &answer, err);
	if (!answer.status)
		return -1;
	if (answer.status == ACCEPTED) {
		link->done = part->nr;
		return 0;
	}
	err_set(err, "the server has answered %ld%s%.*s", answer.status, answer.len ? ": " : "",
		answer.len < REASON_LEN ? (int)answer.len : REASON_LEN, answer.bytes);
	err->text[strcspn(err->text, "\r\n")] = 0;
	err->text[strlen(err->text) - (err->text[strlen(err->text) - 1] == '.')] = 0;
	link->wait_ms = 1000 * (int)answer.retry_after;
	if (!is_final(answer.status))
		return -1;
	link->wait_ms = 0;
	while (link->done < part->nr)
		link_refuse(link, "%s", err->text);
	return 0;
}

static const struct transport transport = {
	.open = open_server, .send = send_entries, .close = close_server,
};

static int check(const char *address, struct err *err)
{
	return web_is_url(address) ? 0 :
	       err_set(err, "'%.200s' is no address of a systemd-journal-remote; give http://HOST:19532, or https://.",
		       address);
}

const struct sink_kind sink_journal_remote = {
	.name = "journal-remote",
	.address = "URL",
	.needs_address = true,
	.check = check,
	.is_confirmed = true,
	.promise = "systemd-journal-remote has written each entry to its file; URL is http://HOST:19532, or https://",
	.max_message = PART_LEN,
	.rights = SECCOMP_CURL,
	.put = put_entry,
	.transport = &transport,
};
