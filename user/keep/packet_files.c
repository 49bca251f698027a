// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "keep/packet_files.h"
#include "util/mem.h"
#include "util/own_folder.h"

static int create(struct packet_files *packets, unsigned int cpu)
{
	char name[32];

	snprintf(name, sizeof(name), "stream_%u", cpu);
	packets->has_new_files = true;
	return own_folder_create(packets->folder, name);
}

/* Returns NULL with errno set if the file cannot be created. */
static struct packet_file *file_of(struct packet_files *packets, unsigned int cpu)
{
	struct packet_file *file;

	for (; packets->nr_cpus <= cpu; packets->nr_cpus++) {
		packets->cpus = mem_grow(packets->cpus, packets->nr_cpus, sizeof(*packets->cpus));
		packets->cpus[packets->nr_cpus].fd = -1;
	}
	file = &packets->cpus[cpu];
	if (file->fd < 0)
		file->fd = create(packets, cpu);
	return file->fd < 0 ? NULL : file;
}

int packet_files_write(struct packet_files *packets, const struct ktr_packet *packet)
{
	struct packet_file *file = file_of(packets, packet->cpu);
	int error;

	if (!file)
		return -errno;
	file->is_unsynced = true;
	/* A part of a packet must not stay: readers would stop there. */
	error = own_folder_append(file->fd, file->len, packet->data, packet->len);
	file->len += error ? 0 : packet->len;
	return error;
}

/* EINVAL means that the file system has nothing to synchronize. */
static int sync_error(int error)
{
	return error && errno != EINVAL ? -errno : 0;
}

int packet_files_sync(struct packet_files *packets)
{
	struct packet_file *file;
	int error = 0;

	for (file = packets->cpus; file < packets->cpus + packets->nr_cpus && !error; file++) {
		if (!file->is_unsynced)
			continue;
		error = sync_error(fdatasync(file->fd));
		file->is_unsynced = error;
	}
	if (packets->has_new_files && !error)
		error = sync_error(fsync(packets->folder));
	if (!error)
		packets->has_new_files = false;
	return error;
}

void packet_files_close(struct packet_files *packets)
{
	unsigned int cpu;

	for (cpu = 0; cpu < packets->nr_cpus; cpu++)
		if (packets->cpus[cpu].fd >= 0)
			close(packets->cpus[cpu].fd);
	free(packets->cpus);
	packets->cpus = NULL;
	packets->nr_cpus = 0;
}
