// SPDX-License-Identifier: GPL-2.0
/* Waits for a session, deletes it, and explains why the module refuses it. */
#include <errno.h>

#include "session/wait.h"
#include "util/signals.h"

/* The time limit covers notices that were lost. */
void session_wait(struct knl *nl)
{
	signals_wait(knl_notice_fd(nl), 50);
	knl_notices_drain(nl);
}

int session_delete(struct knl *nl, uint64_t id)
{
	struct knl_session session;
	int error;

	knl_notice_fd(nl);
	error = knl_session_del(nl, id);
	if (error && error != -EBUSY)
		return error;
	while (!knl_session_get(nl, id, &session))
		session_wait(nl);
	return 0;
}

int session_explain_memory(struct knl *nl, const char *what, struct err *err)
{
	struct knl_info info;

	knl_info(nl, &info);
	return err_set(err, "%s would exceed the module's memory limit (max_mem %llu MiB, %llu MiB in use); detach sessions, or raise /sys/module/ktrace/parameters/max_mem.",
		       what, (unsigned long long)info.limits.max_mem >> 20,
		       (unsigned long long)info.mem >> 20);
}

int session_explain_probes(struct knl *nl, int error, struct err *err)
{
	struct knl_info info;

	if (error == -ENOMEM)
		return session_explain_memory(nl, "The session", err);
	if (error != -E2BIG || knl_info(nl, &info))
		return err_set(err, "The module refuses the probes: %s.", knl_reason(nl, error));
	return err_set(err, "One session may probe at most %u sites; name fewer functions with -f, or raise /sys/module/ktrace/parameters/max_sites.",
		       info.limits.max_sites);
}
