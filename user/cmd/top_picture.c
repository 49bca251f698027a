// SPDX-License-Identifier: GPL-2.0
/* From figures to the lines of a screen: what was counted, the rows, and below them what it cost. */
#include <stdlib.h>
#include <string.h>

#include "cmd/top_picture.h"
#include "report/head.h"
#include "session/session.h"
#include "util/clock.h"
#include "util/fmt.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/style.h"

static const char help[] =
	"Tab, 1 2 3   another tab; only the tab that is shown counts\n"
	"s, S         sort by the next column, or by the one before\n"
	"/            only rows with a text in their names; Enter ends it,\n"
	"             Esc shows all rows again; * and ? make it a pattern\n"
	"p            pause: nothing counts; again: go on\n"
	"?            this text\n"
	"q, Ctrl-C    quit\n";

static bool is_screen(const struct top_picture *picture)
{
	return picture->size.rows;
}

/* --- above the rows ---------------------------------------------------------- */

static void print_tabs(FILE *out, const struct top_picture *picture)
{
	const struct top_state *state = picture->state;
	size_t tab;

	for (tab = 0; tab < TOP_NR_TABS; tab++) {
		if (tab == state->tab)
			style_begin(out, STYLE_TITLE);
		out_put(out, tab == state->tab ? "[%zu %s]" : " %zu %s ", tab + 1,
			top_tabs[tab].title);
		if (tab == state->tab)
			style_end(out, STYLE_TITLE);
	}
	out_put(out, "  by %s", top_state_order(state));
	if (state->is_typing || state->filter[0])
		out_put(out, "  /%s%s", state->filter, state->is_typing ? "_" : "");
	fputc('\n', out);
}

static const struct top_figures *figures_of(const struct top_picture *picture)
{
	const struct top_figures *figures = &picture->window->figures;

	return figures->tab == &top_tabs[picture->state->tab] ? figures : NULL;
}

static void print_head(FILE *out, const struct top_picture *picture)
{
	const struct top_figures *figures = figures_of(picture);
	uint64_t now = clock_now_ns();

	if (figures)
		head_set_window(picture->window->from, picture->window->to);
	else
		head_set_window(now, now);
	head_set_repeated(true);
	head_print(out);
	if (is_screen(picture))
		print_tabs(out, picture);
	if (figures && figures->tab->print_head)
		figures->tab->print_head(out, figures);
	else
		fputc('\n', out);
}

/* --- below the rows ---------------------------------------------------------- */

static void print_lost(FILE *out, const struct ktrace_counters *counters)
{
	char *text;

	if (!session_lost(counters))
		return;
	text = session_loss_text(counters);
	out_put(out, "The data is incomplete: %s.\n", text);
	free(text);
}

static void print_samples(FILE *out, const struct ktrace_counters *counters)
{
	if (counters->missed_samples)
		out_put(out, "%llu samples are missing: interrupts were off too long, or the machine was stopped.\n",
			(unsigned long long)counters->missed_samples);
	if (counters->excluded)
		out_put(out, "%llu samples are excluded: those of ktrace, and of tasks that are not shown.\n",
			(unsigned long long)counters->excluded);
}

static bool is_long(const struct top_picture *picture)
{
	const struct top_window *window = picture->window;

	return window->to - window->from > picture->interval + picture->interval / 2;
}

static void print_window(FILE *out, const struct top_picture *picture)
{
	const struct top_window *window = picture->window;
	char asked[FMT_LEN];

	if (window->nr_cpus != window->nr_cpus_before)
		out_put(out, "%ld CPUs were online when the window began, and %ld when it ended.\n",
			window->nr_cpus_before, window->nr_cpus);
	if (is_long(picture))
		out_put(out, "The window is longer than %s: the machine is busy.\n",
			fmt_plain(asked, picture->interval));
	if (window->state == KTRACE_STATE_PAUSED)
		out_put(out, "Another command has paused the session; see: ktrace ctl list.\n");
}

