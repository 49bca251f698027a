// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "report/json_write.h"
#include "report/key_names.h"
#include "report/number_names.h"
#include "report/syscall_names.h"
#include "system/cgroup_names.h"
#include "system/disks.h"
#include "util/mem.h"

#define NO_USER 4294967295U

/* --- the catalogue of keys ------------------------------------------------------ */

static void add_disk(struct json_object *to, const struct row_key *disk)
{
	char number[DISK_NAME_LEN];

	json_add_text(to, "disk", disk->text);
	if (disk->number)
		json_add_text(to, "dev", disk_number(number, disk->number));
}

static void add_file(struct json_object *to, const struct row_key *file)
{
	char number[DISK_NAME_LEN];

	json_add_u64(to, "inode", file->number);
	json_add_text(to, "file_dev", disk_number(number, file->dev));
	if (file->object)
		json_add_text(to, "path", file->object);
}

#define TEXT(id, name, compare, ...)							\
	{ name, key_by_##compare, KTRACE_KEY_##id, .is_left = true, __VA_ARGS__ }
#define NUMBER(id, name, least) { name, key_by_number, KTRACE_KEY_##id, .width = (least) }

const struct key_kind key_kinds[] = {
	TEXT(FUNCTION, "function", text), TEXT(SYSCALL, "syscall", text),
	TEXT(PERIOD, "period", number), TEXT(FAULT, "fault", number), TEXT(MODE, "mode", number),
	TEXT(DEVICE, "dev", text, .title = "disk", .add = add_disk, .members = { "disk", "dev" }),
	TEXT(OPERATION, "op", number, .json = "operation"), TEXT(STAGE, "stage", number),
	TEXT(FILE, "file", text, .add = add_file, .members = { "inode", "file_dev", "path" }), TEXT(ERRNO, "errno", number),
	NUMBER(TID, "tid", 7), NUMBER(PID, "pid", 7), TEXT(COMM, "comm", text),
	NUMBER(CPU, "cpu", 3), NUMBER(UID, "uid", 7), TEXT(CGROUP, "cgroup", number),
	{ .name = NULL },
};

const struct key_kind *key_kind_of(uint32_t id)
{
	const struct key_kind *kind = key_kinds;

	while (kind->name && kind->id != id)
		kind++;
	return kind;
}

/* --- names ---------------------------------------------------------------------- */

static const char *name_cgroup(struct key_names *names, struct table *table, uint64_t id)
{
	const char *path;

	if (!names->cgroups) {
		names->cgroups = mem_alloc(sizeof(*names->cgroups));
		cgroup_names_read(names->cgroups);
	}
	path = cgroup_names_path(names->cgroups, id);
	return path ? table_text(table, "%s", path) : NULL;
}

static const char *name_disk(struct table *table, uint64_t dev)
{
	char name[DISK_NAME_LEN];

	if (dev == UINT64_MAX)
		return "(others)";
	return dev ? table_text(table, "%s", disk_name(name, dev)) : "(no disk)";
}

/* Returns NULL if the key is shown as a number. */
static const char *name_number(struct key_names *names, struct table *table, uint32_t key,
			       uint64_t number)
{
	char text[ERRNO_NAME_LEN > SYSCALL_NAME_LEN ? ERRNO_NAME_LEN : SYSCALL_NAME_LEN];

	switch (key) {
	case KTRACE_KEY_FUNCTION:
		return names_get(names->functions, number);
	case KTRACE_KEY_SYSCALL:
		return table_text(table, "%s%s", syscall_text(text, number),
				  syscall_is_compat(number) ? " (i386)" : "");
	case KTRACE_KEY_ERRNO:
		return table_text(table, "%s", errno_text(text, number));
	case KTRACE_KEY_CGROUP:
		return name_cgroup(names, table, number);
	case KTRACE_KEY_PERIOD:
		return sched_kind(number);
	case KTRACE_KEY_FAULT:
		return fault_name(number);
	case KTRACE_KEY_MODE:
		return profile_mode(number);
	case KTRACE_KEY_DEVICE:
		return name_disk(table, number);
	case KTRACE_KEY_OPERATION:
		return io_op_name(number);
	case KTRACE_KEY_STAGE:
		return io_stage_name(number);
	default:
		return NULL;
	}
}

static bool is_known(uint32_t key, uint64_t number)
{
	switch (key) {
	case KTRACE_KEY_UID:
		return number != NO_USER;
	case KTRACE_KEY_ERRNO:
	case KTRACE_KEY_FILE:
	case KTRACE_KEY_CGROUP:
		return number;
	default:
		return true;
	}
}

struct row_key key_named(struct key_names *names, struct table *table, uint32_t key,
			 uint64_t number)
{
	struct row_key named = { .number = number, .is_none = !is_known(key, number) };

	if (!named.is_none)
		named.text = name_number(names, table, key, number);
	return named;
}

struct row_key key_read(struct key_names *names, struct table *table, const struct ktr_row *row,
			uint32_t key)
{
	const struct ktrace_column *column = ktr_table_key(row->table, key);
	char text[KTRACE_COLUMN_TEXT_LEN + 1];
	struct row_key read = { .number = 0 };

	if (key == KTRACE_KEY_COMM) {
		read.text = table_text(table, "%s", ktr_row_text(text, row, column));
		return read;
	}
	if (key != KTRACE_KEY_FILE)
		return key_named(names, table, key, ktr_row_key(row, key));
	read.number = ktr_row_file(&read.dev, row, column);
	read.is_none = !is_known(key, read.number);
	return read;
}

struct row_key key_read_task(struct table *table, const struct ktr_row *row)
{
	char text[KTRACE_COLUMN_TEXT_LEN + 1];
	struct row_key task = { .number = 0 };

	task.is_none = !*ktr_row_text(text, row, ktr_table_figure(row->table, KTRACE_FIGURE_COMM));
	if (!task.is_none)
		task.text = table_text(table, "%s", text);
	return task;
}

void key_names_free(struct key_names *names)
{
	if (names->cgroups)
		cgroup_names_free(names->cgroups);
	free(names->cgroups);
	names->cgroups = NULL;
}
