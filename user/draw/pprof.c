// SPDX-License-Identifier: GPL-2.0
/* A profile for pprof and what reads its files: one sample per path, with its calls and own time. */
#include <stdlib.h>

#include "draw/draw.h"
#include "draw/gzip.h"
#include "report/head.h"
#include "report/paths.h"
#include "uapi/ktrace.h"
#include "util/protobuf.h"

/* Fields of perftools.profiles.Profile, and of the messages inside it. */
enum {
	SAMPLE_TYPE = 1, SAMPLE = 2, LOCATION = 4, FUNCTION = 5, STRING_TABLE = 6, TIME_NANOS = 9,
	DURATION_NANOS = 10, COMMENT = 13, DEFAULT_SAMPLE_TYPE = 14,
	VALUE_TYPE = 1, VALUE_UNIT = 2,
	SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2,
	LOCATION_ID = 1, LOCATION_LINE = 4, LINE_FUNCTION_ID = 1,
	FUNCTION_ID = 1, FUNCTION_NAME = 2,
};

/* The first strings of the table; names follow. The first must be empty. */
enum { NONE, CALLS, COUNT, TIME, NANOSECONDS, TITLE, NR_OWN };

static void put_type(struct protobuf *to, int type, int unit)
{
	size_t begin = protobuf_begin(to, SAMPLE_TYPE);

	protobuf_put_number(to, VALUE_TYPE, type);
	protobuf_put_number(to, VALUE_UNIT, unit);
	protobuf_end(to, begin);
}

/* Locations are numbered like names, from 1 on. The innermost is the first. */
static void put_sample(void *arg, const struct path_node *node, const uint32_t *path)
{
	struct protobuf *to = arg;
	unsigned int i = node->depth + 1;
	size_t begin, list;

	if (!node->calls && !node->self_ns)
		return;
	begin = protobuf_begin(to, SAMPLE);
	list = protobuf_begin(to, SAMPLE_LOCATION_ID);
	while (i--)
		protobuf_put_varint(to, path[i] + 1);
	protobuf_end(to, list);
	list = protobuf_begin(to, SAMPLE_VALUE);
	protobuf_put_varint(to, node->calls);
	protobuf_put_varint(to, node->self_ns);
	protobuf_end(to, list);
	protobuf_end(to, begin);
}

static void put_function(struct protobuf *to, uint32_t name)
{
	size_t begin = protobuf_begin(to, LOCATION), line;

	protobuf_put_number(to, LOCATION_ID, name + 1);
	line = protobuf_begin(to, LOCATION_LINE);
	protobuf_put_number(to, LINE_FUNCTION_ID, name + 1);
	protobuf_end(to, line);
	protobuf_end(to, begin);
	begin = protobuf_begin(to, FUNCTION);
	protobuf_put_number(to, FUNCTION_ID, name + 1);
	/* Without a system_name: pprof would drop the arguments of templates from it. */
	protobuf_put_number(to, FUNCTION_NAME, name + NR_OWN);
	protobuf_end(to, begin);
}

static void put_strings(struct protobuf *to, const struct paths *paths)
{
	const char *const own[NR_OWN] = { "", "calls", "count", "time", "nanoseconds", head_title() };
	uint32_t i;

	for (i = 0; i < NR_OWN; i++)
		protobuf_put_text(to, STRING_TABLE, own[i]);
	for (i = 0; i < paths->nr_names; i++)
		protobuf_put_text(to, STRING_TABLE, paths->names[i]);
	free((char *)own[TITLE]);
}

static void print(FILE *out, const struct paths *paths)
{
	struct protobuf profile = { .len = 0 };
	uint64_t end, begin = head_begin(&end);
	uint32_t i;

	put_type(&profile, CALLS, COUNT);
	put_type(&profile, TIME, NANOSECONDS);
	paths_each(paths, put_sample, &profile);
	for (i = 0; i < paths->nr_names; i++)
		put_function(&profile, i);
	put_strings(&profile, paths);
	protobuf_put_number(&profile, TIME_NANOS, begin);
	protobuf_put_number(&profile, DURATION_NANOS, end - begin);
	protobuf_put_number(&profile, COMMENT, TITLE);
	protobuf_put_number(&profile, DEFAULT_SAMPLE_TYPE, TIME);
	gzip_put(out, profile.bytes, profile.len);
	free(profile.bytes);
}

const struct output_format format_pprof = {
	.name = "pprof",
	.kinds = DRAW_KINDS,
	.is_data = true,
	.paths = print,
	.is_one = true,
	.sinks = KTRACE_SINK_HIST | KTRACE_SINK_TREE,
	.needs = KTRACE_SINK_TREE,
};
