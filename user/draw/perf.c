// SPDX-License-Identifier: GPL-2.0
#include <endian.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "draw/draw.h"
#include "draw/perf.h"
#include "util/mem.h"

/*
 * The files have addresses of our own, far apart from each other, in one process: those of the traced
 * processes do not matter to perf, which only needs to get from an address to a place in a file.
 */
#define FIRST_ADDRESS 0x100000000000ULL
#define BETWEEN_FILES 0x1000000000ULL	/* 64 GiB: places further behind are left out */
#define MMAP_BUILD_ID (1 << 14)		/* PERF_RECORD_MISC_MMAP_BUILD_ID of Linux 5.12 */
#define MOST_FILES 1024
#define MOST_FRAMES 120			/* perf's own limit is 127 */
#define LONGEST_PATH 4095
#define BUILD_ID_LEN 20

/* The file's head (PERFILE2), as tools/perf/Documentation/perf.data-file-format.txt describes it. */
struct section {
	uint64_t offset, size;
};

struct file_head {
	char magic[8];
	uint64_t size, attr_size;
	struct section attrs, data, event_types;
	uint64_t features[4];
};

struct file_attr {
	struct perf_event_attr attr;
	struct section ids;
};

struct mapping {
	struct perf_event_header head;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint8_t build_id_len, pad1;
	uint16_t pad2;
	uint8_t build_id[BUILD_ID_LEN];
	uint32_t prot, flags;
};

struct sample {
	struct perf_event_header head;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time, period, nr;
};

struct fork {
	struct perf_event_header head;
	uint32_t pid, parent, tid, parent_tid;
	uint64_t time;
};

struct perf {
	FILE *out;
	uint32_t pid;
	uint32_t first_pid, nr_tasks;
	bool has_kernel;
	uint64_t end_ns, lost_ns;
	uint32_t nr_files;
	char *data;		/* the section of events */
	size_t len;
	FILE *memory;
};

_Static_assert(sizeof(struct file_head) == 104, "PERFILE2");

static void put(struct perf *perf, const void *bytes, size_t len)
{
	fwrite(bytes, 1, len, perf->memory);
}

/* Puts a text with its end, padded to 8 bytes. */
static void put_text(struct perf *perf, const char *text, size_t len)
{
	static const char zeroes[8];

	put(perf, text, len);
	put(perf, zeroes, 8 - len % 8);
}

static void put_comm(struct perf *perf, const char *comm)
{
	size_t len = strnlen(comm, 15);
	struct {
		struct perf_event_header head;
		uint32_t pid, tid;
	} name = {
		{ PERF_RECORD_COMM, 0, sizeof(name) + len + 8 - len % 8 }, perf->pid, perf->pid,
	};

	put(perf, &name, sizeof(name));
	put_text(perf, comm, len);
}

struct perf *perf_create(FILE *out, uint32_t pid, const char *comm, uint64_t end_ns)
{
	struct perf *perf = mem_alloc(sizeof(*perf));

	perf->out = out;
	perf->pid = perf->first_pid = pid;
	perf->end_ns = end_ns;
	perf->memory = open_memstream(&perf->data, &perf->len);
	put_comm(perf, comm);
	return perf;
}

/* perf gives a new process the files of its parent. */
uint32_t perf_task(struct perf *perf, const char *comm)
{
	struct fork fork = {
		.head = { PERF_RECORD_FORK, 0, sizeof(fork) },
		.parent = perf->first_pid, .parent_tid = perf->first_pid,
	};

	perf->pid = fork.pid = fork.tid = perf->first_pid + ++perf->nr_tasks;
	put(perf, &fork, sizeof(fork));
	put_comm(perf, comm);
	return perf->nr_tasks;
}

void perf_choose(struct perf *perf, uint32_t task)
{
	perf->pid = perf->first_pid + task;
}

void perf_kernel(struct perf *perf, uint64_t start, uint64_t end)
{
	static const char name[] = "[kernel.kallsyms]_text";
	struct {
		struct perf_event_header head;
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
	} mapping = {
		{ PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL,
		  sizeof(mapping) + sizeof(name) + 7 - (sizeof(name) - 1) % 8 },
		UINT32_MAX, 0, start, (end > start ? end : UINT64_MAX) - start, start,
	};

	perf->has_kernel = true;
	put(perf, &mapping, sizeof(mapping));
	put_text(perf, name, sizeof(name) - 1);
}

static uint8_t digit(char c)
{
	return c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
}

