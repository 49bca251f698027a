/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECORD_MSGPACK_H
#define RECORD_MSGPACK_H

#include "report/json_line.h"
#include "report/record.h"
#include "stream/identity.h"

/*
 * Puts an entry of the Fluent forward protocol: an array of the record's time and a map. The map
 * has the members of the JSON document except "time". Integers are always integers, and text that
 * is not UTF-8 has U+FFFD in its place.
 */
char *record_put_msgpack(struct json_line *line, const struct record *record,
			 const struct identity *identity);

#endif
