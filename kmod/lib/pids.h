/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_PIDS_H
#define KT_PIDS_H

#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>

/*
 * Converts the number of a process from the initial namespace to ns. Returns 0 if the process has
 * no number there, or has ended; ended processes keep their numbers in the initial namespace. Any
 * context except an NMI.
 */
static inline pid_t kt_pid_in(pid_t tgid, struct pid_namespace *ns)
{
	pid_t nr;

	if (ns == &init_pid_ns)
		return tgid;
	rcu_read_lock();
	nr = pid_nr_ns(find_pid_ns(tgid, &init_pid_ns), ns);
	rcu_read_unlock();
	return nr;
}

#endif
