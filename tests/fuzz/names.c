// SPDX-License-Identifier: GPL-2.0
/* Mangled names, and patterns for their demangled forms: "PATTERNS\nNAME" */
#include "fuzz.h"

#include "../../user/util/demangle.c"
#include "../../user/util/fmt.h"
#include "../../user/util/match.h"
#include "../../user/util/out.h"
#include "../../user/plan/place.h"

/* CPU time: a busy machine does not count. */
#define MAX_NAME_NS 1000000000UL

static void look_for(char *list, const char *plain)
{
	struct match match = { .nr = 0 };
	const char *nearest[2];
	struct place place;

	/* All texts that a * may stand for are tried, so few and short ones are allowed. */
	if (strlen(list) > 100)
		return;
	match_add(&match, list);
	match_name(&match, plain);
	if (match.nr)
		match_nearest(match.globs[0], &plain, 1, nearest, 2);
	match_free(&match);
	if (place_parse(&place, list)) {
		must(*place.file);
		place_free(&place);
	}
}

/* Names are kept unchanged, and are escaped when they are shown. */
static void show(const char *plain)
{
	FILE *out = open_checked();

	out_put(out, "%s", plain);
	fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct input input = { data, len };
	char *text = take_text(&input), *symbol = strchr(text, '\n'), *plain, *base;
	uint64_t began_ns;

	symbol = symbol ? symbol + 1 : text;
	spent.slow_ns = 0;
	began_ns = clock_cpu_ns();
	plain = demangle(symbol);
	must(clock_cpu_ns() - began_ns < MAX_NAME_NS);
	show(plain);
	base = demangle_base(plain);
	must(!strncmp(plain, base, strlen(base)));
	fmt_parentheses(plain);
	if (symbol > text) {
		symbol[-1] = 0;
		look_for(text, plain);
	}
	free(base);
	free(plain);
	free(text);
	return 0;
}
