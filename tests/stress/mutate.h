/* SPDX-License-Identifier: GPL-2.0 */
/* What makes a valid message into one that should be refused, or maybe not. */
#ifndef MUTATE_H
#define MUTATE_H

#include "genl.h"
#include "random.h"

/* Once or a few times. The message still asks for an answer. */
void message_mutate(struct random *random, struct message *m);

#endif
