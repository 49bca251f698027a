// SPDX-License-Identifier: GPL-2.0
/* Files that are made to cost their reader very much: test_hostile FOLDER. */
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <elf.h>
#include <lzma.h>

#include "../../user/util/effort.h"
#include "../../user/util/mem.h"
#include "../../user/plan/dynamic.h"
#include "../../user/plan/ldcache.h"
#include "../../user/plan/plan.h"
#include "../../user/elf/symbols.h"
#include "../../user/system/maps.h"
#include "../../user/system/procs.h"

#define TEXT_LEN (4UL << 20)
#define TEXT_ADDR 0x10000UL
#define SECONDS 20	/* with the sanitizers; unbounded work takes hours */

static const char *folder;

/*
 * A signal ends the test after this CPU time, which other programs of the machine do not lengthen,
 * or after a wait ten times as long. 0: there is no limit any more.
 */
static void limit(int seconds)
{
	const struct itimerval cpu_time = { .it_value.tv_sec = seconds };

	setitimer(ITIMER_PROF, &cpu_time, NULL);
	alarm(10 * seconds);
}

/* --- files --------------------------------------------------------------- */

struct file {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Shdr sections[3];	/* none, symbols, strings */
	uint8_t text[TEXT_LEN];
	char strings[16];
};

/* Strings: 1 is "f", 3 is "f.cold". */
static struct file *create(size_t nr_syms)
{
	struct file *file = mem_alloc(sizeof(*file));

	file->header = (Elf64_Ehdr) {
		.e_ident = ELFMAG, .e_type = ET_DYN, .e_machine = EM_X86_64,
		.e_version = EV_CURRENT, .e_ehsize = sizeof(Elf64_Ehdr),
		.e_phoff = offsetof(struct file, segment), .e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1, .e_shoff = offsetof(struct file, sections),
		.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3,
	};
	file->header.e_ident[EI_CLASS] = ELFCLASS64;
	file->header.e_ident[EI_DATA] = ELFDATA2LSB;
	file->header.e_ident[EI_VERSION] = EV_CURRENT;
	file->segment = (Elf64_Phdr) {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = TEXT_ADDR,
		.p_offset = offsetof(struct file, text), .p_filesz = TEXT_LEN,
		.p_memsz = TEXT_LEN,
	};
	file->sections[1] = (Elf64_Shdr) {
		.sh_type = SHT_SYMTAB, .sh_offset = sizeof(*file), .sh_link = 2,
		.sh_size = nr_syms * sizeof(Elf64_Sym), .sh_entsize = sizeof(Elf64_Sym),
	};
	file->sections[2] = (Elf64_Shdr) {
		.sh_type = SHT_STRTAB, .sh_offset = offsetof(struct file, strings),
		.sh_size = sizeof(file->strings),
	};
	memcpy(file->strings, "\0f\0f.cold", 10);
	memset(file->text, 0x90, sizeof(file->text));
	return file;
}

static Elf64_Sym symbol(unsigned int name, uint64_t at, uint64_t len)
{
	Elf64_Sym sym = {
		.st_name = name, .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC), .st_shndx = 1,
		.st_value = TEXT_ADDR + at, .st_size = len,
	};

	return sym;
}

/* Frees file and syms; more follows them. Returns the file's path, to be freed. */
static char *store(struct file *file, Elf64_Sym *syms, const void *more, size_t more_len)
{
	char *path = mem_format("%s/hostile", folder);
	FILE *out = fopen(path, "wb");

	assert_non_null(out);
	fwrite(file, sizeof(*file), 1, out);
	if (syms)
		fwrite(syms, file->sections[1].sh_size, 1, out);
	fwrite(more, more_len, 1, out);
	assert_int_equal(fclose(out), 0);
	free(file);
	free(syms);
	return path;
}

/* Frees both. Plans all of it; returns how many functions are probed. */
static size_t plan_file(struct file *file, Elf64_Sym *syms, struct plan *plan)
{
	struct plan_options options = { .how = PLAN_RETURN_AUTO };
	char *path = store(file, syms, "", 0);
	struct err err = { "" };

	limit(SECONDS);
	if (plan_make(plan, path, &options, &err))
		fail_msg("%s", err.text);
	limit(0);
	free(path);
	return plan->nr_probed;
}

