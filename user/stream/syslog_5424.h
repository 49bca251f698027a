/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SYSLOG_5424_H
#define SYSLOG_5424_H

#include "report/json_line.h"
#include "report/record.h"
#include "stream/identity.h"

/*
 * Puts a message of RFC 5424 without a line feed:
 *
 *	<30>1 2026-11-28T13:11:24.123456Z HOST ktrace - KIND - @cee: {"schema":...}
 *
 * The time has six digits, as many as the RFC has. A byte order mark does not precede the JSON,
 * because rsyslog's mmjsonparse would not recognise it then.
 */
char *syslog_5424_put(struct json_line *line, const struct record *record,
		      const struct identity *identity);

#endif
