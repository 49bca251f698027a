/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SHIM_TYPES_H
#define KT_SHIM_TYPES_H
#include_next <linux/types.h>
#include "../shim.h"
#endif
