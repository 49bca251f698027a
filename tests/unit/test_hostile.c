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
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <elf.h>

#include "../../user/util/mem.h"
#include "../../user/plan/plan.h"
#include "../../user/elf/symbols.h"
#include "../../user/system/procs.h"

#define TEXT_LEN (4UL << 20)
#define TEXT_ADDR 0x10000UL
#define SECONDS 20	/* with the sanitizers, on a busy machine; unbounded work takes hours */

static const char *folder;

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

	alarm(SECONDS);
	if (plan_make(plan, path, &options, &err))
		fail_msg("%s", err.text);
	alarm(0);
	free(path);
	return plan->nr_probed;
}

/* Frees path. */
static void check_refused(char *path, const char *why)
{
	struct err err = { "" };
	struct elf_file elf;

	alarm(SECONDS);
	assert_int_equal(elf_file_open(&elf, path, &err), -1);
	alarm(0);
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
	memset(file->text, 'a', TEXT_LEN - 1);
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
	alarm(SECONDS);
	if (!plan_make(&plan, path, &options, err))
		nr = plan.nr_probed;
	alarm(0);
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
	alarm(SECONDS);
	assert_int_equal(elf_file_open(&elf, path, &err), 0);
	alarm(0);
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
	alarm(SECONDS);
	if (elf_file_open(&elf, path, &err))
		fail_msg("%s", err.text);
	alarm(0);
	assert_non_null(elf.refused);
	assert_non_null(strstr(elf.refused, "longer than 2 GiB"));
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
		cmocka_unit_test(test_processes_of_others),
	};

	folder = argc > 1 ? argv[1] : "";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