/* Frees path. */
static void check_refused(char *path, const char *why)
{
	struct err err = { "" };
	struct elf_file elf;

	limit(SECONDS);
	assert_int_equal(elf_file_open(&elf, path, &err), -1);
	limit(0);
	if (!strstr(err.text, why))
		fail_msg("%s", err.text);
	free(path);
}

static const char *why_left_out(const struct plan *plan)
{
	assert_true(plan->nr_probed < plan->nr_funcs);
	return plan->funcs[plan->nr_probed].left_out;
}

/* --- what they do -------------------------------------------------------- */

#define NR_NESTED 8000

/* Each function contains all that follow; functions that are too long are left out. */
static void test_nested_functions(void **state)
{
	Elf64_Sym *syms = mem_alloc(NR_NESTED * sizeof(*syms));
	struct file *file = create(NR_NESTED);
	struct plan plan;
	size_t i;

	(void)state;
	for (i = 0; i < NR_NESTED; i++)
		syms[i] = symbol(1, i * (TEXT_LEN / NR_NESTED), TEXT_LEN - i * (TEXT_LEN / NR_NESTED));
	assert_in_range(plan_file(file, syms, &plan), 1, NR_NESTED - 1);
	assert_non_null(strstr(why_left_out(&plan), "overlap"));
	/* the innermost function is not too long */
	assert_int_equal(plan.funcs[plan.nr_probed - 1].addr,
			 TEXT_ADDR + (NR_NESTED - 1) * (TEXT_LEN / NR_NESTED));
	plan_free(&plan);
}

#define NR_LOCAL 40000

/* Very many functions and cold parts of one name: each cold part must find its function. */
static void test_cold_parts_of_one_name(void **state)
{
	Elf64_Sym *syms = mem_alloc(2 * NR_LOCAL * sizeof(*syms));
	struct file *file = create(2 * NR_LOCAL);
	struct plan plan;
	size_t i;

	(void)state;
	for (i = 0; i < NR_LOCAL; i++) {
		syms[2 * i] = symbol(1, 64 * i, 32);
		syms[2 * i + 1] = symbol(3, 64 * i + 32, 32);
		file->text[64 * i + 31] = file->text[64 * i + 63] = 0xc3;
	}
	assert_int_equal(plan_file(file, syms, &plan), NR_LOCAL);
	for (i = 0; i < NR_LOCAL; i++) {
		assert_int_equal(plan.funcs[i].desc.cold_start, plan.funcs[i].desc.end);
		assert_int_equal(plan.funcs[i].desc.nr_exits, 2);
	}
	plan_free(&plan);
}

/* One cold part of the length of the text, which all functions share. */
static void test_one_cold_part(void **state)
{
	Elf64_Sym *syms = mem_alloc((NR_NESTED + 1) * sizeof(*syms));
	struct file *file = create(NR_NESTED + 1);
	struct plan plan;
	size_t i;

	(void)state;
	for (i = 0; i < NR_NESTED; i++)
		syms[i] = symbol(1, i * 16, 16);
	syms[i] = symbol(3, i * 16, TEXT_LEN - i * 16);
	assert_in_range(plan_file(file, syms, &plan), 1, NR_NESTED - 1);
	plan_free(&plan);
}

#define TABLE_LEN (TEXT_LEN / 2)

/*
 * Each jump of a function has a table half as long as the text. Another function is not affected.
 */
