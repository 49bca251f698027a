/* SPDX-License-Identifier: GPL-2.0 */
/* Sessions that a command makes in the module that plays: they play the same rings. */
#ifndef MADE_H
#define MADE_H

#include <stdbool.h>
#include <stdint.h>

#include "client/client.h"

#define FIRST_ID 7	/* of the session "web" */

bool made_is_stopped(uint64_t id);
bool made_is_deleted(uint64_t id);
/* Sets what the maker has chosen. */
void made_fill(struct ktr_session *session);

#endif
