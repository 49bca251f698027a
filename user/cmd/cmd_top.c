// SPDX-License-Identifier: GPL-2.0
/* ktrace top: which functions, system calls and disks are busy, on a live screen. */
#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/gather.h"
#include "cmd/options.h"
#include "cmd/top_picture.h"
#include "report/head.h"
#include "session/module.h"
#include "session/session.h"
#include "system/procs.h"
#include "util/clock.h"
#include "util/keys.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/signals.h"
#include "util/style.h"
#include "util/terminal.h"

#define LOOK_NS (CLOCK_SECOND / 10)	/* between two reads of stacks */
#define KEYS_LEN 256

struct config {
	struct gather gather;	/* pids, unwind */
	uint64_t interval;
	uint32_t frequency;
	uint32_t count;		/* windows; 0: no limit */
	const char *tab;
	int is_batch;
};

static const struct opt opts[] = {
	{ 'p', "pid", "PID[,PID...]", OPT_PIDS, offsetof(struct config, gather.pids),
	  "only these processes with all threads, and children that they start", NULL },
	{ 'i', "interval", "TIME", OPT_INTERVAL, offsetof(struct config, interval),
	  "between two updates, each of which shows what came since the last one (2s)", NULL },
	{ 'F', "frequency", "HZ", OPT_FREQUENCY, offsetof(struct config, frequency),
	  "samples per second and CPU, at most 10000 (99)", NULL },
	GATHER_UNWIND_OPTION(struct config, gather),
	{ 0, "tab", "TAB", OPT_CHOICE, offsetof(struct config, tab),
	  "begin with functions (the default), syscalls or disks", TOP_TAB_NAMES },
	{ 'b', "batch", NULL, OPT_FLAG, offsetof(struct config, is_batch),
	  "print one table below the other, for pipes and files", NULL },
	{ 'n', "count", "COUNT", OPT_NUMBER, offsetof(struct config, count),
	  "end after COUNT updates", NULL },
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

struct top {
	struct config *config;
	struct top_state state;
	struct top_session session;
	struct top_window window;
	uint32_t nr_shown;	/* windows */
	uint64_t next;		/* ns: the window ends */
	bool has_ended;		/* all processes */
	const char *note;
	int nr_stops, nr_windows;	/* of signals.h, that the screen has followed */
	struct err err;		/* why the command must end */
};

/* --- the terminal is gone ----------------------------------------------------- */

/* This is an end as any other one, also without a SIGHUP. Nobody can read the rest. */
static int fail_to_show(struct top *top)
{
	if (top->config->is_batch)
		return -1;
	__fpurge(stdout);
	clearerr(stdout);
	top->state.is_over = true;
	return 0;
}

/* --- pictures --------------------------------------------------------------- */

static void choose_style(const struct top *top)
{
	struct style style;

	screen_choose_style(NULL);
	style = *style_get();
	style.has_color &= !top->config->is_batch;
	style_set(&style);
}

/* Returns 0, or -1 with the error set: the reader of the output has closed it. */
static int draw(struct top *top)
{
	const struct top_picture picture = {
		.state = &top->state, .window = &top->window, .interval = top->config->interval,
		.size = top->config->is_batch ? (struct screen){ 0, 0 } : screen_of(STDOUT_FILENO),
		.note = top->note,
	};
	char *text;

	choose_style(top);
	if (top->window.figures.tab == &top_tabs[top->state.tab])
		top->window.figures.tab->sort(&top->window.figures, top_state_order(&top->state));
	text = top_picture_text(&picture);
	screen_show(stdout, &picture.size, text);
	free(text);
	return out_flush(stdout, NULL, &top->err) ? fail_to_show(top) : 0;
}

/* --- the session ------------------------------------------------------------ */

static int fail_to_read(struct top *top, int error)
{
	if (error == -ENOENT)
		return err_set(&top->err, "The session has ended: another command deleted it, or the module was unloaded.");
	return err_set(&top->err, "The figures cannot be read from the module: %s.",
		       ktr_reason(top->session.ktr, error));
}

/* A tab that this kernel cannot have does not end the others. */
static int begin_session(struct top *top)
{
	top->note = NULL;
	if (top_session_open(&top->session, &top_tabs[top->state.tab], &top->err)) {
		top->note = top->err.text;
		return top->nr_shown && !top->config->is_batch ? 0 : -1;
	}
	top->next = clock_now_ns() + top->config->interval;
	return 0;
}

/* Only the tab that is shown costs something, and only while it changes. */
static int follow_state(struct top *top)
{
	const struct top_tab *wanted = top->state.is_paused || top->has_ended ?
				       NULL : &top_tabs[top->state.tab];

	if (top->session.tab == wanted)
		return 0;
	if (wanted)
		return begin_session(top);
	top_session_close(&top->session);
	return 0;
}

static int end_window(struct top *top)
{
	uint64_t interval = top->config->interval, now;
	int error = top_session_end_window(&top->session, &top->window);

	if (error)
		return fail_to_read(top, error);
	top->nr_shown++;
	top->has_ended = top->window.has_ended;
	if (top->has_ended)
		top->note = "The processes have ended.";
	if (draw(top) || (!top->has_ended && top_session_renew(&top->session, &top->err)))
		return -1;
	now = clock_now_ns();
	top->next = now < top->next ? now + interval :
		    top->next + ((now - top->next) / interval + 1) * interval;
	return 0;
}

/* The window of processes that have ended is the last one. */
static bool is_window_over(struct top *top, uint64_t now)
{
	struct ktr_session session;

	if (!top->session.tab)
		return false;
	return now >= top->next ||
	       (top->config->gather.pids.nr &&
		!ktr_session_get(top->session.ktr, top->session.id, &session) &&
		session.ended_at);
}

/* --- the terminal ------------------------------------------------------------ */

static int take_keys(struct top *top)
{
	char bytes[KEYS_LEN];
	ssize_t len = terminal_read(bytes, sizeof(bytes)), at;
	bool has_changed = false;
	int key;

	if (len < 0)
		return fail_to_show(top);
	for (at = 0; at < len && !top->state.is_over;) {
		at += key_take(bytes + at, len - at, &key);
		has_changed |= top_state_key(&top->state, key);
	}
	if (!has_changed || top->state.is_over)
		return 0;
	return follow_state(top) ? -1 : draw(top);
}

/* Ctrl-Z: nothing counts until the process goes on. */
static int rest(struct top *top)
{
	top_session_close(&top->session);
	terminal_give();
	signals_stop();
	return terminal_take(&top->err) || follow_state(top) ? -1 : draw(top);
}

/* Returns 0, or -1 with the error set. */
static int follow_terminal(struct top *top)
{
	if (top->config->is_batch)
		return 0;
	if (top->nr_stops != signals_nr_stops) {
		top->nr_stops = signals_nr_stops;
		if (rest(top))
			return -1;
	}
	if (top->nr_windows != signals_nr_windows) {
		top->nr_windows = signals_nr_windows;
		if (terminal_take(&top->err) || draw(top))
			return -1;
	}
	return take_keys(top);
}

/* --- while it runs ------------------------------------------------------------ */

static bool is_over(const struct top *top)
{
	bool is_batch = top->config->is_batch;

	return top->state.is_over || signals_nr_ends || (top->has_ended && is_batch) ||
	       (top->config->count && top->nr_shown >= top->config->count);
}

static void wait(const struct top *top, uint64_t now)
{
	uint64_t next = top->session.tab && top->next < now + LOOK_NS ? top->next : now + LOOK_NS;
	int keys = top->config->is_batch ? -1 : terminal_fd();

	signals_wait_for_two(keys, top_session_news(&top->session), next > now ? (next - now) / 1000000 + 1 : 0);
}

/* Returns 0 or -1. */
static int go_along(struct top *top)
{
	uint64_t now;
	int error;

	if (begin_session(top) || (!top->config->is_batch && draw(top)))
		return -1;
	while (!is_over(top)) {
		now = clock_now_ns();
		error = top_session_look(&top->session);
		if (error)
			return fail_to_read(top, error);
		if (is_window_over(top, now) && (end_window(top) || follow_state(top)))
			return -1;
		if (is_over(top))
			break;
		wait(top, now);
		if (follow_terminal(top))
			return -1;
	}
	return 0;
}

static int finish(struct top *top, int error)
{
	const struct ktrace_counters *counters = &top->session.counters;
	int code;

	top_session_free(&top->session);
	terminal_give();
	if (error)
		return cmd_fail(CMD_FAILED, &top->err);
	cmd_tell_missed(counters);
	code = cmd_tell_losses(counters);
	return code;
}

static int begin_terminal(struct top *top)
{
	if (top->config->is_batch)
		return 0;
	signals_take_windows();
	signals_take_stops();
	return terminal_take(&top->err);
}

static int show(struct top *top)
{
	int code;

	top->session.ktr = module_open_to_begin(&top->err);
	if (!top->session.ktr)
		return cmd_fail(CMD_FAILED, &top->err);
	signals_init();
	code = finish(top, begin_terminal(top) || go_along(top));
	top_figures_free(&top->window.figures);
	ktr_close(top->session.ktr);
	return code;
}

/* --- options ------------------------------------------------------------------ */

static int check(const struct config *config, struct err *err)
{
	if (!config->is_batch && !isatty(STDOUT_FILENO))
		return err_set(err, "Standard output is not a terminal, so there would be no keys, and no end: add --batch, and -n COUNT.");
	return 0;
}

static size_t find_tab(const char *name)
{
	size_t tab = 0;

	while (name && strcmp(top_tabs[tab].name, name))
		tab++;
	return tab;
}

static void name_traced(const struct opt_pids *pids)
{
	char *names;

	if (!pids->nr)
		return;
	names = procs_describe(pids->pids, pids->nr);
	head_set_traced(names);
	free(names);
}

static int go(struct config *config)
{
	struct top top = {
		.config = config, .state.tab = find_tab(config->tab),
		.session = { .config = &config->gather, .frequency = config->frequency },
	};
	struct err err;

	if (check(config, &err))
		return cmd_fail(CMD_USAGE, &err);
	if (procs_check_alive(config->gather.pids.pids, config->gather.pids.nr, &err))
		return cmd_fail(CMD_FAILED, &err);
	name_traced(&config->gather.pids);
	return show(&top);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct config *config = mem_alloc(sizeof(*config));
	struct err err;
	int first, code;

	gather_init(&config->gather, argv);
	config->gather.with_stacks = true;
	config->interval = 2 * CLOCK_SECOND;
	code = cmd_parse(command, argc, argv, config, &first);
	if (code < 0 && first < argc) {
		err_set(&err, "top takes no argument '%s'; to see processes: ktrace top -p PID.",
			argv[first]);
		code = cmd_fail(CMD_USAGE, &err);
	}
	if (code < 0)
		code = go(config);
	gather_free(&config->gather);
	free(config);
	return code;
}

const struct command cmd_top = {
	.name = "top",
	.usage = "top [options]",
	.summary = "Show busy functions, system calls and disks, live.",
	.opts = opts,
	.examples = "  ktrace top --batch -n 2\n"
		    "  ktrace top --batch -n 1 -F 999 -p $$\n"
		    "  ktrace top --batch -n 1 -i 1 --tab disks\n",
	.run = run,
};
