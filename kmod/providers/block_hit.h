/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_HIT_H
#define KT_BLOCK_HIT_H

/*
 * The probes of requests, and behind them those that ask who queued one. Their tables are
 * there as long as they are, which is: until end returned. Process context, sleep, one after
 * the other. 0, or a negative errno.
 */
int kt_block_hit_begin(void);
void kt_block_hit_end(void);
int kt_block_hit_begin_asking(void);
void kt_block_hit_end_asking(void);

#endif
