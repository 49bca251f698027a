/* SPDX-License-Identifier: GPL-2.0 */
/* How figures, names and lines are shown. A command chooses the style before it prints anything. */
#ifndef STYLE_H
#define STYLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum style_time {
	STYLE_TIME_START,	/* seconds since the start of the session */
	STYLE_TIME_MONO,	/* seconds of CLOCK_MONOTONIC */
	STYLE_TIME_WALL,	/* the time of day */
};

enum style_when { STYLE_AUTO, STYLE_ALWAYS, STYLE_NEVER };

struct style {
	unsigned int columns;	/* of a line; 0: no limit */
	bool is_raw;		/* times in ns and sizes in bytes, not scaled */
	enum style_when when_color;
	bool has_color;
	bool has_time;		/* also lines for which a timestamp is optional get one */
	enum style_time time;
};

/* The initial style: no limit, scaled figures, no colours, times since the start. */
const struct style *style_get(void);
void style_set(const struct style *style);

/*
 * Options by name: "raw"; "color" auto, always or never; "time" of STYLE_TIMES.
 */
#define STYLE_COLORS "auto|always|never"
#define STYLE_TIMES "start|mono|wall"
void style_choose(const char *option, const char *value);
/*
 * Sets columns and colours by where the output goes. A terminal has terminal_columns, and colours
 * unless NO_COLOR is set. 0: not a terminal; COLUMNS is the width of lines if it is set.
 */
void style_fit(unsigned int terminal_columns);

enum style_color { STYLE_TITLE, STYLE_LONG, STYLE_PLAIN };

/* Begins or ends a colour. Prints nothing without colours. */
void style_begin(FILE *out, enum style_color color);
void style_end(FILE *out, enum style_color color);
/* Returns the colour of a duration. */
enum style_color style_of_time(uint64_t ns);

#define STYLE_MOMENT_LEN 32

/*
 * Formats a time for the front of a line. time_ns and start_ns are CLOCK_MONOTONIC. Returns text
 * without leading blanks.
 */
const char *style_moment(char text[STYLE_MOMENT_LEN], uint64_t time_ns, uint64_t start_ns,
			 int decimals);
/* Returns the maximum width of this text. */
int style_moment_width(int decimals);

#endif
