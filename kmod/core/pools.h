/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_POOLS_H
#define KT_POOLS_H

/*
 * Memory in pools counts against max_mem. Shrinking keeps what the next hits may need; emptying
 * is for the end of the last session. Process context.
 */
void kt_pools_shrink(void);
void kt_pools_empty(void);

#endif
