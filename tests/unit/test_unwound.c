// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks of stopped programs, unwound by the tables of the command with the code of the module, and
 * by libdw from .eh_frame itself. Both must find the same frames.
 *   test_unwound FOLDER    with the programs that run.sh builds
 */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#undef PAGE_SIZE
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <elfutils/libdwfl.h>

#include "../../kmod/core/unwind_step.c"
#include "../../kmod/core/unwind_table.c"
#include "../../user/elf/unwind.h"

#define MAX_FRAMES 256
#define NR_STOPS 30		/* after a random time, and then one instruction later */
#define NR_LAZY 200		/* while functions are looked up */
#define NR_UNUSUAL 120		/* instructions of code with unusual rules */
#define NR_STEPS 25		/* after some instructions, from the program's first one on */

struct frames {
	uint64_t ips[MAX_FRAMES];
	bool is_exact[MAX_FRAMES];
	bool needs_rbx[MAX_FRAMES];
	unsigned int nr;
	bool is_whole;		/* the last frame has no caller */
	enum kt_unwind_result result;
};

/* What a program's samples added up to. */
static struct figures {
	unsigned int nr_samples, nr_frames, nr_signals, nr_vdso, nr_deepest;
	unsigned int nr_whole;	/* the table came to the first function */
	unsigned int nr_rbx;	/* frames that needed rbx */
	unsigned int nr_of_kind[KTRACE_UNWIND_NR_CFAS];	/* of the first frames */
	unsigned int nr_cut;	/* the table has no rule, or cannot express it */
	unsigned int nr_guessed;	/* and libdw went on, perhaps by frame pointers */
	unsigned int nr_endless;	/* both stop: code without a rule, as the loader's start */
	unsigned int nr_beyond;	/* libdw gave up before the tables */
} figures;

/* --- tables ---------------------------------------------------------------- */

struct file {
	char path[PATH_MAX];
	struct unwind unwind;
	struct kt_unwind_table table;
	bool has_table;
};

static struct file files[512];
static unsigned int nr_files;

struct mapping {
	uint64_t begin, end, offset;
	struct file *file;
};

struct process {
	pid_t pid;
	int mem;
	struct mapping mappings[512];
	unsigned int nr_mappings;
	struct file vdso;
	uint64_t vdso_at;
};

static bool read_memory(void *arg, u64 addr, void *to, unsigned int len)
{
	const struct process *process = arg;

	return pread(process->mem, to, len, addr) == (ssize_t)len;
}

static void compile_table(struct file *file, int fd)
{
	struct elf_file elf;
	struct err err;

	if (fd < 0 || elf_file_take(&elf, fd, file->path, &err))
		return;
	file->has_table = !unwind_compile(&file->unwind, &elf, &err);
	if (file->has_table)
		assert_true(kt_unwind_table_open(&file->table, file->unwind.table,
						 file->unwind.len));
	elf_file_close(&elf);
}

static struct file *file_of(const char *path)
{
	struct file *file;

	for (file = files; file < files + nr_files; file++)
		if (!strcmp(file->path, path))
			return file;
	assert_true(nr_files < sizeof(files) / sizeof(*files));
	nr_files++;
	strcpy(file->path, path);
	compile_table(file, open(path, O_RDONLY | O_CLOEXEC));
	return file;
}

/* The vDSO is a file in memory. */
static struct file *vdso_of(struct process *process, uint64_t begin, uint64_t end)
{
	char bytes[65536];
	int fd;

	if (process->vdso_at == begin)
		return &process->vdso;
	assert_true(end - begin <= sizeof(bytes));
	assert_true(pread(process->mem, bytes, end - begin, begin) == (ssize_t)(end - begin));
	fd = memfd_create("vdso", MFD_CLOEXEC);
	assert_true(write(fd, bytes, end - begin) == (ssize_t)(end - begin));
	unwind_free(&process->vdso.unwind);
	strcpy(process->vdso.path, "[vdso]");
	compile_table(&process->vdso, fd);
	assert_true(process->vdso.has_table);
	process->vdso_at = begin;
	return &process->vdso;
}

