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
uint32_t made_provider(uint64_t id);	/* KTRACE_PROVIDER_* */
/* Sets what the maker has chosen. */
void made_fill(struct ktr_session *session);

#endif
