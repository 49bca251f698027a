// SPDX-License-Identifier: GPL-2.0
/*
 * A file for speedscope.app: one sample per path, weighted with its own time, and once more with its
 * calls. The text is written as it is made, because a document in memory would take a number object
 * for each name of each path.
 */
#include <stdlib.h>

#include "draw/draw.h"
#include "draw/quoted.h"
#include "report/head.h"
#include "report/paths.h"
#include "uapi/ktrace.h"

/* One of the profiles of a file. */
struct profile {
	FILE *out;
	bool has_some;		/* elements of a list were put */
	const char *name, *unit;
	uint64_t all;		/* the sum of the weights */
	uint64_t (*weight_of)(const struct path_node *node);
};

static uint64_t time_of(const struct path_node *node)
{
	return node->self_ns;
}

static uint64_t calls_of(const struct path_node *node)
{
	return node->calls;
}

static void put_sample(void *arg, const struct path_node *node, const uint32_t *path)
{
	struct profile *profile = arg;
	unsigned int i;

	if (!profile->weight_of(node))
		return;
	fputs(profile->has_some ? ",\n[" : "[", profile->out);
	for (i = 0; i <= node->depth; i++)
		out_put(profile->out, "%s%u", i ? "," : "", path[i]);
	fputc(']', profile->out);
	profile->has_some = true;
}

static void put_weight(void *arg, const struct path_node *node, const uint32_t *path)
{
	struct profile *profile = arg;
	uint64_t weight = profile->weight_of(node);

	(void)path;
	if (!weight)
		return;
	out_put(profile->out, "%s%llu", profile->has_some ? "," : "", (unsigned long long)weight);
	profile->has_some = true;
}

static void put_profile(struct profile profile, const struct paths *paths)
{
	out_put(profile.out, "{\"type\":\"sampled\",\"name\":\"%s\",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%llu,\n\"samples\":[",
		profile.name, profile.unit, (unsigned long long)profile.all);
	profile.has_some = false;
	paths_each(paths, put_sample, &profile);
	fputs("],\n\"weights\":[", profile.out);
	profile.has_some = false;
	paths_each(paths, put_weight, &profile);
	fputs("]}", profile.out);
}

static void put_frames(FILE *out, const struct paths *paths)
{
	uint32_t i;

	fputs("\"shared\":{\"frames\":[", out);
	for (i = 0; i < paths->nr_names; i++) {
		fputs(i ? ",\n{\"name\":\"" : "{\"name\":\"", out);
		quoted_put(out, paths->names[i]);
		fputs("\"}", out);
	}
	fputs("]},\n", out);
}

static void print(FILE *out, const struct paths *paths)
{
	const struct profile profiles[] = {
		{ out, false, "time", "nanoseconds", paths->total_ns, time_of },
		{ out, false, "calls", "none", paths->calls, calls_of },
	};
	char *title = head_title();

	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
	      "\"exporter\":\"ktrace\",\"name\":\"", out);
	quoted_put(out, title);
	fputs("\",\"activeProfileIndex\":0,\n", out);
	put_frames(out, paths);
	fputs("\"profiles\":[", out);
	put_profile(profiles[0], paths);
	fputs(",\n", out);
	put_profile(profiles[1], paths);
	fputs("]}\n", out);
	free(title);
}

const struct output_format format_speedscope = {
	.name = "speedscope",
	.kinds = DRAW_KINDS,
	.is_data = true,
	.paths = print,
	.is_one = true,
	.sinks = KTRACE_SINK_HIST | KTRACE_SINK_TREE,
	.needs = KTRACE_SINK_TREE,
};
