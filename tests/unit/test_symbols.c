// SPDX-License-Identifier: GPL-2.0
/* Where symbols come from, and files that are not what they should be: test_symbols FOLDER. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>
#include <gelf.h>

#include "../../user/report/spaces.h"
#include "../../user/system/jit_map.h"
#include "../../user/system/ktypes.h"
#include "../../user/util/mem.h"
#include "../../user/plan/plan.h"

static const char *folder;

static const struct elf_sym *find(const struct elf_file *file, const char *name)
{
	size_t i;

	for (i = 0; i < file->nr_syms; i++)
		if (!strcmp(file->syms[i].name, name))
			return &file->syms[i];
	return NULL;
}

static void open_file(struct elf_file *file, const char *name)
{
	char *path = mem_format("%s/%s", folder, name);
	struct err err = { "" };

	if (elf_file_open(file, path, &err))
		fail_msg("%s", err.text);
	free(path);
}

/* --- sources ------------------------------------------------------------- */

/* All functions, at the same places as in the whole file. */
static void check_all(const char *name, const char *source)
{
	static const char *const names[] = { "hidden", "shown", "__shown_too", "word" };
	struct elf_file file, whole;
	const struct elf_sym *sym;
	size_t i;

	open_file(&whole, "whole.so");
	open_file(&file, name);
	assert_non_null(strstr(file.source, source));
	assert_null(file.refused);
	for (i = 0; i < 4; i++) {
		sym = find(&file, names[i]);
		assert_non_null(sym);
		assert_int_equal(sym->addr, find(&whole, names[i])->addr);
		assert_int_equal(sym->size, find(&whole, names[i])->size);
		assert_non_null(elf_file_bytes(&file, sym->addr, sym->size));
	}
	assert_int_equal(file.nr_syms, whole.nr_syms);
	elf_file_close(&whole);
	elf_file_close(&file);
}

static void test_sources(void **state)
{
	(void)state;
	check_all("whole.so", ".symtab");
	check_all("linked.so", "/linked.debug");
	check_all("sums.so", "/sums.debug");
	check_all("below.so", "/.debug/below.debug");
	check_all("mini.so", ".dynsym and .gnu_debugdata");
}

static void check_dynamic(const char *name, const char *refused)
{
	struct elf_file file;

	open_file(&file, name);
	assert_string_equal(file.source, ".dynsym");
	assert_non_null(find(&file, "shown"));
	assert_null(find(&file, "hidden"));
	if (refused)
		assert_non_null(strstr(file.refused, refused));
	else
		assert_null(file.refused);
	elf_file_close(&file);
}

static void test_only_the_right_ones(void **state)
{
	(void)state;
	check_dynamic("bare.so", NULL);
	check_dynamic("other.so", "other.debug: it has another build-id");
	check_dynamic("sums2.so", "its checksum");
	check_dynamic("broken.so", ".gnu_debugdata: it is damaged");
}

/* A build-id and a checksum can be copied: a debug file of another user is not used. */
static void test_only_of_the_right_user(void **state)
{
	char *path = mem_format("%s/linked.debug", folder), *lib = mem_format("%s/linked.so", folder);

	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(chown(path, 65534, -1), 0);
	check_dynamic("linked.so", "linked.debug: it belongs to another user");
	assert_int_equal(chown(lib, 65534, -1), 0);
	check_all("linked.so", "/linked.debug");
	assert_int_equal(chown(lib, 0, -1), 0);
	assert_int_equal(chown(path, 0, -1), 0);
	free(path);
	free(lib);
}

static void test_function_at(void **state)
{
	const struct elf_sym *sym;
	struct elf_file file;

	(void)state;
	open_file(&file, "whole.so");
	sym = find(&file, "hidden");
	assert_ptr_equal(elf_file_sym_at(&file, sym->addr), sym);
	assert_ptr_equal(elf_file_sym_at(&file, sym->addr + sym->size - 1), sym);
	sym = elf_file_sym_at(&file, find(&file, "__shown_too")->addr + 1);
	assert_string_equal(sym->name, "shown");
	assert_null(elf_file_sym_at(&file, 0));
	assert_null(elf_file_sym_at(&file, UINT64_MAX));
	elf_file_close(&file);
}

/* --- bad files ----------------------------------------------------------- */

