// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/rotation.h"
#include "keep/snapshots.h"
#include "util/clock.h"
#include "util/fmt.h"
#include "util/mem.h"
#include "util/number.h"
#include "util/out.h"
#include "util/own_folder.h"

#define LEAST_SIZE (64ULL << 10)
#define MOST_KEPT 1000000
#define PACKET_ROOM 16384

int rotation_parse(struct rotation_options *options, const char *text, struct err *err)
{
	const char *comma = strchr(text, ',');
	char *size = mem_format("%.*s", comma ? (int)(comma - text) : 0, text);
	bool is_valid = fmt_parse_size(size, &options->size) && options->size >= LEAST_SIZE &&
			number_parse(comma + 1, MOST_KEPT, &options->nr_kept) && options->nr_kept;

	free(size);
	return is_valid ? 0 :
	       err_set(err, "--rotate takes the size of a part (64K or more), and how many parts stay, such as 16M,4; not '%s'.",
		       text);
}

int rotation_open(struct rotation *rotation, struct err *err)
{
	rotation->path = own_folder_path(rotation->recorder.path);
	rotation->folder = snapshots_open(rotation->path, rotation->recorder.is_forced,
					  &rotation->is_new, err);
	return rotation->folder < 0 ? -1 : 0;
}

int rotation_begin(struct rotation *rotation, struct err *err)
{
	int error = snapshots_remove(rotation->folder);
	uint64_t now = clock_now_ns();

	/* Times of all parts count from the same begin. */
	rotation->recorder.begin = (struct ktrace_clocks){
		.monotonic = now, .realtime = clock_realtime_of(now),
	};
	return error ? err_set(err, "The former recording in %s cannot be removed: %s.",
			       rotation->path, strerror(-error)) : 0;
}

/* The newest parts and the current one are nr_kept. */
static int remove_old(struct rotation *rotation, struct err *err)
{
	int error = 0;

	if (rotation->nr >= rotation->options.nr_kept)
		error = snapshots_remove_one(rotation->folder,
					     rotation->nr + 1 - rotation->options.nr_kept);
	return error ? err_set(err, "An old part in %s cannot be removed: %s.", rotation->path,
			       strerror(-error)) : 0;
}

struct recorder *rotation_next(struct rotation *rotation, struct ktr *ktr, struct err *err)
{
	struct recorder_options options = rotation->recorder;
	struct recorder *recorder;
	char *path;

	if (remove_old(rotation, err))
		return NULL;
	path = snapshots_path(rotation->path, ++rotation->nr);
	options.path = path;
	options.is_forced = false;
	/* One pass must not make a part much larger. */
	options.turn = rotation->options.size / PACKET_ROOM / 4;
	recorder = recorder_open(ktr, &options, err);
	free(path);
	return recorder;
}

bool rotation_is_due(const struct rotation *rotation, const struct recorder *recorder)
{
	return rotation->options.size && recorder_sum(recorder).bytes >= rotation->options.size;
}

static void add_sum(const struct rotation *rotation, struct recorder_sum *sum)
{
	sum->records += rotation->sum.records;
	sum->bytes += rotation->sum.bytes;
}

int rotation_cut(struct rotation *rotation, struct recorder *recorder, struct err *err)
{
	struct recorder_sum sum = recorder_sum(recorder);
	int result = recorder_cut(recorder, "it goes on in the next part", err);

	add_sum(rotation, &sum);
	rotation->sum = sum;
	recorder_close(recorder);
	return result;
}

void rotation_tell_sum(const struct rotation *rotation, const struct recorder *recorder)
{
	struct recorder_sum sum = recorder ? recorder_sum(recorder) : (struct recorder_sum){ .ns = 0 };
	char bytes[FMT_LEN];

	add_sum(rotation, &sum);
	out_put(stderr, "ktrace: %llu records, %s, in %.1f s, in %u part%s; next: ktrace report %s/%04u\n",
		(unsigned long long)sum.records, fmt_bytes(bytes, sum.bytes),
		(clock_now_ns() - rotation->recorder.begin.monotonic) / 1e9, rotation->nr,
		rotation->nr == 1 ? "" : "s", rotation->path, rotation->nr);
}

void rotation_abandon(const struct rotation *rotation)
{
	if (rotation->is_new)
		rmdir(rotation->path);
}

void rotation_close(struct rotation *rotation)
{
	if (!rotation->path)
		return;
	if (rotation->folder >= 0)
		close(rotation->folder);
	free(rotation->path);
}
