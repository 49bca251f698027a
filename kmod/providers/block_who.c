// SPDX-License-Identifier: GPL-2.0
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/uidgid.h>

#include "compat/bio_cgroup.h"
#include "compat/rcu.h"
#include "lib/mem.h"
#include "providers/block_who.h"

#define TABLE_LEN (sizeof(struct kt_block_who) << KT_BLOCK_TABLE_ORDER)

static struct kt_block_who *table __read_mostly;

bool kt_block_who_create(void)
{
	struct kt_block_who *made = kt_mem_alloc(TABLE_LEN);

	WRITE_ONCE(table, made);
	return made;
}

void kt_block_who_free(void)
{
	struct kt_block_who *old = table;

	WRITE_ONCE(table, NULL);
	kt_wait_for_hits();
	kt_mem_free(old, TABLE_LEN);
}

static struct kt_block_who *block_who_place_of(const struct kt_block_stamps *stamps)
{
	struct kt_block_who *all = READ_ONCE(table);

	return all ? &all[kt_block_stamps_number(stamps)] : NULL;
}

static void block_who_take_current(struct kt_block_who *who)
{
	who->tid = current->pid;
	who->tgid = current->tgid;
	who->uid = __kuid_val(__task_cred(current)->uid);
	memcpy(who->comm, current->comm, sizeof(who->comm));
	memcpy(who->process, current->group_leader->comm, sizeof(who->process));
	who->off = kt_off_cpu_mark();
}

/* A bio that an interrupt queues does not count for the interrupted task. */
void kt_block_who_note(const struct kt_block_stamps *stamps, struct bio *bio,
		       const struct inode *inode)
{
	struct kt_block_who who = { .queued = stamps->queued, .uid = KT_BLOCK_NO_UID };
	struct kt_block_who *place = block_who_place_of(stamps);

	if (!place)
		return;
	if (!in_interrupt())
		block_who_take_current(&who);
	who.cgroup = kt_bio_cgroup(bio, !in_interrupt());
	if (inode) {
		who.inode = inode->i_ino;
		who.file_dev = MAJOR(inode->i_sb->s_dev) << 20 | MINOR(inode->i_sb->s_dev);
	}
	*place = who;
}

void kt_block_who_note_source(const struct kt_block_stamps *stamps,
			      const struct kt_block_stamps *source)
{
	const struct kt_block_who *of = kt_block_who_get(source);
	struct kt_block_who *place = block_who_place_of(stamps);

	if (!place)
		return;
	place->inode = of->inode;
	place->file_dev = of->file_dev;
}

void kt_block_who_note_stack(const struct kt_block_stamps *stamps, u64 key)
{
	struct kt_block_who *place = block_who_place_of(stamps);

	if (place)
		place->stack = key;
}

const struct kt_block_who *kt_block_who_get(const struct kt_block_stamps *stamps)
{
	const struct kt_block_who *place = block_who_place_of(stamps);
	static const struct kt_block_who unknown = { .uid = KT_BLOCK_NO_UID };

	return place && place->queued == stamps->queued ? place : &unknown;
}

void kt_block_who_copy(const struct kt_block_stamps *to, const struct kt_block_stamps *from)
{
	struct kt_block_who *place = block_who_place_of(to);

	if (place)
		*place = *kt_block_who_get(from);
}

void kt_block_who_put(const struct kt_block_stamps *stamps, const struct kt_block_who *who)
{
	struct kt_block_who *place = block_who_place_of(stamps);

	if (place)
		*place = *who;
}
