// SPDX-License-Identifier: GPL-2.0
/*
 * How much of the .eh_frame of programs and libraries a table can express: docs/profile.md has the
 * figures. Prints each rule that it cannot.
 *   test_expressed [BYTES] <FILES
 * FILES are paths, one per line; what is no program or library is passed over. BYTES is what all
 * tables may have together.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../user/elf/cfi.h"
#include "../../user/elf/unwind.h"

#define LEAST_ROWS	100000	/* fewer say nothing */
#define ROWS_PER_ODD	10000	/* of so many rows, at most one may be inexpressible */

static struct {
	uint64_t files, files_without, functions, rows, odd_rows;
	uint64_t table_rows, table_len;
} figures;

struct function {
	const char *path;
	uint64_t begin;
};

static void add_row(void *arg, uint64_t at, const struct ktrace_unwind_rule *rule)
{
	const struct function *function = arg;

	figures.rows++;
	if (rule->cfa == KTRACE_UNWIND_CFA_COMPLEX) {
		figures.odd_rows++;
		printf("note: %s: the rule at %#" PRIx64 " cannot be expressed\n", function->path,
		       function->begin + at);
	}
}

static void run_functions(const struct elf_file *file)
{
	struct eh_walk walk = { .at = 0 };
	struct function function = { .path = file->path };
	struct cfi_state initial;
	struct eh_frame frame;
	struct eh_fde fde;
	const char *why;
	uint64_t offset;

	if (!eh_frame_find(&frame, file, &why))
		return;
	while (eh_frame_next(&frame, &walk, &fde, &why) > 0) {
		/* The linker has left others out. */
		if (!fde.len || !elf_file_offset(file, fde.begin, &offset))
			continue;
		function.begin = fde.begin;
		figures.functions++;
		if (cfi_begin(&initial, &walk.cie))
			cfi_run(&initial, &walk.cie, &fde, add_row, &function);
		else
			add_row(&function, 0, &(struct ktrace_unwind_rule){
				.cfa = KTRACE_UNWIND_CFA_COMPLEX });
	}
}

static void look_at(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct unwind unwind;
	struct elf_file file;
	struct err err;

	if (fd < 0 || elf_file_take_code(&file, fd, path, &err))
		return;
	figures.files++;
	if (unwind_compile(&unwind, &file, &err)) {
		figures.files_without++;
	} else {
		figures.table_rows += unwind.nr_rows;
		figures.table_len += unwind.len;
		unwind_free(&unwind);
		run_functions(&file);
	}
	elf_file_close(&file);
}

int main(int argc, char **argv)
{
	char path[PATH_MAX];

	while (fgets(path, sizeof(path), stdin)) {
		path[strcspn(path, "\n")] = 0;
		look_at(path);
	}
	printf("note: %" PRIu64 " files, %" PRIu64 " of them without functions in .eh_frame; %" PRIu64
	       " functions with %" PRIu64 " rules; %" PRIu64 " cannot be expressed\n",
	       figures.files, figures.files_without, figures.functions, figures.rows,
	       figures.odd_rows);
	printf("note: their tables have %" PRIu64 " rows of %.2f bytes\n", figures.table_rows,
	       figures.table_rows ? (double)figures.table_len / figures.table_rows : 0);
	if (figures.rows < LEAST_ROWS) {
		printf("There are too few files with .eh_frame to judge.\n");
		return 77;
	}
	if (argc > 1 && figures.table_len > strtoull(argv[1], NULL, 10)) {
		printf("Their tables have %" PRIu64 " bytes; at most %s are allowed.\n",
		       figures.table_len, argv[1]);
		return 1;
	}
	return figures.odd_rows * ROWS_PER_ODD > figures.rows;
}