static void read_mappings(struct process *process)
{
	char path[PATH_MAX + 64], line[PATH_MAX + 128], allowed[8];
	struct mapping *mapping;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", process->pid);
	maps = fopen(path, "r");
	process->nr_mappings = 0;
	while (fgets(line, sizeof(line), maps)) {
		mapping = &process->mappings[process->nr_mappings];
		path[0] = 0;
		sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %4095s",
		       &mapping->begin, &mapping->end, allowed, &mapping->offset, path);
		if (!strchr(allowed, 'x') || (path[0] != '/' && strcmp(path, "[vdso]")))
			continue;
		mapping->file = path[0] == '/' ? file_of(path) :
				vdso_of(process, mapping->begin, mapping->end);
		process->nr_mappings++;
		assert_true(process->nr_mappings < sizeof(process->mappings) / sizeof(*mapping));
	}
	fclose(maps);
}

static const struct mapping *mapping_of(const struct process *process, uint64_t addr)
{
	unsigned int i;

	for (i = 0; i < process->nr_mappings; i++)
		if (addr - process->mappings[i].begin <
		    process->mappings[i].end - process->mappings[i].begin)
			return &process->mappings[i];
	return NULL;
}

static const struct ktrace_unwind_rule *rule_of(const struct process *process,
						const struct kt_unwind_regs *regs)
{
	uint64_t place = kt_unwind_place(regs);
	const struct mapping *mapping = mapping_of(process, place);

	if (!mapping || !mapping->file->has_table)
		return &unwind_table_none;
	return kt_unwind_table_find(&mapping->file->table,
				    place - mapping->begin + mapping->offset);
}

/* --- two ways -------------------------------------------------------------- */

static void unwind_by_table(struct frames *frames, struct process *process,
			    const struct user_regs_struct *user)
{
	struct kt_unwind_regs regs = { .ip = user->rip, .sp = user->rsp, .bp = user->rbp,
				       .bx = user->rbx, .has_bp = true, .has_bx = true,
				       .first = (const unsigned long *)user,
				       .all_at = KT_UNWIND_FIRST_ALL, .is_exact = true };
	const struct ktrace_unwind_rule *rule;

	for (frames->nr = 0; frames->nr < MAX_FRAMES;) {
		frames->ips[frames->nr] = regs.ip;
		frames->is_exact[frames->nr++] = regs.is_exact;
		rule = rule_of(process, &regs);
		if (frames->nr == 1)
			figures.nr_of_kind[rule->cfa]++;
		frames->needs_rbx[frames->nr - 1] = rule->cfa == KTRACE_UNWIND_CFA_RBX;
		figures.nr_rbx += rule->cfa == KTRACE_UNWIND_CFA_RBX && frames->nr > 1;
		frames->result = kt_unwind_step(&regs, rule, read_memory, process);
		if (frames->result != KT_UNWIND_NEXT)
			break;
	}
	frames->is_whole = frames->result == KT_UNWIND_END;
}

/* Debug files would be other sources of the same rules. */
static int no_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			 const char *path, const char *link, GElf_Word checksum, char **found)
{
	(void)module, (void)data, (void)name, (void)base;
	(void)path, (void)link, (void)checksum, (void)found;
	return -1;
}

static int add_frame(Dwfl_Frame *frame, void *arg)
{
	struct frames *frames = arg;
	Dwarf_Addr pc;

	if (frames->nr == MAX_FRAMES || !dwfl_frame_pc(frame, &pc, &frames->is_exact[frames->nr]))
		return DWARF_CB_ABORT;
	frames->ips[frames->nr++] = pc;
	return DWARF_CB_OK;
}

static void unwind_by_libdw(struct frames *frames, pid_t pid)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_linux_proc_find_elf,
		.find_debuginfo = no_debug_file,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);

	frames->nr = 0;
	assert_non_null(dwfl);
	assert_int_equal(dwfl_linux_proc_report(dwfl, pid), 0);
	assert_int_equal(dwfl_report_end(dwfl, NULL, NULL), 0);
	assert_int_equal(dwfl_linux_proc_attach(dwfl, pid, true), 0);
	frames->is_whole = !dwfl_getthread_frames(dwfl, pid, add_frame, frames);
	dwfl_end(dwfl);
}

/* --- comparing ------------------------------------------------------------- */

