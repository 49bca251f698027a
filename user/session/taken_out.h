/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TAKEN_OUT_H
#define TAKEN_OUT_H

#include "nl/nl.h"
#include "session/names.h"

/* Reports on stderr the functions that were removed to keep a session's budget. */
void taken_out_tell(struct knl *nl, const struct knl_session *session, const struct names *names);

#endif