static void test_long_tables(void **state)
{
	static const uint8_t jump[16] = {
		0x48, 0x8d, 0x15, 0, 0, 0, 0,	/* lea table(%rip), %rdx */
		0x48, 0x63, 0x04, 0xba,		/* movslq (%rdx, %rdi, 4), %rax */
		0x48, 0x01, 0xd0,		/* add %rdx, %rax */
		0xff, 0xe0,			/* jmp *%rax */
	};
	Elf64_Sym *syms = mem_alloc(2 * sizeof(*syms));
	struct file *file = create(2);
	struct plan plan;
	int32_t distance;
	size_t at;

	(void)state;
	for (at = 0; at < TABLE_LEN; at += sizeof(jump)) {
		distance = TABLE_LEN - (at + 7);
		memcpy(file->text + at, jump, sizeof(jump));
		memcpy(file->text + at + 3, &distance, 4);
	}
	distance = -(int32_t)TABLE_LEN;
	for (; at < TEXT_LEN - 64; at += 4)
		memcpy(file->text + at, &distance, 4);
	syms[0] = symbol(1, 0, TABLE_LEN);
	syms[1] = symbol(1, TEXT_LEN - 16, 16);
	assert_int_equal(plan_file(file, syms, &plan), 1);
	assert_non_null(strstr(why_left_out(&plan), "jump tables"));
	plan_free(&plan);
}

/* All names end with the same letters: gigabytes, if each were copied. */
static void test_long_names(void **state)
{
	Elf64_Sym *syms = mem_alloc(NR_NESTED * sizeof(*syms));
	struct file *file = create(NR_NESTED);
	struct plan plan;
	size_t i;

	(void)state;
	memset(file->text, 'P', TEXT_LEN - 1);
	file->text[TEXT_LEN - 1] = 0;
	file->sections[2].sh_offset = offsetof(struct file, text);
	file->sections[2].sh_size = TEXT_LEN;
	for (i = 0; i < NR_NESTED; i++)
		syms[i] = symbol(i, i * 16, 16);
	assert_in_range(plan_file(file, syms, &plan), 1, NR_NESTED / 2);
	assert_non_null(strstr(plan.objects[0].refused, "overlapping names"));
	plan_free(&plan);
}

/* --- what tables claim --------------------------------------------------- */

#define NR_NOTES 300

/* Each note is as long as the text: gigabytes, if each were read. */
static void test_notes_on_each_other(void **state)
{
	static Elf64_Shdr sections[NR_NOTES + 1];
	struct file *file = create(0);
	size_t i;

	(void)state;
	for (i = 1; i <= NR_NOTES; i++)
		sections[i] = (Elf64_Shdr) {
			.sh_type = SHT_NOTE, .sh_offset = offsetof(struct file, text) + 4 * i,
			.sh_size = TEXT_LEN - 4 * i,
		};
	file->header.e_shoff = sizeof(*file);
	file->header.e_shnum = NR_NOTES + 1;
	check_refused(store(file, NULL, sections, sizeof(sections)),
		      "its sections together are longer than the file");
}

/* The number of sections is where only object files may have it. */
static void test_sections_without_number(void **state)
{
	struct file *file = create(0);

	(void)state;
	file->header.e_shnum = 0;
	file->sections[0].sh_size = 1UL << 40;
	check_refused(store(file, NULL, "", 0), "more sections or segments than any program");
}

static size_t nr_planned(size_t nr_segments, struct err *err)
{
	Elf64_Phdr *segments = mem_alloc(nr_segments * sizeof(*segments));
	struct plan_options options = { .how = PLAN_RETURN_AUTO };
	Elf64_Sym *syms = mem_alloc(NR_LOCAL * sizeof(*syms));
	struct file *file = create(NR_LOCAL);
	struct plan plan;
	size_t nr = 0, i;
	char *path;

	for (i = 0; i < NR_LOCAL; i++) {
		syms[i] = symbol(1, 64 * i, 1);
		file->text[64 * i] = 0xc3;
	}
	/* The last one has the text, all others are empty. */
	for (i = 0; i < nr_segments; i++) {
		segments[i] = file->segment;
		segments[i].p_vaddr = i;
		segments[i].p_filesz = 0;
	}
	segments[i - 1] = file->segment;
	file->header.e_phoff = sizeof(*file) + NR_LOCAL * sizeof(*syms);
	file->header.e_phnum = nr_segments;
	path = store(file, syms, segments, nr_segments * sizeof(*segments));
	limit(SECONDS);
	if (!plan_make(&plan, path, &options, err))
		nr = plan.nr_probed;
	limit(0);
	plan_free(&plan);
	free(path);
	free(segments);
	return nr;
}

