/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_HIT_H
#define KT_BLOCK_HIT_H

/*
 * Attach and detach the probes of requests and, after them, the probe that notes tasks and files.
 * The caller makes the tables before begin, and frees them after end has returned. Process
 * context, may sleep, serialized by the caller. Begin returns 0 or a negative errno.
 */
int kt_block_hit_begin(void);
void kt_block_hit_end(void);
int kt_block_hit_begin_asking(void);
void kt_block_hit_end_asking(void);

#endif
