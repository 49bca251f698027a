// SPDX-License-Identifier: GPL-2.0
/* Hits of user functions and of kernel call trees: clock, shadow stack, sinks, counters. */
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "compat/kernel.h"
#include "core/chain.h"
#include "core/costs.h"
#include "core/figures.h"
#include "core/hist.h"
#include "core/hit.h"
#include "core/hit_parts.h"
#include "core/record.h"
#include "core/session.h"
#include "core/shadow.h"
#include "core/tree.h"
#include "core/value.h"
#include "lib/clock.h"

#include <uapi/ktrace_record.h>

enum hit_kind {
	HIT_ENTRY, HIT_STEPPED, HIT_PLACED, HIT_UNSEEN, HIT_CALL, HIT_RETURN, HIT_JUMP,
	HIT_JUMP_PLT, HIT_END, HIT_TRY, HIT_OUTCOME
};

static inline void count_entry(struct kt_session *session, u32 func)
{
	struct kt_hist *hist = kt_figures_hist(kt_hit_this_cpu_of(session), func);

	if (hist)
		hist->entries++;
}

static inline void emit(struct kt_shadow *stack, u32 id, u32 func, u16 depth, u8 flags,
			const u64 *words, u32 nr_words, u8 nr_payload)
{
	kt_record_emit(stack->session, stack->tid, id, func, depth, flags, words, nr_words,
		       nr_payload);
}

static inline u8 entry_flags(const struct kt_frame *frame)
{
	BUILD_BUG_ON(KT_FRAME_TAIL != KTRACE_REC_F_TAIL);
	return frame->flags & KT_FRAME_TAIL;
}

static void hit_emit_entry(struct kt_shadow *stack, struct kt_frame *frame, bool is_late)
{
	frame->flags |= KT_FRAME_EMITTED;
	emit(stack, KTRACE_REC_ENTRY, frame->func, frame->depth,
	     entry_flags(frame) | (is_late ? KTRACE_REC_F_LATE : 0), &frame->start, is_late,
	     is_late);
}

static noinline void hit_emit_args(struct kt_shadow *stack, struct kt_frame *frame,
				   struct kt_values *values)
{
	frame->flags |= KT_FRAME_EMITTED;
	emit(stack, KTRACE_REC_ENTRY, frame->func, frame->depth,
	     entry_flags(frame) | KTRACE_REC_F_VALUES, values->words, values->nr, values->nr);
}

static noinline void hit_emit_result(struct kt_shadow *stack, struct kt_frame *frame, u64 duration,
				     u8 flags, struct kt_values *result)
{
	result->duration = duration;
	emit(stack, KTRACE_REC_EXIT, frame->func, frame->depth, flags | KTRACE_REC_F_VALUES,
	     &result->duration, 1 + result->nr, result->nr);
}

static noinline void hit_enter_hidden(struct kt_session *session, struct kt_shadow *stack,
				      struct kt_frame *frame)
{
	if (stack->tree && !session->hot.min_time)
		kt_hit_inherit_node(stack, frame, kt_hit_node_of(stack, frame->parent));
}

static __always_inline void enter_shown(struct kt_session *session, struct kt_shadow *stack,
					struct kt_frame *frame, struct kt_values *values)
{
	count_entry(session, frame->func);
	/* With a minimum time, only the return shows whether the call is kept. */
	if (unlikely(session->hot.min_time))
		return;
	if (stack->tree)
		kt_hit_set_node(stack, frame, kt_hit_node_of(stack, frame->parent));
	if (session->hot.ring) {
		if (values)
			hit_emit_args(stack, frame, values);
		else
			hit_emit_entry(stack, frame, false);
	}
}

static noinline void hit_enter_jumped(struct kt_session *session, struct kt_shadow *stack,
				      struct kt_frame *frame, struct kt_values *values)
{
	enter_shown(session, stack, frame, values);
	if (stack->tree && kt_hit_has_node(stack->tree, frame))
		kt_tree_mark_tail(stack->tree, frame->node);
}

static __always_inline void enter(struct kt_session *session, struct kt_shadow *stack,
				  struct kt_frame *frame, struct kt_values *values)
{
	if (likely(!(frame->flags & (KT_FRAME_HIDDEN | KT_FRAME_TAIL))))
		enter_shown(session, stack, frame, values);
	else if (frame->flags & KT_FRAME_HIDDEN)
		hit_enter_hidden(session, stack, frame);
	else
		hit_enter_jumped(session, stack, frame, values);
}