static void set_build_id(struct mapping *mapping, const char *hex)
{
	size_t i, len = strspn(hex, "0123456789abcdefABCDEF") / 2;

	if (hex[2 * len] || !len || len > BUILD_ID_LEN)
		return;
	for (i = 0; i < len; i++)
		mapping->build_id[i] = digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]);
	mapping->build_id_len = len;
	mapping->head.misc |= MMAP_BUILD_ID;
}

static uint64_t address_of(uint32_t file)
{
	return FIRST_ADDRESS + file * BETWEEN_FILES;
}

void perf_file(struct perf *perf, const struct perf_file *file)
{
	size_t len = file->path ? strnlen(file->path, LONGEST_PATH) : 0;
	struct mapping mapping = {
		.head = { PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, sizeof(mapping) + len + 8 - len % 8 },
		.pid = perf->pid, .tid = perf->pid, .addr = address_of(perf->nr_files),
		.len = BETWEEN_FILES, .prot = 5, .flags = 2,
	};

	if (perf->nr_files++ >= MOST_FILES || !len)
		return;
	if (file->build_id)
		set_build_id(&mapping, file->build_id);
	put(perf, &mapping, sizeof(mapping));
	put_text(perf, file->path, len);
}

/* Returns 0 if the place is in no file. */
static uint64_t address_in(const struct perf_place *place)
{
	if (place->file == PERF_KERNEL)
		return place->offset;
	return place->file < MOST_FILES && place->offset < BETWEEN_FILES - 1 ?
	       address_of(place->file) + place->offset : 0;
}

/*
 * Fills the chain: the innermost function first, with a mark in front of those of the kernel, and of
 * those of the program. A return address lies behind the first instruction of the function. Returns
 * the length.
 */
static size_t fill(uint64_t chain[MOST_FRAMES + 2], const struct perf_place *path, size_t nr)
{
	uint64_t context = 0, of, address;
	bool is_first = true;
	size_t len = 0;

	for (; nr && len < MOST_FRAMES; nr--) {
		address = address_in(&path[nr - 1]);
		if (!address)
			continue;
		of = path[nr - 1].file == PERF_KERNEL ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER;
		if (of != context)
			chain[len++] = context = of;
		chain[len++] = address + !is_first;
		is_first = false;
	}
	return len;
}

void perf_path(struct perf *perf, const struct perf_place *path, size_t nr, uint64_t self_ns)
{
	uint64_t chain[MOST_FRAMES + 2];
	struct sample sample = {
		.head = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 0 }, .pid = perf->pid,
		.tid = perf->pid, .time = perf->end_ns, .period = self_ns,
	};

	if (!self_ns)
		return;
	sample.nr = fill(chain, path, nr);
	if (!sample.nr) {
		perf->lost_ns += self_ns;
		return;
	}
	if (chain[0] == (uint64_t)PERF_CONTEXT_KERNEL)
		sample.head.misc = PERF_RECORD_MISC_KERNEL;
	sample.ip = chain[1];
	sample.head.size = sizeof(sample) + sample.nr * sizeof(*chain);
	put(perf, &sample, sizeof(sample));
	put(perf, chain, sample.nr * sizeof(*chain));
}

uint64_t perf_end(struct perf *perf)
{
	struct file_attr attr = {
		.attr = {
			.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr.attr),
			.config = PERF_COUNT_SW_CPU_CLOCK, .freq = 0, .sample_period = 1,
			.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				       PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
			.sample_id_all = 0, .exclude_kernel = !perf->has_kernel, .mmap = 1, .mmap2 = 1, .comm = 1,
		},
	};
	struct file_head head = {
		.magic = "PERFILE2", .size = sizeof(head), .attr_size = sizeof(attr),
		.attrs = { sizeof(head), sizeof(attr) },
	};
	uint64_t lost_ns = perf->lost_ns;

	fclose(perf->memory);
	head.data = (struct section){ sizeof(head) + sizeof(attr), perf->len };
	fwrite(&head, sizeof(head), 1, perf->out);
	fwrite(&attr, sizeof(attr), 1, perf->out);
	fwrite(perf->data, 1, perf->len, perf->out);
	free(perf->data);
	free(perf);
	return lost_ns;
}

const struct output_format format_perf = {
	.name = "perf",
	.kinds = FORMATS_OF_RECORDINGS "|" FORMATS_OF_SAMPLES,
	.is_data = true,
	.is_one = true,
};
