/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_ATTRS_H
#define KT_ATTRS_H

#include <linux/types.h>

struct file;
struct nlattr;
struct pid;

/*
 * All functions: process context of the sender, may sleep. The sender gets a negative errno as the
 * answer.
 */

/* Return the number in an attribute, or fallback if attr is NULL. */
u32 kt_attrs_u32(const struct nlattr *attr, u32 fallback);
u64 kt_attrs_u64(const struct nlattr *attr, u64 fallback);

/*
 * Returns how many 32-bit numbers the attribute contains, or 0 if attr is NULL. Returns -EINVAL if
 * its length is no multiple of 4, or if it contains more than KTRACE_MAX_PIDS numbers.
 */
int kt_attrs_nr_numbers(const struct nlattr *attr);

/*
 * Gets the file of a descriptor of the sender, with a reference. Returns -EBADF if the descriptor
 * is not open, -EINVAL if it is not a regular file that is open for reading.
 */
int kt_attrs_open(const struct nlattr *attr, struct file **file);

/*
 * Finds a task by its number in the pid namespace of the sender. Gets the pid of the task, or with
 * is_tgid of its process, with a reference. Returns -ESRCH if there is no such task.
 */
int kt_attrs_get_pid(s32 nr, bool is_tgid, struct pid **found);

#endif