/* A call whose return is not observed (KTRACE_RETURN_NONE): no duration, no frame. */
static void hit_call(struct kt_shadow *stack, u32 func, struct kt_values *values)
{
	struct kt_session *session = stack->session;
	struct kt_frame *parent = stack->current_frame;
	u16 depth = kt_shadow_depth_in(session, parent);
	u32 node;

	if (depth >= session->hot.max_depth)
		return;
	count_entry(session, func);
	if (session->hot.min_time)
		return;
	if (stack->tree) {
		/* kt_hit_node_of() may rest, and stack->tree may be a new one afterwards. */
		node = kt_hit_node_of(stack, parent);
		node = kt_tree_child(stack->tree, node, func);
		if (unlikely(kt_tree_is_full(stack->tree, node)))
			kt_hit_this_cpu_of(session)->counters.lost_tree++;
		if (!kt_tree_add(stack->tree, node, 0, 0))
			kt_hit_this_cpu_of(session)->counters.lost_pool++;
	}
	if (!session->hot.ring)
		return;
	if (values)
		emit(stack, KTRACE_REC_ENTRY, func, depth,
		     KTRACE_REC_F_NO_RETURN | KTRACE_REC_F_VALUES, values->words, values->nr,
		     values->nr);
	else
		emit(stack, KTRACE_REC_ENTRY, func, depth, KTRACE_REC_F_NO_RETURN, NULL, 0, 0);
}

/* Marks frame and its callers as kept. Returns true if frame was not marked before. */
static bool hit_want(struct kt_shadow *stack, struct kt_frame *frame)
{
	bool is_new = !(frame->flags & KT_FRAME_WANTED);

	for (; frame && !(frame->flags & KT_FRAME_WANTED); frame = frame->parent) {
		kt_shadow_step(stack, 1);
		frame->flags |= KT_FRAME_WANTED;
	}
	return is_new;
}

static void hit_show_wanted(struct kt_shadow *stack, struct kt_frame *frame)
{
	if (!(frame->flags & KT_FRAME_WANTED))
		return;
	if (stack->tree)
		kt_hit_renew_node(stack, frame);
	if (stack->session->hot.ring && !(frame->flags & (KT_FRAME_EMITTED | KT_FRAME_HIDDEN)))
		hit_emit_entry(stack, frame, true);
}

static __always_inline struct kt_hist *add_duration(struct kt_session *session, u32 func,
						    u64 duration)
{
	struct kt_hist *hist = kt_figures_hist(kt_hit_this_cpu_of(session), func);

	if (hist && !kt_hist_add(hist, duration))
		kt_hit_this_cpu_of(session)->counters.lost_pool++;
	return hist;
}

/* The time of an inner call is part of an outer call of the same function, which ends later. */
static noinline struct kt_hist *hit_add_recursive(struct kt_session *session,
						  struct kt_shadow *stack,
						  const struct kt_frame *frame, u64 duration)
{
	bool is_inner = kt_shadow_is_recursive(stack, frame->parent, frame->func);
	struct kt_hist *hist = add_duration(session, frame->func, duration);

	if (hist && is_inner)
		hist->nested_ns += duration;
	return hist;
}

/* Returns the histogram, or NULL. */
static __always_inline struct kt_hist *add_call(struct kt_session *session,
						struct kt_shadow *stack,
						const struct kt_frame *frame, u64 duration)
{
	if (unlikely(frame->flags & KT_FRAME_RECURSIVE))
		return hit_add_recursive(session, stack, frame, duration);
	return add_duration(session, frame->func, duration);
}

static inline void add_hist(struct kt_session *session, struct kt_shadow *stack,
			    const struct kt_frame *frame, u64 duration)
{
	struct kt_hist *hist = add_call(session, stack, frame, duration);

	if (hist)
		hist->self_ns += frame->self;
}

static inline void add_tree(struct kt_session *session, struct kt_shadow *stack,
			    const struct kt_frame *frame, u64 duration)
{
	u32 node = kt_hit_node_of(stack, frame);
	struct ktrace_counters *c = &kt_hit_this_cpu_of(session)->counters;

	if (unlikely(kt_tree_is_full(stack->tree, node)))
		c->lost_tree++;
	if (!kt_tree_add(stack->tree, node, duration, frame->self))
		c->lost_pool++;
}