static void test_many_segments(void **state)
{
	struct err err = { "" };

	(void)state;
	assert_int_equal(nr_planned(1024, &err), NR_LOCAL);
	assert_int_equal(nr_planned(1025, &err), 0);
	assert_non_null(strstr(err.text, "more than 1024 segments"));
}

/* Each lookup of a name would search for the terminating zero. */
static void test_strings_without_end(void **state)
{
	Elf64_Sym *syms = mem_alloc(NR_LOCAL * sizeof(*syms));
	struct file *file = create(NR_LOCAL);
	struct err err = { "" };
	struct elf_file elf;
	char *path;
	size_t i;

	(void)state;
	memset(file->text, 'a', TEXT_LEN);
	file->text[4] = 0;
	file->sections[2].sh_offset = offsetof(struct file, text);
	file->sections[2].sh_size = TEXT_LEN;
	for (i = 0; i < NR_LOCAL; i++)
		syms[i] = symbol(1, i * 16, 16);
	path = store(file, syms, "", 0);
	limit(SECONDS);
	assert_int_equal(elf_file_open(&elf, path, &err), 0);
	limit(0);
	assert_int_equal(elf.nr_syms, 0);
	elf_file_close(&elf);
	free(path);
}

/* --- files that change, and files that are none --------------------------- */

/* Another user, who may write to the file, truncates it: a read error, and no SIGBUS. */
static void test_cut_while_it_is_read(void **state)
{
	Elf64_Sym *syms = mem_alloc(sizeof(*syms));
	struct file *file = create(1);
	struct err err = { "" };
	struct elf_slot *slots;
	struct elf_file elf;
	char *path;

	(void)state;
	syms[0] = symbol(1, 0, 16);
	path = store(file, syms, "", 0);
	if (elf_file_open(&elf, path, &err))
		fail_msg("%s", err.text);
	assert_int_equal(truncate(path, 100), 0);
	assert_string_equal(elf.syms[0].name, "f");
	assert_null(elf_file_bytes(&elf, TEXT_ADDR, 16));
	assert_int_equal(symbols_slots(&elf, &slots), 0);
	elf_file_close(&elf);
	free(path);
}

#define LINK "sparse.debug"

/* The file that the link names has the checksum of a sparse file, which is not computed. */
static void test_sum_of_a_sparse_file(void **state)
{
	struct {
		char name[16];
		uint32_t crc;
		char strings[16];
	} tail = { LINK, 1, ".gnu_debuglink" };
	Elf64_Sym *syms = mem_alloc(sizeof(*syms));
	struct file *file = create(1);
	char *path, *sparse = mem_format("%s/" LINK, folder);
	struct err err = { "" };
	struct elf_file elf;
	FILE *out;

	(void)state;
	path = store(create(0), NULL, "", 0);
	assert_int_equal(rename(path, sparse), 0);
	free(path);
	out = fopen(sparse, "r+");
	assert_non_null(out);
	assert_int_equal(ftruncate(fileno(out), 200L << 30), 0);
	fclose(out);
	/* No symbols, but a link, whose name is in the second section. */
	file->sections[1] = (Elf64_Shdr) {
		.sh_type = SHT_PROGBITS, .sh_offset = sizeof(*file), .sh_size = 20,
	};
	file->sections[2].sh_offset = sizeof(*file) + 20;
	file->header.e_shstrndx = 2;
	path = store(file, syms, (char *)&tail + 20, sizeof(tail) - 20);
	out = fopen(path, "r+");
	assert_non_null(out);
	fseek(out, sizeof(*file), SEEK_SET);
	fwrite(&tail, 20, 1, out);
	fclose(out);
	limit(SECONDS);
	if (elf_file_open(&elf, path, &err))
		fail_msg("%s", err.text);
	limit(0);
	assert_non_null(elf.refused);
	assert_non_null(strstr(elf.refused, "longer than 2 GiB"));
	elf_file_close(&elf);
	assert_int_equal(truncate(sparse, 1900L << 20), 0);
	if (elf_file_open(&elf, path, &err))
		fail_msg("%s", err.text);
	assert_non_null(strstr(elf.refused, "more holes than data"));
	elf_file_close(&elf);
	unlink(sparse);
	free(sparse);
	free(path);
}

