/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PRINT_CHOSEN_H
#define PRINT_CHOSEN_H

#include <stdio.h>

#include "../../user/session/names.h"

/* Prints tables of --by, whose rows a simulated module sends. */
void print_chosen_tables(FILE *out, const struct names *names, bool is_csv);

#endif
