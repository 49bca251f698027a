// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "edit.h"
#include "elf.h"
#include "follow.h"
#include "linkmap.h"
#include "maps.h"
#include "match.h"
#include "mem.h"
#include "plan.h"
#include "session.h"

/* The loader calls it before and after it changes what is mapped; a debugger would stop there. */
#define HOOK "_dl_debug_state"

struct known {
	dev_t dev;
	ino_t ino;
	bool is_held;		/* a loader that processes wait in */
};

struct follow {
	struct knl *nl;
	struct knl_session *session;
	struct names *names;
	struct trace trace;		/* as given; its lists are the giver's */
	bool does_programs;
	struct known *known;		/* programs, libraries and loaders that were dealt with */
	size_t nr_known;
	bool *is_seen;			/* of each pattern of trace.nested_libs */
	char **remarks;
	size_t nr_remarks, nr_taken;
};

/* --- what is known ------------------------------------------------------ */

/* NULL: there is no such file. */
static struct known *know(struct follow *follow, const char *path, bool *is_new)
{
	struct known *known;
	struct stat st;

	*is_new = false;
	if (stat(path, &st))
		return NULL;
	for (known = follow->known; known < follow->known + follow->nr_known; known++)
		if (known->dev == st.st_dev && known->ino == st.st_ino)
			return known;
	follow->known = mem_grow(follow->known, follow->nr_known, sizeof(*known));
	known = &follow->known[follow->nr_known++];
	known->dev = st.st_dev;
	known->ino = st.st_ino;
	*is_new = true;
	return known;
}

static bool is_new(struct follow *follow, const char *path)
{
	bool is_new;

	know(follow, path, &is_new);
	return is_new;
}

static void remark(struct follow *follow, char *text)
{
	follow->remarks = mem_grow(follow->remarks, follow->nr_remarks, sizeof(*follow->remarks));
	follow->remarks[follow->nr_remarks++] = text;
}

char *follow_take_remark(struct follow *follow)
{
	if (follow->nr_taken == follow->nr_remarks)
		return NULL;
	return follow->remarks[follow->nr_taken++];
}

/* --- adding functions --------------------------------------------------- */

static const char *reason_of(int error)
{
	switch (-error) {
	case ENOSPC:
		return "the session has no room for more functions";
	case E2BIG:
		return "the session may probe no more places (max_sites)";
	case EBUSY:
		return "another command changes the session";
	case ENOMEM:
		return "the module's memory limit (max_mem) is reached";
	default:
		return strerror(-error);
	}
}

/* A session that is gone needs no functions. */
static void add_plan(struct follow *follow, const struct plan *plan, const char *shown)
{
	uint32_t first, nr_failed = follow->session->nr_failed;
	int error = edit_grow(follow->nl, plan, follow->session, &first);

	if (!error)
		names_add(follow->names, plan, first);
	else if (error != -ENOENT)
		remark(follow, mem_format("%s is not probed: %s", shown, reason_of(error)));
	if (follow->session->nr_failed > nr_failed)
		remark(follow, mem_format("%u functions of %s could not be probed",
					  follow->session->nr_failed - nr_failed, shown));
}

static void add_file(struct follow *follow, const struct trace *trace,
		     const struct trace_file *file)
{
	struct err err;
	struct plan plan;

	if (trace_plan(trace, file, &plan, &err))
		remark(follow, mem_format("%.*s", (int)strlen(err.text) - 1, err.text));
	else if (plan.nr_probed)
		add_plan(follow, &plan, file->shown);
	plan_free(&plan);
}

static char *shown_path(const char *path)
{
	char text[PATH_MAX];
	ssize_t len = readlink(path, text, sizeof(text) - 1);

	text[len > 0 ? len : 0] = 0;
	return mem_string(len > 0 ? text : path);
}

/* Another program of the session: its functions go by its name too. */
static void add_program(struct follow *follow, pid_t pid, const char *path)
{
	struct trace_file file = { path, shown_path(path), pid };

	add_file(follow, &follow->trace, &file);
	free((char *)file.shown);
}

/* The functions inside of it; calls into it from the program are the program's. */
static void add_library(struct follow *follow, pid_t pid, const char *path, const char *shown)
{
	static const struct match none;
	struct trace trace = follow->trace;
	struct trace_file file = { path, shown, pid };

	trace.has_no_libs = true;
	trace.libs = none;
	trace.nested_libs = none;
	add_file(follow, &trace, &file);
}

/* --- holding ------------------------------------------------------------ */

/* A function of one instruction, which returns. */
static int add_hook(struct follow *follow, const struct elf_file *loader, uint64_t offset)
{
	struct ktrace_func desc = {
		.ret = KTRACE_RETURN_NONE,
		.flags = KTRACE_FUNC_HOLD, .entry = offset, .start = offset, .end = offset + 1,
	};
	struct knl_funcs funcs = { loader->fd, -1, NULL, 0, &desc, sizeof(desc) };
	int error = edit_begin(follow->nl, follow->session);

	if (error)
		return error;
	desc.func = follow->session->nr_used;
	error = -ENOSPC;
	if (follow->session->nr_used < follow->session->nr_funcs)
		error = knl_func_add(follow->nl, follow->session->id, &funcs);
	if (!error)
		error = edit_commit(follow->nl, follow->session, NULL);
	if (error)
		edit_drop(follow->nl, follow->session);
	return error;
}

static const struct elf_sym *find_hook(const struct elf_file *loader)
{
	size_t i;

	for (i = 0; i < loader->nr_syms; i++)
		if (!strcmp(loader->syms[i].name, HOOK))
			return &loader->syms[i];
	return NULL;
}

