/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECORD_VIEWS_H
#define RECORD_VIEWS_H

#include "cmd/cmd_gather.h"

/* Like gather_run(), for a command that is a part of a recording (recording.h). */
int record_views(struct gather *config, const struct gather_view *view);

#endif