/* The self time of a hidden frame counts as self time of its caller. */
static void hit_close_hidden(struct kt_shadow *stack, struct kt_frame *frame)
{
	struct kt_frame *caller = kt_shadow_caller(stack, frame);

	if (caller)
		caller->self += frame->self;
}

/* The call counts in the parent process, which entered it; here it only gets a record. */
static void hit_close_inherited(struct kt_session *session, struct kt_shadow *stack,
				const struct kt_frame *frame, u64 duration, u8 flags)
{
	if (session->hot.ring && (frame->flags & KT_FRAME_EMITTED))
		emit(stack, KTRACE_REC_EXIT, frame->func, frame->depth,
		     flags | KTRACE_REC_F_INHERITED, &duration, 1, 0);
}

/* The frame was entered with a minimum time, which was removed since: it has no ENTRY yet. */
static bool hit_is_unsaid(const struct kt_session *session, const struct kt_frame *frame)
{
	return session->hot.ring && !(frame->flags & KT_FRAME_EMITTED);
}

/* If the return was not seen (flags), the call has no outcome, and its chain stays as it is. */
static void hit_close_try(struct kt_session *session, struct kt_shadow *stack,
			  struct kt_frame *frame, u64 duration, u8 flags)
{
	struct kt_hist *hist;

	if (frame->flags & KT_FRAME_INHERITED)
		return;
	hist = add_call(session, stack, frame, duration);
	if (flags)
		return;
	if (hist)
		hist->errors += !!stack->error;
	kt_chain_add(stack, frame, duration, stack->error);
}

static void hit_close_slow(struct kt_session *session, struct kt_shadow *stack,
			   struct kt_frame *frame, u64 now, u8 flags,
			   struct kt_values *result)
{
	u64 duration = now - frame->start;

	if (session->hot.flags & KTRACE_F_ERRORS) {
		hit_close_try(session, stack, frame, duration, flags);
		return;
	}
	if (unlikely(frame->flags & KT_FRAME_HIDDEN)) {
		hit_close_hidden(stack, frame);
		return;
	}
	if (duration < session->hot.min_time && !(frame->flags & KT_FRAME_EMITTED))
		return;
	if (unlikely(frame->flags & KT_FRAME_INHERITED)) {
		hit_close_inherited(session, stack, frame, duration, flags);
		return;
	}
	/* If a frame is shown, its callers are shown, too. */
	if ((session->hot.min_time || hit_is_unsaid(session, frame)) && hit_want(stack, frame) &&
	    (stack->tree || session->hot.ring))
		kt_shadow_for_each(stack, hit_show_wanted);
	if (flags & KTRACE_REC_F_AT_MOST) {
		kt_hit_add_bound(session, stack, frame, duration);
	} else {
		add_hist(session, stack, frame, duration);
		if (stack->tree)
			add_tree(session, stack, frame, duration);
	}
	if (session->hot.ring && unlikely(result))
		hit_emit_result(stack, frame, duration, flags, result);
	else if (session->hot.ring)
		emit(stack, KTRACE_REC_EXIT, frame->func, frame->depth, flags, &duration, 1, 0);
}

/* A call that ends with the return of another call has the same result, still in its register. */
static noinline void hit_close_last(struct kt_session *session, struct kt_shadow *stack,
				    struct kt_frame *frame, u64 now, u8 flags)
{
	struct kt_values result;

	kt_value_peek_result(&result, &session->hot.funcs[frame->func].desc);
	hit_close_slow(session, stack, frame, now, flags, &result);
}

#define ENDS (KTRACE_REC_F_UNWOUND | KTRACE_REC_F_KILLED)

void kt_hit_close(struct kt_shadow *stack, struct kt_frame *frame, u64 now, u8 flags)
{
	struct kt_session *session = stack->session;
	const struct kt_func *func = &session->hot.funcs[frame->func];

	if ((flags & ENDS) && !(frame->flags & KT_FRAME_INHERITED))
		kt_hit_this_cpu_of(session)->counters.unwound++;
	/* Its real end was not seen: the function was removed, or the task left the session. */
	if (unlikely(flags && (func->is_gone || frame->start < READ_ONCE(session->hot.narrowed))))
		frame->flags |= KT_FRAME_INHERITED;
	if (flags || stack->result || stack->has_no_result || !func->desc.result ||
	    kt_shadow_is_kernels(stack))
		hit_close_slow(session, stack, frame, now, flags, flags ? NULL : stack->result);
	else
		hit_close_last(session, stack, frame, now, flags);
}

