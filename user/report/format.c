// SPDX-License-Identifier: GPL-2.0
#include "report/format.h"

int format_check(const struct output_format *format, const struct output *output,
		 bool has_program, struct err *err)
{
	if (out_check(output, err))
		return -1;
	if (format->is_folder && (!output->path || out_is_apart(output)))
		return err_set(err, "--format %s writes a folder; name it with -o.", format->name);
	if (format->is_folder || !has_program || !format->is_data || !out_is_shared(output))
		return 0;
	return err_set(err, "--format %s would be mixed with what the program writes; write to a file with -o FILE, to another descriptor with --output-fd N, or let the program write to standard error with -o -.",
		       format->name);
}

const struct output *format_output(const struct output_format *format,
				   const struct output *output)
{
	return format->is_folder ? NULL : output;
}
