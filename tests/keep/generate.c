// SPDX-License-Identifier: GPL-2.0
/*
 * generate FOLDER RECORDS [exits|entries] [THREADS] [CPUS] [FUNCTIONS]: writes a recording of calls
 * that a program made at random, of any size, for tests that measure. recorded.py writes small ones
 * whose figures are known.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "uapi/ktrace.h"
#include "uapi/ktrace_record.h"

#define DEEPEST 12
#define BEGIN 1000000000000ULL

struct stream {
	FILE *file;
	unsigned int cpu;
	struct ktrace_packet head;
	unsigned char bytes[KTRACE_PACKET_LEN];
	size_t len;
	uint64_t time;
};

struct thread {
	uint32_t tid;
	uint64_t begins[DEEPEST];
	uint32_t funcs[DEEPEST];
	int depth;
};

static uint64_t seed = 88172645463325252ULL;
static uint64_t nr_left;
static unsigned int nr_functions = 200;
static bool has_entries;

static uint32_t dice(uint32_t sides)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 11) % sides;
}

static void write_packet(struct stream *stream)
{
	if (stream->len == sizeof(stream->head))
		return;
	stream->head.content_bits = stream->head.packet_bits = 8 * stream->len;
	stream->head.time_end = stream->time;
	memcpy(stream->bytes, &stream->head, sizeof(stream->head));
	fwrite(stream->bytes, 1, stream->len, stream->file);
	stream->head.packet_seq++;
	stream->head.nr_records = 0;
	stream->head.time_begin = stream->time;
	stream->len = sizeof(stream->head);
}

static void put(struct stream *stream, uint32_t id, const struct thread *thread, uint64_t duration)
{
	const struct ktrace_record record = {
		.time = stream->time, .id = id, .tid = thread->tid,
		.func = thread->funcs[thread->depth], .depth = thread->depth,
	};
	size_t len = sizeof(record) + (id == KTRACE_REC_EXIT) * sizeof(duration);

	if (stream->len + len > sizeof(stream->bytes))
		write_packet(stream);
	memcpy(stream->bytes + stream->len, &record, sizeof(record));
	memcpy(stream->bytes + stream->len + sizeof(record), &duration, len - sizeof(record));
	stream->len += len;
	stream->head.nr_records++;
	nr_left -= nr_left > 0;
}

static void enter(struct stream *stream, struct thread *thread)
{
	uint32_t caller = thread->depth ? thread->funcs[thread->depth - 1] : 0;

	thread->begins[thread->depth] = stream->time;
	/* A function calls two others. */
	thread->funcs[thread->depth] = thread->depth ? (caller * 7 + dice(2) + 1) % nr_functions : 0;
	if (has_entries)
		put(stream, KTRACE_REC_ENTRY, thread, 0);
	thread->depth++;
}

static void leave(struct stream *stream, struct thread *thread)
{
	thread->depth--;
	put(stream, KTRACE_REC_EXIT, thread, stream->time - thread->begins[thread->depth]);
}

/* Some calls of one thread, which has its CPU for a while. */
static void run(struct stream *stream, struct thread *thread)
{
	int nr = 50 + dice(200);

	while (nr-- && nr_left) {
		stream->time += 20 + dice(2000);
		if (!thread->depth || (thread->depth < DEEPEST && dice(100) < 50))
			enter(stream, thread);
		else if (thread->depth > 1)
			leave(stream, thread);
	}
}