void kt_hit_task_exit(struct kt_shadow *stack)
{
	if (stack->session->hot.ring)
		emit(stack, KTRACE_REC_TASK_EXIT, 0, 0, 0, NULL, 0, 0);
}

/* A return of a call that was open at the attach is not counted: its entry could not be seen. */
static void hit_count_unmatched(struct kt_session *session, const struct kt_shadow *stack,
				unsigned long sp)
{
	if (!kt_shadow_is_earlier(stack, sp))
		kt_hit_this_cpu_of(session)->counters.unmatched++;
}

#define KT_FRAME_ODD (KT_FRAME_HIDDEN | KT_FRAME_INHERITED | KT_FRAME_JUMPED)

/* frame: the frame that returns, or NULL if it is not the top. */
static noinline void hit_leave_odd(struct kt_session *session, struct kt_shadow *stack,
				   struct kt_frame *frame, u32 func, unsigned long sp, u64 now,
				   struct kt_values *result)
{
	if (frame && !(frame->flags & KT_FRAME_JUMPED)) {
		hit_close_slow(session, stack, frame, now, 0, result);
		kt_shadow_drop(stack, frame);
		return;
	}
	stack->result = result;
	if (!kt_shadow_pop(stack, func, sp, now))
		hit_count_unmatched(session, stack, sp);
}

static __always_inline void leave(struct kt_session *session, struct kt_shadow *stack, u32 func,
				  unsigned long sp, u64 now, struct kt_values *result)
{
	struct kt_frame *frame = kt_shadow_returning(stack, func, sp);

	if (unlikely(!frame || (frame->flags & KT_FRAME_ODD))) {
		hit_leave_odd(session, stack, frame, func, sp, now, result);
		return;
	}
	if (likely(session->hot.is_plain)) {
		add_hist(session, stack, frame, now - frame->start);
		if (stack->tree)
			add_tree(session, stack, frame, now - frame->start);
	} else {
		hit_close_slow(session, stack, frame, now, 0, result);
	}
	kt_shadow_drop(stack, frame);
}

/* Each CPU caches the stack that it used last. */
static inline struct kt_shadow *stack_of(struct kt_session *session, struct kt_session_cpu *cpu)
{
	struct kt_shadow *stack = cpu->stack;

	if (unlikely(!kt_shadow_is_of(stack, session))) {
		stack = kt_shadow_find(session);
		if (stack)
			kt_hit_this_cpu_of(session)->stack = stack;
	}
	return stack;
}

/* Does not make a stack: a task that has called no function has no call to end. */
static void hit_end(struct kt_session *session, struct kt_session_cpu *cpu, unsigned long sp,
		    u64 now)
{
	struct kt_shadow *stack = cpu->stack;

	if (!kt_shadow_is_of(stack, session))
		stack = kt_shadow_own(session);
	if (!stack || !kt_shadow_is_of(stack, session))
		return;
	stack->tree = READ_ONCE(session->hot.tree);
	kt_shadow_charge(stack, now, cpu->after[KT_COST_RETURN]);
	kt_shadow_return_at(stack, sp, now);
}

/* Does an open call jump to its own start? All its exits are probed, so it has not ended. */
static bool hit_is_turn(const struct kt_session *session, const struct kt_shadow *stack, u32 func,
			unsigned long sp)
{
	const struct kt_frame *top = stack->top;

	return (session->hot.funcs[func].desc.flags & KTRACE_FUNC_LOOP) && top &&
	       top->func == func && top->sp == sp && !(top->flags & KT_FRAME_LEFT);
}

static __always_inline void begin(struct kt_session *session, struct kt_shadow *stack,
				  enum hit_kind kind, u32 func, unsigned long sp, u64 now,
				  struct kt_values *values)
{
	struct kt_frame *frame;

