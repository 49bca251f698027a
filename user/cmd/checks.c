// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "cmd/checks.h"
#include "report/head.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/style.h"

static const char *const words[] = { "ok", "note", "missing" };

void checks_add(struct checks *checks, const char *name, enum check_status status, char *text,
		char *fix)
{
	struct check *check;

	checks->checks = mem_grow(checks->checks, checks->nr, sizeof(*check));
	check = &checks->checks[checks->nr++];
	check->name = name;
	check->status = status;
	check->text = text;
	check->fix = fix;
}

size_t checks_count_missing(const struct checks *checks)
{
	size_t i, nr = 0;

	for (i = 0; i < checks->nr; i++)
		nr += checks->checks[i].status == CHECK_MISSING;
	return nr;
}

static void print_fix(FILE *out, const char *fix)
{
	size_t len;

	for (; *fix; fix += len + (fix[len] != 0)) {
		len = strcspn(fix, "\n");
		out_put(out, "%-8s %-16s -> %.*s\n", "", "", (int)len, fix);
	}
}

void checks_print(FILE *out, const struct checks *checks)
{
	const struct check *check;

	for (check = checks->checks; check < checks->checks + checks->nr; check++) {
		out_put(out, "%-8s %-16s", words[check->status], check->name);
		out_words(out, check->text, 25, 26, style_get()->columns);
		if (check->fix)
			print_fix(out, check->fix);
	}
	if (checks_count_missing(checks))
		fputs("\nThis machine cannot trace yet: see \"missing\" above.\n", out);
	else
		fputs("\nThis machine can trace user functions.\n", out);
}

static struct json_object *to_json(const struct check *check)
{
	struct json_object *to = json_object_new_object();

	json_object_object_add(to, "check", json_object_new_string(check->name));
	json_object_object_add(to, "status", json_object_new_string(words[check->status]));
	json_object_object_add(to, "text", json_object_new_string(check->text));
	if (check->fix)
		json_object_object_add(to, "fix", json_object_new_string(check->fix));
	return to;
}

struct json_object *checks_document(const struct checks *checks)
{
	struct json_object *document = head_json(NULL);
	struct json_object *list = json_object_new_array();
	size_t i;

	for (i = 0; i < checks->nr; i++)
		json_object_array_add(list, to_json(&checks->checks[i]));
	head_add_lost(document, 0);
	json_object_object_add(document, "can_trace",
			       json_object_new_boolean(!checks_count_missing(checks)));
	json_object_object_add(document, "rows", list);
	return document;
}

void checks_free(struct checks *checks)
{
	size_t i;

	for (i = 0; i < checks->nr; i++) {
		free(checks->checks[i].text);
		free(checks->checks[i].fix);
	}
	free(checks->checks);
}