static void check_refused(const char *path, const char *why)
{
	struct err err = { "" };
	struct elf_file file;
	char *full = *path == '/' ? mem_string(path) : mem_format("%s/%s", folder, path);

	assert_int_equal(elf_file_open(&file, full, &err), -1);
	if (!strstr(err.text, why))
		fail_msg("%s", err.text);
	assert_int_equal(err.text[strlen(err.text) - 1], '.');
	free(full);
}

static void test_refusals(void **state)
{
	(void)state;
	check_refused("nothing", "no such file");
	check_refused("", "a directory");
	check_refused("fifo", "a fifo");
	check_refused("/dev/null", "a device");
	check_refused("empty", "empty");
	check_refused("/proc/self/maps", "not a file on a disk");
	check_refused("/proc/self/mem", "not a file on a disk");
	check_refused("object.o", "an object file");
	check_refused("symbols.debug", "no code");
	check_refused("cut.so", "truncated");
}

struct image {
	uint8_t *bytes;
	size_t len;
};

static struct image load(const char *name)
{
	char *path = mem_format("%s/%s", folder, name);
	FILE *in = fopen(path, "rb");
	struct image image = { mem_alloc(1 << 20), 0 };

	assert_non_null(in);
	image.len = fread(image.bytes, 1, 1 << 20, in);
	fclose(in);
	free(path);
	return image;
}

static char *store(const struct image *image, size_t len)
{
	char *path = mem_format("%s/mutant", folder);
	FILE *out = fopen(path, "wb");

	assert_non_null(out);
	fwrite(image->bytes, 1, len, out);
	fclose(out);
	return path;
}

/* Whatever the file contains: nothing crashes, and a refusal has a reason. */
static void survive(const struct image *image, size_t len)
{
	struct plan_options options = { .how = PLAN_RETURN_AUTO };
	char *path = store(image, len);
	struct err err = { "" };
	struct plan plan;

	if (plan_make(&plan, path, &options, &err) && !err.text[0])
		fail_msg("no reason");
	plan_free(&plan);
	free(path);
}

static void test_other_machines(void **state)
{
	struct image image = load("whole.so");

	(void)state;
	image.bytes[EI_CLASS] = ELFCLASS32;
	free(store(&image, image.len));
	check_refused("mutant", "32-bit");
	image.bytes[EI_CLASS] = ELFCLASS64;
	image.bytes[18] = EM_AARCH64;
	free(store(&image, image.len));
	check_refused("mutant", "machine 183");
	image.bytes[EI_CLASS] = 9;
	free(store(&image, image.len));
	check_refused("mutant", "damaged");
	free(image.bytes);
}

static void test_truncated(void **state)
{
	struct image image = load("mini.so");
	size_t len;

	(void)state;
	for (len = 1; len < image.len; len += 61)
		survive(&image, len);
	free(image.bytes);
}

/* Changes every byte of the headers, one at a time. */
static void mutate_range(struct image *image, size_t from, size_t len)
{
	static const uint8_t values[] = { 0x00, 0xff };
	uint8_t before;
	size_t i, k;

	for (i = from; i < from + len; i++) {
		before = image->bytes[i];
		for (k = 0; k < sizeof(values); k++) {
			image->bytes[i] = values[k];
			survive(image, image->len);
		}
		image->bytes[i] = before;
	}
}

static void test_damaged_headers(void **state)
{
	struct image image = load("mini.so");
	Elf64_Ehdr header;

	(void)state;
	memcpy(&header, image.bytes, sizeof(header));
	mutate_range(&image, 0, sizeof(header));
	mutate_range(&image, header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr));
	mutate_range(&image, header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr));
	free(image.bytes);
}

/* Changes bytes anywhere, by a fixed sequence. */
static void test_damaged_anywhere(void **state)
{
	static const char *const names[] = { "mini.so", "whole.so", "linked.so" };
	uint32_t random = 4711;
	struct image image;
	int round, i, k;

	(void)state;
	for (i = 0; i < 3; i++) {
		for (round = 0; round < 700; round++) {
			image = load(names[i]);
			for (k = 0; k < 16; k++) {
				random = random * 1664525 + 1013904223;
				image.bytes[(random >> 8) % image.len] = random >> 3;
			}
			memcpy(image.bytes, ELFMAG, SELFMAG);
			survive(&image, image.len);
			free(image.bytes);
		}
	}
}

#define NR_RECORDS 30000