static void print_frames(const struct process *process, const struct frames *a,
			 const struct frames *b)
{
	const struct mapping *mapping;
	unsigned int i;

	for (i = 0; i < a->nr || i < b->nr; i++) {
		mapping = mapping_of(process, i < a->nr ? a->ips[i] : b->ips[i]);
		fprintf(stderr, "%3u  table %12" PRIx64 "%s  libdw %12" PRIx64 "%s  %s\n", i,
			i < a->nr ? a->ips[i] : 0, i < a->nr && a->is_exact[i] ? "!" : " ",
			i < b->nr ? b->ips[i] : 0, i < b->nr && b->is_exact[i] ? "!" : " ",
			mapping ? mapping->file->path : "?");
	}
	fprintf(stderr, "result of the table: %d, libdw %s\n", a->result,
		b->is_whole ? "finished" : dwfl_errmsg(-1));
}

/* libdw marks the code that returns from a signal handler as exact, too. */
static bool is_marked(const struct frames *frames, unsigned int i)
{
	return frames->is_exact[i] || (i + 1 < frames->nr && frames->is_exact[i + 1]);
}

static bool are_equal(const struct frames *table, const struct frames *libdw)
{
	unsigned int nr = table->nr < libdw->nr ? table->nr : libdw->nr, i;

	for (i = 0; i < nr; i++)
		if (table->ips[i] != libdw->ips[i] || is_marked(table, i) != libdw->is_exact[i])
			return false;
	/*
	 * The table may stop early only where it says so; libdw with an error, and (0.188) without
	 * one where the loader binds lazily, behind frames that need rbx.
	 */
	if (table->nr < libdw->nr)
		return table->result == KT_UNWIND_NO_RULE || table->result == KT_UNWIND_COMPLEX;
	return table->nr == libdw->nr || !libdw->is_whole || table->needs_rbx[nr - 1];
}

static void add_figures(const struct process *process, const struct frames *table,
			const struct frames *libdw)
{
	const struct mapping *first = mapping_of(process, table->ips[0]);
	unsigned int i;

	figures.nr_samples++;
	figures.nr_frames += table->nr;
	for (i = 1; i < table->nr; i++)
		figures.nr_signals += table->is_exact[i];
	figures.nr_vdso += first && first->file == &process->vdso;
	figures.nr_whole += table->is_whole;
	figures.nr_cut += !table->is_whole && (libdw->is_whole || table->nr < libdw->nr);
	figures.nr_guessed += table->nr < libdw->nr;
	figures.nr_endless += !table->is_whole && !libdw->is_whole;
	figures.nr_beyond += table->nr > libdw->nr;
	if (table->nr > figures.nr_deepest)
		figures.nr_deepest = table->nr;
}

static void compare(struct process *process)
{
	static struct frames table, libdw;
	struct user_regs_struct user;

	assert_int_equal(ptrace(PTRACE_GETREGS, process->pid, 0, &user), 0);
	read_mappings(process);
	unwind_by_table(&table, process, &user);
	unwind_by_libdw(&libdw, process->pid);
	if (getenv("VERBOSE") && table.nr != libdw.nr)
		print_frames(process, &table, &libdw);
	if (!are_equal(&table, &libdw)) {
		print_frames(process, &table, &libdw);
		fail_msg("the frames differ");
	}
	add_figures(process, &table, &libdw);
}

/* --- programs -------------------------------------------------------------- */

/* The same moments are chosen in each run, as far as the machine repeats them. */
static unsigned int chance(unsigned int below)
{
	static unsigned int seed = 1;

	return rand_r(&seed) % below;
}

static void begin(struct process *process, char *const *argv)
{
	char path[64];
	int status;

	process->pid = fork();
	if (!process->pid) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[0], argv);
		_exit(127);
	}
	assert_int_equal(waitpid(process->pid, &status, 0), process->pid);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(ptrace(PTRACE_SETOPTIONS, process->pid, 0, PTRACE_O_EXITKILL), 0);
	snprintf(path, sizeof(path), "/proc/%d/mem", process->pid);
	process->mem = open(path, O_RDONLY | O_CLOEXEC);
	process->vdso_at = 0;
	assert_true(process->mem >= 0);
}

static void end(struct process *process)
{
	kill(process->pid, SIGKILL);
	waitpid(process->pid, NULL, 0);
	close(process->mem);
	unwind_free(&process->vdso.unwind);
}

