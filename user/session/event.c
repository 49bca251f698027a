// SPDX-License-Identifier: GPL-2.0
#include "session/event.h"

const char *event_mark(const struct ktr_record *event)
{
	bool is_bound = event->id == EVENT_EXIT && (event->flags & KTRACE_REC_F_AT_MOST);

	if (event->flags & KTRACE_REC_F_KILLED)
		return is_bound ? "ended with the thread, at most" : "ended with the thread";
	if (event->flags & KTRACE_REC_F_UNWOUND)
		return is_bound ? "unwound, at most" : "unwound";
	if (event->id == EVENT_EXIT && (event->flags & KTRACE_REC_F_OPEN))
		return is_bound ? "still open, or ended before" : "still open";
	if (event->flags & KTRACE_REC_F_INHERITED)
		return "entered by the parent";
	if (event->flags & KTRACE_REC_F_NO_RETURN)
		return "return not seen";
	return is_bound ? "at most" : NULL;
}
