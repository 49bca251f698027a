/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of this program that are probed, and their places in its file. */
#ifndef PLACES_H
#define PLACES_H

#include <stdint.h>

#include "../../include/uapi/ktrace.h"

#define PLACE_EXITS 2

struct place {
	struct ktrace_func func;	/* with func.func to be filled in */
	struct ktrace_exit exits[PLACE_EXITS];
};

#define NR_PLACES 8
#define PLACE_HOLD 7	/* may have KTRACE_FUNC_HOLD */

/* Must be called before the others. */
void places_init(void);
extern struct place places[NR_PLACES];

/* Calls all of these functions. */
void places_call(void);

#endif
