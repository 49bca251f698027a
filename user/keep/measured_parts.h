/* SPDX-License-Identifier: GPL-2.0 */
/* For measured.c and measured_tables.c only. */
#ifndef MEASURED_PARTS_H
#define MEASURED_PARTS_H

#include "keep/measured.h"
#include "keep/tallies.h"

#define MAX_ERRNO 4095

/* Tables of tallies, behind those of enum measured_kind. */
enum { MEASURED_ERRORS = MEASURED_NR, MEASURED_ALL_PERIODS };

#endif
