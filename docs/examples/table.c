// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the tables of a session, whatever it counts: table NAME or table NUMBER
 * cc table.c $(pkg-config --cflags --libs libktrace) -o table
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <ktrace.h>

static void print_cell(const struct ktr_row *row, size_t i)
{
	const struct ktrace_column *column = &row->table->columns[i];
	char text[KTRACE_COLUMN_TEXT_LEN + 1];
	uint32_t dev;
	uint64_t inode;

	if (column->kind == KTRACE_COLUMN_TEXT || column->kind == KTRACE_COLUMN_LATEST) {
		printf("%s\t", ktr_row_text(text, row, column));
	} else if (column->kind == KTRACE_COLUMN_FILE) {
		inode = ktr_row_file(&dev, row, column);
		printf("%u:%" PRIu64 "\t", dev, inode);
	} else {
		printf("%" PRIu64 "\t", row->cells[row->table->at[i]]);
	}
}

/* The end of the bucket below which 99 % of the values are. */
static uint64_t p99(const struct ktr_row *row)
{
	uint64_t all = 0, below = 0;
	size_t i;

	for (i = 0; i < row->nr_buckets; i++)
		all += row->buckets[i].count;
	for (i = 0; i < row->nr_buckets; i++) {
		below += row->buckets[i].count;
		if (below * 100 >= all * 99)
			return ktr_bucket_high(row->buckets[i].index);
	}
	return 0;
}

static void print_row(void *arg, const struct ktr_row *row)
{
	size_t i;

	(void)arg;
	for (i = 0; i < row->table->nr_columns; i++) {
		if (row->is_head)
			printf("%.16s\t", (const char *)row->table->columns[i].name);
		else
			print_cell(row, i);
	}
	if (row->is_head)
		puts("p99");
	else
		printf("%" PRIu64 "%s\n", p99(row), row->is_other ? "\tothers" : "");
}

static int find(struct ktr *ktr, const char *text, struct ktr_session *session)
{
	char *end;
	uint64_t id = strtoull(text, &end, 10);

	return *end ? ktr_session_find(ktr, text, session) : ktr_session_get(ktr, id, session);
}

int main(int argc, char **argv)
{
	struct ktr_session session;
	struct ktr *ktr = NULL;
	int error = argc == 2 ? ktr_open(&ktr, 0) : -EINVAL;

	if (!error)
		error = find(ktr, argv[1], &session);
	if (!error)
		error = ktr_row_each(ktr, session.id, 0, print_row, NULL);
	if (error)
		fprintf(stderr, "table %s: %s\n", argc > 1 ? argv[1] : "NAME",
			ktr_reason(ktr, error));
	ktr_close(ktr);
	return error ? 1 : 0;
}
