// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/fmt.h"
#include "util/style.h"

/* Decimals for three significant digits. */
static int decimals_of(double value)
{
	return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

/* Writes a number with three significant digits, in one of several units. */
static const char *scale(char text[FMT_LEN], uint64_t number, int step, const char *const *units,
			 size_t nr_units)
{
	double value = number;
	size_t unit = 0;

	if (style_get()->is_raw) {
		snprintf(text, FMT_LEN, "%llu", (unsigned long long)number);
		return text;
	}
	/* 999.6 would be printed as 1000. */
	for (; value >= 999.5 && unit + 1 < nr_units; unit++)
		value /= step;
	snprintf(text, FMT_LEN, "%.*f %s", unit ? decimals_of(value) : 0, value, units[unit]);
	return text;
}

const char *fmt_duration(char text[FMT_LEN], uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", " s" };

	return scale(text, ns, 1000, units, 4);
}

const char *fmt_plain(char text[FMT_LEN], uint64_t ns)
{
	char *unit;

	fmt_duration(text, ns);
	if (style_get()->is_raw)
		return strcat(text, " ns");
	unit = strchr(text, ' ');
	if (!strcmp(unit, "  s"))
		strcpy(unit, " s");
	return text;
}

const char *fmt_bytes(char text[FMT_LEN], uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };

	return scale(text, bytes, 1024, units, 6);
}

const char *fmt_rate(char text[FMT_LEN], double rate)
{
	snprintf(text, FMT_LEN, "%.*f", decimals_of(rate), rate);
	return text;
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
