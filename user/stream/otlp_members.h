/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OTLP_MEMBERS_H
#define OTLP_MEMBERS_H

#include "stream/otlp.h"

struct json_object;

/* Puts the members of an object as attributes, whose names begin with that of the key. */
void otlp_members_put(struct protobuf *to, const struct otlp_key *key, struct json_object *members);

#endif
