// SPDX-License-Identifier: GPL-2.0
/* Memory of all sessions, bounded by one parameter. */
#include <linux/atomic.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "lib/mem.h"

static unsigned int max_mem = 256;
module_param(max_mem, uint, 0644);
MODULE_PARM_DESC(max_mem, "memory of all sessions at most, MiB (default 256)");

static atomic64_t used = ATOMIC64_INIT(0);

bool kt_mem_charge(size_t len)
{
	if (atomic64_add_return(len, &used) <= kt_mem_max())
		return true;
	atomic64_sub(len, &used);
	return false;
}

void kt_mem_uncharge(size_t len)
{
	atomic64_sub(len, &used);
}

void *kt_mem_alloc(size_t len)
{
	void *p;

	if (!kt_mem_charge(len))
		return NULL;
	p = kvzalloc(len, GFP_KERNEL);
	if (!p)
		kt_mem_uncharge(len);
	return p;
}

void kt_mem_free(void *p, size_t len)
{
	if (!p)
		return;
	kvfree(p);
	kt_mem_uncharge(len);
}

u64 kt_mem_used(void)
{
	return atomic64_read(&used);
}

u64 kt_mem_max(void)
{
	return (u64)READ_ONCE(max_mem) << 20;
}
