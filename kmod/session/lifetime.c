// SPDX-License-Identifier: GPL-2.0
/* Sessions that stop by themselves. */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "session.h"
#include "session/lifetime.h"

/* Somebody may have stopped it meanwhile. */
static void expiry_work(struct work_struct *work)
{
	struct kt_session *session = container_of(to_delayed_work(work), struct kt_session,
						  expiry);

	kt_session_stop(session);
	kt_session_put(session);
}

void kt_lifetime_init(struct kt_session *session)
{
	INIT_DELAYED_WORK(&session->expiry, expiry_work);
}

void kt_lifetime_begin(struct kt_session *session)
{
	u64 lifetime = session->config.lifetime;

	if (!lifetime || session->expires)
		return;
	WRITE_ONCE(session->expires, ktime_get_ns() + lifetime);
	kref_get(&session->ref);
	queue_delayed_work(kt_queue, &session->expiry, lifetime / (NSEC_PER_SEC / HZ) + 1);
}

void kt_lifetime_end(struct kt_session *session)
{
	if (cancel_delayed_work_sync(&session->expiry))
		kt_session_put(session);
}

u64 kt_lifetime_left(const struct kt_session *session)
{
	u64 expires = READ_ONCE(session->expires), now = ktime_get_ns();

	if (!expires || READ_ONCE(session->state) == KTRACE_STATE_STOPPED)
		return U64_MAX;
	return expires > now ? expires - now : 0;
}
