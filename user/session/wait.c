// SPDX-License-Identifier: GPL-2.0
/* Waits for a session, deletes it, and explains why the module refuses it. */
#include <errno.h>

#include "session/wait.h"
#include "util/signals.h"

/* The time limit covers notices that were lost. */
void session_wait(struct ktr *ktr)
{
	signals_wait(ktr_notice_fd(ktr), 50);
	ktr_notices_drain(ktr);
}

int session_delete(struct ktr *ktr, uint64_t id)
{
	struct ktr_session session;
	int error;

	ktr_notice_fd(ktr);
	error = ktr_session_delete(ktr, id);
	if (error && error != -EBUSY)
		return error;
	while (!ktr_session_get(ktr, id, &session))
		session_wait(ktr);
	return 0;
}

int session_explain_memory(struct ktr *ktr, const char *what, struct err *err)
{
	struct ktr_info info;

	ktr_info(ktr, &info);
	return err_set(err, "%s would exceed the module's memory limit (max_mem %llu MiB, %llu MiB in use); detach sessions, or raise /sys/module/ktrace/parameters/max_mem.",
		       what, (unsigned long long)info.limits.max_mem >> 20,
		       (unsigned long long)info.mem >> 20);
}

int session_explain_probes(struct ktr *ktr, int error, struct err *err)
{
	struct ktr_info info;

	if (error == -ENOMEM)
		return session_explain_memory(ktr, "The session", err);
	if (error != -E2BIG || ktr_info(ktr, &info))
		return err_set(err, "The module refuses the probes: %s.", ktr_reason(ktr, error));
	return err_set(err, "One session may probe at most %u sites; name fewer functions with -f, or raise /sys/module/ktrace/parameters/max_sites.",
		       info.limits.max_sites);
}
