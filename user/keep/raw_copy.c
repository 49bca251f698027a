// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "keep/packet_files.h"
#include "keep/raw_copy.h"
#include "util/mem.h"

struct raw_copy {
	struct packet_files files;
	unsigned char uuid[16];
	int error;		/* the first errno, or 0 */
	struct raw_cpu {
		unsigned char *packet;	/* NULL: the CPU has had no records so far */
		size_t len;
		uint64_t discarded;	/* of the last packet */
	} *cpus;
	unsigned int nr_cpus;
};

struct raw_copy *raw_copy_create(int folder, const struct raw_trace *trace)
{
	struct raw_copy *copy = mem_alloc(sizeof(*copy));

	copy->files.folder = folder;
	memcpy(copy->uuid, &trace->session->id, 8);
	memcpy(copy->uuid + 8, &trace->session->cookie, 8);
	copy->error = -raw_metadata_write(folder, trace);
	return copy;
}

/* --- packets -------------------------------------------------------------------- */

static struct raw_cpu *cpu_of(struct raw_copy *copy, uint32_t nr)
{
	struct raw_cpu *cpu;

	nr = nr < RAW_MOST_CPUS ? nr : RAW_MOST_CPUS - 1;
	for (; copy->nr_cpus <= nr; copy->nr_cpus++)
		copy->cpus = mem_grow(copy->cpus, copy->nr_cpus, sizeof(*copy->cpus));
	cpu = &copy->cpus[nr];
	if (cpu->packet)
		return cpu;
	cpu->packet = mem_alloc(KTRACE_PACKET_LEN);
	cpu->len = sizeof(struct ktrace_packet);
	*(struct ktrace_packet *)cpu->packet = (struct ktrace_packet){
		.magic = KTRACE_CTF_MAGIC, .cpu_id = nr,
	};
	memcpy(((struct ktrace_packet *)cpu->packet)->uuid, copy->uuid, sizeof(copy->uuid));
	return cpu;
}

static void write_packet(struct raw_copy *copy, struct raw_cpu *cpu)
{
	struct ktrace_packet *head = (void *)cpu->packet;
	struct ktr_packet packet = { .cpu = head->cpu_id, .data = head, .len = cpu->len };

	if (copy->error || (!head->nr_records && head->events_discarded == cpu->discarded))
		return;
	head->content_bits = head->packet_bits = 8 * cpu->len;
	copy->error = -packet_files_write(&copy->files, &packet);
	cpu->discarded = head->events_discarded;
	cpu->len = sizeof(*head);
	head->packet_seq++;
	head->nr_records = 0;
	head->time_begin = head->time_end;
}

void raw_copy_take(struct raw_copy *copy, const struct packets *packets)
{
	struct ktrace_packet *head;
	struct ktrace_record *record;
	struct raw_cpu *cpu;

	/* A packet that could not be written is still full. */
	if (copy->error)
		return;
	cpu = cpu_of(copy, packets->cpu);
	head = (void *)cpu->packet;
	if (!packets->record) {
		write_packet(copy, cpu);
		head->events_discarded += packets->missing ? packets->missing : 1;
		return;
	}
	if (cpu->len + packets->record_len > KTRACE_PACKET_LEN)
		write_packet(copy, cpu);
	if (copy->error)
		return;
	record = (void *)(cpu->packet + cpu->len);
	memcpy(record, packets->record, packets->record_len);
	record->time = packets->time;
	cpu->len += packets->record_len;
	head->time_end = packets->time;
	if (!head->nr_records++)
		head->time_begin = packets->time;
}

int raw_copy_finish(struct raw_copy *copy)
{
	unsigned int i;
	int error;

	for (i = 0; i < copy->nr_cpus; i++)
		if (copy->cpus[i].packet)
			write_packet(copy, &copy->cpus[i]);
	if (!copy->error)
		copy->error = -packet_files_sync(&copy->files);
	for (i = 0; i < copy->nr_cpus; i++)
		free(copy->cpus[i].packet);
	error = copy->error;
	packet_files_close(&copy->files);
	close(copy->files.folder);
	free(copy->cpus);
	free(copy);
	return error;
}
