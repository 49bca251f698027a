// SPDX-License-Identifier: GPL-2.0
/* Pages of text with probes: each process gets its own copy of them. */
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"
#include "util/mem.h"

#define PAGE_LEN 4096
#define MAX_COPIED (256ULL << 20)

struct page {
	unsigned int object;
	uint64_t number;
};

static int by_page(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct page));
}

static void add_page(struct page **pages, size_t *nr, unsigned int object, uint64_t offset)
{
	*pages = mem_grow(*pages, *nr, sizeof(**pages));
	(*pages)[*nr].object = object;
	(*pages)[(*nr)++].number = offset / PAGE_LEN;
}

uint64_t plan_copied_text(const struct plan *plan)
{
	const struct plan_func *func;
	struct page *pages = NULL;
	size_t nr = 0, nr_different = 0, i;

	for (func = plan->funcs; func < plan->funcs + plan->nr_probed; func++) {
		if (func->desc.ret != KTRACE_RETURN_SILENT)
			add_page(&pages, &nr, func->object, func->desc.entry);
		for (i = 0; i < func->desc.nr_exits; i++)
			add_page(&pages, &nr, func->object, func->exits[i].offset);
	}
	if (nr)
		qsort(pages, nr, sizeof(*pages), by_page);
	for (i = 0; i < nr; i++)
		nr_different += !i || by_page(&pages[i], &pages[i - 1]);
	free(pages);
	return nr_different * PAGE_LEN;
}

int plan_check_copied(const struct plan *plan, size_t nr_processes, struct err *err)
{
	uint64_t copied = plan_copied_text(plan) * nr_processes;

	if (copied <= MAX_COPIED)
		return 0;
	return err_set(err, "%llu MiB of program code would be copied in %zu processes; select less with -f or --pid, or allow it with --force.",
		       (unsigned long long)copied >> 20, nr_processes);
}