/*
 * Anything but a regular file is not even opened: opening can have effects, such as rewinding a
 * tape.
 */
static void test_links_to_others(void **state)
{
	char *fifo = mem_format("%s/hostile.fifo", folder), *path = mem_format("%s/hostile", folder);
	int watch = inotify_init1(IN_NONBLOCK);
	char event[4096];

	(void)state;
	unlink(path);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(symlink(fifo, path), 0);
	assert_true(inotify_add_watch(watch, fifo, IN_OPEN) >= 0);
	check_refused(path, "is a fifo");
	assert_int_equal(read(watch, event, sizeof(event)), -1);
	close(watch);
	unlink(fifo);
	free(fifo);
}

/* --- limits that all files share ------------------------------------------ */

#define NR_PACKED 40
#define PACKED_LEN (1UL << 20)	/* when it is unpacked */

/* Stores a file with a small .gnu_debugdata, which is an ELF header and zeros. Returns its path. */
static char *store_packed(void)
{
	uint8_t *zeros = mem_alloc(PACKED_LEN), packed[4096];
	struct file *file = create(0);
	Elf64_Ehdr header = file->header;
	size_t len = 0;

	header.e_shoff = header.e_shnum = header.e_phoff = header.e_phnum = 0;
	memcpy(zeros, &header, sizeof(header));
	assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, zeros, PACKED_LEN, packed,
						 &len, sizeof(packed)), LZMA_OK);
	free(zeros);
	memcpy(file->strings, "\0.gnu_debugdata", 16);
	file->sections[1] = (Elf64_Shdr) {
		.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = sizeof(*file), .sh_size = len,
	};
	file->header.e_shstrndx = 2;
	return store(file, NULL, packed, len);
}

/* Opens the file many times. Returns how often its symbols would take too much memory. */
static size_t count_refused(const char *path)
{
	struct elf_file files[NR_PACKED];
	struct err err = { "" };
	size_t nr = 0, i;

	for (i = 0; i < NR_PACKED; i++) {
		if (elf_file_open(&files[i], path, &err))
			fail_msg("%s", err.text);
		nr += files[i].refused && strstr(files[i].refused, "all such data together");
	}
	for (i = 0; i < NR_PACKED; i++)
		elf_file_close(&files[i]);
	return nr;
}

/* The limit is for all files that are open. */
static void test_many_packed_symbols(void **state)
{
	uint64_t before = effort_limits.unpacked;
	char *path = store_packed();

	(void)state;
	effort_limits.unpacked = 10 * PACKED_LEN;
	assert_int_equal(count_refused(path), NR_PACKED - 10);
	assert_int_equal(count_refused(path), NR_PACKED - 10);
	effort_limits.unpacked = before;
	assert_int_equal(count_refused(path), 0);
	free(path);
}

/* A plan without what was too expensive is refused as a whole. */
static void check_spent(const char *why)
{
	struct plan_options options = { .how = PLAN_RETURN_AUTO };
	Elf64_Sym *syms = mem_alloc(NR_LOCAL * sizeof(*syms));
	struct file *file = create(NR_LOCAL);
	struct err err = { "" };
	struct plan plan;
	char *path;
	size_t i;

	for (i = 0; i < NR_LOCAL; i++) {
		syms[i] = symbol(1, 64 * i, 1);
		file->text[64 * i] = 0xc3;
	}
	path = store(file, syms, "", 0);
	assert_int_equal(plan_make(&plan, path, &options, &err), -1);
	if (!strstr(err.text, why))
		fail_msg("%s", err.text);
	plan_free(&plan);
	free(path);
}

static void test_effort_is_limited(void **state)
{
	struct effort_limits before = effort_limits;

	(void)state;
	effort_limits.ns = 0;
	check_spent("60 s of CPU time");
	effort_limits = before;
	effort_limits.memory = 0;
	check_spent("a quarter of the machine's memory");
	effort_limits = before;
	assert_int_equal(nr_planned(1, &(struct err){ "" }), NR_LOCAL);
}

