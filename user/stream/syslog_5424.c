// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "report/json_line.h"
#include "stream/record_line.h"
#include "stream/syslog_5424.h"

#define HOST_LEN 255	/* of the RFC */
#define BEGIN "<30>1 "	/* daemon.info, version 1 */
#define NAME " ktrace - "
#define JSON " - @cee: "

/* Puts printable ASCII without blanks, or "-" for an empty name. */
static char *put_host(char *to, const char *host)
{
	size_t len = strnlen(host, HOST_LEN), i;

	for (i = 0; i < len; i++)
		to[i] = host[i] > ' ' && host[i] <= '~' ? host[i] : '?';
	return len ? to + len : json_put(to, "-");
}

void syslog_5424_put(FILE *out, const struct record *record, const struct identity *identity)
{
	char head[sizeof(BEGIN NAME JSON) + IDENTITY_TIME_LEN + HOST_LEN + sizeof(record->kind->json)];
	char *to = json_put(head, BEGIN);

	to = identity_put_time(to, identity->realtime, 6);
	*to++ = ' ';
	to = put_host(to, identity->host);
	to = json_put(json_put(json_put(to, NAME), record->kind->name), JSON);
	fwrite_unlocked(head, 1, to - head, out);
	record_line_put(out, record, identity, 0);
}
