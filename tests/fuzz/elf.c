// SPDX-License-Identifier: GPL-2.0
/*
 * ELF files: headers, segments, symbols, versions, notes, places of probes. A second file may
 * follow after a mark: the separate debug file, for links that name "201". The content of xz data
 * may be given unpacked, after another mark, because a fuzzer cannot guess a checksum.
 */
#include "fuzz.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../user/util/effort.h"
#include "../../user/plan/ifunc.h"
#include "../../user/plan/place.h"
#include "../../user/elf/symbols.h"
#include "../../user/report/plan_text.h"
#include "../../user/session/trace.h"

#define SECOND "\n--- debug ---\n"
#define PLAIN "PLAIN:"
#define FIRST_FD 200
#define SECOND_FD 201

/* --- files -------------------------------------------------------------- */

static void make_file(int fd)
{
	int made = memfd_create("fuzz", 0);

	must(made >= 0 && dup2(made, fd) == fd);
	close(made);
}

static void fill_file(int fd, const uint8_t *bytes, size_t len)
{
	must(!ftruncate(fd, 0));
	must(pwrite(fd, bytes, len, 0) == (ssize_t)len);
}

static void fill_files(const uint8_t *data, size_t len)
{
	const uint8_t *second = memmem(data, len, SECOND, strlen(SECOND));
	size_t first_len = second ? (size_t)(second - data) : len;

	fill_file(FIRST_FD, data, first_len);
	if (second)
		second += strlen(SECOND);
	fill_file(SECOND_FD, second ? second : data, second ? data + len - second : 0);
}

char *__real_unxz(const void *packed, size_t packed_len, size_t *len, const char **why);
char *__wrap_unxz(const void *packed, size_t packed_len, size_t *len, const char **why);

char *__wrap_unxz(const void *packed, size_t packed_len, size_t *len, const char **why)
{
	size_t mark_len = strlen(PLAIN);
	char *image;

	if (packed_len < mark_len || memcmp(packed, PLAIN, mark_len))
		return __real_unxz(packed, packed_len, len, why);
	*len = packed_len - mark_len;
	must(effort_take(*len));
	image = malloc(*len + 1);
	memcpy(image, (const char *)packed + mark_len, *len);
	return image;
}

/* --- what is made of it ------------------------------------------------- */

static void check_func(const struct elf_file *file, const struct plan_func *func)
{
	uint64_t len = file->len;
	unsigned int i;

	must(func->desc.entry < len && func->desc.start <= func->desc.entry);
	must(func->desc.entry < func->desc.end);
	must(func->desc.nr_exits <= KTRACE_MAX_EXITS);
	for (i = 0; i < func->desc.nr_exits; i++)
		must(func->exits[i].offset < len);
}

static void look_up(const struct elf_file *file)
{
	struct elf_sym *found = calloc(file->nr_imports + 1, sizeof(*found));
	const struct elf_slot *slot;
	struct elf_slot *slots;
	size_t nr = symbols_slots(file, &slots), i;

	symbols_resolve(file, file, found);
	free(found);
	for (i = 0; i < nr; i++) {
		slot = symbols_slot(slots, nr, slots[i].name);
		must(slot <= slots + i && !strcmp(slot->name, slots[i].name));
	}
	free(slots);
	for (i = 1; i < file->nr_syms; i++)
		must(file->syms[i - 1].addr <= file->syms[i].addr);
	for (i = 0; i < file->nr_syms && i < 8; i++)
		elf_file_sym_at(file, file->syms[i].addr + 1);
}

static void find_places(const struct elf_file *file, uint64_t offset)
{
	struct place place = { .offset = offset };
	const struct elf_sym *sym;
	struct insn *insn;
	struct err err;
	uint64_t addr;

	insn = insn_open(&err);
	place_find(&place, insn, file, &addr, &sym, &err);
	insn_close(insn);
}

