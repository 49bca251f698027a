// SPDX-License-Identifier: GPL-2.0
/* Rows of requests, from the module's figures of disks. */
#include "report/io_table.h"
#include "system/disks.h"

static const char *name_of_disk(struct table *requests, const struct knl_func *func)
{
	char name[DISK_NAME_LEN];

	if (!func->has_dev)
		return "(others)";
	if (!func->dev)
		return "(no disk)";
	return table_text(requests, "%s", disk_name(name, func->dev));
}

static void take(void *arg, const struct knl_func *func)
{
	uint32_t stage = KTRACE_BLOCK_STAGE(func->func);
	struct table *requests = arg;
	char number[DISK_NAME_LEN];
	struct row_key *dev;
	struct row *row;

	if (!func->stats.calls || stage >= IO_NR_STAGES)
		return;
	row = io_add(requests, name_of_disk(requests, func), KTRACE_BLOCK_OP(func->func));
	dev = &row->keys[IO_DEV];
	dev->number = func->dev;
	dev->is_none = !func->has_dev;
	dev->text = table_text(requests, "%s", disk_number(number, func->dev));
	part_read(&row->parts[stage], func);
}

int io_read(struct table *requests, struct knl *nl, uint64_t session, uint32_t read_flags)
{
	int error;

	io_init(requests);
	error = knl_func_each(nl, session, read_flags, take, requests);
	table_unite(requests);
	return error;
}
