// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include <json-c/json.h>

#include "cmd/to_sinks.h"
#include "report/head.h"
#include "stream/rows.h"

int to_sinks_check(const struct opt_words *to, const struct output *output,
		   const struct output_format **format, bool has_program, struct err *err)
{
	size_t i;

	if (output->path || output->fd)
		return err_set(err, "-o and --to cannot be combined; a file is a collector, too: --to json:FILE.");
	if (*format && *format != &format_table && *format != &format_json)
		return err_set(err, "--format %s and --to cannot be combined: each kind of collector has its own format.",
			       (*format)->name);
	for (i = 0; has_program && i < to->nr; i++)
		if (!strcmp(to->words[i], "json"))
			return err_set(err, "--to json would be mixed with what the program writes; write to a file: --to json:FILE.");
	*format = &format_json;
	return 0;
}

void to_sinks_pass(struct streamer *streamer, const char *text, uint64_t from, uint64_t upto)
{
	const struct rows_window window = { head_command(), from, upto };
	struct json_object *document = json_tokener_parse(text);

	if (document)
		rows_pass(streamer, document, &window);
	json_object_put(document);
}
