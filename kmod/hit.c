// SPDX-License-Identifier: GPL-2.0
/* The door that every event passes: clock, shadow stack, sinks, account. */
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>

#include "clock.h"
#include "hist.h"
#include "hit.h"
#include "ring.h"
#include "session.h"
#include "shadow.h"
#include "tree.h"

#include <uapi/ktrace_record.h>

#define SAMPLE_EVERY 64	/* hits, for one whose own cost is measured */

/* A probe inside of a hit is not a hit: one word a CPU, whatever the context. */
static DEFINE_PER_CPU(int, in_hit);

void kt_hit_refill(void)
{
	kt_shadow_refill();
	kt_hist_refill();
	kt_tree_refill();
}

static struct kt_session_cpu *this_cpu_of(struct kt_session *session)
{
	return this_cpu_ptr(session->cpu);
}

static struct kt_hist *hist_of(struct kt_session *session, u32 func)
{
	struct kt_session_cpu *cpu = this_cpu_of(session);
	struct kt_hist *hist;

	if (!cpu->hist)
		return NULL;
	hist = kt_hist_get(&cpu->hist[func]);
	if (unlikely(!hist))
		cpu->counters.lost_pool++;
	return hist;
}

static void count_entry(struct kt_session *session, u32 func)
{
	struct kt_hist *hist = hist_of(session, func);

	if (hist)
		hist->stats.entries++;
}

/* One record; duration and payload are words behind the fixed part. */
static void emit(struct kt_stack *stack, u32 id, u32 func, u16 depth, u8 flags,
		 const u64 *words, u32 nr_words, u8 nr_payload)
{
	struct kt_ring *ring = stack->session->ring;
	struct ktrace_record *rec;
	struct kt_ring_slot slot;
	u32 i;

	if (!ring || !kt_ring_reserve(ring, sizeof(*rec) + nr_words * sizeof(u64), &slot))
		return;
	rec = slot.data;
	rec->time = slot.time;
	rec->id = id;
	rec->tid = stack->tid;
	rec->func = func;
	rec->depth = depth;
	rec->flags = flags;
	rec->nr_payload = nr_payload;
	for (i = 0; i < nr_words; i++)
		rec->duration[i] = words[i];
	kt_ring_commit(ring, &slot);
}

static void emit_entry(struct kt_stack *stack, struct kt_frame *frame, bool is_late)
{
	frame->flags |= KT_FRAME_EMITTED;
	emit(stack, KTRACE_REC_ENTRY, frame->func, frame->depth,
	     is_late ? KTRACE_REC_F_LATE : 0, &frame->start, is_late, is_late);
}

static u32 node_of(struct kt_session *session, const struct kt_frame *frame)
{
	return frame->flags & KT_FRAME_HAS_NODE ? frame->node : KTRACE_NODE_ROOT;
}

static void set_node(struct kt_session *session, struct kt_frame *frame)
{
	u32 parent = frame->parent ? node_of(session, frame->parent) : KTRACE_NODE_ROOT;

	frame->node = kt_tree_child(session->tree, parent, frame->func);
	frame->flags |= KT_FRAME_HAS_NODE;
}

static void enter(struct kt_stack *stack, struct kt_frame *frame)
{
	struct kt_session *session = stack->session;

	if (frame->flags & KT_FRAME_HIDDEN)
		return;
	count_entry(session, frame->func);
	/* With a minimum time nothing is known to be kept before its return. */
	if (session->config.min_time)
		return;
	if (session->tree)
		set_node(session, frame);
	if (session->ring)
		emit_entry(stack, frame, false);
}

/* A call whose return nobody sees: it takes no time and holds no frame. */
static void call(struct kt_stack *stack, u32 func)
{
	struct kt_session *session = stack->session;
	struct kt_frame *parent = stack->current_frame;
	u16 depth = parent ? parent->depth + 1 : 0;
	u32 node;

	if (depth >= session->config.max_depth)
		return;
	count_entry(session, func);
	if (session->config.min_time)
		return;
	if (session->tree) {
		node = kt_tree_child(session->tree, parent ? node_of(session, parent) :
				     KTRACE_NODE_ROOT, func);
		if (!kt_tree_add(session->tree, node, 0, 0))
			this_cpu_of(session)->counters.lost_pool++;
	}
	emit(stack, KTRACE_REC_ENTRY, func, depth, KTRACE_REC_F_NO_RETURN, NULL, 0, 0);
}

