// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/elf.h"
#include "plan/loader.h"
#include "plan/plan.h"
#include "session/edit.h"
#include "session/follow.h"
#include "session/known.h"
#include "session/session.h"
#include "system/linkmap.h"
#include "system/maps.h"
#include "util/match.h"
#include "util/mem.h"

struct follow {
	struct ktr *ktr;
	struct ktr_session *session;
	struct names *names;
	struct trace trace;		/* a copy of the options; its lists belong to the caller */
	bool does_programs;
	struct known known;		/* programs, libraries and loaders handled so far */
	size_t nr_programs;		/* executed programs handled so far */
	bool is_beginning;		/* files found now were loaded before the watch */
	bool has_missed;		/* a missed program was reported already */
	char **remarks;			/* the first nr_taken have been handed out */
	size_t nr_remarks, nr_taken;
};

/* --- known files -------------------------------------------------------- */

/* Returns true the first time that it is called for a file. */
static bool is_new(struct follow *follow, const char *path)
{
	struct known_file *file = known_find_path(&follow->known, path);
	bool is_new = file && !file->is_probed;

	if (is_new)
		file->is_probed = true;
	return is_new;
}

static void remark(struct follow *follow, char *text)
{
	follow->remarks = mem_grow(follow->remarks, follow->nr_remarks, sizeof(*follow->remarks));
	follow->remarks[follow->nr_remarks++] = text;
}

size_t follow_nr_programs(const struct follow *follow)
{
	return follow->nr_programs;
}

char *follow_take_remark(struct follow *follow)
{
	if (follow->nr_taken < follow->nr_remarks)
		return follow->remarks[follow->nr_taken++];
	follow->nr_taken = follow->nr_remarks = 0;
	return NULL;
}

/* --- adding functions --------------------------------------------------- */

static const char *reason_of(const struct ktr *ktr, int error)
{
	switch (-error) {
	case ENOSPC:
		return "the session has no room for more functions";
	case E2BIG:
		return "the session has reached its limit of sites (max_sites)";
	case EBUSY:
		return "another command is changing the session";
	case ENODATA:
		return "the names of its functions cannot be written to /run/ktrace";
	case ENOMEM:
		return "the module's memory limit (max_mem) is reached";
	default:
		return ktr_reason(ktr, error);
	}
}

/* Does not report that the session is gone (ENOENT) or that this command ends (EINTR). */
static void add_plan(struct follow *follow, const struct plan *plan, const char *shown)
{
	uint32_t first, nr_failed = follow->session->nr_failed;
	int error = edit_grow(follow->ktr, plan, follow->session, &first);

	if (!error)
		names_add(follow->names, plan, first);
	else if (error != -ENOENT && error != -EINTR)
		remark(follow, mem_format("%s is not probed: %s", shown, reason_of(follow->ktr, error)));
	if (follow->session->nr_failed > nr_failed)
		remark(follow, mem_format("%u functions of %s could not be probed",
					  follow->session->nr_failed - nr_failed, shown));
}

/* A program that does not run already was held in its loader, where it has hit a probe. */
static void remark_tsan(struct follow *follow, const struct elf_file *program, const char *shown)
{
	if (!follow->is_beginning && (program->is_tsan || program->has_tsan))
		remark(follow, mem_format("%s is built with ThreadSanitizer, which does not start if a probe was hit before; use run --no-follow, or ctl attach without --follow",
					  shown));
}

static void add_file(struct follow *follow, const struct trace *trace,
		     const struct trace_file *file, bool is_program)
{
	struct err err;
	struct plan plan;
	size_t i;

	if (trace_plan(trace, file, &plan, &err))
		remark(follow, mem_format("%.*s", (int)strlen(err.text) - 1, err.text));
	else if (plan.nr_probed)
		add_plan(follow, &plan, file->shown);
	if (is_program && plan.nr_objects)
		remark_tsan(follow, plan.objects, file->shown);
	for (i = plan.nr_probed; i < plan.nr_funcs; i++)
		if (plan.funcs[i].is_named && plan.funcs[i].left_out != plan_alias)
			remark(follow, mem_format("%s is not probed: %s", plan.funcs[i].name,
						  plan.funcs[i].left_out));
	for (i = 0; i < plan.nr_unopened; i++)
		remark(follow, mem_format("calls of %s into %s are not probed: %s", file->shown,
					  plan.unopened[i].name, plan.unopened[i].why));
	plan_free(&plan);
}

