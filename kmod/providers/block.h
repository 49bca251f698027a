/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_H
#define KT_BLOCK_H

struct kt_peers;
struct kt_provider;

extern struct kt_peers kt_block_peers;	/* sessions that count disk requests */
extern const struct kt_provider kt_block_provider;

#endif
