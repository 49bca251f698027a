// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "keep/grouped.h"
#include "keep/kept_tasks.h"
#include "report/key_names.h"
#include "session/event.h"
#include "util/hash.h"
#include "util/mem.h"

#define MAX_ERRNO 4095
#define NO_GROUP UINT32_MAX	/* the function of numbers without a group */

struct group {
	struct group_keys {
		uint64_t of[KTRACE_TABLE_KEYS];
		char comm[24];		/* if it is a key */
		uint32_t func;		/* of calls of functions */
		uint32_t file_dev;	/* of a file, whose inode is the number */
	} keys;
	uint32_t number;
	char comm[17];	/* of the thread that counted last */
	struct sums sums;
	UT_hash_handle hh;	/* by keys */
};

struct grouped {
	const struct recording *recording;
	struct kept_session *session;
	const struct ktrace_table *keys;
	struct group *hash, *last;
	struct group **all;	/* by number */
	uint32_t nr;
	uint32_t most_funcs;	/* numbers that no function can have are this one */
	uint64_t nr_lost;
};

/* What keys are read from. */
struct occurrence {
	uint32_t func, tid, pid, cpu, error, stage, file_dev, dev;
	uint64_t inode;
	const char *comm;
};

struct grouped *grouped_create(const struct recording *recording, struct kept_session *session,
			       const struct ktrace_table *keys)
{
	struct grouped *grouped = mem_alloc(sizeof(*grouped));

	grouped->recording = recording;
	grouped->session = session;
	grouped->keys = keys;
	grouped->most_funcs = session->names.nr + KEPT_MORE_FUNCTIONS;
	return grouped;
}

void grouped_free(struct grouped *grouped)
{
	uint32_t i;

	if (!grouped)
		return;
	for (i = 0; i < grouped->nr; i++) {
		HASH_DEL(grouped->hash, grouped->all[i]);
		sums_free(&grouped->all[i]->sums);
		free(grouped->all[i]);
	}
	free(grouped->all);
	free(grouped);
}

/* --- groups --------------------------------------------------------------------- */

static uint64_t number_of(const struct occurrence *of, uint32_t key)
{
	switch (key) {
	case KTRACE_KEY_ERRNO:
		return of->error;
	case KTRACE_KEY_TID:
		return of->tid;
	case KTRACE_KEY_PID:
		return of->pid;
	case KTRACE_KEY_CPU:
		return of->cpu;
	case KTRACE_KEY_DEVICE:
		return of->dev;
	case KTRACE_KEY_OPERATION:
		return KTRACE_BLOCK_OP(of->func);
	case KTRACE_KEY_STAGE:
		return of->stage;
	case KTRACE_KEY_FILE:
		return of->inode;
	case KTRACE_KEY_COMM:
		return 0;
	default:	/* a function, a system call, a period, a kind of fault, a mode */
		return of->func;
	}
}

static void read_keys(const struct grouped *grouped, const struct occurrence *of,
		      struct group_keys *keys)
{
	uint32_t key;
	int i;

	memset(keys, 0, sizeof(*keys));
	for (i = 0; i < KTRACE_TABLE_KEYS && grouped->keys->keys[i]; i++) {
		key = grouped->keys->keys[i];
		keys->of[i] = number_of(of, key);
		if (key == KTRACE_KEY_COMM)
			strncpy(keys->comm, of->comm, 16);
		if (key == KTRACE_KEY_FILE)
			keys->file_dev = of->inode ? of->file_dev : 0;
	}
}

static struct group *add_group(struct grouped *grouped, const struct group_keys *keys)
{
	struct group *group = mem_alloc(sizeof(*group));

	group->keys = *keys;
	group->number = grouped->nr;
	grouped->all = mem_grow(grouped->all, grouped->nr, sizeof(*grouped->all));
	grouped->all[grouped->nr++] = group;
	HASH_ADD(hh, grouped->hash, keys, sizeof(*keys), group);
	return group;
}

