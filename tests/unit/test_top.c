// SPDX-License-Identifier: GPL-2.0
/*
 * The screen of ktrace top: keys, filters, and pictures, which are written into the given folder and
 * compared with those in tests/golden/top.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../user/cmd/top_picture.h"
#include "../../user/report/head.h"
#include "../../user/report/io_table.h"
#include "../../user/report/layout.h"
#include "../../user/report/number_names.h"
#include "../../user/util/clock.h"
#include "../../user/util/keys.h"
#include "../../user/util/mem.h"
#include "../../user/util/plain.h"
#include "../../user/util/style.h"

#define NR_FUNCTIONS 70
#define PERIOD 1001001ULL

static const char *folder;

/* --- keys ------------------------------------------------------------------- */

static void test_keys(void **arg)
{
	static const struct {
		const char *bytes;
		int key;
		size_t len;
	} all[] = {
		{ "q", 'q', 1 }, { "\t\t", KEY_TAB, 1 }, { "\r", KEY_ENTER, 1 }, { "\b", KEY_BACKSPACE, 1 },
		{ "\033", KEY_ESCAPE, 1 }, { "\033[C", KEY_RIGHT, 3 }, { "\033ODx", KEY_LEFT, 3 },
		{ "\033[1;5Cq", KEY_RIGHT, 6 }, { "\033[Z", KEY_BACK_TAB, 3 }, { "\033[15~q", KEY_UNKNOWN, 5 },
		{ "\033x", KEY_UNKNOWN, 2 }, { "\033[", KEY_UNKNOWN, 2 }, { "\033[1;", KEY_UNKNOWN, 4 },
		{ "\xc3\xa9", 0xc3, 1 },
	};
	size_t i;
	int key;

	(void)arg;
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		assert_int_equal(key_take(all[i].bytes, strlen(all[i].bytes), &key), all[i].len);
		assert_int_equal(key, all[i].key);
	}
}

static bool type(struct top_state *state, const char *keys)
{
	bool has_changed = false;

	while (*keys)
		has_changed |= top_state_key(state, (unsigned char)*keys++);
	return has_changed;
}

static void test_tabs(void **arg)
{
	struct top_state state = { .tab = 0 };

	(void)arg;
	assert_false(type(&state, "1"));
	assert_true(type(&state, "3"));
	assert_int_equal(state.tab, 2);
	assert_true(top_state_key(&state, KEY_TAB));
	assert_int_equal(state.tab, 0);
	assert_true(top_state_key(&state, KEY_LEFT));
	assert_int_equal(state.tab, 2);
	assert_true(type(&state, "?"));
	assert_true(state.has_help);
	assert_true(type(&state, "3"));
	assert_false(state.has_help);
	assert_false(type(&state, "4x\005"));
	assert_true(type(&state, "p"));
	assert_true(state.is_paused);
	assert_true(type(&state, " "));
	assert_false(state.is_paused);
	assert_false(type(&state, "q"));
	assert_true(state.is_over);
}

/* Each order is that of a column. */
static void test_orders(void **arg)
{
	static const struct table_kind *const kinds[] = { &profile_functions, &syscalls_kind, &io_kind };
	struct top_state state = { .tab = 0 };
	const struct layout *const *layout;
	const char *order;
	size_t nr;
	bool is_there;

	(void)arg;
	for (; state.tab < TOP_NR_TABS; state.tab++) {
		for (nr = 0; nr < top_tab_nr_orders(&top_tabs[state.tab]); nr++) {
			order = top_state_order(&state);
			is_there = false;
			for (layout = kinds[state.tab]->screens; *layout; layout++)
				is_there |= !!layout_find(kinds[state.tab], *layout, order, 0);
			if (!is_there)
				fail_msg("%s has no column %s", top_tabs[state.tab].name, order);
			assert_true(type(&state, "s"));
		}
		assert_int_equal(state.orders[state.tab], 0);
		assert_true(type(&state, "S"));
		assert_int_equal(state.orders[state.tab], nr - 1);
	}
}

static void test_typing(void **arg)
{
	struct top_state state = { .tab = 0 };

	(void)arg;
	assert_true(type(&state, "/q?1"));
	assert_string_equal(state.filter, "q?1");
	assert_false(state.is_over || state.has_help);
	assert_true(type(&state, "\177\xc3\xa9\177\177\001"));
	assert_string_equal(state.filter, "q");
	assert_true(type(&state, "\n"));
	assert_false(state.is_typing);
	assert_string_equal(state.filter, "q");
	assert_true(top_state_key(&state, KEY_ESCAPE));
	assert_string_equal(state.filter, "");
	assert_true(type(&state, "/\177\177ab\025c"));
	assert_string_equal(state.filter, "c");
	while (strlen(state.filter) < TOP_FILTER_LEN - 1)
		type(&state, "y");
	type(&state, "zz");
	assert_int_equal(strlen(state.filter), TOP_FILTER_LEN - 1);
	top_state_key(&state, KEY_RIGHT);
	assert_int_equal(state.tab, 0);
	assert_true(top_state_key(&state, KEY_ESCAPE));
	assert_false(state.is_typing || state.filter[0]);
}

