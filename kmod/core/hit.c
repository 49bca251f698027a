// SPDX-License-Identifier: GPL-2.0
/* Hits of user functions and of kernel call trees: recursion guard, clock, cost, shadow stack. */
#include <linux/percpu.h>
#include <linux/rcupdate.h>

#include "core/call.h"
#include "core/costs.h"
#include "core/hit.h"
#include "core/session.h"
#include "core/shadow.h"
#include "core/shadow_jump.h"
#include "core/shadow_push.h"
#include "core/shadow_table.h"
#include "core/walk.h"
#include "lib/clock.h"

enum hit_kind {
	HIT_ENTRY, HIT_STEPPED, HIT_PLACED, HIT_UNSEEN, HIT_CALL, HIT_RETURN, HIT_JUMP,
	HIT_JUMP_PLT, HIT_END, HIT_TRY, HIT_OUTCOME
};

/*
 * Not counted, because the entry could not be seen: a return of a call that was open at the attach,
 * any return while probes are being set, and one of a function that is being removed.
 */
static void hit_count_unmatched(struct kt_session *session, const struct kt_shadow *stack, u32 func,
				unsigned long sp)
{
	if (!READ_ONCE(session->hot.is_planting) && !READ_ONCE(session->hot.funcs[func].is_gone) &&
	    !kt_shadow_is_earlier(stack, sp))
		kt_session_this_cpu(session)->counters.unmatched++;
}

#define ODD (KT_FRAME_HIDDEN | KT_FRAME_INHERITED | KT_FRAME_JUMPED)

/* frame: the frame that returns, or NULL if it is not the top. */
static noinline void hit_leave_odd(struct kt_shadow *stack, struct kt_frame *frame, u32 func,
				   unsigned long sp, u64 now, struct kt_values *result, u32 error)
{
	if (frame && !(frame->flags & KT_FRAME_JUMPED)) {
		kt_call_close(stack, frame, now, 0, result, error);
		kt_shadow_drop(stack, frame);
		return;
	}
	frame = kt_shadow_uncover(stack, func, sp, now);
	if (frame) {
		kt_call_close(stack, frame, now, kt_shadow_doubt(frame), result, error);
		kt_shadow_return(stack, frame, now);
	} else if (!kt_shadow_return_lost(stack, sp, now)) {
		hit_count_unmatched(stack->session, stack, func, sp);
	}
}

static __always_inline void leave(struct kt_session *session, struct kt_shadow *stack, u32 func,
				  unsigned long sp, u64 now, struct kt_values *result, u32 error)
{
	struct kt_frame *frame = kt_shadow_returning(stack, func, sp);

	if (unlikely(!frame || (frame->flags & ODD))) {
		hit_leave_odd(stack, frame, func, sp, now, result, error);
		return;
	}
	if (likely(session->hot.is_plain))
		kt_call_add(session, stack, frame, now - frame->start);
	else
		kt_call_close(stack, frame, now, 0, result, error);
	kt_shadow_drop(stack, frame);
}

/* Each CPU caches the stack that it used last. */
static inline struct kt_shadow *stack_of(struct kt_session *session, struct kt_session_cpu *cpu)
{
	struct kt_shadow *stack = cpu->stack;

	if (unlikely(!kt_shadow_is_of(stack, session))) {
		stack = kt_shadow_find(session);
		if (stack)
			kt_session_this_cpu(session)->stack = stack;
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
		kt_session_this_cpu(session)->counters.lost_depth++;
		return;
	}
	if (kind == HIT_TRY) {
		kt_call_count(session, func);
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
	kt_call_enter(session, stack, frame, values);
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
		kt_session_this_cpu(session)->counters.lost_pool++;
		return;
	}
	stack->tree = READ_ONCE(session->hot.tree);
	/* The cost of this hit is no time of the program. */
	if (kind != HIT_TRY && kind != HIT_OUTCOME)
		kt_shadow_charge(stack, now, cpu->after[cost_of(kind)]);
	if (kind == HIT_RETURN || kind == HIT_OUTCOME)
		leave(session, stack, func, sp, now, values, more);
	else if (kind == HIT_CALL)
		kt_call_pass(stack, func, values);
	else if (kind != HIT_JUMP && kind != HIT_JUMP_PLT)
		begin(session, stack, kind, func, sp, now, values);
	else if (!kt_shadow_jump_out(stack, func, sp, more, kind == HIT_JUMP_PLT, now))
		hit_count_unmatched(session, stack, func, sp);
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
	struct kt_session_cpu *cpu = kt_session_this_cpu(session);
	u64 took = kt_clock() - start - __this_cpu_read(kt_rested);
	bool is_return = hit_is_return(kind);

	cpu->next_sample = cpu->counters.hits + SAMPLE_EVERY;
	cpu->counters.run_cnt++;
	cpu->counters.run_ns += took;
	cpu->counters.ret_cnt += is_return;
	cpu->counters.ret_ns += is_return ? took : 0;
	took = kt_costs_learn(session, cpu, is_return, took, has_walked);
	kt_costs_spend(session, cpu, is_return ? KT_COST_RETURN : cost_of(kind), func, took);
}

#define LONG_WALK 64	/* steps */

/* Handles a hit, and measures its cost. */
static noinline void hit_act_measured(struct kt_session *session, enum hit_kind kind, u32 func,
				      unsigned long sp, u64 now, struct kt_values *values,
				      unsigned long more)
{
	const struct kt_shadow *stack = kt_session_this_cpu(session)->stack;
	u32 nr_steps = stack->nr_steps;
	bool has_walked;

	__this_cpu_write(kt_rested, 0);
	act(session, kt_session_this_cpu(session), kind, func, sp, now, values, more);
	/* A walk takes steps, or rests, which gives new ones and may change the CPU. */
	has_walked = __this_cpu_read(kt_rested) ||
		     (stack == kt_session_this_cpu(session)->stack &&
		      (nr_steps < stack->nr_steps || nr_steps - stack->nr_steps > LONG_WALK));
	hit_sample(session, kind, func, now, has_walked);
}

/* With preemption off, a hit is also an RCU reader of sessions and of stacks. */
static __always_inline int hit(struct kt_session *session, enum hit_kind kind, u32 func,
			       unsigned long sp, struct kt_values *values, unsigned long more)
{
	struct kt_session_cpu *cpu;
	u64 now;

	rcu_read_lock_sched();
	cpu = kt_session_this_cpu(session);
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
	stack = kt_session_this_cpu(session)->stack;
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
	cpu = kt_session_this_cpu(session);
	if (likely(__this_cpu_inc_return(kt_in_hit) == 1)) {
		cpu->counters.hits++;
		kt_call_count(session, func);
	} else {
		cpu->counters.lost_nested++;
	}
	__this_cpu_dec(kt_in_hit);
	rcu_read_unlock_sched();
	return 0;
}
