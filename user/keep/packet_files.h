/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PACKET_FILES_H
#define PACKET_FILES_H

#include <stdbool.h>
#include <sys/types.h>

#include "client/client.h"

/*
 * The packets of a session on the disk: one file per CPU, "stream_0" and so on, in which whole
 * packets follow each other as the module made them.
 */
struct packet_files {
	int folder;
	struct packet_file {
		int fd;			/* -1: the CPU has had no packets so far */
		off_t len;		/* of whole packets */
		bool is_unsynced;
	} *cpus;
	unsigned int nr_cpus;
	bool has_new_files;		/* the folder is not on the disk yet */
};

/*
 * Appends a packet with one write. If not all of it can be written, the file is cut behind its last
 * whole packet. Returns 0 or a negative errno.
 */
int packet_files_write(struct packet_files *packets, const struct ktr_packet *packet);

/* Waits until all packets are on the disk. Returns 0 or a negative errno. */
int packet_files_sync(struct packet_files *packets);

void packet_files_close(struct packet_files *packets);

#endif