static void test_filter(void **arg)
{
	(void)arg;
	assert_true(top_filter_has("", "vfs_read"));
	assert_true(top_filter_has("s_r", "vfs_read"));
	assert_false(top_filter_has("S_r", "vfs_read"));
	assert_true(top_filter_has("[]", "Array::operator[](int)"));
	assert_true(top_filter_has("v*_read", "vfs_read"));
	assert_false(top_filter_has("v*_rea", "vfs_read"));
	assert_true(top_filter_has("vfs_?ead", "vfs_read"));
	assert_true(top_filter_has("x*,v*", "vfs_read"));
}

/* --- figures ------------------------------------------------------------------ */

static char *name_of(int i)
{
	static const char *const names[] = {
		"work",
		"std::_Rb_tree<std::string, std::pair<std::string const, Shape>, std::less<std::string> >::_M_insert_unique(std::pair<std::string const, Shape> const&)",
		"caf\xc3\xa9_\xe6\xbc\xa2\xe5\xad\x97", "\033[2Jevil\n",
	};

	return i < 4 ? mem_string(names[i]) : mem_format("function_%d", i);
}

/* Function i has NR_FUNCTIONS - i samples of its own. Every third one is of the kernel. */
static void fill_functions(struct top_figures *figures, const struct ktr_session *session)
{
	struct profile *profile = &figures->profile;
	struct table *functions = &profile->functions;
	uint64_t *all, *own;
	struct row *row;
	uint32_t mode;
	char *name;
	int i;

	profile->session = session;
	table_init(functions, &profile_functions);
	functions->total.parts = mem_alloc(sizeof(struct row_part));
	all = functions->total.parts->figures;
	for (i = 0; i < NR_FUNCTIONS; i++) {
		mode = i % 3 == 2 ? KTRACE_PROFILE_KERNEL : KTRACE_PROFILE_USER;
		profile->modes[mode] += NR_FUNCTIONS - i;
		name = name_of(i);
		row = table_add(functions);
		row->keys[0].text = profile_mode(mode);
		row->keys[1].text = table_text(functions, "%s", name);
		own = row->parts->figures;
		own[FIG_CALLS] = own[FIG_ENTRIES] = NR_FUNCTIONS - i;
		own[FIG_TOTAL] = own[FIG_SELF] = (NR_FUNCTIONS - i) * PERIOD;
		all[FIG_CALLS] += NR_FUNCTIONS - i;
		all[FIG_TOTAL] += (NR_FUNCTIONS - i) * PERIOD;
		free(name);
	}
	all[FIG_ENTRIES] = all[FIG_CALLS];
	all[FIG_SELF] = all[FIG_TOTAL];
}

static void fill_syscalls(struct top_figures *figures)
{
	struct table *calls = &figures->syscalls.calls;
	struct row *row;
	uint32_t i;

	syscalls_init(&figures->syscalls);
	for (i = 0; i < 80; i++) {
		row = syscalls_add(calls, i < 60 ? i : KTRACE_SYSCALL_COMPAT + i);
		row->parts->figures[FIG_CALLS] = i + 1;
		row->parts->figures[FIG_TOTAL] = (i + 1) * 1000;
		row->parts->figures[FIG_ERRORS] = i % 2;
	}
	calls->duration_ns = 2 * CLOCK_SECOND;
}

static void fill_disks(struct top_figures *figures)
{
	struct table *requests = &figures->requests;
	struct row *row;
	int i, stage;

	table_init(requests, &io_kind);
	for (i = 0; i < 12; i++) {
		row = table_add(requests);
		row->keys[IO_NAME].text = table_text(requests, "nvme%dn1", i / 2);
		row->keys[IO_OP].number = i % 2;
		row->keys[IO_OP].text = i % 2 ? "write" : "read";
		for (stage = KTRACE_BLOCK_Q2G; stage <= KTRACE_BLOCK_Q2C; stage++) {
			row->parts[stage].figures[FIG_CALLS] = i + 1;
			row->parts[stage].figures[FIG_TOTAL] = (stage + 1) * 1000 * (i + 1);
			row->parts[stage].figures[FIG_BYTES] = 4096 * (i + 1);
		}
	}
	requests->duration_ns = 2 * CLOCK_SECOND;
}

