// SPDX-License-Identifier: GPL-2.0
/*
 * Samples for perf. It finds names of programs in their files, and those of the kernel in
 * /proc/kallsyms. The module hands out names of the kernel's functions, so addresses are looked up.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/exports.h"
#include "draw/perf.h"
#include "report/number_names.h"
#include "report/stack_table.h"
#include "system/ksyms.h"
#include "util/fmt.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/out.h"

/* A name of tasks: a process for perf. */
struct task {
	UT_hash_handle hh;
	uint32_t nr;
	char comm[];
};

struct samples {
	struct perf *perf;
	const struct stacks *stacks;
	struct ksyms ksyms;
	uint64_t nr_hidden;	/* frames of the kernel without an address */
	struct task *tasks;
};

/* "function" or "function [module]" */
static uint64_t kernel_address(const struct ksyms *ksyms, const char *frame)
{
	const char *space = strchr(frame, ' ');
	size_t len = space ? (size_t)(space - frame) : strlen(frame), low = 0, high = ksyms->nr;
	const struct ksym *sym;
	size_t middle;
	int order;

	while (low < high) {
		middle = (low + high) / 2;
		sym = &ksyms->syms[middle];
		order = strncmp(sym->name, frame, len);
		if (!order && !sym->name[len])
			return !sym->module == !space ? sym->addr : 0;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

static void take_task(struct samples *samples, const char *comm)
{
	struct task *task;

	HASH_FIND_STR(samples->tasks, comm, task);
	if (!task) {
		task = mem_alloc(sizeof(*task) + strlen(comm) + 1);
		strcpy(task->comm, comm);
		HASH_ADD_STR(samples->tasks, comm, task);
		task->nr = perf_task(samples->perf, comm);
	}
	perf_choose(samples->perf, task->nr);
}

static struct perf_place kernel_place(struct samples *samples, const char *frame)
{
	uint64_t address = kernel_address(&samples->ksyms, frame);

	samples->nr_hidden += !address;
	return (struct perf_place){ address ? PERF_KERNEL : PERF_NO_FILE, address };
}

/* Frames are innermost first, functions of a path outermost. */
static void take_stack(struct samples *samples, const struct row *row)
{
	const struct stack *stack = stack_row_stack(row);
	const struct space_place *places = stacks_places(samples->stacks, stack);
	struct perf_place *path = mem_alloc((stack->nr + 1) * sizeof(*path)), *to;
	size_t i;

	for (i = 0; i < stack->nr; i++) {
		to = &path[stack->nr - 1 - i];
		*to = (struct perf_place){ PERF_NO_FILE, 0 };
		if (i < stack->nr_kernel)
			*to = kernel_place(samples, stack->frames[i]);
		else if (places)
			*to = (struct perf_place){ places[i - stack->nr_kernel].file,
						   places[i - stack->nr_kernel].offset };
	}
	take_task(samples, stack->comm);
	perf_path(samples->perf, path, stack->nr, row->parts->figures[FIG_TOTAL]);
	free(path);
}

static void begin_kernel(struct samples *samples)
{
	struct ksyms *ksyms = &samples->ksyms;
	struct err err;

	if (!ksyms_read(ksyms, KALLSYMS, NULL, &err) && ksyms->stext)
		perf_kernel(samples->perf, ksyms->stext, ksyms->etext);
}

static void begin_files(struct samples *samples, const struct spaces *spaces)
{
	struct perf_file file;
	size_t i;

	for (i = 0; i < spaces->nr_seen; i++) {
		file = (struct perf_file){ spaces->seen[i].path, spaces->seen[i].build_id };
		perf_file(samples->perf, &file);
	}
}

static void end(struct samples *samples)
{
	uint64_t lost = perf_end(samples->perf);
	struct task *task, *next;
	char text[FMT_LEN];

	HASH_ITER(hh, samples->tasks, task, next) {
		HASH_DEL(samples->tasks, task);
		free(task);
	}
	ksyms_free(&samples->ksyms);
	if (samples->nr_hidden)
		out_put(stderr, "ktrace: the kernel hides addresses of its functions (sysctl kernel.kptr_restrict), or they have none: such frames are not in the output.\n");
	if (lost)
		out_put(stderr, "ktrace: %s without a frame that has a file are not in the output; perf finds names in files only.\n",
			fmt_plain(text, lost));
}

void export_perf_samples(FILE *out, const struct table *rows, const struct stacks *stacks,
			 uint64_t end_ns)
{
	struct samples samples = {
		.perf = perf_create(out, 1, "ktrace", end_ns), .stacks = stacks,
	};
	const struct row *row;

	begin_kernel(&samples);
	begin_files(&samples, &stacks->spaces);
	for (row = rows->rows; row < rows->rows + rows->nr; row++)
		if (stack_row_stack(row))
			take_stack(&samples, row);
		else if (strcmp(stack_row_kind(row), profile_mode(KTRACE_PROFILE_IDLE)))
			perf_path(samples.perf, NULL, 0, row->parts->figures[FIG_TOTAL]);
	end(&samples);
}
