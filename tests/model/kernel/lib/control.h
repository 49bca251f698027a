/* SPDX-License-Identifier: GPL-2.0 */
/* There are no commands, and work items run at once. */
#include "task.h"
