// SPDX-License-Identifier: GPL-2.0
/*
 * The bio that another one was cloned from. Drivers such as dm and md clone the bios that they get,
 * and queue the clones on the disks below. A clone shares the list of pages with its source, which
 * is in flight until the clone has ended. So the source is found by the address of this list.
 *
 * A slot has the bio that was queued last with a list of this hash. Another bio may have taken the
 * slot, or the bio may have ended. So the bio is used only if it has stamps, which it loses when
 * it ends, and if it still has the same list.
 */
#include <linux/bio.h>
#include <linux/hash.h>
#include <linux/uaccess.h>

#include "compat/rcu.h"
#include "lib/mem.h"
#include "providers/block_clone.h"
#include "providers/block_request.h"

#define SLOTS_ORDER 12
#define SLOTS_LEN (sizeof(struct bio *) << SLOTS_ORDER)

static struct bio **block_clone_slots __read_mostly;

bool kt_block_clone_create(void)
{
	struct bio **made = kt_mem_alloc(SLOTS_LEN);

	WRITE_ONCE(block_clone_slots, made);
	return made;
}

void kt_block_clone_free(void)
{
	struct bio **old = block_clone_slots;

	WRITE_ONCE(block_clone_slots, NULL);
	kt_wait_for_hits();
	kt_mem_free(old, SLOTS_LEN);
}

static struct bio **block_clone_slot_of(const struct bio_vec *pages)
{
	struct bio **slots = READ_ONCE(block_clone_slots);

	return slots && pages ? &slots[hash_ptr((void *)pages, SLOTS_ORDER)] : NULL;
}

void kt_block_clone_note(struct bio *bio)
{
	struct bio **slot = block_clone_slot_of(bio->bi_io_vec);

	if (slot)
		WRITE_ONCE(*slot, bio);
}

struct kt_block_stamps *kt_block_clone_source(struct bio *bio)
{
	struct bio **slot = block_clone_slot_of(bio->bi_io_vec), *source;
	struct kt_block_stamps *stamps;
	struct bio_vec *pages;

	source = slot && bio_flagged(bio, BIO_CLONED) ? READ_ONCE(*slot) : NULL;
	stamps = source && source != bio ? kt_block_stamps_find(source) : NULL;
	if (!stamps || get_kernel_nofault(pages, &source->bi_io_vec) || pages != bio->bi_io_vec)
		return NULL;
	return stamps;
}