/* The length of the input selects some of the ways to ask for a plan. */
static void plan_it(size_t len, FILE *out)
{
	char *all = "*", *one = "f*";
	struct match match = { .globs = &one, .nr = 1 };
	struct value_rule rule = { .functions = match, .text = "", .formats = { "sdx" } };
	struct plan_options options = { .has_no_libs = true, .how = len % 4, .shown = "program" };
	struct plan plan;
	struct err err;
	size_t i;

	if (len & 4)
		options.values = (struct value_rules){ &rule, 1 };
	if (len & 8)
		options.below = match;
	if (len & 16)
		options.functions = (struct match){ .globs = &all, .nr = 1 };
	if (!plan_make(&plan, "/proc/self/fd/200", &options, &err)) {
		for (i = 0; i < plan.nr_probed; i++)
			check_func(&plan.objects[0], &plan.funcs[i]);
		plan_copied_text(&plan);
		plan_print(out, &plan);
	}
	if (plan.nr_objects) {
		look_up(&plan.objects[0]);
		find_places(&plan.objects[0], len);
	}
	plan_free(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static bool is_made;
	FILE *out = open_checked();

	if (!is_made) {
		/* they are for one command */
		effort_limits.ns = effort_limits.memory = 1ULL << 60;
		make_file(FIRST_FD);
		make_file(SECOND_FD);
	}
	is_made = true;
	fill_files(data, len);
	plan_it(len, out);
	fclose(out);
	return 0;
}

/* --- mutations ---------------------------------------------------------- */

/* Chooses where the tables are: a number there is replaced by one that may cause trouble. */
static size_t pick(const uint8_t *data, size_t len, unsigned int *random)
{
	Elf64_Ehdr header;
	Elf64_Shdr section;
	size_t at;

	memcpy(&header, data, sizeof(header));
	switch (rand_r(random) % 4) {
	case 0:
		return rand_r(random) % sizeof(header);
	case 1:
		return header.e_phoff + rand_r(random) % (sizeof(Elf64_Phdr) * (header.e_phnum % 32 + 1));
	case 2:
		return header.e_shoff + rand_r(random) % (sizeof(section) * (header.e_shnum % 64 + 1));
	default:
		at = header.e_shoff + sizeof(section) * (rand_r(random) % (header.e_shnum % 64 + 1));
		if (at > len || len - at < sizeof(section))
			return len;
		memcpy(&section, data + at, sizeof(section));
		return section.sh_offset + rand_r(random) % (section.sh_size % 4096 + 1);
	}
}

static uint64_t number(uint64_t old, size_t len, unsigned int *random)
{
	switch (rand_r(random) % 8) {
	case 0:
		return 0;
	case 1:
		return -1ULL - rand_r(random) % 16;
	case 2:
		return rand_r(random) % len;
	case 3:
		return len - rand_r(random) % 8;
	case 4:
		return 1ULL << rand_r(random) % 64;
	case 5:
		return old * 2;
	default:
		return old + rand_r(random) % 33 - 16;
	}
}

/* Changes a number of the ELF file at the start. Numbers are aligned, except names in sections. */
static void change_number(uint8_t *data, size_t len, unsigned int *random)
{
	size_t size = 1UL << rand_r(random) % 4, at = pick(data, len, random) & -size;
	uint64_t old = 0;

	if (at > len || len - at < size)
		return;
	memcpy(&old, data + at, size);
	old = number(old, len, random);
	memcpy(data + at, &old, size);
}

/* Returns the offset of one of the files in the input, including the packed one. */
static size_t choose_file(const uint8_t *data, size_t len, unsigned int *random)
{
	const uint8_t *at = data, *found;
	size_t chosen = 0, nr = 1;

	while ((found = memmem(at + 1, data + len - at - 1, ELFMAG, SELFMAG))) {
		if (rand_r(random) % ++nr == 0)
			chosen = found - data;
		at = found;
	}
	return chosen;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t max_len, unsigned int seed)
{
	unsigned int random = seed;
	size_t at;
	int i;

	if (len < sizeof(Elf64_Ehdr) || rand_r(&random) % 4 == 0)
		return LLVMFuzzerMutate(data, len, max_len);
	at = choose_file(data, len, &random);
	if (len - at >= sizeof(Elf64_Ehdr))
		for (i = 0; i <= rand_r(&random) % 4; i++)
			change_number(data + at, len - at, &random);
	return len;
}
