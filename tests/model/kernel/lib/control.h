/* SPDX-License-Identifier: GPL-2.0 */
/* There are no commands, and works run at once. */
#include "task.h"
