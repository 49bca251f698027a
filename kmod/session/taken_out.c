// SPDX-License-Identifier: GPL-2.0
/* Functions that were removed because the session exceeded its budget. */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include "core/session.h"
#include "lib/mem.h"
#include "session/life.h"
#include "session/taken_out.h"

static size_t taken_out_len(const struct kt_session *session)
{
	return max_t(size_t, session->config.nr_funcs, 1) * sizeof(struct ktrace_taken_out);
}

int kt_taken_out_create(struct kt_session *session)
{
	if (!session->config.budget)
		return 0;
	session->life->taken_out = kt_mem_alloc(taken_out_len(session));
	return session->life->taken_out ? 0 : -ENOMEM;
}

void kt_taken_out_free(struct kt_session *session)
{
	kt_mem_free(session->life->taken_out, taken_out_len(session));
}

void kt_taken_out_set(struct kt_session *session, u32 func, const struct ktrace_taken_out *note)
{
	session->life->taken_out[func] = *note;
}

void kt_taken_out_forget(const struct kt_session *session, u32 func)
{
	if (session->life->taken_out)
		WRITE_ONCE(session->life->taken_out[func].time, 0);
}

bool kt_taken_out_get(const struct kt_session *session, u32 func, struct ktrace_taken_out *note)
{
	if (!session->life->taken_out || !READ_ONCE(session->hot.funcs[func].is_gone))
		return false;
	*note = session->life->taken_out[func];
	return note->time;
}