static char *shown_path(const char *path)
{
	char text[PATH_MAX];
	ssize_t len = readlink(path, text, sizeof(text) - 1);

	text[len > 0 ? len : 0] = 0;
	return mem_string(len > 0 ? text : path);
}

/* Adds the functions of an executed program. The program's name is shown behind each of them. */
static void add_program(struct follow *follow, pid_t pid, const char *path)
{
	struct trace_file file = { path, shown_path(path), pid };

	follow->nr_programs++;
	add_file(follow, &follow->trace, &file, true);
	free((char *)file.shown);
}

/* Adds the functions inside the library. The program's plan has its calls into the library. */
static void add_library(struct follow *follow, pid_t pid, const char *path, const char *shown)
{
	static const struct match none;
	struct trace trace = follow->trace;
	struct trace_file file = { path, shown, pid };

	trace.has_no_libs = true;
	trace.libs = none;
	trace.nested_libs = none;
	add_file(follow, &trace, &file, false);
}

/* --- holding ------------------------------------------------------------ */

/* Probes the loader's hook, a function of one instruction, so that tasks are held there. */
static int add_hook(struct follow *follow, struct elf_file *loader, uint64_t offset)
{
	struct plan_func hook = {
		.name = LOADER_HOOK,
		.desc = {
			.ret = KTRACE_RETURN_NONE, .flags = KTRACE_FUNC_HOLD,
			.entry = offset, .start = offset, .end = offset + 1,
		},
	};
	struct plan plan = {
		.objects = loader, .nr_objects = 1,
		.funcs = &hook, .nr_funcs = 1, .nr_probed = 1, .nr_sites = 1,
	};
	uint32_t first;

	return edit_grow(follow->ktr, &plan, follow->session, &first);
}

static bool hold_in(struct follow *follow, const char *path)
{
	struct elf_file loader;
	struct err ignored;
	uint64_t offset;
	bool is_held;

	if (elf_file_open(&loader, path, &ignored))
		return false;
	is_held = loader_find_hook(&loader, &offset) && !add_hook(follow, &loader, offset);
	elf_file_close(&loader);
	return is_held;
}

/*
 * Returns true if an earlier call has probed the hook of this loader, so that each process which
 * uses the loader is held. Probes the hook at the first call for a loader. Frees path, which is
 * NULL if there is no loader.
 */
static bool was_held(struct follow *follow, char *path)
{
	struct known_file *loader = path ? known_find_path(&follow->known, path) : NULL;
	bool is_new = loader && !loader->is_loader;

	if (is_new) {
		loader->is_loader = true;
		loader->is_held = hold_in(follow, path);
	}
	free(path);
	return loader && loader->is_held && !is_new;
}

/* --- looking ------------------------------------------------------------ */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns true if a pattern of --nest-lib matches the library. */
static bool is_nested(struct follow *follow, const char *path)
{
	return match_name(&follow->trace.nested_libs, base_of(path));
}

static void add_found(struct follow *follow, pid_t pid, const char *path, const char *shown)
{
	add_library(follow, pid, path, shown);
	if (follow->is_beginning)
		remark(follow, mem_format("earlier calls of %s were missed: it was loaded before this command began to watch",
					  shown));
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
			add_found(follow, pid, path, mapping->path);
		free(path);
	}
	maps_free(&maps);
}

/*
 * The loader calls its hook before and after it changes its list of libraries. Between these
 * calls the list is incomplete.
 */
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

/* Reports the first such process only: a session may run many short programs. */
static void remark_gone(struct follow *follow, pid_t pid)
{
	if (!follow->has_missed)
		remark(follow, mem_format("process %d ended before its new program could be read: if the program was not probed already, its calls were missed",
					  (int)pid));
	follow->has_missed = true;
}

