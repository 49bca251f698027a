// SPDX-License-Identifier: GPL-2.0
/* Text that is redrawn in place. */
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/screen.h"
#include "util/style.h"

#define HOME "\033[H"
#define CLEAR_LINE "\033[K"
#define CLEAR_BELOW "\033[J"

struct screen screen_of(int fd)
{
	struct screen screen = { 0, 0 };
	struct winsize size;

	if (isatty(fd) && !ioctl(fd, TIOCGWINSZ, &size)) {
		screen.rows = size.ws_row ? size.ws_row : 24;
		screen.columns = size.ws_col ? size.ws_col : 80;
	}
	return screen;
}

void screen_choose_style(const struct output *output)
{
	style_fit(screen_of(out_fd(output)).columns);
}

/* Returns the length of a colour sequence at the start, which takes no column, or 0. */
static size_t escape_len(const char *at, size_t len)
{
	size_t n = 2;

	if (len < n || at[0] != '\033' || at[1] != '[')
		return 0;
	while (n < len && at[n] != 'm')
		n++;
	return n < len ? n + 1 : n;
}

/* Returns how many bytes of a line fit. Only the first byte of a UTF-8 character takes a column. */
static size_t fitting(const char *line, size_t len, unsigned int columns)
{
	unsigned int nr = 0;
	size_t i, escape;

	for (i = 0; i < len; i++) {
		escape = escape_len(line + i, len - i);
		i += escape ? escape - 1 : 0;
		if (escape || ((unsigned char)line[i] & 0xc0) == 0x80)
			continue;
		if (nr++ == columns)
			break;
	}
	return i;
}

/*
 * The line is cleared before its text is written: clearing after a full line would erase its last
 * column.
 */
void screen_show(FILE *out, const struct screen *screen, const char *text)
{
	unsigned int row;
	size_t len;

	if (!screen->rows) {
		fprintf(out, "%s\n", text);
		return;
	}
	fputs(HOME, out);
	for (row = 0; row < screen->rows && *text; row++) {
		len = strcspn(text, "\n");
		fprintf(out, "%s" CLEAR_LINE "%.*s", row ? "\n" : "",
			(int)fitting(text, len, screen->columns), text);
		text += len + (text[len] == '\n');
	}
	if (row < screen->rows)
		fputs("\n" CLEAR_BELOW, out);
}
