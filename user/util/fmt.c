// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/fmt.h"

const char *fmt_duration(char text[FMT_LEN], uint64_t ns)
{
	static const char *const units[] = { "us", "ms", " s" };
	double value = ns / 1e3;
	unsigned int unit = 0;

	/* 999.9996 would be shown as 1000.000 */
	for (; value >= 999.9995 && unit < 2; unit++)
		value /= 1000;
	snprintf(text, FMT_LEN, "%7.3f %s", value, units[unit]);
	return text;
}

const char *fmt_plain(char text[FMT_LEN], uint64_t ns)
{
	char *value;

	fmt_duration(text, ns);
	value = text + strspn(text, " ");
	if (!strcmp(value + strlen(value) - 3, "  s"))
		strcpy(value + strlen(value) - 2, "s");
	return value;
}

bool fmt_parse_duration(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
		{ "m", 60e9 }, { "min", 60e9 }, { "h", 3600e9 },
	};
	char *end;
	double value;
	size_t i;

	if (!isdigit((unsigned char)*text) && *text != '.')
		return false;
	value = strtod(text, &end);
	*ns = 0;
	if (value == 0 && !*end)
		return true;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name))
			continue;
		value *= units[i].ns;
		if (value < 0 || value > 1e18)
			return false;
		*ns = value + 0.5;
		return true;
	}
	return false;
}

bool fmt_parse_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMG";
	size_t len = strspn(text, "0123456789");
	const char *unit;

	/* Nine digits and a G are below 2^64. */
	if (!len || len > 9 || !text[len] || text[len + 1])
		return false;
	unit = strchr(units, text[len]);
	if (!unit)
		return false;
	*bytes = (uint64_t)strtoul(text, NULL, 10) << (10 * (unit - units + 1));
	return true;
}

const char *fmt_parentheses(const char *name)
{
	if (name[0] == '[' || (strchr(name, '(') && name[0] != '('))
		return "";
	return "()";
}

int fmt_name_len(const char *name)
{
	const char *module = strstr(name, " [");
	size_t len = strlen(name);

	return module && name[len - 1] == ']' ? module - name : (int)len;
}
