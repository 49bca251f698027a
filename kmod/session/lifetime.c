// SPDX-License-Identifier: GPL-2.0
/* The lifetime of a session: when it is over, a work stops the session. */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "session/life.h"
#include "session/lifetime.h"
#include "session/sessions.h"

/* kt_session_stop() does nothing if the session was already stopped. */
static void lifetime_expiry_work(struct work_struct *work)
{
	struct kt_life *life = container_of(to_delayed_work(work), struct kt_life, expiry);

	kt_session_stop(&life->session);
	kt_session_put(&life->session);
}

void kt_lifetime_init(struct kt_session *session)
{
	INIT_DELAYED_WORK(&session->life->expiry, lifetime_expiry_work);
}

void kt_lifetime_begin(struct kt_session *session)
{
	u64 lifetime = session->config.lifetime;
	struct kt_life *life = session->life;

	if (!lifetime || life->expires)
		return;
	WRITE_ONCE(life->expires, ktime_get_ns() + lifetime);
	kref_get(&life->ref);
	if (!queue_delayed_work(kt_queue, &life->expiry, lifetime / (NSEC_PER_SEC / HZ) + 1))
		kt_session_put(session);
}

void kt_lifetime_end(struct kt_session *session)
{
	if (cancel_delayed_work_sync(&session->life->expiry))
		kt_session_put(session);
	WRITE_ONCE(session->life->expires, 0);
}