/* Changes the last section into one of another type, with these bytes. */
static void replace_section(struct image *image, uint32_t type, const void *bytes, size_t len)
{
	Elf64_Shdr *section;
	Elf64_Ehdr header;

	memcpy(&header, image->bytes, sizeof(header));
	section = (Elf64_Shdr *)(image->bytes + header.e_shoff) + header.e_shnum - 1;
	image->len = (image->len + 7) & ~(size_t)7;
	section->sh_type = type;
	section->sh_flags = 0;
	section->sh_offset = image->len;
	section->sh_size = len;
	memcpy(image->bytes + image->len, bytes, len);
	image->len += len;
}

static void survive_section(uint32_t type, const void *bytes, size_t len)
{
	struct image image = load("mini.so");

	replace_section(&image, type, bytes, len);
	alarm(10);
	survive(&image, image.len);
	alarm(0);
	free(image.bytes);
}

/* The last record is followed by the first, if offsets are added in 32 bits. */
static void test_versions_in_circles(void **state)
{
	Elf64_Verneed needs[2] = {
		{ .vn_version = 1, .vn_next = sizeof(needs[0]) },
		{ .vn_version = 1, .vn_next = -(uint32_t)sizeof(needs[0]) },
	};
	Elf64_Verdef defs[2] = {
		{ .vd_version = 1, .vd_next = sizeof(defs[0]) },
		{ .vd_version = 1, .vd_next = -(uint32_t)sizeof(defs[0]) },
	};

	(void)state;
	survive_section(SHT_GNU_verneed, needs, sizeof(needs));
	survive_section(SHT_GNU_verdef, defs, sizeof(defs));
}

/* All libraries share one list of very many versions. */
static void test_versions_in_squares(void **state)
{
	Elf64_Verneed *needs = mem_alloc(2 * NR_RECORDS * sizeof(*needs));
	Elf64_Vernaux *versions = (Elf64_Vernaux *)(needs + NR_RECORDS);
	size_t i;

	(void)state;
	for (i = 0; i < NR_RECORDS; i++) {
		needs[i].vn_version = 1;
		needs[i].vn_cnt = NR_RECORDS;
		needs[i].vn_aux = (NR_RECORDS - i) * sizeof(*needs);
		needs[i].vn_next = sizeof(*needs);
		versions[i].vna_next = sizeof(*versions);
	}
	survive_section(SHT_GNU_verneed, needs, 2 * NR_RECORDS * sizeof(*needs));
	free(needs);
}

/* --- types of the kernel -------------------------------------------------- */

static void test_what_cannot_fail(void **state)
{
	static const char *const can[] = {
		"fails", "fails_too", "fails_long", "fails_unsigned", "fails_enum",
		"fails_pointer", "fails.isra.0", "unheard_of", "module:returns",
	};
	static const char *const cannot[] = {
		"returns", "returns_none", "returns_flag", "returns_byte", "returns_short",
		"returns.part.0",
	};
	struct ktypes types;
	size_t i;

	(void)state;
	ktypes_open(&types, folder);
	for (i = 0; i < sizeof(can) / sizeof(can[0]); i++)
		assert_false(ktypes_cannot_fail(&types, can[i]));
	for (i = 0; i < sizeof(cannot) / sizeof(cannot[0]); i++)
		assert_true(ktypes_cannot_fail(&types, cannot[i]));
	ktypes_close(&types);
}

static void test_what_returns_a_number(void **state)
{
	static const char *const does[] = {
		"fails", "fails_too", "fails_long", "fails_unsigned", "fails_enum",
	};
	static const char *const does_not[] = {
		"fails_pointer", "returns", "returns_none", "returns_flag", "returns_byte",
		"unheard_of", "module:returns",
	};
	struct ktypes types;
	size_t i;

	(void)state;
	ktypes_open(&types, folder);
	for (i = 0; i < sizeof(does) / sizeof(does[0]); i++)
		assert_true(ktypes_returns_number(&types, does[i]));
	for (i = 0; i < sizeof(does_not) / sizeof(does_not[0]); i++)
		assert_false(ktypes_returns_number(&types, does_not[i]));
	ktypes_close(&types);
}