	if (kind == HIT_PLACED && hit_is_turn(session, stack, func, sp))
		return;
	frame = kt_shadow_push(session, stack, func, sp, now);
	if (unlikely(!frame)) {
		kt_hit_this_cpu_of(session)->counters.lost_depth++;
		return;
	}
	if (kind == HIT_TRY) {
		count_entry(session, func);
		return;
	}
	if (kind == HIT_UNSEEN) {
		WRITE_ONCE(session->hot.funcs[func].since, now);
		if (!(session->hot.funcs[func].desc.traits & KTRACE_TRAIT_ENDLESS))
			kt_shadow_leave(stack, frame);
	}
	if (kind == HIT_PLACED && (session->hot.funcs[func].desc.flags & KTRACE_FUNC_JUMPS))
		kt_shadow_keep_ret(frame);
	if (kind == HIT_PLACED || kind == HIT_UNSEEN)
		kt_shadow_place(session, frame, session->hot.funcs[func].desc.flags);
	enter(session, stack, frame, values);
}

static __always_inline enum kt_cost cost_of(enum hit_kind kind)
{
	if (kind == HIT_STEPPED)
		return KT_COST_STEPPED;
	return kind == HIT_RETURN ? KT_COST_RETURN : KT_COST_ENTRY;
}

/* more: the error of an outcome, or the target of a jump. */
static __always_inline void act(struct kt_session *session, struct kt_session_cpu *cpu,
				enum hit_kind kind, u32 func, unsigned long sp, u64 now,
				struct kt_values *values, unsigned long more)
{
	struct kt_shadow *stack;

	if (kind == HIT_END) {
		hit_end(session, cpu, sp, now);
		return;
	}
	stack = stack_of(session, cpu);
	if (unlikely(!stack)) {
		kt_hit_this_cpu_of(session)->counters.lost_pool++;
		return;
	}
	stack->tree = READ_ONCE(session->hot.tree);
	if (kind == HIT_OUTCOME)
		stack->error = more;
	else if (kind != HIT_TRY)
		/* The cost of this hit is no time of the program. */
		kt_shadow_charge(stack, now, cpu->after[cost_of(kind)]);
	if (kind == HIT_RETURN || kind == HIT_OUTCOME)
		leave(session, stack, func, sp, now, values);
	else if (kind == HIT_CALL)
		hit_call(stack, func, values);
	else if (kind != HIT_JUMP && kind != HIT_JUMP_PLT)
		begin(session, stack, kind, func, sp, now, values);
	else if (!kt_shadow_jump_out(stack, func, sp, more, kind == HIT_JUMP_PLT, now))
		hit_count_unmatched(session, stack, sp);
}

/* A prime number, so that samples do not fall in step with a pattern of entries and returns. */
#define SAMPLE_EVERY 61

static bool hit_is_return(enum hit_kind kind)
{
	return kind == HIT_RETURN || kind == HIT_OUTCOME || kind == HIT_END;
}

/* A walk counts whole, but not the time for which other tasks ran meanwhile. */
static void hit_sample(struct kt_session *session, enum hit_kind kind, u32 func, u64 start,
		       bool has_walked)
{
	struct kt_session_cpu *cpu = kt_hit_this_cpu_of(session);
	u64 took = kt_clock() - start - __this_cpu_read(kt_rested);
	bool is_return = hit_is_return(kind);

	cpu->next_sample = cpu->counters.hits + SAMPLE_EVERY;
	cpu->counters.run_cnt++;
	cpu->counters.run_ns += took;
	cpu->counters.ret_cnt += is_return;
	cpu->counters.ret_ns += is_return ? took : 0;
	kt_costs_learn(session, cpu, is_return, took, has_walked);
	kt_costs_spend(session, cpu, is_return ? KT_COST_RETURN : cost_of(kind), func);
}

#define LONG_WALK 64	/* steps */

/* Handles a hit, and measures its cost. */
static noinline void hit_act_measured(struct kt_session *session, enum hit_kind kind, u32 func,
				      unsigned long sp, u64 now, struct kt_values *values,
				      unsigned long more)
{
	const struct kt_shadow *stack = kt_hit_this_cpu_of(session)->stack;
	u32 nr_steps = stack->nr_steps;
	bool has_walked;

	__this_cpu_write(kt_rested, 0);
	act(session, kt_hit_this_cpu_of(session), kind, func, sp, now, values, more);
	/* A walk may have changed the CPU. It takes steps, or rests, which gives new ones. */
	has_walked = stack == kt_hit_this_cpu_of(session)->stack &&
		     (nr_steps < stack->nr_steps || nr_steps - stack->nr_steps > LONG_WALK);
	hit_sample(session, kind, func, now, has_walked);
}