/* Each of 4,000 needed libraries has a name of 4,000 letters; together they may have a million. */
static void test_long_names_of_libraries(void **state)
{
	Elf64_Dyn *entries = mem_alloc(4096 * sizeof(*entries));
	struct file *file = create(0);
	struct dynamic dynamic;
	char *path;
	size_t i;
	int fd;

	(void)state;
	memset(file->text, 'a', TEXT_LEN - 1);
	file->text[TEXT_LEN - 1] = 0;
	file->sections[1].sh_type = SHT_DYNAMIC;
	file->sections[1].sh_size = 4096 * sizeof(*entries);
	file->sections[2].sh_offset = offsetof(struct file, text);
	file->sections[2].sh_size = TEXT_LEN;
	for (i = 0; i < 4096; i++)
		entries[i] = (Elf64_Dyn){ .d_tag = DT_NEEDED, .d_un.d_val = TEXT_LEN - 4001 };
	path = store(file, NULL, entries, 4096 * sizeof(*entries));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(dynamic_read(&dynamic, fd));
	assert_in_range(dynamic.nr_letters, 1 << 20, (1 << 20) + 4000);
	assert_int_equal(dynamic.nr_needed, dynamic.nr_letters / 4000);
	dynamic_free(&dynamic);
	close(fd);
	free(entries);
	free(path);
}

/* --- work that grows with the square --------------------------------------- */

#define NR_CACHED 500000U
#define NR_STEPS (1UL << 17)

/* A cache of 12 MB, which a program searches for as many libraries as it can name. */
static void test_long_cache(void **state)
{
	static const uint32_t head[12] = { 0 };
	char *etc = mem_format("%s/etc", folder), *path = mem_format("%s/ld.so.cache", etc);
	int root = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct { uint32_t flags, key, value, os; uint64_t hwcap; } entry = { .flags = 0x303 };
	size_t nr_left = NR_STEPS, nr_found = 0;
	struct ldcache cache;
	uint32_t nr = NR_CACHED, i;
	FILE *out;

	(void)state;
	mkdir(etc, 0755);
	out = fopen(path, "w");
	assert_non_null(out);
	fwrite("glibc-ld.so.cache1.1", 20, 1, out);
	fwrite(&nr, 4, 1, out);
	fwrite(head, 4, 6, out);
	entry.key = 48 + NR_CACHED * sizeof(entry);
	entry.value = entry.key + 2;
	for (i = 0; i < NR_CACHED; i++)
		fwrite(&entry, sizeof(entry), 1, out);
	fwrite("b\0/b", 5, 1, out);
	fclose(out);
	limit(SECONDS);
	ldcache_read(&cache, root);
	assert_string_equal(ldcache_find(&cache, "b", &nr_left), "/b");
	assert_int_equal(nr_left, NR_STEPS - 1);
	for (; nr_left; nr_found++)
		assert_null(ldcache_find(&cache, nr_found & 1 ? "a" : "c", &nr_left));
	assert_in_range(nr_found, 10, 100);
	limit(0);
	ldcache_free(&cache);
	unlink(path);
	rmdir(etc);
	close(root);
	free(path);
	free(etc);
}

#define NR_ALIASES 200000

/* All names are those of one function. */
static void test_many_aliases(void **state)
{
	Elf64_Sym *syms = mem_alloc(NR_ALIASES * sizeof(*syms));
	struct file *file = create(NR_ALIASES);
	struct err err = { "" };
	struct elf_file elf;
	char *path;
	size_t i;

	(void)state;
	file->sections[2].sh_offset = offsetof(struct file, text);
	file->sections[2].sh_size = TEXT_LEN;
	for (i = 0; i < NR_ALIASES; i++) {
		sprintf((char *)file->text + 8 * i, "f%06zx", i);
		syms[i] = symbol(8 * i, TEXT_LEN - 16, 16);
	}
	file->text[TEXT_LEN - 1] = 0;
	path = store(file, syms, "", 0);
	limit(SECONDS);
	if (elf_file_open(&elf, path, &err))
		fail_msg("%s", err.text);
	assert_int_equal(elf.nr_syms, NR_ALIASES);
	for (i = 0; i < NR_ALIASES; i++)
		assert_ptr_equal(elf_file_sym_at(&elf, TEXT_ADDR + TEXT_LEN - 8), elf.syms);
	limit(0);
	elf_file_close(&elf);
	free(path);
}

