/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_ATTRS_H
#define KT_ATTRS_H

#include <linux/types.h>

struct file;
struct kt_conditions;
struct kt_provider;
struct nlattr;
struct pid;

/* All: process context, sleep. A negative errno: what the sender is to hear. */

/* Of a descriptor of the sender: a regular file that he can read, with a reference. */
int kt_attrs_open(struct nlattr *attr, struct file **file);

/* How many 32-bit numbers it holds, 0 where there is none; negative: it is none of that. */
int kt_attrs_nr_numbers(const struct nlattr *attr);

/* A task by its number, or its process. */
int kt_attrs_get_pid(s32 nr, bool is_tgid, struct pid **found);

/* Processes, with references; to be freed, and put, in any case. */
int kt_attrs_get_tgids(const struct nlattr *attr, struct pid ***pids, u32 *nr);
void kt_attrs_put_pids(struct pid **pids, u32 nr);

#define KT_ATTRS_CONDITIONS (MASK(TIDS) | MASK(UIDS) | MASK(COMM) | MASK(CGROUP))
/* KT_GIVEN_*: which of them there are. */
u32 kt_attrs_conditions_given(struct nlattr **a);
/* None are given: NULL. To be freed in any case. */
int kt_attrs_get_conditions(struct nlattr **a, struct kt_conditions **conditions);

/* Some tasks and no others, which not every provider can tell apart. */
bool kt_attrs_is_choice_good(const struct kt_provider *provider, struct nlattr **a);

#endif