/* The process may end at any moment; its program can then no longer be read. */
static void look_unheld(struct follow *follow, pid_t pid, const char *program)
{
	char *shown = shown_path(program);

	if (is_new(follow, program)) {
		add_program(follow, pid, program);
		remark(follow, mem_format("the first calls of %s (process %d) were missed: the process could not be held at its start",
					  shown, (int)pid));
	} else if (access(program, F_OK)) {
		remark_gone(follow, pid);
	}
	free(shown);
}

/* Handles an exec. If the program was not held in its loader, its calls so far were missed. */
static void look_late(struct follow *follow, pid_t pid)
{
	char *program = mem_format("/proc/%d/exe", (int)pid);

	if (follow->does_programs && access(program, F_OK))
		remark_gone(follow, pid);
	else if (follow->does_programs && !was_held(follow, loader_of_process(pid)))
		look_unheld(follow, pid, program);
	free(program);
}

/* --- notices ------------------------------------------------------------ */

static void answer(struct follow *follow, const struct ktr_notice *notice)
{
	if (notice->session != follow->session->id)
		return;
	if (notice->event == KTRACE_EVENT_EXEC) {
		look_late(follow, notice->pid);
		return;
	}
	look(follow, notice->pid);
	ktr_task_continue(follow->ktr, follow->session->id, notice->pid);
}

void follow_answer(struct follow *follow)
{
	struct ktr_notice notice;

	ktr_notices_drain(follow->ktr);
	while (ktr_notice_take(follow->ktr, &notice))
		answer(follow, &notice);
}

/* --- begin and end ------------------------------------------------------- */

static int become_watcher(struct ktr *ktr, uint64_t session, struct err *err)
{
	int error;

	ktr_notice_fd(ktr);
	error = ktr_session_watch(ktr, session);
	if (error == -EBUSY)
		return err_set(err, "Another command already watches the session and probes what its processes load.");
	return error ? err_set(err, "The session cannot be watched: %s.",
			       ktr_reason(ktr, error)) : 0;
}

static void know_plan(struct follow *follow, const struct plan *plan)
{
	struct stat st;
	size_t i;

	for (i = 0; i < plan->nr_objects; i++)
		if ((!i || is_nested(follow, plan->objects[i].path)) &&
		    !fstat(plan->objects[i].fd, &st))
			known_find(&follow->known, st.st_dev, st.st_ino)->is_probed = true;
}

static void know_file(void *arg, const struct sidecar_file *file)
{
	struct follow *follow = arg;
	struct known_file *known = known_find(&follow->known, file->dev, file->ino);

	if (file->is_hold)
		known->is_loader = known->is_held = true;
	else if (is_nested(follow, file->path) || file->is_own)
		known->is_probed = true;
}

/* Probes the hook of each loader before it looks at the process, so that no library is missed. */
static void look_at_all(struct follow *follow, const struct follow_options *options)
{
	size_t i;

	follow->is_beginning = true;
	for (i = 0; i < options->nr_pids; i++) {
		was_held(follow, loader_of_process(options->pids[i]));
		look(follow, options->pids[i]);
	}
	follow->is_beginning = false;
}

struct follow *follow_create(struct ktr *ktr, struct ktr_session *session, struct names *names,
			     const struct follow_options *options, struct err *err)
{
	struct follow *follow;

	if (become_watcher(ktr, session->id, err))
		return NULL;
	follow = mem_alloc(sizeof(*follow));
	follow->ktr = ktr;
	follow->session = session;
	follow->names = names;
	follow->trace = *options->trace;
	follow->trace.is_followed = true;
	follow->trace.with_file_name = true;
	follow->does_programs = options->does_programs;
	if (options->plan)
		know_plan(follow, options->plan);
	if (options->sidecar)
		sidecar_each_file(options->sidecar, session->nr_used, know_file, follow);
	if (options->program) {
		is_new(follow, options->program);
		was_held(follow, loader_of_program(options->program));
	}
	look_at_all(follow, options);
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
	known_free(&follow->known);
	free(follow);
}
