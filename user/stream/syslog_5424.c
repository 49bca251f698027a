// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "report/json_line.h"
#include "report/text_copy.h"
#include "stream/record_line.h"
#include "stream/syslog_5424.h"

#define HOST_LEN 255	/* of the RFC */
#define BEGIN "<30>1 "	/* daemon.info, version 1 */
#define NAME " ktrace - "
#define JSON " - @cee: "

/* Marks bytes that are controls, blanks, or no ASCII. */
static inline text_bytes marks_of(text_bytes bytes)
{
	return (bytes <= EACH(' ')) | (bytes == EACH(0x7f));
}

/* Puts printable ASCII without blanks, or "-" for an empty name. */
static char *put_host(char *to, const char *host, size_t len)
{
	size_t i;

	len = len < HOST_LEN ? len : HOST_LEN;
	if (!len)
		return json_put(to, "-");
	if (!text_copy(to, host, len, marks_of))
		for (i = 0; i < len; i++)
			to[i] = host[i] > ' ' && host[i] <= '~' ? host[i] : '?';
	return to + len;
}

char *syslog_5424_put(struct json_line *line, const struct record *record,
		      const struct identity *identity)
{
	char *to = json_put(line->begin, BEGIN);

	_Static_assert(sizeof(BEGIN NAME JSON) + IDENTITY_TIME_LEN + HOST_LEN +
		       sizeof(record->kind->json) < RECORD_LINE_BEFORE, "the head is too long");
	to = identity_put_time(to, identity->realtime, 6);
	*to++ = ' ';
	to = put_host(to, identity->host, identity->host_len);
	to = json_put(record_kind_put_name(json_put(to, NAME), record->kind), JSON);
	return record_line_put(line, to, record, identity);
}