/* Returns NULL if there is no room. */
static struct group *group_of(struct grouped *grouped, const struct group_keys *keys,
			      const char *comm)
{
	struct group *group = grouped->last;

	if (!group || memcmp(&group->keys, keys, sizeof(*keys)))
		HASH_FIND(hh, grouped->hash, keys, sizeof(*keys), group);
	if (!group && grouped->nr < GROUPED_MOST)
		group = add_group(grouped, keys);
	if (!group) {
		grouped->nr_lost++;
		return NULL;
	}
	if (*comm)
		strncpy(group->comm, comm, sizeof(group->comm) - 1);
	grouped->last = group;
	return group;
}

/* Adds what only the recording knows of a thread. */
static void know_task(const struct grouped *grouped, struct occurrence *of)
{
	const struct kept_task *task = kept_tasks_get(grouped->recording->tasks, of->tid);

	if (!of->pid)
		of->pid = task ? task->pid : 0;
	if (!of->comm)
		of->comm = task ? task->comm : "";
}

/* --- events --------------------------------------------------------------------- */

uint32_t grouped_call(struct grouped *grouped, const struct packets *packets)
{
	struct occurrence of = {
		.func = packets->record->func, .tid = packets->record->tid, .cpu = packets->cpu,
	};
	struct group_keys keys;
	struct group *group;

	if (of.func > grouped->most_funcs)
		of.func = grouped->most_funcs;
	know_task(grouped, &of);
	read_keys(grouped, &of, &keys);
	keys.func = of.func;
	group = group_of(grouped, &keys, of.comm);
	return group ? group->number : GROUPED_MOST;
}

uint32_t grouped_function(const struct grouped *grouped, uint32_t number)
{
	return number < grouped->nr ? grouped->all[number]->keys.func : NO_GROUP;
}

static void count(struct grouped *grouped, const struct occurrence *of, uint64_t ns, uint64_t bytes,
		  bool is_error)
{
	struct group_keys keys;
	struct group *group;

	read_keys(grouped, of, &keys);
	group = group_of(grouped, &keys, of->comm);
	if (!group)
		return;
	sums_add(&group->sums, ns);
	group->sums.bytes += bytes;
	group->sums.errors += is_error;
}

static bool has_stages(const struct grouped *grouped)
{
	int i;

	for (i = 0; i < KTRACE_TABLE_KEYS; i++)
		if (grouped->keys->keys[i] == KTRACE_KEY_STAGE)
			return true;
	return false;
}

/* A request counts once; with the key stage, in each stage that it went through. */
static void take_request(struct grouped *grouped, const struct ktr_record *event,
			 struct occurrence *of)
{
	const struct ktrace_request_record *request = (const void *)event->payload;
	uint32_t stage;

	of->pid = request->pid;
	of->dev = request->dev;
	of->inode = request->inode;
	of->file_dev = request->file_dev;
	know_task(grouped, of);
	for (stage = 0; has_stages(grouped) && stage < KTRACE_REQUEST_STAGES; stage++) {
		of->stage = stage;
		if (request->stages & 1 << stage)
			count(grouped, of, request->stage_ns[stage], request->bytes, request->error);
	}
	of->stage = KTRACE_BLOCK_Q2C;
	count(grouped, of, event->duration, request->bytes, request->error);
}

static uint32_t errno_of(int64_t ret)
{
	return ret < 0 && ret >= -MAX_ERRNO ? -ret : 0;
}

/* Copies the name of the thread, which is the last member of the event's payload. */
static void copy_comm(char comm[17], const void *from)
{
	memcpy(comm, from, 16);
	comm[16] = 0;
}

