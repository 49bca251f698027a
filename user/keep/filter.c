// SPDX-License-Identifier: GPL-2.0
#include <fnmatch.h>
#include <string.h>

#include "keep/filter.h"
#include "keep/kept_tasks.h"
#include "session/event.h"

bool filter_is_empty(const struct filter *filter)
{
	return !filter->functions.nr && !filter->no_functions.nr && !filter->libs.nr &&
	       !filter->nr_tids && !filter->nr_pids && !filter->comm && !filter->from &&
	       filter->to == UINT64_MAX && !filter->max_depth && !filter->min_time;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The functions of the program itself are no calls into a library. */
static bool is_of_program(const struct recording *recording, const struct kept_file *file)
{
	return recording->program.nr &&
	       !strcmp(base_of(recording->program.words[0]), base_of(file->path));
}

static bool is_of_libs(const struct filter *filter, const struct recording *recording,
		       const struct kept_file *file)
{
	size_t i;

	if (!file || is_of_program(recording, file))
		return true;
	for (i = 0; i < filter->libs.nr; i++)
		if (!fnmatch(filter->libs.globs[i], base_of(file->path), 0) ||
		    !fnmatch(filter->libs.globs[i], file->path, 0))
			return true;
	return false;
}

bool filter_function(const struct filter *filter, const struct recording *recording,
		     const struct kept_session *session, uint32_t func)
{
	const char *name = names_get(&session->names, func);

	if (filter->functions.nr && !match_name(&filter->functions, name))
		return false;
	if (filter->no_functions.nr && match_name(&filter->no_functions, name))
		return false;
	return !filter->libs.nr || is_of_libs(filter, recording, kept_file_of(session, func));
}

static bool is_in(const int32_t *list, size_t nr, uint32_t number)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if ((uint32_t)list[i] == number)
			return true;
	return false;
}

static bool is_named(const char *wanted, const char *comm)
{
	size_t len = strlen(wanted);

	if (len && wanted[len - 1] == '*')
		return !strncmp(wanted, comm, len - 1);
	return !strcmp(wanted, comm);
}

/* pid: of its process; 0: the recording knows it. */
static bool is_chosen(const struct filter *filter, const struct recording *recording, uint32_t tid,
		      uint32_t pid, const char *comm)
{
	const struct kept_task *task;

	if (!filter->nr_tids && !filter->nr_pids && !filter->comm)
		return true;
	task = kept_tasks_get(recording->tasks, tid);
	if (filter->nr_tids && !is_in(filter->tids, filter->nr_tids, tid))
		return false;
	if (!pid)
		pid = task && task->pid ? task->pid : tid;
	if (filter->nr_pids && !is_in(filter->pids, filter->nr_pids, pid))
		return false;
	if (!filter->comm)
		return true;
	return is_named(filter->comm, comm ? comm : task ? task->comm : "");
}

bool filter_thread(const struct filter *filter, const struct recording *recording, uint32_t tid,
		   const char *comm)
{
	return is_chosen(filter, recording, tid, 0, comm);
}

/* Returns the process that a single event has, or 0. */
static uint32_t pid_of(const struct ktr_record *event)
{
	size_t at = event->id == EVENT_REQUEST ? offsetof(struct ktrace_request_record, pid) :
		    event->id == EVENT_FAULT ? offsetof(struct ktrace_fault_record, pid) :
		    event->id == EVENT_SAMPLE ? offsetof(struct ktrace_sample_record, pid) : SIZE_MAX;
	uint32_t pid;

	if (at == SIZE_MAX || event->nr_payload * sizeof(uint64_t) < at + sizeof(pid))
		return 0;
	memcpy(&pid, (const char *)event->payload + at, sizeof(pid));
	return pid;
}

const char *filter_comm(char comm[17], const struct ktr_record *event)
{
	size_t at = event->id == EVENT_SYSCALL ? offsetof(struct ktrace_syscall_record, comm) :
		    event->id == EVENT_REQUEST ? offsetof(struct ktrace_request_record, comm) :
		    event->id == EVENT_CALL ? offsetof(struct ktrace_call_record, comm) :
		    event->id == EVENT_FAULT ? offsetof(struct ktrace_fault_record, comm) :
		    event->id == EVENT_SAMPLE ? offsetof(struct ktrace_sample_record, comm) : 0;

	if (event->nr_payload * sizeof(uint64_t) < at + 16)
		return NULL;
	memcpy(comm, (const char *)event->payload + at, 16);
	comm[16] = 0;
	return comm;
}

/* A sample is a moment: it did not take the time that it counts for. */
static uint64_t took(const struct ktr_record *event)
{
	return event->id == EVENT_SAMPLE ? 0 : event->duration;
}

static bool is_long_enough(const struct filter *filter, const struct ktr_record *event)
{
	return event->id == EVENT_SAMPLE || event->duration >= filter->min_time;
}

bool filter_event(const struct filter *filter, const struct recording *recording,
		  const struct kept_session *session, const struct ktr_record *event)
{
	char comm[17];

	return is_long_enough(filter, event) &&
	       filter_window(filter, event->time - took(event), event->time) &&
	       is_chosen(filter, recording, event->tid, pid_of(event), filter_comm(comm, event)) &&
	       (event->id != EVENT_CALL ||
		filter_function(filter, recording, session, event->func));
}
