// SPDX-License-Identifier: GPL-2.0
/* Events of sessions, passed to one listener. */
#include <linux/compiler.h>
#include <linux/kernel.h>

#include "core/event.h"

static const struct kt_event_hook *hook;

void kt_event_set_hook(const struct kt_event_hook *to)
{
	WRITE_ONCE(hook, to);
}

bool kt_event_is_wanted(void)
{
	const struct kt_event_hook *listener = READ_ONCE(hook);

	return listener && listener->is_wanted();
}

void kt_event_tell(const struct kt_event *event)
{
	const struct kt_event_hook *listener = READ_ONCE(hook);

	if (listener && listener->is_wanted())
		listener->tell(event);
}
