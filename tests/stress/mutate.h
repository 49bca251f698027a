/* SPDX-License-Identifier: GPL-2.0 */
/* Changes valid messages into messages that should be refused, or possibly not. */
#ifndef MUTATE_H
#define MUTATE_H

#include "genl.h"
#include "random.h"

/* Changes it once or a few times. The message still asks for an answer. */
void message_mutate(struct random *random, struct message *m);

#endif
