/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GATHER_CHECK_H
#define GATHER_CHECK_H

#include "cmd/cmd_gather.h"

/* Returns 0, or -1 with err set. With --to, it sets the format that the sinks need. */
int gather_check(struct gather *config, const struct gather_view *view, bool has_program,
		 struct err *err);

#endif