static void want(struct kt_frame *frame)
{
	for (; frame && !(frame->flags & KT_FRAME_WANTED); frame = frame->parent)
		frame->flags |= KT_FRAME_WANTED;
}

static void show_wanted(struct kt_stack *stack, struct kt_frame *frame)
{
	if (!(frame->flags & KT_FRAME_WANTED))
		return;
	if (stack->session->tree && !(frame->flags & KT_FRAME_HAS_NODE))
		set_node(stack->session, frame);
	if (stack->session->ring && !(frame->flags & KT_FRAME_EMITTED))
		emit_entry(stack, frame, true);
}

static void add_hist(struct kt_session *session, const struct kt_frame *frame, u64 duration)
{
	struct kt_hist *hist = hist_of(session, frame->func);

	if (!hist)
		return;
	if (!kt_hist_add(hist, duration))
		this_cpu_of(session)->counters.lost_pool++;
	hist->stats.self_ns += frame->self;
	if (!(frame->flags & KT_FRAME_RECURSIVE))
		hist->stats.total_ns += duration;
}

static void add_tree(struct kt_session *session, const struct kt_frame *frame, u64 duration)
{
	struct ktrace_counters *c = &this_cpu_of(session)->counters;

	if (unlikely(kt_tree_is_full(session->tree, frame->node)))
		c->lost_tree++;
	if (!kt_tree_add(session->tree, frame->node, duration, frame->self))
		c->lost_pool++;
}

void kt_hit_close(struct kt_stack *stack, struct kt_frame *frame, u64 now, u8 flags)
{
	struct kt_session *session = stack->session;
	u64 duration = now - frame->start;

	if (flags)
		this_cpu_of(session)->counters.unwound++;
	if ((frame->flags & KT_FRAME_HIDDEN) || duration < session->config.min_time)
		return;
	if (session->config.min_time) {
		want(frame);
		kt_shadow_for_each(stack, show_wanted);
	}
	add_hist(session, frame, duration);
	if (session->tree)
		add_tree(session, frame, duration);
	emit(stack, KTRACE_REC_EXIT, frame->func, frame->depth, flags, &duration, 1, 0);
}

void kt_hit_task_exit(struct kt_stack *stack)
{
	emit(stack, KTRACE_REC_TASK_EXIT, 0, 0, 0, NULL, 0, 0);
}

static void charge_self(struct kt_stack *stack, u64 now)
{
	if (stack->current_frame)
		stack->current_frame->self += now - stack->last;
	stack->last = now;
}

static void act(struct kt_session *session, struct kt_session_cpu *cpu,
		enum kt_hit_kind kind, u32 func, unsigned long sp, u64 now)
{
	struct kt_stack *stack = kt_shadow_get(session, sp);
	struct kt_frame *frame;

	if (unlikely(!stack)) {
		cpu->counters.lost_pool++;
		return;
	}
	charge_self(stack, now);
	if (kind == KT_HIT_RETURN) {
		if (!kt_shadow_pop(stack, func, sp, now))
			cpu->counters.unmatched++;
		return;
	}
	if (kind == KT_HIT_CALL) {
		call(stack, func);
		return;
	}
	frame = kt_shadow_push(stack, func, sp, now);
	if (frame)
		enter(stack, frame);
	else
		cpu->counters.lost_depth++;
}

void kt_hit(struct kt_session *session, enum kt_hit_kind kind, u32 func, unsigned long sp)
{
	struct kt_session_cpu *cpu;
	u64 now;

	preempt_disable();
	rcu_read_lock();
	cpu = this_cpu_of(session);
	if (unlikely(this_cpu_inc_return(in_hit) != 1)) {
		cpu->counters.lost_nested++;
		goto out;
	}
	now = kt_clock();
	cpu->counters.hits++;
	act(session, cpu, kind, func, sp, now);
	if (unlikely(++cpu->sample % SAMPLE_EVERY == 0)) {
		cpu->counters.run_cnt++;
		cpu->counters.run_ns += kt_clock() - now;
	}
out:
	this_cpu_dec(in_hit);
	rcu_read_unlock();
	preempt_enable();
}
