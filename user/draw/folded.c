// SPDX-License-Identifier: GPL-2.0
/* The input of flame graphs: one line per stack. */
#include "report/format.h"
#include "report/stack_table.h"

const struct output_format format_folded = {
	.name = "folded",
	.kinds = FORMATS_OF_STACKS,
	.note = "with --stacks",
	.note_kinds = FORMATS_OF_STACKS,
	.is_data = true,
	.stacks = stack_table_print_folded,
};