/* Continues until the next stop. Its own signals are delivered. Returns false if it has ended. */
static bool go_on(const struct process *process, enum __ptrace_request how, unsigned int us)
{
	int status, nr = 0;

	do {
		if (ptrace(how, process->pid, 0, nr))
			return false;
		if (how == PTRACE_CONT && !nr) {
			usleep(us);
			kill(process->pid, SIGSTOP);
		}
		if (waitpid(process->pid, &status, 0) != process->pid || !WIFSTOPPED(status))
			return false;
		nr = WSTOPSIG(status);
	} while (nr != (how == PTRACE_CONT ? SIGSTOP : SIGTRAP));
	return true;
}

static bool step(const struct process *process, unsigned int nr)
{
	for (; nr; nr--)
		if (!go_on(process, PTRACE_SINGLESTEP, 0))
			return false;
	return true;
}

static void sample(char *const *argv, unsigned int nr_steps, unsigned int nr_stops)
{
	struct process process = { .pid = 0 };
	unsigned int i;

	begin(&process, argv);
	for (i = 0; i < nr_steps && step(&process, chance(200) + 1); i++)
		compare(&process);
	go_on(&process, PTRACE_CONT, 30000); /* its libraries are loaded meanwhile */
	/* A program that ends early is run again. */
	for (i = 0; i < nr_stops;) {
		if (go_on(&process, PTRACE_CONT, chance(3000))) {
			compare(&process);
			i++;
			if (step(&process, 1)) {
				compare(&process);
				continue;
			}
		}
		end(&process);
		begin(&process, argv);
	}
	end(&process);
}

static void print_figures(const char *name)
{
	printf("note: %s: %u samples, %u frames, at most %u; %u signal frames, %u in the vDSO, %u cut (libdw guessed in %u), %u cut by both, %u beyond libdw\n",
	       name, figures.nr_samples, figures.nr_frames, figures.nr_deepest, figures.nr_signals,
	       figures.nr_vdso, figures.nr_cut, figures.nr_guessed,
	       figures.nr_endless, figures.nr_beyond);
}

static void sample_all(char *const *argv)
{
	memset(&figures, 0, sizeof(figures));
	sample(argv, NR_STEPS, NR_STOPS);
	print_figures(argv[0]);
	assert_true(figures.nr_samples >= NR_STOPS);
}

/* --- Debian's programs ----------------------------------------------------- */

#define MAX_ARGS 8
#define LOOP "while :; do f() { x=$((x + 1)); y=${x%1}z; }; f; f; done"

static char *const programs[][MAX_ARGS] = {
	{ "/bin/bash", "-c", LOOP },
	{ "/bin/dash", "-c", LOOP },
	{ "/usr/bin/perl", "-e",
	  "while (1) { my %h; $h{$_ % 97} .= \"$_ \" for 1..999; my @s = sort { $h{$a} cmp $h{$b} } keys %h; s/1/x/g for values %h }" },
	{ "/usr/bin/python3", "-c",
	  "import json, re\nwhile 1: json.loads(json.dumps({str(i): [re.sub('1', 'x', str(j)) for j in range(i)] for i in range(40)}))" },
	{ "/usr/bin/sqlite3", ":memory:",
	  "with recursive c(x) as (select 1 union all select x + 1 from c limit 9999999) select count(distinct x % 1000 || 'x') from c;" },
	{ "/usr/bin/git", "hash-object", "-t", "blob", "--stdin", "/usr/bin/python3" },
	{ "/usr/bin/tar", "-cf", "/dev/null", "/usr/include", "/usr/share/doc" },
	{ "/usr/bin/gzip", "-c", "/usr/bin/gdb", "/usr/bin/perl", "/usr/bin/git" },
	{ "/usr/bin/sort", "--parallel=1", "/usr/bin/perl", "/usr/bin/git" },
	{ "/usr/bin/awk",
	  "BEGIN { for (;;) { for (i = 0; i < 999; i++) a[i % 97] = a[i % 7] sprintf(\"%d\", i) substr(a[i % 5], 1, 20); gsub(/1/, \"x\", a[3]) } }" },
	{ "/usr/bin/find", "/usr", "-name", "*x*y*z" },
	{ "/usr/bin/grep", "-rE", "(a|b)*c.*d[0-9]$", "/usr/include", "/usr/share/doc" },
	{ "/usr/bin/openssl", "speed", "-seconds", "1" },
	{ "/usr/bin/make", "-f", "/dev/null", "--eval", "x := $(shell seq 3000)", "--eval",
	  "y := $(foreach i,$(x),$(foreach j,$(x),$(sort $j $i)))" },
	{ "/usr/bin/xz", "-c", "/usr/bin/perl" },
	{ "/usr/bin/gdb", "-nx", "-batch", "-ex",
	  "python exec('while 1: gdb.parse_and_eval(\"(long)1 + 2\")')" },
};