static void write_facts(FILE *file, unsigned int nr_cpus)
{
	unsigned int i;

	fprintf(file, "{\"is\":\"recording\",\"schema\":\"ktrace.recording/1\",\"version\":\"0.0.0\",\"abi\":1,\"packet_len\":%u,\"byte_order\":\"little\",\"arch\":\"x86_64\",\"host\":\"somewhere\",\"kernel\":\"7.2.0\",\"boot_id\":\"-\",\"nr_cpus\":%u,\"command\":[\"ktrace\",\"record\",\"--\",\"./prog\"],\"program\":[\"./prog\"],\"pid\":1000,\"begin\":{\"monotonic_ns\":%llu,\"realtime_ns\":1700000000000000000}}\n",
		KTRACE_PACKET_LEN, nr_cpus, BEGIN);
	fprintf(file, "{\"is\":\"session\",\"session\":0,\"folder\":\"functions\",\"provider\":\"user\",\"id\":7,\"cookie\":\"0x1122334455667788\",\"sinks\":8,\"flags\":%u,\"min_time_ns\":0,\"command\":[\"run\"],\"begin\":{\"monotonic_ns\":%llu,\"realtime_ns\":1700000000000000000}}\n",
		has_entries ? 0 : KTRACE_F_NO_ENTRIES, BEGIN);
	fprintf(file, "{\"is\":\"file\",\"session\":0,\"file\":0,\"path\":\"/usr/bin/prog\",\"build_id\":\"00\"}\n");
	for (i = 0; i < nr_functions; i++)
		fprintf(file, "{\"is\":\"function\",\"session\":0,\"func\":%u,\"name\":\"function_%u\",\"file\":0,\"offset\":%u}\n",
			i, i, 4096 + 16 * i);
}

static void open_stream(struct stream *stream, const char *folder, unsigned int cpu)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/functions/stream_%u", folder, cpu);
	stream->file = fopen(path, "w");
	stream->cpu = cpu;
	stream->time = BEGIN + cpu;
	stream->len = sizeof(stream->head);
	stream->head = (struct ktrace_packet){
		.magic = KTRACE_CTF_MAGIC, .time_begin = stream->time, .cpu_id = cpu,
		.uuid = { 7, 0, 0, 0, 0, 0, 0, 0, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11 },
	};
}

int main(int argc, char **argv)
{
	unsigned int nr_threads, nr_cpus, i;
	struct stream *streams;
	struct thread *threads;
	uint64_t end = 0;
	char path[4096];
	FILE *facts;

	if (argc < 3)
		return 2;
	nr_left = strtoull(argv[2], NULL, 0);
	has_entries = argc > 3 && !strcmp(argv[3], "entries");
	nr_threads = argc > 4 ? atoi(argv[4]) : 8;
	nr_cpus = argc > 5 ? atoi(argv[5]) : 4;
	nr_functions = argc > 6 ? atoi(argv[6]) : 200;
	mkdir(argv[1], 0700);
	snprintf(path, sizeof(path), "%s/functions", argv[1]);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/ktrace.jsonl", argv[1]);
	facts = fopen(path, "w");
	streams = calloc(nr_cpus, sizeof(*streams));
	threads = calloc(nr_threads, sizeof(*threads));
	if (!facts || !streams || !threads)
		return 1;
	write_facts(facts, nr_cpus);
	for (i = 0; i < nr_cpus; i++)
		open_stream(&streams[i], argv[1], i);
	for (i = 0; i < nr_threads; i++)
		threads[i].tid = 1000 + i;
	while (nr_left)
		for (i = 0; i < nr_threads; i++)
			run(&streams[i % nr_cpus], &threads[i]);
	for (i = 0; i < nr_threads; i++)
		for (; threads[i].depth; streams[i % nr_cpus].time += 10)
			leave(&streams[i % nr_cpus], &threads[i]);
	for (i = 0; i < nr_cpus; i++) {
		end = streams[i].time > end ? streams[i].time : end;
		write_packet(&streams[i]);
		fclose(streams[i].file);
	}
	fprintf(facts, "{\"is\":\"end\",\"session\":0,\"end\":{\"monotonic_ns\":%llu,\"realtime_ns\":1700000001000000000},\"counters\":{},\"lost\":[],\"why\":\"the program ended\"}\n",
		(unsigned long long)end);
	fclose(facts);
	return 0;
}
