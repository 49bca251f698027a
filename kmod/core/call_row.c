// SPDX-License-Identifier: GPL-2.0
/*
 * Rows by chosen keys, of the task whose call ends. A session with a table is not plain (kt_hot),
 * so that the usual return of other sessions does not pass here.
 */
#include <linux/sched.h>

#include "core/call.h"
#include "core/figures.h"
#include "core/hist.h"
#include "core/session.h"
#include "core/shadow.h"
#include "core/table.h"
#include "lib/ticks.h"

static struct kt_table_event row_event_of(const struct kt_shadow *stack, u32 func)
{
	return (struct kt_table_event){
		.who = stack->who ? stack->who : current, .func = func, .now = kt_ticks(),
	};
}

struct kt_hist *kt_call_row(struct kt_shadow *stack, u32 func, u32 nr_calls)
{
	struct kt_table *table = kt_figures_table(stack->session);
	struct kt_table_event event;
	struct kt_hist *row;

	if (!table)
		return NULL;
	event = row_event_of(stack, func);
	row = kt_table_row(table, &event, nr_calls,
			   &kt_session_this_cpu(stack->session)->counters);
	if (row)
		row->entries += nr_calls;
	return row;
}

void kt_call_add_row(struct kt_shadow *stack, const struct kt_frame *frame, u64 duration)
{
	bool is_inner = (frame->flags & KT_FRAME_RECURSIVE) &&
			kt_shadow_is_recursive(stack, frame->parent, frame->func);
	struct kt_table_event event = row_event_of(stack, frame->func);
	struct kt_hist *row = kt_table_count(kt_figures_table(stack->session), &event, duration,
					     &kt_session_this_cpu(stack->session)->counters);

	if (!row)
		return;
	row->entries++;
	row->self_ns += frame->self;
	row->nested_ns += is_inner ? duration : 0;
}