static void print_cost(FILE *out, const struct top_picture *picture)
{
	const struct top_window *window = picture->window;

	if (is_screen(picture))
		fputs("?: help, q: quit", out);
	if (figures_of(picture)) {
		out_put(out, "%sktrace costs, of one CPU: ", is_screen(picture) ? "  " : "");
		if (window->hit_share >= 0)
			out_put(out, "probes %.2f %%", window->hit_share);
		else
			fputs("probes not known yet", out);
		out_put(out, ", command %.2f %%", window->own_share);
	}
	fputc('\n', out);
}

static void print_foot(FILE *out, const struct top_picture *picture)
{
	if (picture->note)
		out_put(out, "%s\n", picture->note);
	if (picture->state->is_paused)
		out_put(out, "Paused: nothing counts until you press p.\n");
	if (figures_of(picture)) {
		print_lost(out, &picture->window->counters);
		print_samples(out, &picture->window->counters);
		print_window(out, picture);
	}
	print_cost(out, picture);
}

/* --- the whole --------------------------------------------------------------- */

static void print_rows(FILE *out, const struct top_picture *picture, size_t nr_lines)
{
	const struct top_rows rows = { .filter = picture->state->filter, .nr_lines = nr_lines };
	const struct top_figures *figures = figures_of(picture);
	char interval[FMT_LEN];

	if (picture->state->has_help)
		out_kept(out, help, sizeof(help) - 1);
	else if (figures)
		figures->tab->print(out, figures, &rows);
	else if (!picture->note && !picture->state->is_paused)
		out_put(out, "Counting %s; the first figures come after %s.\n",
			top_tabs[picture->state->tab].what, fmt_plain(interval, picture->interval));
}

typedef void part_fn(FILE *out, const struct top_picture *picture);

static char *part(const struct top_picture *picture, part_fn *print, size_t nr_lines)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return mem_string("");
	if (print)
		print(out, picture);
	else
		print_rows(out, picture, nr_lines);
	fclose(out);
	return text;
}

static size_t count_lines(const char *text)
{
	size_t nr = 0;

	while ((text = strchr(text, '\n'))) {
		nr++;
		text++;
	}
	return nr;
}

/* Returns the length of the first lines. */
static size_t len_of(const char *text, size_t nr_lines)
{
	const char *at = text;

	for (; nr_lines && *at; nr_lines--)
		at = strchr(at, '\n') + 1;
	return at - text;
}

/* Puts the first lines, and the last one. */
static void put_foot(FILE *out, const char *foot, size_t nr_lines)
{
	const char *last = foot + len_of(foot, count_lines(foot) - 1);

	out_kept(out, foot, len_of(foot, nr_lines - 1));
	out_kept(out, last, strlen(last));
}

/* A third of the screen at most. */
static size_t nr_foot_lines(const char *foot, size_t nr_lines)
{
	size_t nr = count_lines(foot), most = nr_lines / 3 ? nr_lines / 3 : 1;

	return nr < most ? nr : most;
}

/* Puts the foot on the last lines. On a small screen, rows are left out first. */
static char *fit(const char *head, const char *rows, const char *foot, size_t nr_lines)
{
	size_t nr_foot = nr_foot_lines(foot, nr_lines), nr_head = count_lines(head);
	size_t nr_shown = count_lines(rows), nr_rows, i;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return mem_string("");
	nr_head = nr_head < nr_lines - nr_foot ? nr_head : nr_lines - nr_foot;
	nr_rows = nr_lines - nr_foot - nr_head;
	out_kept(out, head, len_of(head, nr_head));
	out_kept(out, rows, len_of(rows, nr_rows));
	for (i = nr_shown; i < nr_rows; i++)
		fputc('\n', out);
	put_foot(out, foot, nr_foot);
	fclose(out);
	return text;
}

char *top_picture_text(const struct top_picture *picture)
{
	char *head = part(picture, print_head, 0), *foot = part(picture, print_foot, 0);
	size_t nr_lines = picture->size.rows, taken = count_lines(head) + nr_foot_lines(foot, nr_lines);
	char *rows = part(picture, NULL, !nr_lines ? 0 : nr_lines > taken ? nr_lines - taken : 1);
	char *text = nr_lines ? fit(head, rows, foot, nr_lines) :
				mem_format("%s%s\n%s", head, rows, foot);

	free(head);
	free(rows);
	free(foot);
	return text;
}
