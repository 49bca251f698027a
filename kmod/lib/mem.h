/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_MEM_H
#define KT_MEM_H

#include <linux/types.h>

/*
 * All memory of sessions is charged against the module parameter max_mem.
 * Process context, may sleep.
 */
bool kt_mem_charge(size_t len);
void kt_mem_uncharge(size_t len);
void *kt_mem_alloc(size_t len);		/* zeroed; NULL if there is no memory, or over max_mem */
void kt_mem_free(void *p, size_t len);
u64 kt_mem_used(void);
u64 kt_mem_max(void);

#endif
