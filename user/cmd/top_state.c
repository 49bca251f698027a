// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "cmd/top_state.h"
#include "util/keys.h"
#include "util/match.h"

#define CLEAR 0x15	/* Ctrl-U */

/* --- the filter ----------------------------------------------------------- */

bool top_filter_has(const char *filter, const char *name)
{
	struct match match = { .nr = 0 };
	bool is_there;

	if (!strpbrk(filter, "*?"))
		return strstr(name, filter);
	match_add(&match, filter);
	is_there = match_name(&match, name);
	match_free(&match);
	return is_there;
}

/* A character may have several bytes. */
static void drop_character(char *text)
{
	size_t len = strlen(text);

	while (len && (text[len - 1] & 0xc0) == 0x80)
		len--;
	text[len ? len - 1 : 0] = 0;
}

static bool type(struct top_state *state, int key)
{
	size_t len = strlen(state->filter);

	if (key == KEY_ENTER || key == KEY_ESCAPE)
		state->is_typing = false;
	if (key == KEY_ESCAPE || key == CLEAR)
		state->filter[0] = 0;
	else if (key == KEY_BACKSPACE)
		drop_character(state->filter);
	else if (key >= ' ' && key < 256 && len + 1 < sizeof(state->filter))
		memcpy(state->filter + len, (char []){ key, 0 }, 2);
	return true;
}

/* --- all other keys -------------------------------------------------------- */

static void turn(size_t *at, size_t nr, bool is_back)
{
	*at = (*at + (is_back ? nr - 1 : 1)) % nr;
}

static void sort(struct top_state *state, bool is_back)
{
	turn(&state->orders[state->tab], top_tab_nr_orders(&top_tabs[state->tab]), is_back);
}

static bool choose_tab(struct top_state *state, size_t tab)
{
	bool is_other = tab != state->tab || state->has_help;

	state->tab = tab;
	state->has_help = false;
	return is_other;
}

static void escape(struct top_state *state)
{
	if (state->has_help)
		state->has_help = false;
	else
		state->filter[0] = 0;
}

bool top_state_key(struct top_state *state, int key)
{
	size_t tab = state->tab;

	if (state->is_typing)
		return type(state, key);
	switch (key) {
	case 'q':
		state->is_over = true;
		return false;
	case 'p':
	case ' ':
		state->is_paused = !state->is_paused;
		return true;
	case 's':
	case 'S':
		sort(state, key == 'S');
		return true;
	case '/':
		state->is_typing = true;
		return true;
	case '?':
	case 'h':
		state->has_help = !state->has_help;
		return true;
	case KEY_ESCAPE:
		escape(state);
		return true;
	case KEY_TAB:
	case KEY_RIGHT:
	case KEY_LEFT:
	case KEY_BACK_TAB:
		turn(&tab, TOP_NR_TABS, key == KEY_LEFT || key == KEY_BACK_TAB);
		return choose_tab(state, tab);
	default:
		return key >= '1' && key < '1' + TOP_NR_TABS && choose_tab(state, key - '1');
	}
}

const char *top_state_order(const struct top_state *state)
{
	return top_tabs[state->tab].orders[state->orders[state->tab]];
}
