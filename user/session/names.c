// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "session/names.h"
#include "util/mem.h"

const char *names_get(const struct names *names, uint32_t func)
{
	return func < names->nr && names->texts[func] ? names->texts[func] : "[unknown]";
}

const struct value_formats *names_formats(const struct names *names, uint32_t func)
{
	return func < names->nr && names->formats ? &names->formats[func] : NULL;
}

static void put_build_id(char *text, const unsigned char *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < len && i < KTRACE_BUILD_ID_LEN; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
}

static void take(void *arg, const struct ktr_func *func)
{
	struct names *names = arg;
	char text[2 * KTRACE_BUILD_ID_LEN + 1] = "file";

	if (func->func >= names->nr || names->texts[func->func])
		return;
	put_build_id(text, func->build_id, func->build_id_len);
	names->texts[func->func] = mem_format("[%s+0x%llx]", text,
					      (unsigned long long)func->offset);
}

int names_fill(struct names *names, struct ktr *ktr, uint64_t session, uint32_t flags)
{
	return ktr_func_each(ktr, session, flags, take, names);
}

/* Grows the arrays of user functions to nr elements. formats may be NULL so far. */
static void make_room(struct names *names, size_t nr)
{
	size_t known = names->formats ? names->nr : 0;

	if (nr <= names->nr)
		return;
	names->texts = mem_resize(names->texts, nr * sizeof(*names->texts));
	names->formats = mem_resize(names->formats, nr * sizeof(*names->formats));
	free(names->are_fallible);
	names->are_fallible = NULL;
	memset(names->formats + known, 0, (nr - known) * sizeof(*names->formats));
	memset(names->texts + names->nr, 0, (nr - names->nr) * sizeof(*names->texts));
	names->nr = nr;
}

static void add_file(struct names *names, const struct elf_file *from)
{
	struct names_file *file;
	struct stat st;

	names->files = mem_grow(names->files, names->nr_files, sizeof(*names->files));
	file = &names->files[names->nr_files++];
	file->path = mem_string(from->path);
	put_build_id(file->build_id, from->build_id, from->build_id_len);
	if (fstat(from->fd, &st))
		return;
	file->dev = st.st_dev;
	file->ino = st.st_ino;
}

static void add_places(struct names *names, const struct plan *plan, uint32_t first)
{
	size_t i, first_file = names->nr_files;

	for (i = 0; i < plan->nr_objects; i++)
		add_file(names, &plan->objects[i]);
	names->places = mem_resize(names->places, names->nr * sizeof(*names->places));
	for (i = 0; i < plan->nr_probed; i++)
		names->places[first + i] = (struct names_place){
			.file = first_file + plan->funcs[i].object,
			.offset = plan->funcs[i].desc.start,
		};
}

void names_add(struct names *names, const struct plan *plan, uint32_t first)
{
	size_t i;

	make_room(names, first + plan->nr_probed);
	if (names->has_places)
		add_places(names, plan, first);
	names->nr_changes++;
	for (i = 0; i < plan->nr_probed; i++) {
		free(names->texts[first + i]);
		names->texts[first + i] = mem_string(plan->funcs[i].name);
		names->formats[first + i] = plan->funcs[i].formats;
	}
}

void names_free(struct names *names)
{
	while (names->nr)
		free(names->texts[--names->nr]);
	free(names->texts);
	names->texts = NULL;
	free(names->formats);
	names->formats = NULL;
	free(names->are_fallible);
	names->are_fallible = NULL;
	while (names->nr_files)
		free(names->files[--names->nr_files].path);
	free(names->files);
	names->files = NULL;
	free(names->places);
	names->places = NULL;
}