/* Files that end anywhere, or have any byte changed, cause no crash. */
static void test_types_damaged(void **state)
{
	char *path = mem_format("%s/vmlinux", folder), *damaged = mem_format("%s/module", folder);
	char data[8192];
	FILE *file = fopen(path, "r");
	size_t len = fread(data, 1, sizeof(data), file), i;
	struct ktypes types;

	(void)state;
	fclose(file);
	assert_in_range(len, 100, sizeof(data) - 1);
	for (i = 0; i < 2 * len; i++) {
		file = fopen(damaged, "w");
		data[i % len] ^= i < len ? 0 : 0x55;
		fwrite(data, 1, i < len ? i : len, file);
		data[i % len] ^= i < len ? 0 : 0x55;
		fclose(file);
		ktypes_open(&types, folder);
		ktypes_cannot_fail(&types, "module:returns");
		ktypes_close(&types);
	}
	free(path);
	free(damaged);
}

/* --- code that is made at run time -------------------------------------------- */

static char *jit_path(void)
{
	return mem_format("/tmp/perf-%d.map", (int)getpid());
}

static void write_map(const char *path, int flags, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | flags, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void check_code(const struct jit_map *map, uint64_t addr, const char *name)
{
	const char *found = jit_map_name(map, addr);

	if (name)
		assert_string_equal(found, name);
	else
		assert_null(found);
}

static void test_lines_of_made_code(void **state)
{
	struct jit_map map = { .nr = 0 };
	char *path = jit_path(), *long_line = mem_alloc(100000), name[601];
	size_t nr;

	(void)state;
	write_map(path, O_TRUNC,
		  "1000 100 outer frame\n1040 10 inner\n0x3000 0x10 \x1b[2Jred\n1040 10 inner again\n"
		  "x 10 none\n2000 0 empty\n2000  10 two blanks\n2000 10\nffffffffffffff00 200 beyond\n"
		  "99999999999999999999 10 large\n4000 10  blank in front\n\n5000 10 not who");
	jit_map_read(&map, getpid());
	check_code(&map, 0xfff, NULL);
	check_code(&map, 0x1000, "outer frame");
	check_code(&map, 0x1040, "inner again");
	check_code(&map, 0x1050, "outer frame");
	check_code(&map, 0x1100, NULL);
	check_code(&map, 0x2000, "two blanks");
	check_code(&map, 0x3000, "\x1b[2Jred");
	check_code(&map, 0x4000, "blank in front");
	check_code(&map, UINT64_MAX - 0xff, NULL);
	/* A line without its end is read when it has one. */
	check_code(&map, 0x5000, NULL);
	write_map(path, O_APPEND, "le\n");
	nr = map.nr_bytes;
	jit_map_read(&map, getpid());
	check_code(&map, 0x5000, "not whole");
	check_code(&map, 0x1000, "outer frame");
	assert_true(map.nr_bytes < nr + 32);
	/* Names are cut. */
	memset(long_line, 'n', 99999);
	write_map(path, O_APPEND, "6000 10 ");
	write_map(path, O_APPEND, long_line);
	write_map(path, O_APPEND, "\n7000 10 next\n");
	jit_map_read(&map, getpid());
	memset(name, 'n', 512);
	name[512] = 0;
	check_code(&map, 0x6000, name);
	check_code(&map, 0x7000, "next");
	/* Another file has no line of this one. */
	write_map(path, O_TRUNC, "8000 10 new\n");
	jit_map_read(&map, getpid());
	check_code(&map, 0x8000, "new");
	check_code(&map, 0x7000, NULL);
	jit_map_free(&map);
	unlink(path);
	free(long_line);
	free(path);
}

static void check_not_read(void)
{
	struct jit_map map = { .nr = 0 };

	jit_map_read(&map, getpid());
	assert_int_equal(map.nr, 0);
	assert_int_equal(map.nr_bytes, 0);
	jit_map_free(&map);
}

/* Whoever may write to /tmp can put anything there. */
static void test_made_code_of_others(void **state)
{
	char *path = jit_path(), *other = mem_format("%s/other.map", folder);
	struct jit_map map = { .nr = 0 };

	(void)state;
	unlink(path);
	check_not_read();
	write_map(other, O_TRUNC, "1000 10 name\n");
	assert_int_equal(symlink(other, path), 0);
	check_not_read();
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	check_not_read();
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	check_not_read();
	rmdir(path);
	write_map(path, O_TRUNC, "1000 10 name\n");
	unlink(other);
	assert_int_equal(link(path, other), 0);
	check_not_read();
	unlink(other);
	jit_map_read(&map, getpid());
	check_code(&map, 0x1000, "name");
	if (!getuid()) {
		assert_int_equal(chown(path, 4711, 4711), 0);
		check_not_read();
	}
	/* A process that has ended, or never existed. */
	jit_map_read(&map, 0x7ffffffe);
	check_code(&map, 0x1000, "name");
	jit_map_free(&map);
	unlink(path);
	free(other);
	free(path);
}

/* A file that is too long is read once, up to the limit. */
static void test_long_files_of_made_code(void **state)
{
	struct jit_map map = { .nr = 0 };
	char *path = jit_path();

	(void)state;
	write_map(path, O_TRUNC, "1000 10 first\n");
	assert_int_equal(truncate(path, 1L << 30), 0);
	write_map(path, O_APPEND, "\n2000 10 last\n");
	jit_map_read(&map, getpid());
	check_code(&map, 0x1000, "first");
	check_code(&map, 0x2000, NULL);
	assert_true(map.nr_bytes >= JIT_MAP_BYTES && map.nr_bytes < JIT_MAP_BYTES + (1 << 20));
	jit_map_read(&map, getpid());
	assert_true(map.nr_bytes < JIT_MAP_BYTES + (1 << 20));
	jit_map_free(&map);
	unlink(path);
	free(path);
}

static void check_space(struct spaces *spaces, const void *at, const char *name)
{
	const struct code code = {
		.pid = getpid(), .addr = (uintptr_t)at, .place.offset = KTRACE_PLACE_UNKNOWN,
	};
	char *found = spaces_name(spaces, &code);

	assert_string_equal(found, name);
	free(found);
}

/* --- places that the module tells ------------------------------------------------------ */

#define NOBODY 0x10000000	/* no process has this number */

static void check_place(struct spaces *spaces, pid_t pid, uint64_t addr, struct ktrace_place place,
			const char *name)
{
	const struct code code = { .pid = pid, .addr = addr, .place = place };
	char *found = spaces_name(spaces, &code);

	assert_string_equal(found, name);
	free(found);
}

static struct ktrace_place place_of(const struct mapping *mapping, uint64_t addr)
{
	return (struct ktrace_place){
		.inode = mapping->inode, .offset = addr - mapping->start + mapping->offset,
		.major = major(mapping->dev), .minor = minor(mapping->dev),
	};
}

/* A name does not depend on what a process has mapped since, nor on whether it lives. */
static void test_places_of_code(void **state)
{
	const uint64_t addr = (uintptr_t)check_place, other = (uintptr_t)place_of;
	struct spaces spaces = { .all = NULL };
	const struct mapping *mapping;
	struct ktrace_place place;
	struct maps maps;

	(void)state;
	maps_read(&maps, getpid());
	mapping = maps_find(&maps, addr);
	assert_non_null(mapping);
	place = place_of(mapping, addr);
	check_place(&spaces, NOBODY, addr, place, "[gone]");
	spaces_know(&spaces, mapping->dev, mapping->inode, mapping->path);
	check_place(&spaces, NOBODY, addr, place, "check_place");
	spaces_free(&spaces);

	/* Another function is there now: what the module says is right. */
	spaces_look(&spaces, getpid());
	check_place(&spaces, getpid(), other, place, "check_place");
	check_place(&spaces, NOBODY, other, place, "check_place");
	/* The file is not known: the mapping is right if it says the same. */
	place.inode++;
	check_place(&spaces, getpid(), addr, place, "check_place");
	check_place(&spaces, getpid(), other, place, "[gone]");
	place.inode = 0;
	check_place(&spaces, getpid(), addr, place, "[vdso]");
	spaces_free(&spaces);
	maps_free(&maps);
}

/* A file whose path leads nowhere here, as in a container, is opened when a process maps it. */
static void test_places_of_known_files(void **state)
{
	const uint64_t addr = (uintptr_t)check_place;
	struct spaces spaces = { .all = NULL };
	const struct mapping *mapping;
	struct ktrace_place place;
	struct maps maps;
	char *nameless;

	(void)state;
	maps_read(&maps, getpid());
	mapping = maps_find(&maps, addr);
	assert_non_null(mapping);
	place = place_of(mapping, addr);
	nameless = mem_format("there+0x%lx", (unsigned long)place.offset);
	spaces_know(&spaces, mapping->dev, mapping->inode, "/not/there");
	check_place(&spaces, NOBODY, addr, place, nameless);
	spaces_look(&spaces, getpid());
	check_place(&spaces, NOBODY, addr, place, "check_place");
	spaces_free(&spaces);
	free(nameless);
	maps_free(&maps);
}

#define MAPPED 100	/* files at a time */

/* Maps other files than before. Their inodes have no other names. */
static void map_others(char *files[MAPPED])
{
	size_t i;
	int fd;

	for (i = 0; i < MAPPED; i++) {
		fd = memfd_create("mapped", MFD_CLOEXEC);
		assert_true(fd >= 0 && !ftruncate(fd, 1));
		if (files[i])
			munmap(files[i], 1);
		files[i] = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		assert_true(files[i] != MAP_FAILED);
		close(fd);
	}
}

static size_t nr_open(void)
{
	size_t nr = 0;
	int fd;

	for (fd = 0; fd < 4096; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

static struct ktrace_place place_in(const char *file)
{
	const struct mapping *mapping;
	struct ktrace_place place;
	struct maps maps;

	maps_read(&maps, getpid());
	mapping = maps_find(&maps, (uintptr_t)file);
	assert_non_null(mapping);
	place = place_of(mapping, mapping->start);
	maps_free(&maps);
	return place;
}

/* However many files a process maps, descriptors are left, and files are forgotten. */
static void test_many_mapped_files(void **state)
{
	struct spaces spaces = { .all = NULL };
	char *files[MAPPED] = { NULL };
	struct rlimit original, few;
	struct ktrace_place first;
	size_t i, before;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &original), 0);
	before = nr_open();
	few = original;
	few.rlim_cur = before + MAPPED;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	for (i = 0; i < 20; i++) {
		spaces_begin(&spaces);
		map_others(files);
		first = i ? first : place_in(files[MAPPED - 1]);
		spaces_look(&spaces, getpid());
		if (!i)
			check_place(&spaces, NOBODY, 0, first, "memfd:mapped+0x0");
		assert_true(nr_open() <= before + few.rlim_cur / 3);
		check_space(&spaces, test_many_mapped_files, "test_many_mapped_files");
		spaces_end(&spaces);
	}
	check_place(&spaces, NOBODY, 0, first, "[gone]");
	spaces_free(&spaces);
	assert_int_equal(nr_open(), before);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &original), 0);
	for (i = 0; i < MAPPED; i++)
		munmap(files[i], 1);
}