void grouped_take(struct grouped *grouped, const struct ktr_record *event)
{
	struct occurrence of = { .func = event->func, .tid = event->tid, .cpu = event->cpu };
	size_t len = event->nr_payload * sizeof(uint64_t);
	const void *payload = event->payload;
	const struct ktrace_syscall_record *syscall = payload;
	const struct ktrace_request_record *request = payload;
	const struct ktrace_period_record *period = payload;
	const struct ktrace_fault_record *fault = payload;
	const struct ktrace_sample_record *sample = payload;
	const struct ktrace_call_record *call = payload;
	char comm[17];

	if (event->id == EVENT_REQUEST) {
		if (len < sizeof(*request))
			return;
		copy_comm(comm, request->comm);
		of.comm = comm;
		take_request(grouped, event, &of);
		return;
	}
	if ((event->id == EVENT_PERIOD && event->func >= KTRACE_NR_SCHED) ||
	    (event->id == EVENT_FAULT && event->func >= KTRACE_NR_FAULTS) ||
	    (event->id == EVENT_SAMPLE && event->func >= KTRACE_NR_PROFILE))
		return;
	if (event->id == EVENT_SYSCALL && len >= sizeof(*syscall)) {
		of.error = errno_of(syscall->ret);
		copy_comm(comm, syscall->comm);
		of.comm = comm;
	} else if (event->id == EVENT_CALL && len >= sizeof(*call)) {
		of.error = names_is_fallible(&grouped->session->names, event->func) ?
			   errno_of(call->ret) : 0;
		copy_comm(comm, call->comm);
		of.comm = comm;
	} else if (event->id == EVENT_PERIOD && len >= sizeof(*period)) {
		copy_comm(comm, period->comm);
		of.comm = comm;
	} else if (event->id == EVENT_FAULT && len >= sizeof(*fault)) {
		of.error = fault->error;
		of.pid = fault->pid;
		copy_comm(comm, fault->comm);
		of.comm = comm;
	} else if (event->id == EVENT_SAMPLE && len >= sizeof(*sample)) {
		of.pid = sample->pid;
		copy_comm(comm, sample->comm);
		of.comm = comm;
	}
	know_task(grouped, &of);
	count(grouped, &of, event->duration, 0, of.error);
}

uint64_t grouped_nr_lost(const struct grouped *grouped)
{
	return grouped->nr_lost;
}

bool grouped_is_empty(const struct grouped *grouped)
{
	uint32_t i;

	for (i = 0; i < grouped->nr; i++)
		if (grouped->all[i]->sums.calls)
			return false;
	return true;
}

/* --- rows ----------------------------------------------------------------------- */

/* Names come from the recording, where this machine has others. */
static void name_key(const struct grouped *grouped, struct table *to, uint32_t key,
		     const struct group *group, struct row_key *named)
{
	const char *text;

	switch (key) {
	case KTRACE_KEY_COMM:
		named->text = table_text(to, "%s", group->keys.comm);
		named->is_none = !group->keys.comm[0];
		break;
	case KTRACE_KEY_PID:
		named->is_none = !named->number;
		break;
	case KTRACE_KEY_DEVICE:
		text = recording_disk(grouped->recording, named->number);
		named->text = text ? text : named->text;
		break;
	case KTRACE_KEY_FILE:
		named->dev = group->keys.file_dev;
		chosen_name_file(to, named, recording_inode(grouped->recording, named->dev,
							    named->number));
		break;
	}
}

struct row *grouped_add_row(const struct grouped *grouped, struct table *to, uint32_t number)
{
	struct key_names names = { .functions = &grouped->session->names };
	const struct group *group = grouped->all[number];
	struct row *row = table_add(to);
	struct row_key *comm = &row->keys[to->nr_keys - 1];
	bool has_task = false, has_comm = false;
	uint32_t key;
	size_t i;

	for (i = 0; i + 1 < to->nr_keys; i++) {
		key = grouped->keys->keys[i];
		row->keys[i] = key_named(&names, to, key, group->keys.of[i]);
		name_key(grouped, to, key, group, &row->keys[i]);
		has_task |= key == KTRACE_KEY_TID || key == KTRACE_KEY_PID;
		has_comm |= key == KTRACE_KEY_COMM;
	}
	comm->is_none = !has_task || has_comm || !group->comm[0];
	if (!comm->is_none)
		comm->text = table_text(to, "%s", group->comm);
	key_names_free(&names);
	return row;
}

void grouped_fill(const struct grouped *grouped, struct table *to)
{
	uint32_t i;

	for (i = 0; i < grouped->nr; i++)
		if (grouped->all[i]->sums.calls)
			sums_fill(grouped_add_row(grouped, to, i)->parts, &grouped->all[i]->sums);
}
