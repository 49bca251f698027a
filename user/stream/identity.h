/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IDENTITY_H
#define IDENTITY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "uapi/ktrace.h"

/*
 * What every collector is told about a record besides the record: what it is called, and where and
 * when it arose. The name survives a kill of either side, because the module keeps a packet
 * unchanged until it is acknowledged: "COOKIE.CPU.PACKET.INDEX", the cookie of the session in 16
 * hexadecimal digits, the others decimal.
 */
#define IDENTITY_LEN 80
#define IDENTITY_TIME_LEN 40

struct identity {
	char session[KTRACE_NAME_LEN];
	size_t session_len;
	const char *host;
	size_t host_len;
	const char *boot;	/* ID of the boot, as in /proc/sys/kernel/random/boot_id */
	const char *json;	/* members in JSON that are the same for all records of a session: */
	size_t json_len;	/* at most 2048: ,"session":"web","host":"h","boot":"..." */
	char id[IDENTITY_LEN];
	size_t id_len;		/* 0: an event of the streamer itself */
	uint64_t realtime;	/* ns since 1970, UTC: the record's own time */
};

/* Sets the name of the session, of which no longer one is passed. */
static inline void identity_set_session(struct identity *identity, const char *name)
{
	identity->session_len = strnlen(name, sizeof(identity->session) - 1);
	memcpy(identity->session, name, identity->session_len);
}

/* host must stay valid as long as the identity. */
static inline void identity_set_host(struct identity *identity, const char *host)
{
	identity->host = host;
	identity->host_len = strlen(host);
}

/* Puts the name at to, which has room for the longest one: that copy takes the fewest instructions. */
static inline char *identity_put_id(char *to, const struct identity *identity)
{
	memcpy(to, identity->id, sizeof(identity->id));
	return to + identity->id_len;
}

/* The same for the name of the session, which has no line feeds. */
static inline char *identity_put_session(char *to, const struct identity *identity)
{
	memcpy(to, identity->session, sizeof(identity->session));
	return to + identity->session_len;
}

/*
 * Puts "2026-11-28T13:11:24.123456789Z" at to, with so many digits of the second (0, 6 or 9).
 * Returns its end.
 */
char *identity_put_time(char *to, uint64_t realtime, int digits);

/*
 * Puts the members in JSON, each with a comma in front, at to, which has room for
 * IDENTITY_LEN + IDENTITY_TIME_LEN + 32 more bytes than json_len. Returns their end.
 */
char *identity_put_json(char *to, const struct identity *identity);

#endif