/* With preemption off, a hit is also an RCU reader of sessions and of stacks. */
static __always_inline int hit(struct kt_session *session, enum hit_kind kind, u32 func,
			       unsigned long sp, struct kt_values *values, unsigned long more)
{
	struct kt_session_cpu *cpu;
	u64 now;

	rcu_read_lock_sched();
	cpu = kt_hit_this_cpu_of(session);
	if (unlikely(__this_cpu_inc_return(kt_in_hit) != 1)) {
		cpu->counters.lost_nested++;
		goto out;
	}
	now = kt_clock();
	if (unlikely(++cpu->counters.hits >= cpu->next_sample))
		hit_act_measured(session, kind, func, sp, now, values, more);
	else
		act(session, cpu, kind, func, sp, now, values, more);
out:
	__this_cpu_dec(kt_in_hit);
	rcu_read_unlock_sched();
	return 0;
}

void kt_hit_cost_more(struct kt_session *session, s64 ns)
{
	struct kt_shadow *stack;

	rcu_read_lock_sched();
	stack = kt_hit_this_cpu_of(session)->stack;
	if (kt_shadow_is_of(stack, session))
		stack->last += ns;
	rcu_read_unlock_sched();
}

int kt_hit_entry(struct kt_session *session, u32 func, unsigned long sp)
{
	return hit(session, HIT_ENTRY, func, sp, NULL, 0);
}

int kt_hit_stepped(struct kt_session *session, u32 func, unsigned long sp)
{
	return hit(session, HIT_STEPPED, func, sp, NULL, 0);
}

int kt_hit_placed(struct kt_session *session, u32 func, unsigned long sp,
		  struct kt_values *values)
{
	return hit(session, HIT_PLACED, func, sp, values, 0);
}

int kt_hit_call(struct kt_session *session, u32 func, unsigned long sp,
		struct kt_values *values)
{
	return hit(session, HIT_CALL, func, sp, values, 0);
}

int kt_hit_unseen(struct kt_session *session, u32 func, unsigned long sp,
		  struct kt_values *values)
{
	return hit(session, HIT_UNSEEN, func, sp, values, 0);
}

int kt_hit_return(struct kt_session *session, u32 func, unsigned long sp)
{
	return hit(session, HIT_RETURN, func, sp, NULL, 0);
}

int kt_hit_result(struct kt_session *session, u32 func, unsigned long sp,
		  struct kt_values *values)
{
	return hit(session, HIT_RETURN, func, sp, values, 0);
}

int kt_hit_jump(struct kt_session *session, u32 func, unsigned long sp, unsigned long target)
{
	return hit(session, HIT_JUMP, func, sp, NULL, target);
}

int kt_hit_jump_plt(struct kt_session *session, u32 func, unsigned long sp, unsigned long target)
{
	return hit(session, HIT_JUMP_PLT, func, sp, NULL, target);
}

int kt_hit_end(struct kt_session *session, u32 func, unsigned long sp)
{
	return hit(session, HIT_END, func, sp, NULL, 0);
}

bool kt_hit_has_jumped(struct kt_session *session, unsigned long sp)
{
	const struct kt_shadow *stack;
	bool has_jumped;

	rcu_read_lock_sched();
	stack = kt_shadow_own(session);
	has_jumped = stack && kt_shadow_is_of(stack, session) && kt_shadow_has_jumped(stack, sp);
	rcu_read_unlock_sched();
	return has_jumped;
}

int kt_hit_try(struct kt_session *session, u32 func, unsigned long sp)
{
	return hit(session, HIT_TRY, func, sp, NULL, 0);
}

int kt_hit_outcome(struct kt_session *session, u32 func, unsigned long sp, u32 error)
{
	return hit(session, HIT_OUTCOME, func, sp, NULL, error);
}

int kt_hit_count(struct kt_session *session, u32 func)
{
	struct kt_session_cpu *cpu;

	rcu_read_lock_sched();
	cpu = kt_hit_this_cpu_of(session);
	if (likely(__this_cpu_inc_return(kt_in_hit) == 1)) {
		cpu->counters.hits++;
		count_entry(session, func);
	} else {
		cpu->counters.lost_nested++;
	}
	__this_cpu_dec(kt_in_hit);
	rcu_read_unlock_sched();
	return 0;
}
