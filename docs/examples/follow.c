// SPDX-License-Identifier: GPL-2.0
/*
 * Writes the records of a session to a file, one line each, until the session stops: follow NAME FILE
 * cc follow.c $(pkg-config --cflags --libs libktrace) -o follow
 *
 * A line begins with the name of its record: cookie of the session, CPU, packet, index. It never
 * changes. A packet is acknowledged when its lines are on the disk. If this program is killed, the
 * next one cuts a half line, gets the packets again that were not acknowledged, and skips the
 * records that the file has: each record is in the file once.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <ktrace.h>

#define MAX_CPUS 4096

/* Per CPU: all records before this index of this packet are in the file. */
static struct { uint64_t packet; uint32_t index; } written[MAX_CPUS];

static int read_back(FILE *file, uint64_t cookie)
{
	char line[256];
	uint64_t of, packet;
	uint32_t cpu, index;
	long end = 0;

	while (fgets(line, sizeof(line), file) && strchr(line, '\n')) {
		end = ftell(file);
		if (sscanf(line, "%" SCNx64 ".%u.%" SCNu64 ".%u ", &of, &cpu, &packet, &index) == 4 &&
		    of == cookie && cpu < MAX_CPUS) {
			written[cpu].packet = packet;
			written[cpu].index = index + 1;
		}
	}
	return ftruncate(fileno(file), end) || fseek(file, end, SEEK_SET) ? -errno : 0;
}

static void write_packet(FILE *file, uint64_t cookie, const struct ktr_packet *packet)
{
	struct ktr_record record;
	uint32_t index = 0, from = 0;
	size_t at = 0;

	if (packet->number < written[packet->cpu].packet)
		return;
	if (packet->number == written[packet->cpu].packet)
		from = written[packet->cpu].index;
	for (; ktr_record_next(packet->data, packet->len, &at, &record) > 0; index++)
		if (index >= from)
			fprintf(file, "%" PRIx64 ".%u.%" PRIu64 ".%u %" PRIu64 " %u %u %u\n",
				cookie, packet->cpu, packet->number, index, record.time,
				record.id, record.tid, record.func);
	written[packet->cpu].packet = packet->number + 1;
	written[packet->cpu].index = 0;
}

/* Makes one pass. Returns the number of packets, or a negative errno. */
static int pass(struct ktr_stream *stream, FILE *file, uint64_t cookie)
{
	struct ktr_packet packet;
	unsigned int cpu, nr = 0;
	int got;

	while ((got = ktr_stream_next(stream, &packet)) > 0 && packet.cpu < MAX_CPUS) {
		write_packet(file, cookie, &packet);
		nr++;
	}
	if (got < 0)
		return got;
	if (nr && (fflush(file) || fdatasync(fileno(file))))
		return -errno;
	for (cpu = 0; cpu < ktr_stream_nr_cpus(stream) && cpu < MAX_CPUS; cpu++)
		ktr_stream_ack(stream, cpu, written[cpu].packet);
	return nr;
}

/* Ends with a pass that began after the session had stopped, and found nothing. */
static int follow(struct ktr *ktr, struct ktr_stream *stream, uint64_t id, FILE *file)
{
	struct ktr_session session;
	int got;

	do {
		got = ktr_session_get(ktr, id, &session);
		if (!got)
			got = pass(stream, file, session.cookie);
		if (!got && session.state != KTRACE_STATE_STOPPED)
			poll(NULL, 0, 50);
	} while (got > 0 || (!got && session.state != KTRACE_STATE_STOPPED));
	return got ? got : ktr_stream_sync(stream);
}

int main(int argc, char **argv)
{
	struct ktr_stream *stream = NULL;
	struct ktr_session session;
	struct ktr *ktr = NULL;
	FILE *file = argc == 3 ? fopen(argv[2], "a+") : NULL;
	int error = file ? ktr_open(&ktr, 0) : argc == 3 ? -errno : -EINVAL;

	if (!error)
		error = ktr_session_find(ktr, argv[1], &session);
	if (!error)
		error = read_back(file, session.cookie);
	if (!error)
		error = ktr_stream_open(ktr, session.id, 0, &stream);
	if (!error)
		error = follow(ktr, stream, session.id, file);
	if (error)
		fprintf(stderr, "follow NAME FILE: %s\n", ktr_reason(ktr, error));
	ktr_stream_close(stream);
	ktr_close(ktr);
	return error || fclose(file) ? 1 : 0;
}
