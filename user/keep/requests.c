// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "keep/documents.h"
#include "keep/requests.h"
#include "util/hash.h"

#define MOST 65536	/* files whose names are kept; those of later files are not looked up */

/* A disk has no inode. */
struct requests_key {
	uint64_t ino;
	uint64_t dev;
};

struct requests_seen {
	struct requests_key key;
	UT_hash_handle hh;
};

/* Returns true the first time that it is called for a file or disk. */
static bool is_new(struct requests *requests, uint64_t dev, uint64_t ino)
{
	struct requests_key key = { ino, dev };
	struct requests_seen *seen;

	HASH_FIND(hh, requests->seen, &key, sizeof(key), seen);
	if (seen || HASH_COUNT(requests->seen) >= MOST)
		return false;
	seen = mem_alloc(sizeof(*seen));
	seen->key = key;
	HASH_ADD(hh, requests->seen, key, sizeof(key), seen);
	return true;
}

static void look(struct requests *requests, const struct ktr_record *record, struct facts_file *facts)
{
	const struct ktrace_request_record *request = (const void *)record->payload;
	bool is_new_disk = is_new(requests, request->dev, 0);
	bool is_new_file = request->inode && is_new(requests, request->file_dev, request->inode);

	if (!is_new_disk && !is_new_file)
		return;
	io_names_fill(&requests->names, request, record->time);
	if (is_new_disk)
		facts_file_put(facts, document_disk(request->dev, requests->names.disk));
	if (is_new_file && requests->names.path[0])
		facts_file_put(facts, document_inode(request->file_dev, request->inode,
						requests->names.path));
}

void requests_look(struct requests *requests, const struct ktr_packet *packet, struct facts_file *facts)
{
	struct ktr_record record;
	size_t at = 0;

	while (ktr_record_next(packet->data, packet->len, &at, &record) > 0)
		if (record.id == KTRACE_REC_REQUEST &&
		    8 * record.nr_payload >= sizeof(struct ktrace_request_record))
			look(requests, &record, facts);
}

void requests_free(struct requests *requests)
{
	struct requests_seen *seen, *next;

	HASH_ITER(hh, requests->seen, seen, next) {
		HASH_DEL(requests->seen, seen);
		free(seen);
	}
}
