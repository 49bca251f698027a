// SPDX-License-Identifier: GPL-2.0
/* Libraries: functions that the file imports, and functions inside libraries of --nest-lib. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "elf/symbols.h"
#include "plan/ifunc.h"
#include "plan/libs.h"
#include "plan/maker.h"
#include "plan/search.h"
#include "util/effort.h"
#include "util/match.h"
#include "util/mem.h"

static bool is_open(const struct plan *plan, int fd)
{
	struct stat a, b;
	size_t i;

	if (fstat(fd, &a))
		return true;
	for (i = 0; i < plan->nr_objects; i++)
		if (!fstat(plan->objects[i].fd, &b) && a.st_dev == b.st_dev &&
		    a.st_ino == b.st_ino)
			return true;
	return false;
}

static void add_unopened(struct plan *plan, const struct lib *lib)
{
	size_t i;

	for (i = 0; i < plan->nr_unopened; i++)
		if (!strcmp(plan->unopened[i].name, lib->name))
			return;
	plan->unopened = mem_grow(plan->unopened, plan->nr_unopened, sizeof(*plan->unopened));
	plan->unopened[plan->nr_unopened].why = lib->is_silent ?
		"the server of its file system does not answer" :
		"there are no file descriptors left; raise their limit (ulimit -Hn), or exclude libraries with --no-lib";
	plan->unopened[plan->nr_unopened++].name = mem_string(lib->name);
}

/* Adds the library to the plan unless it is not a valid ELF file. Takes the descriptor. */
static void open_lib(struct plan *plan, struct lib *lib)
{
	struct err ignored;

	plan->objects = mem_grow(plan->objects, plan->nr_objects, sizeof(*plan->objects));
	if (!elf_file_take(&plan->objects[plan->nr_objects], lib->fd, lib->file, &ignored))
		plan_show_as(&plan->objects[plan->nr_objects++], lib->name);
	lib->fd = -1;
}

int plan_open_libs(struct plan *plan, pid_t pid, struct err *err)
{
	struct libs libs = { NULL, 0 };
	struct lib *lib;
	int error = 0;

	if (pid)
		libs_of_process(&plan->objects[0], pid, &libs);
	else
		error = search_libs(&plan->objects[0], &libs, err);
	for (lib = libs.all; !error && lib < libs.all + libs.nr; lib++) {
		if (lib->fd < 0)
			add_unopened(plan, lib);
		else if (!is_open(plan, lib->fd))
			open_lib(plan, lib);
	}
	libs_free(&libs);
	return error;
}

static bool is_lib(const struct match *globs, const struct elf_file *lib)
{
	return match_name(globs, plan_file_name(lib->path));
}

bool plan_may_lack(const struct plan_options *options)
{
	return options->is_followed || (options->may_load_more && options->nested_libs.nr);
}

int plan_no_lib(const struct plan *plan, const char *glob, struct err *err)
{
	const char **names = mem_alloc(plan->nr_objects * sizeof(*names));
	char *similar;
	size_t i;

	for (i = 1; i < plan->nr_objects; i++)
		names[i - 1] = plan_file_name(plan->objects[i].path);
	similar = match_similar(glob, names, plan->nr_objects - 1);
	err_set(err, "No library of %s matches '%s'.%s", plan->objects[0].path, glob,
		similar ? similar : " List them with ldd.");
	free(similar);
	free(names);
	return -1;
}

/* Fails if a pattern matches no library. */
static int check_libs(const struct plan *plan, const struct match *globs, struct err *err)
{
	struct match one = { .nr = 1 };
	size_t i, object;

	for (i = 0; i < globs->nr; i++) {
		one.globs = &globs->globs[i];
		for (object = 1; object < plan->nr_objects; object++)
			if (is_lib(&one, &plan->objects[object]))
				break;
		if (object == plan->nr_objects)
			return plan_no_lib(plan, globs->globs[i], err);
	}
	return 0;
}

/* Adds the code chosen for an IFUNC. In a stripped library its end is unknown. */
static struct plan_func *add_chosen(struct maker *maker, unsigned int object, char *name,
				    uint64_t addr)
{
	const struct elf_file *lib = &maker->plan->objects[object];
	const struct elf_sym *sym = elf_file_sym_at(lib, addr);
	uint64_t offset = 0;

	if (sym && sym->addr == addr)
		return plan_add_func(maker, object, name, sym);
	elf_file_offset(lib, addr, &offset);
	return plan_add_entry(maker, object, name, addr, offset);
}

static void add_import(struct maker *maker, unsigned int object, const struct elf_import *import,
		       const struct elf_sym *sym)
{
	struct plan_func *func;
	const char *why = NULL;
	uint64_t addr;
	struct wish wish = plan_wish_of(maker, object, sym, false);

	if (!wish.name)
		return;
	if (sym->is_ifunc &&
	    ifunc_resolve(&maker->ifunc, import, &maker->plan->objects[object], &addr, &why))
		func = add_chosen(maker, object, wish.name, addr);
	else
		func = plan_add_func(maker, object, wish.name, sym);
	if (func->left_out && why)
		func->left_out = why;
	func->desc.flags |= KTRACE_FUNC_CALLER;
	plan_take_wish(func, &wish);
}

/* Adds the imports that this library defines and no library before it does. */
static void add_imports(struct maker *maker, unsigned int object, struct elf_sym *found,
			bool *is_done, bool is_wanted)
{
	const struct plan *plan = maker->plan;
	size_t i;

	symbols_resolve(&plan->objects[object], &plan->objects[0], found);
	if (is_wanted)
		plan_index_colds(maker, &plan->objects[object]);
	for (i = 0; i < plan->objects[0].nr_imports && !effort_is_spent(); i++) {
		if (!found[i].name || is_done[i])
			continue;
		is_done[i] = true;
		if (is_wanted)
			add_import(maker, object, &plan->objects[0].imports[i], &found[i]);
	}
}

static bool is_import_wanted(const struct plan_options *options, const struct elf_file *lib)
{
	return !options->has_no_libs && (!options->libs.nr || is_lib(&options->libs, lib)) &&
	       !is_lib(&options->nested_libs, lib);
}

int plan_add_libs(struct maker *maker, struct err *err)
{
	const struct plan_options *options = maker->options;
	struct plan *plan = maker->plan;
	size_t nr = plan->objects[0].nr_imports, object;
	struct elf_sym *found;
	bool *is_done;

	if (plan->objects[0].is_tsan ||
	    (!options->nested_libs.nr && !options->libs.nr && (!nr || options->has_no_libs)))
		return 0;
	if (plan_open_libs(plan, options->pid, err) ||
	    (!options->is_followed && check_libs(plan, &options->libs, err)) ||
	    (!plan_may_lack(options) && check_libs(plan, &options->nested_libs, err)))
		return -1;
	ifunc_open(&maker->ifunc, &plan->objects[0], options->pid);
	found = mem_alloc((nr + 1) * sizeof(*found));
	is_done = mem_alloc((nr + 1) * sizeof(*is_done));
	for (object = 1; object < plan->nr_objects; object++) {
		add_imports(maker, object, found, is_done,
			    is_import_wanted(options, &plan->objects[object]));
		if (!options->is_followed &&
		    is_lib(&options->nested_libs, &plan->objects[object]))
			plan_add_all(maker, object);
	}
	free(is_done);
	free(found);
	ifunc_close(&maker->ifunc);
	return 0;
}
