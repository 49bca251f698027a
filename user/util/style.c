// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/clock.h"
#include "util/style.h"
#include "util/words.h"

#define LONG_TIME 1000000ULL	/* ns */

static struct style current;

const struct style *style_get(void)
{
	return &current;
}

void style_set(const struct style *style)
{
	current = *style;
}

/* --- what is chosen --------------------------------------------------------- */

#define COLUMNS_LEAST 40

void style_choose(const char *option, const char *value)
{
	if (!strcmp(option, "raw"))
		current.is_raw = true;
	else if (!strcmp(option, "color"))
		current.when_color = words_find(STYLE_COLORS, value);
	else if (!strcmp(option, "time")) {
		current.time = words_find(STYLE_TIMES, value);
		current.has_time = true;
	}
}

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

void style_fit(unsigned int terminal_columns)
{
	const char *term = getenv("TERM");
	unsigned int columns = is_set("COLUMNS") ? strtoul(getenv("COLUMNS"), NULL, 10) : 0;

	current.columns = terminal_columns ? terminal_columns : columns >= COLUMNS_LEAST ? columns : 0;
	current.has_color = current.when_color == STYLE_ALWAYS ||
			    (current.when_color == STYLE_AUTO && terminal_columns &&
			     !is_set("NO_COLOR") && !(term && !strcmp(term, "dumb")));
}

/* --- colours ---------------------------------------------------------------- */

void style_begin(FILE *out, enum style_color color)
{
	if (!current.has_color)
		return;
	if (color == STYLE_TITLE)
		fputs("\033[1m", out);
	else if (color == STYLE_LONG)
		fputs("\033[33m", out);
}

void style_end(FILE *out, enum style_color color)
{
	if (current.has_color && color != STYLE_PLAIN)
		fputs("\033[0m", out);
}

enum style_color style_of_time(uint64_t ns)
{
	return ns >= LONG_TIME ? STYLE_LONG : STYLE_PLAIN;
}

/* --- moments ---------------------------------------------------------------- */

static const char *time_of_day(char text[STYLE_MOMENT_LEN], uint64_t monotonic_ns, int decimals)
{
	uint64_t real = clock_realtime_of(monotonic_ns);
	unsigned int rest = real % CLOCK_SECOND, left;
	time_t seconds = real / CLOCK_SECOND;
	struct tm tm;
	size_t len;

	for (left = 9 - decimals; left; left--)
		rest /= 10;
	localtime_r(&seconds, &tm);
	len = strftime(text, STYLE_MOMENT_LEN, "%H:%M:%S", &tm);
	snprintf(text + len, STYLE_MOMENT_LEN - len, ".%0*u", decimals, rest);
	return text;
}

const char *style_moment(char text[STYLE_MOMENT_LEN], uint64_t time_ns, uint64_t start_ns,
			 int decimals)
{
	double seconds;

	if (current.time == STYLE_TIME_WALL)
		return time_of_day(text, time_ns, decimals);
	if (current.time == STYLE_TIME_MONO)
		seconds = time_ns / 1e9;
	else
		seconds = (int64_t)(time_ns - start_ns) / 1e9;
	snprintf(text, STYLE_MOMENT_LEN, "%.*f", decimals, seconds);
	return text;
}

int style_moment_width(int decimals)
{
	return decimals + (current.time == STYLE_TIME_WALL ? 9 : 5) +
	       (current.time == STYLE_TIME_MONO ? 3 : 0);
}
