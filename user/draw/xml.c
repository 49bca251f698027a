// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "draw/xml.h"
#include "util/out.h"

void xml_put(FILE *out, const char *text)
{
	size_t len;

	for (; *text; text += len) {
		len = strcspn(text, "&<>\"'");
		out_put(out, "%.*s", (int)len, text);
		if (text[len])
			out_put(out, "&#%d;", text[len++]);
	}
}
