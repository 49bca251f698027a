// SPDX-License-Identifier: GPL-2.0
#include <cpuid.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/folders.h"
#include "util/lines.h"
#include "util/mem.h"
#include "util/root.h"

/* --- tokens ------------------------------------------------------------- */

/* Returns the length of "NAME" or "{NAME}" at the start of text, or 0 if text starts otherwise. */
static size_t token_len(const char *text, const char *name)
{
	size_t len = strlen(name), brace = *text == '{';

	if (strncmp(text + brace, name, len) || (brace && text[1 + len] != '}'))
		return 0;
	if (!brace && (isalnum((unsigned char)text[len]) || text[len] == '_'))
		return 0;
	return len + 2 * brace;
}

/* Returns the value of the token behind a '$'. *len is 0 if there is no token: the '$' stays. */
static const char *value_of(const char *text, const struct tokens *tokens, size_t *len)
{
	if ((*len = token_len(text, "ORIGIN")))
		return tokens->origin;
	if ((*len = token_len(text, "LIB")))
		return tokens->lib;
	*len = token_len(text, "PLATFORM");
	return NULL;
}

char *folders_expand(const char *text, const struct tokens *tokens)
{
	char path[PATH_MAX];
	size_t len = 0, plain, skipped;
	const char *value;

	for (; *text; text += plain + skipped) {
		skipped = 0;
		plain = *text == '$' ? 1 : strcspn(text, "$");
		value = *text == '$' ? value_of(text + 1, tokens, &skipped) : NULL;
		if (skipped && !value)
			return NULL;
		len += skipped ? snprintf(path + len, sizeof(path) - len, "%s", value) :
		       snprintf(path + len, sizeof(path) - len, "%.*s", (int)plain, text);
		if (len >= sizeof(path))
			return NULL;
	}
	path[len] = 0;
	return mem_string(path);
}

/* --- lists -------------------------------------------------------------- */

static bool is_there(int root, const char *path, size_t *nr_left)
{
	struct stat st;
	bool is_folder;
	int fd;

	if (!*nr_left)
		return false;
	--*nr_left;
	fd = root_find(root, path);
	/* Without a free descriptor, the folder counts as present. Opening its files shows more. */
	if (fd < 0)
		return errno == EMFILE || errno == ENFILE;
	is_folder = !fstat(fd, &st) && S_ISDIR(st.st_mode);
	close(fd);
	return is_folder;
}

/* Takes ownership of path. */
static void add(struct folders *folders, char *path)
{
	folders->all = mem_grow(folders->all, folders->nr, sizeof(*folders->all));
	folders->all[folders->nr++] = path;
}

/* Kernels of some virtual machines do not list lzcnt, which the loader asks the processor for. */
static bool has_flag(const char *all, const char *flag)
{
	unsigned int a, b, c, d;

	return strstr(all, flag) ||
	       (!strcmp(flag, " abm ") && __get_cpuid(0x80000001, &a, &b, &c, &d) && c & bit_ABM);
}

/*
 * Returns the level of this processor, 1 to 4 for x86-64-v1 to x86-64-v4. The kernel lists what the
 * processor has and the kernel has enabled.
 */
static int find_level(void)
{
	static const struct {
		const char *flag;
		int level;	/* the lowest level that has it */
	} flags[] = {
		{ " cx16 ", 2 }, { " lahf_lm ", 2 }, { " pni ", 2 }, { " popcnt ", 2 },
		{ " sse4_1 ", 2 }, { " sse4_2 ", 2 }, { " ssse3 ", 2 }, { " abm ", 3 },
		{ " avx ", 3 }, { " avx2 ", 3 }, { " bmi1 ", 3 }, { " bmi2 ", 3 }, { " f16c ", 3 },
		{ " fma ", 3 }, { " movbe ", 3 }, { " avx512bw ", 4 }, { " avx512cd ", 4 },
		{ " avx512dq ", 4 }, { " avx512f ", 4 }, { " avx512vl ", 4 },
	};
	char *line = line_find("flags", "/proc/cpuinfo"), *all = mem_format("%s ", line ? line : "");
	size_t i = 0;

	while (i < sizeof(flags) / sizeof(*flags) && has_flag(all, flags[i].flag))
		i++;
	free(line);
	free(all);
	return i < sizeof(flags) / sizeof(*flags) ? flags[i].level - 1 : 4;
}

static void add_hwcaps(struct folders *folders, const char *path, int root, size_t *nr_left)
{
	char *all = mem_format("%s/glibc-hwcaps", path), *one;
	int level = is_there(root, all, nr_left) ? find_level() : 0;

	for (; level > 1; level--) {
		one = mem_format("%s/x86-64-v%d", all, level);
		if (is_there(root, one, nr_left))
			add(folders, one);
		else
			free(one);
	}
	free(all);
}

/* Takes ownership of path. An empty path is the current folder. */
static void add_one(struct folders *folders, char *path, int root, size_t *nr_left)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		path[--len] = 0;
	if (!len) {
		free(path);
		path = mem_string(".");
	}
	if (!is_there(root, path, nr_left)) {
		free(path);
		return;
	}
	add_hwcaps(folders, path, root, nr_left);
	add(folders, path);
}

void folders_add(struct folders *folders, const char *list, const char *separators,
		 const struct tokens *tokens, int root, size_t *nr_left)
{
	char *copy = mem_string(list), *rest = *copy ? copy : NULL, *one, *path;

	while (*nr_left && (one = strsep(&rest, separators))) {
		path = folders_expand(one, tokens);
		if (path)
			add_one(folders, path, root, nr_left);
	}
	free(copy);
}

void folders_free(struct folders *folders)
{
	while (folders->nr)
		free(folders->all[--folders->nr]);
	free(folders->all);
	folders->all = NULL;
}
