// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "report/chosen.h"
#include "report/json_parts.h"
#include "system/disks.h"

static const struct column members[] = {
	{ "calls", .figure = FIG_CALLS, .unless = CHOSEN_PERIODS | CHOSEN_REQUESTS },
	{ "count", .figure = FIG_CALLS, .when = CHOSEN_PERIODS },
	{ "requests", .figure = FIG_CALLS, .when = CHOSEN_REQUESTS },
	{ "errors", .figure = FIG_ERRORS, .when = CHOSEN_ERRORS },
	{ "total_ns", .figure = FIG_TOTAL },
	{ "cpu_ns", .figure = FIG_SELF, .when = CHOSEN_CPU_TIME },
	{ "avg_ns", .figure = FIG_AVG },
	{ "bytes", .figure = FIG_BYTES, .when = CHOSEN_BYTES },
	{ "pages.hits", .figure = FIG_PAGE_HITS, .when = CHOSEN_PAGES },
	{ "pages.misses", .figure = FIG_PAGE_MISSES, .when = CHOSEN_PAGES },
	{ "pages.read_ahead", .figure = FIG_PAGES_AHEAD, .when = CHOSEN_PAGES },
	{ "pages.dirtied", .figure = FIG_PAGES_DIRTIED, .when = CHOSEN_PAGES },
	DISTRIBUTION("", 0, FIG_CALLS, 0),
};

#define NR_MEMBERS (sizeof(members) / sizeof(*members))

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

/* Most keys are one member. */
static struct column key_member(const struct chosen *chosen, size_t i)
{
	struct column member = { chosen->kinds[i].name, .format = FORMAT_KEY, .key = i };

	if (chosen->kinds[i].id == KTRACE_KEY_DEVICE)
		member.add = add_disk;
	else if (chosen->kinds[i].id == KTRACE_KEY_FILE)
		member.add = add_file;
	else if (chosen->kinds[i].id == KTRACE_KEY_OPERATION)
		member.title = "operation";
	return member;
}

/* Fills in the members: the keys of a row, then its figures. */
static size_t fill_members(struct column to[TABLE_KEYS + NR_MEMBERS], const struct chosen *chosen)
{
	size_t nr = chosen->table.nr_keys, i;

	for (i = 0; i < nr; i++)
		to[i] = key_member(chosen, i);
	memcpy(to + nr, members, sizeof(members));
	return nr + NR_MEMBERS;
}

static struct json_object *others_of(const struct chosen *chosen)
{
	static const struct layout layout = { COLUMNS(members) };
	struct json_object *others = json_object_new_object();

	table_add_members(others, &chosen->table, &chosen->table.others, &layout);
	return others;
}

struct json_object *chosen_document(const struct knl_session *session,
				    const struct chosen *chosen)
{
	struct json_object *document = json_document_of(session);
	struct json_object *by = json_object_new_array();
	struct column columns[TABLE_KEYS + NR_MEMBERS];
	struct layout layout = { .columns = columns, .nr = fill_members(columns, chosen) };
	size_t i;

	for (i = 0; i + 1 < chosen->table.nr_keys; i++)
		json_object_array_add(by, json_object_new_string(chosen->kinds[i].name));
	json_add(document, "by", by);
	json_add(document, "rows", table_json(&chosen->table, &layout));
	if (chosen->table.others.parts)
		json_add(document, "others", others_of(chosen));
	return document;
}
