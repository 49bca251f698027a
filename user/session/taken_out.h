/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TAKEN_OUT_H
#define TAKEN_OUT_H

#include "nl/nl.h"
#include "session/names.h"

/* Says on stderr which functions left a session as its budget was not enough for them. */
void taken_out_tell(struct knl *nl, const struct knl_session *session, const struct names *names);

#endif
