// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "keep/compare_unlike.h"
#include "util/mem.h"

/* --- the words of a command --------------------------------------------------- */

/* Appends a word. */
static void add_word(char **text, const char *word)
{
	char *longer = mem_format("%s%s%s", *text, **text ? " " : "", word);

	free(*text);
	*text = longer;
}

/* Returns the word at a place, or NULL behind the last one. */
static const char *word_at(const struct compare_run *run, size_t at)
{
	struct json_object *words, *word;

	if (!json_object_object_get_ex(run->head, "command", &words) ||
	    !json_object_is_type(words, json_type_array) ||
	    at >= (size_t)json_object_array_length(words))
		return NULL;
	word = json_object_array_get_idx(words, at);
	return json_object_is_type(word, json_type_string) ? json_object_get_string(word) : "?";
}

char *unlike_command(const struct compare_run *run)
{
	char *text = mem_string("");
	const char *word;
	size_t i;

	for (i = 0; (word = word_at(run, i)); i++)
		add_word(&text, word);
	return text;
}

/* Where the document was written to is no difference. Returns how many words say so. */
static size_t skip_output(const char *word)
{
	static const char *const options[] = { "--output", "--output-fd", "-o" };
	size_t i, len;

	for (i = 0; i < sizeof(options) / sizeof(*options); i++) {
		len = strlen(options[i]);
		if (!strcmp(word, options[i]))
			return 2;
		if (!strncmp(word, options[i], len) && (word[len] == '=' || word[1] != '-'))
			return 1;
	}
	return 0;
}

/* Returns the index of the word behind "--", or the number of words. */
static size_t program_at(const struct compare_run *run)
{
	const char *word;
	size_t i;

	for (i = 0; (word = word_at(run, i)); i++)
		if (!strcmp(word, "--"))
			return i + 1;
	return i;
}

static char *options_of(const struct compare_run *run)
{
	char *text = mem_string("");
	size_t end = program_at(run), i, skipped;
	const char *word;

	/* The first word is the path of ktrace. */
	for (i = 1; i < end && (word = word_at(run, i)); i += skipped ? skipped : 1) {
		skipped = skip_output(word);
		if (!skipped && strcmp(word, "--"))
			add_word(&text, word);
	}
	return text;
}

static char *program_of(const struct compare_run *run)
{
	char *text = mem_string("");
	const char *word;
	size_t i;

	for (i = program_at(run); (word = word_at(run, i)); i++)
		add_word(&text, word);
	return text;
}

/* --- what may differ ---------------------------------------------------------- */

static char *member_of(const struct compare_run *run, const char *name)
{
	struct json_object *value;

	if (!json_object_object_get_ex(run->head, name, &value))
		return mem_string("?");
	return mem_string(json_object_get_string(value) ? json_object_get_string(value) : "?");
}

static const struct {
	const char *what, *member;
	char *(*of)(const struct compare_run *run);	/* NULL: that member */
} all[] = {
	{ "hosts", "host", NULL }, { "kernels", "kernel", NULL },
	{ "versions of ktrace", "ktrace", NULL }, { "kinds of documents", "schema", NULL },
	{ "options", NULL, options_of }, { "programs", NULL, program_of },
};

/* Returns what the runs of a side have, each text once. The caller frees it. */
static char *of_side(const struct comparison *comparison, int side, size_t which)
{
	const struct compare_run *run = comparison->runs[side];
	const struct compare_run *end = run + comparison->nr_runs[side];
	char *text = NULL, *last = NULL, *one, *longer;

	for (; run < end; run++) {
		one = all[which].of ? all[which].of(run) : member_of(run, all[which].member);
		if (!last || strcmp(one, last)) {
			longer = mem_format("%s%s%s", text ? text : "", text ? ", " : "",
					    *one ? one : "none");
			free(text);
			text = longer;
		}
		free(last);
		last = one;
	}
	free(last);
	return text ? text : mem_string("");
}

void unlike_each(const struct comparison *comparison, unlike_fn *fn, void *arg)
{
	char *a, *b;
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		a = of_side(comparison, SIDE_A, i);
		b = of_side(comparison, SIDE_B, i);
		if (strcmp(a, b))
			fn(arg, all[i].what, a, b);
		free(a);
		free(b);
	}
}
