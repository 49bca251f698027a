/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MODEL_COMPAT_RCU_H
#define MODEL_COMPAT_RCU_H

#include "task.h"

/* One task runs at a time: no hit runs while another task's work does. */
static inline void kt_wait_for_hits(void)
{
}

#endif