static void test_programs(void **state)
{
	unsigned int i, nr = 0;

	(void)state;
	for (i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		if (access(programs[i][0], X_OK)) {
			printf("note: %s is missing\n", programs[i][0]);
			continue;
		}
		sample_all(programs[i]);
		/* libdw's guesses cannot be compared. */
		assert_true(figures.nr_cut * 10 <= figures.nr_samples);
		nr++;
	}
	assert_true(nr >= 10);
}

/* --- programs of our own --------------------------------------------------- */

static const char *folder;

/* Takes samples every few instructions behind the instruction int3 of a program. */
static void sample_behind_int3(const char *name, char *mode, unsigned int nr, unsigned int each)
{
	char path[PATH_MAX];
	char *argv[] = { path, mode, NULL };
	struct process process = { .pid = 0 };
	unsigned int i;
	int status;

	memset(&figures, 0, sizeof(figures));
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	begin(&process, argv);
	do {
		assert_int_equal(ptrace(PTRACE_CONT, process.pid, 0, 0), 0);
		assert_int_equal(waitpid(process.pid, &status, 0), process.pid);
		assert_true(WIFSTOPPED(status));
	} while (WSTOPSIG(status) == SIGCHLD);
	assert_int_equal(WSTOPSIG(status), SIGTRAP);
	for (i = 0; i < nr && step(&process, each); i++)
		compare(&process);
	end(&process);
	print_figures(path);
}

static void test_lazy_binding(void **state)
{
	char mode[] = "lazy";

	(void)state;
	sample_behind_int3("unwound", mode, NR_LAZY, 10);
	assert_true(figures.nr_rbx > 0);
	assert_int_equal(figures.nr_whole, NR_LAZY);
}

/* Rules that need registers which only the first frame has. */
static void test_unusual(void **state)
{
	static const char *const names[] = { "unwound", "unwound_static", "unwound_clang" };
	char mode[] = "unusual";
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		sample_behind_int3(names[i], mode, NR_UNUSUAL, 1);
		assert_true(figures.nr_of_kind[KTRACE_UNWIND_CFA_OTHER] >= 2);
		assert_true(figures.nr_of_kind[KTRACE_UNWIND_CFA_AT_INDEX] >= 2);
		assert_true(figures.nr_of_kind[KTRACE_UNWIND_CFA_RETURN] >= 2);
		assert_int_equal(figures.nr_whole, NR_UNUSUAL);
	}
}

static void sample_own(const char *name, const char *mode, const char *library)
{
	char path[PATH_MAX], library_path[PATH_MAX];
	char *argv[] = { path, (char *)mode, library_path, NULL };

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	snprintf(library_path, sizeof(library_path), "%s/%s", folder, library);
	sample_all(argv);
	printf("note: that was %s %s\n", name, mode);
}

static void test_deep(void **state)
{
	static const char *const names[] = { "unwound", "unwound_static", "unwound_fixed",
					     "unwound_clang" };
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		sample_own(names[i], "deep", "");
		assert_true(figures.nr_deepest > 166);
	}
}

static void test_handler_on_other_stack(void **state)
{
	(void)state;
	sample_own("unwound", "handler", "");
	assert_true(figures.nr_signals > 0);
	sample_own("unwound_static", "handler", "");
	assert_true(figures.nr_signals > 0);
}

static void test_clock_in_vdso(void **state)
{
	(void)state;
	sample_own("unwound", "clock", "");
	assert_true(figures.nr_vdso > 0);
}

static void test_library_opened_later(void **state)
{
	(void)state;
	sample_own("unwound", "library", "unwound_library.so");
	assert_true(figures.nr_deepest > 20);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_handler_on_other_stack),
		cmocka_unit_test(test_clock_in_vdso),
		cmocka_unit_test(test_library_opened_later),
		cmocka_unit_test(test_lazy_binding),
		cmocka_unit_test(test_unusual),
	};

	(void)argc;
	setbuf(stdout, NULL);
	folder = argv[argc - 1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
