/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_H
#define KT_BLOCK_H

struct kt_provider;

extern const struct kt_provider kt_block_provider;

#endif