static bool hold_in(struct follow *follow, const char *path)
{
	const struct elf_sym *hook;
	struct elf_file loader;
	struct err ignored;
	uint64_t offset;
	bool is_held;

	if (elf_file_open(&loader, path, &ignored))
		return false;
	hook = find_hook(&loader);
	is_held = hook && elf_file_offset(&loader, hook->addr, &offset) &&
		  !add_hook(follow, &loader, offset);
	elf_file_close(&loader);
	return is_held;
}

/* The loader of a program, as the process or, where there is none, this one finds it. */
static char *loader_of(const char *program, pid_t pid)
{
	struct elf_file file;
	struct err ignored;
	char *path = NULL;

	if (elf_file_open(&file, program, &ignored))
		return NULL;
	if (file.interp && pid)
		path = mem_format("/proc/%d/root%s", (int)pid, file.interp);
	else if (file.interp)
		path = mem_string(file.interp);
	elf_file_close(&file);
	return path;
}

/* True: the loader was held before already, so that the process has been, or will be. */
static bool has_held_loader(struct follow *follow, const char *program, pid_t pid)
{
	char *loader = loader_of(program, pid);
	bool is_new = false;
	struct known *known = loader ? know(follow, loader, &is_new) : NULL;

	if (is_new)
		known->is_held = hold_in(follow, loader);
	free(loader);
	return known && known->is_held && !is_new;
}

/* --- looking ------------------------------------------------------------ */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Does a pattern ask for the functions inside of it? */
static bool is_nested(struct follow *follow, const char *path)
{
	struct match one = { NULL, 1 };
	bool is_any = false;
	size_t i;

	for (i = 0; i < follow->trace.nested_libs.nr; i++) {
		one.globs = &follow->trace.nested_libs.globs[i];
		if (!match_name(&one, base_of(path)))
			continue;
		follow->is_seen[i] = true;
		is_any = true;
	}
	return is_any;
}

const char *follow_unseen(const struct follow *follow)
{
	size_t i;

	for (i = 0; i < follow->trace.nested_libs.nr; i++)
		if (!follow->is_seen[i])
			return follow->trace.nested_libs.globs[i];
	return NULL;
}

static void look_at_libraries(struct follow *follow, pid_t pid)
{
	const struct mapping *mapping;
	struct maps maps;
	char *path;
	size_t i;

	maps_read(&maps, pid);
	for (i = 0; i < maps.nr; i++) {
		mapping = &maps.all[i];
		if (!mapping->is_code || !is_nested(follow, mapping->path))
			continue;
		path = maps_file(&maps, mapping);
		if (path && is_new(follow, path))
			add_library(follow, pid, path, mapping->path);
		free(path);
	}
	maps_free(&maps);
}

/* Between the loader's two calls nothing is there to be seen yet. */
static void look(struct follow *follow, pid_t pid)
{
	char *program;

	if (!linkmap_is_settled(pid))
		return;
	program = mem_format("/proc/%d/exe", (int)pid);
	if (follow->does_programs && is_new(follow, program))
		add_program(follow, pid, program);
	if (follow->trace.nested_libs.nr)
		look_at_libraries(follow, pid);
	free(program);
}

/* A program that no loader holds, or one that nobody knew of: what it did so far was missed. */
static void look_late(struct follow *follow, pid_t pid)
{
	char *program = mem_format("/proc/%d/exe", (int)pid), *shown;

	if (follow->does_programs && !has_held_loader(follow, program, pid) &&
	    is_new(follow, program)) {
		shown = shown_path(program);
		add_program(follow, pid, program);
		remark(follow, mem_format("the first calls of %s (process %d) were missed: nothing held it at its start",
					  shown, (int)pid));
		free(shown);
	}
	free(program);
}

/* --- notices ------------------------------------------------------------ */

static void answer(struct follow *follow, const struct knl_notice *notice)
{
	if (notice->session != follow->session->id)
		return;
	if (notice->event == KTRACE_EVENT_EXEC) {
		look_late(follow, notice->pid);
		return;
	}
	look(follow, notice->pid);
	knl_task_continue(follow->nl, follow->session->id, notice->pid);
}

void follow_answer(struct follow *follow)
{
	struct knl_notice notice;

	knl_notices_drain(follow->nl);
	while (knl_notice_take(follow->nl, &notice))
		answer(follow, &notice);
}

struct follow *follow_create(struct knl *nl, struct knl_session *session, struct names *names,
			     const struct follow_options *options, struct err *err)
{
	struct follow *follow;
	int error;
	size_t i;

	knl_notice_fd(nl);
	error = knl_session_watch(nl, session->id);
	if (error == -EBUSY) {
		err_set(err, "Another command watches the session already; end it first.");
		return NULL;
	}
	if (error) {
		err_set(err, "The module does not let the session be watched: %s.",
			strerror(-error));
		return NULL;
	}
	follow = mem_alloc(sizeof(*follow));
	follow->nl = nl;
	follow->session = session;
	follow->names = names;
	follow->trace = *options->trace;
	follow->trace.is_followed = true;
	follow->trace.with_file_name = true;
	follow->does_programs = options->does_programs;
	follow->is_seen = mem_alloc(options->trace->nested_libs.nr * sizeof(*follow->is_seen));
	for (i = 0; i < options->plan->nr_objects; i++)
		if (!i || is_nested(follow, options->plan->objects[i].path))
			is_new(follow, options->plan->objects[i].path);
	is_new(follow, options->program);
	has_held_loader(follow, options->program, options->pid);
	if (options->pid)
		look(follow, options->pid);
	return follow;
}

void follow_free(struct follow *follow)
{
	char *text;

	if (!follow)
		return;
	while ((text = follow_take_remark(follow)))
		free(text);
	free(follow->remarks);
	free(follow->is_seen);
	free(follow->known);
	free(follow);
}