/* Frames without a file say why they have no name. */
static void test_frames_without_a_file(void **state)
{
	char *code = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *path = jit_path(), *line = mem_format("%lx 20 compiled\n", (unsigned long)code);
	struct spaces spaces = { .all = NULL };
	int local;

	(void)state;
	assert_true(code != MAP_FAILED);
	unlink(path);
	check_space(&spaces, code, "[gone]");
	spaces_look(&spaces, getpid());
	check_space(&spaces, code, "[JIT]");
	check_space(&spaces, &local, "[unknown]");
	check_space(&spaces, (void *)getauxval(AT_SYSINFO_EHDR), "[vdso]");
	write_map(path, O_TRUNC, line);
	usleep(100000);		/* reading takes a twentieth of the time */
	check_space(&spaces, code + 31, "compiled");
	check_space(&spaces, code + 32, "[JIT]");
	spaces_free(&spaces);
	unlink(path);
	free(line);
	free(path);
	munmap(code, 8192);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_only_the_right_ones),
		cmocka_unit_test(test_only_of_the_right_user),
		cmocka_unit_test(test_function_at),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_other_machines),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_damaged_headers),
		cmocka_unit_test(test_damaged_anywhere),
		cmocka_unit_test(test_versions_in_circles),
		cmocka_unit_test(test_versions_in_squares),
		cmocka_unit_test(test_what_cannot_fail),
		cmocka_unit_test(test_what_returns_a_number),
		cmocka_unit_test(test_types_damaged),
		cmocka_unit_test(test_lines_of_made_code),
		cmocka_unit_test(test_made_code_of_others),
		cmocka_unit_test(test_long_files_of_made_code),
		cmocka_unit_test(test_places_of_code),
		cmocka_unit_test(test_places_of_known_files),
		cmocka_unit_test(test_many_mapped_files),
		cmocka_unit_test(test_frames_without_a_file),
	};

	folder = argc > 1 ? argv[1] : "";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
