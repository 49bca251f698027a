/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECORD_JOURNAL_H
#define RECORD_JOURNAL_H

#include "report/json_line.h"
#include "report/record.h"
#include "stream/identity.h"

/*
 * Puts an entry in the native format of journald: a line KEY=value per field, or, if the value has
 * a line feed, KEY, its length in 8 bytes and the value. The entry has
 *
 *	MESSAGE=syscall openat, 1234 us, ENOENT
 *	MESSAGE_ID=		the same for all records of a kind
 *	PRIORITY=6  SYSLOG_IDENTIFIER=ktrace
 *	KTRACE_ID=  KTRACE_SESSION=  KTRACE_EVENT=  KTRACE_TIME=
 *	KTRACE_DURATION_NS=	and so on: the members of the JSON document in upper case
 *
 * Values that are lists or objects in JSON are JSON here, too. A string that could not be read has
 * the value null. journald adds the host and the ID of the boot.
 */
char *record_put_journal(struct json_line *line, const struct record *record,
			 const struct identity *identity);
/* The same behind what the line has already. */
char *record_add_journal(struct json_line *line, char *to, const struct record *record,
			 const struct identity *identity);

/* Returns the MESSAGE_ID of an enum event_id, or that of an id that is not known. */
const char *record_message_id(uint32_t event);

#endif
