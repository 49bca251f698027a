/* SPDX-License-Identifier: GPL-2.0 */
#ifndef REQUESTS_H
#define REQUESTS_H

#include "client/client.h"
#include "keep/facts_file.h"
#include "report/io_names.h"

/*
 * The disks and files of the requests in packets. Their names are looked up while the processes
 * live that have the files open, each once.
 */
struct requests {
	struct requests_seen *seen;	/* a hash */
	struct io_names names;		/* the last ones */
};

/* Adds lines for the names that a packet needs. */
void requests_look(struct requests *requests, const struct ktr_packet *packet, struct facts_file *facts);
void requests_free(struct requests *requests);

#endif