#define NR_FOLDERS 15
#define NR_MAPPINGS 20000

/* Enters folders, so that the path has about 3,000 letters. */
static int open_deep(void)
{
	int here = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), next, i;
	char name[201];

	memset(name, 'd', 200);
	name[200] = 0;
	for (i = 0; i < NR_FOLDERS; i++) {
		mkdirat(here, name, 0755);
		next = openat(here, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_true(next >= 0);
		close(here);
		here = next;
	}
	next = openat(here, "file", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	close(here);
	return next;
}

/* One path of 3,000 letters is kept once, not once per mapping. */
static void test_many_mappings_of_a_long_path(void **state)
{
	int fd = open_deep(), i;
	size_t nr = 0, j;
	struct maps maps;
	char *page;

	(void)state;
	assert_int_equal(ftruncate(fd, 4096), 0);
	for (i = 0; i < NR_MAPPINGS; i++) {
		page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
		assert_ptr_not_equal(page, MAP_FAILED);
	}
	maps_read(&maps, getpid());
	for (j = 0; j < maps.nr; j++)
		nr += strlen(maps.all[j].path) > 3000;
	assert_int_equal(nr, NR_MAPPINGS);
	assert_in_range(maps.nr_letters, 3000, 20000);
	for (j = 0; j < maps.nr; j++)
		if (strlen(maps.all[j].path) > 3000)
			munmap((void *)maps.all[j].start, 4096);
	maps_free(&maps);
	close(fd);
}

/* --- whose libraries are taken -------------------------------------------- */

#define NOBODY 65534

static void run_copy(const char *path, uid_t uid, int flags)
{
	if ((flags && unshare(flags)) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		_exit(1);
	execl(path, path, "1000", NULL);
	_exit(2);
}

/* Returns when the program runs. */
static pid_t start(const char *path, uid_t uid, int flags)
{
	int news[2];
	pid_t pid;
	char word;

	assert_int_equal(pipe2(news, O_CLOEXEC), 0);
	pid = fork();
	if (!pid)
		run_copy(path, uid, flags);
	close(news[1]);
	assert_int_equal(read(news[0], &word, 1), 0);
	close(news[0]);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Another user's LD_PRELOAD, or mounts in another namespace, must not show what to probe. */
static void test_processes_of_others(void **state)
{
	char *path = mem_format("%s/program", folder), *copy = mem_format("cp /bin/sleep %s", path);
	pid_t others, elsewhere, ours;

	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(chmod(folder, 0755), 0);
	assert_int_equal(system(copy), 0);
	others = start(path, NOBODY, 0);
	elsewhere = start(path, 0, CLONE_NEWNS);
	assert_int_equal(procs_count(path), 2);
	assert_int_equal(procs_reference(path), 0);
	ours = start(path, 0, 0);
	assert_int_equal(procs_reference(path), ours);
	end(ours);
	/* the owner can put anything into the file itself */
	assert_int_equal(chown(path, NOBODY, NOBODY), 0);
	assert_int_equal(procs_reference(path), others);
	end(others);
	end(elsewhere);
	free(copy);
	free(path);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested_functions),
		cmocka_unit_test(test_cold_parts_of_one_name),
		cmocka_unit_test(test_one_cold_part),
		cmocka_unit_test(test_long_tables),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_notes_on_each_other),
		cmocka_unit_test(test_sections_without_number),
		cmocka_unit_test(test_many_segments),
		cmocka_unit_test(test_strings_without_end),
		cmocka_unit_test(test_cut_while_it_is_read),
		cmocka_unit_test(test_sum_of_a_sparse_file),
		cmocka_unit_test(test_links_to_others),
		cmocka_unit_test(test_many_packed_symbols),
		cmocka_unit_test(test_effort_is_limited),
		cmocka_unit_test(test_long_names_of_libraries),
		cmocka_unit_test(test_long_cache),
		cmocka_unit_test(test_many_aliases),
		cmocka_unit_test(test_many_mappings_of_a_long_path),
		cmocka_unit_test(test_processes_of_others),
	};

	folder = argc > 1 ? argv[1] : "";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
