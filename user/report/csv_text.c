// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "report/csv_text.h"
#include "util/out.h"

void csv_text_put(FILE *out, const char *text)
{
	bool is_quoted = strpbrk(text, ",\"");
	const char *quote;

	out_put(out, "%s", is_quoted ? "\"" : "");
	while ((quote = strchr(text, '"'))) {
		out_put(out, "%.*s\"\"", (int)(quote - text), text);
		text = quote + 1;
	}
	out_put(out, "%s%s", text, is_quoted ? "\"" : "");
}
