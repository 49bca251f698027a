/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_ATTRS_H
#define KT_ATTRS_H

#include <linux/types.h>

struct file;
struct nlattr;
struct pid;

/* All: process context, sleep. A negative errno is the answer to the sender. */

/* What a number holds, or the fallback for NULL. */
u32 kt_attrs_u32(const struct nlattr *attr, u32 fallback);
u64 kt_attrs_u64(const struct nlattr *attr, u64 fallback);

/* How many 32-bit numbers it holds, 0 for NULL; negative: it holds something else. */
int kt_attrs_nr_numbers(const struct nlattr *attr);

/* Of a descriptor of the sender: a regular file that is open for reading, with a reference. */
int kt_attrs_open(const struct nlattr *attr, struct file **file);

/* A task by its number, or its process. */
int kt_attrs_get_pid(s32 nr, bool is_tgid, struct pid **found);

#endif