/* --- pictures ------------------------------------------------------------------- */

/* Writes what a screen shows. No line is wider than the screen, and no sequence is left. */
static void put_screen(FILE *out, const struct screen *size, const char *text)
{
	char *shown = NULL, *from, *line, *next;
	size_t len, nr = 0;
	FILE *to = open_memstream(&shown, &len);

	screen_show(to, size, text);
	fclose(to);
	for (from = line = shown; *from; from++) {
		if (from[0] == '\033' && from[1] == '[')
			from += strcspn(from, "HKJ");
		else
			*line++ = *from;
	}
	*line = 0;
	for (line = shown; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		assert_null(strchr(line, '\033'));
		if (size->rows)
			assert_in_range(plain_columns(line, strlen(line)), 0, size->columns);
		fprintf(out, "%s\n", line);
		nr++;
	}
	if (size->rows)
		assert_int_equal(nr, size->rows);
	fprintf(out, "================\n");
	free(shown);
}

static void put(FILE *out, struct top_picture *picture)
{
	const struct style style = { .columns = picture->size.columns };
	char *text;

	style_set(&style);
	text = top_picture_text(picture);
	put_screen(out, &picture->size, text);
	free(text);
}

static void put_tabs(FILE *out, struct top_picture *picture, struct top_state *state,
		     struct top_window *window, const struct ktr_session *session)
{
	for (state->tab = 0; state->tab < TOP_NR_TABS; state->tab++) {
		top_figures_free(&window->figures);
		put(out, picture);
		if (state->tab == 0)
			fill_functions(&window->figures, session);
		else if (state->tab == 1)
			fill_syscalls(&window->figures);
		else
			fill_disks(&window->figures);
		window->figures.tab = &top_tabs[state->tab];
		window->figures.tab->sort(&window->figures, top_state_order(state));
		put(out, picture);
	}
}

/* Everything that a screen can have to say. */
static void put_troubles(FILE *out, struct top_picture *picture, struct top_state *state,
			 struct top_window *window)
{
	struct top_window all = *window;

	picture->window = &all;
	strcpy(state->filter, "nvme5");
	put(out, picture);
	state->is_typing = true;
	strcpy(state->filter, "\033[no");
	put(out, picture);
	state->is_typing = false;
	state->filter[0] = 0;
	all.counters = (struct ktrace_counters){ .lost_stacks = 3, .missed_samples = 2, .excluded = 7 };
	all.nr_cpus = 1;
	all.to += 3 * CLOCK_SECOND;
	all.state = KTRACE_STATE_PAUSED;
	all.hit_share = -1;
	state->is_paused = state->has_help = true;
	picture->note = "The processes have ended.";
	put(out, picture);
	picture->note = NULL;
	state->is_paused = state->has_help = false;
	picture->window = window;
}

static void draw(const char *name, unsigned int rows, unsigned int columns)
{
	const struct ktr_session session = { .frequency = 999 };
	struct top_state state = { .tab = 0 };
	struct top_window window = {
		.from = CLOCK_SECOND, .to = 3 * CLOCK_SECOND, .hit_share = 0.021, .own_share = 1.5,
		.nr_cpus = 2, .nr_cpus_before = 2, .state = KTRACE_STATE_ACTIVE,
	};
	struct top_picture picture = {
		.state = &state, .window = &window, .size = { rows, columns },
		.interval = 2 * CLOCK_SECOND,
	};
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s.txt", folder, name);
	out = fopen(path, "w");
	assert_non_null(out);
	put_tabs(out, &picture, &state, &window, &session);
	state.tab = TOP_NR_TABS - 1;
	put_troubles(out, &picture, &state, &window);
	top_figures_free(&window.figures);
	fclose(out);
}

static void test_pictures(void **arg)
{
	static const struct head_origin origin = { .host = "host", .kernel = "7.2", .nr_cpus = 2 };
	unsigned int rows;
	char name[16];

	(void)arg;
	head_set_origin(&origin);
	draw("80x24", 24, 80);
	draw("40x10", 10, 40);
	draw("200x60", 60, 200);
	draw("batch", 0, 0);
	for (rows = 1; rows < 30; rows++) {
		snprintf(name, sizeof(name), "any-%u", rows);
		draw(name, rows, 7 * rows);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys), cmocka_unit_test(test_tabs), cmocka_unit_test(test_orders),
		cmocka_unit_test(test_typing), cmocka_unit_test(test_filter),
		cmocka_unit_test(test_pictures),
	};

	folder = argc > 1 ? argv[1] : ".";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
