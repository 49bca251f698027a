/* SPDX-License-Identifier: GPL-2.0 */
/* Records in OTLP: each field of a record is an attribute. */
#ifndef OTLP_RECORD_H
#define OTLP_RECORD_H

#include "report/json_line.h"
#include "report/record.h"
#include "stream/identity.h"

/* Writes a record as a LogRecord, which is an item of a request. */
char *otlp_record_put_log(struct json_line *line, const struct record *record,
			  const struct identity *identity);
/*
 * Writes a Span: for a system call, a disk request, a slow call of the kernel, or a call without a
 * traced caller. Writes nothing for another record. The IDs of a span depend only on that of its
 * record, so a record that is sent twice is the same span.
 */
char *otlp_record_put_span(struct json_line *line, const struct record *record,
			   const struct identity *identity);

#endif
