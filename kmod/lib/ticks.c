// SPDX-License-Identifier: GPL-2.0
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/preempt.h>
#include <linux/stop_machine.h>
#include <linux/time.h>
#include <linux/timekeeping.h>
#include <linux/timex.h>
#include <linux/workqueue.h>

#include <uapi/ktrace.h>

#include "compat/syscore.h"
#include "lib/arch.h"
#include "lib/clock.h"
#include "lib/control.h"
#include "lib/ticks.h"

#define ONE (1ULL << 32)

u64 kt_ticks_mult __read_mostly = ONE;
bool kt_ticks_are_cycles __read_mostly;
u64 kt_ticks_base __read_mostly;

static u64 ticks_per_ns __read_mostly = ONE;	/* times 2^32 */
static bool is_unit_cycles __read_mostly;	/* the unit of ticks: cycles, or ns */
static u64 suspended;			/* ticks at the last suspend */
static struct delayed_work look_work;

void kt_clocks_read(struct ktrace_clocks *c)
{
	preempt_disable();
	c->monotonic = ktime_get_ns();
	c->realtime = ktime_to_ns(ktime_get_real());
	c->boottime = ktime_to_ns(ktime_get_boottime());
	c->tsc = get_cycles();
	preempt_enable();
}

u64 kt_ticks_of_clock(void)
{
	return kt_arch_mul_shr32(kt_clock(), ticks_per_ns);
}

/* Chooses cycles or clock again; ticks go on from a value. No hit runs, except in an NMI. */
static void ticks_go_on_from(u64 ticks)
{
	bool are_cycles = is_unit_cycles && kt_arch_cycles_khz();
	u64 read = are_cycles ? kt_arch_read_cycles() : kt_ticks_of_clock();

	kt_ticks_are_cycles = are_cycles;
	kt_ticks_base = ticks - read;
}

/* --- cycles that are trusted no more ---------------------------------------- */

static int ticks_leave_cycles(void *unused)
{
	ticks_go_on_from(kt_ticks());
	return 0;
}

/*
 * The kernel does not report that it no longer trusts cycles. While all CPUs are stopped, no CPU is
 * using ticks that it has read.
 */
static void ticks_look(struct work_struct *work)
{
	if (kt_ticks_are_cycles && !kt_arch_cycles_khz())
		stop_machine(ticks_leave_cycles, NULL, NULL);
	if (kt_ticks_are_cycles)
		queue_delayed_work(kt_queue, &look_work, HZ);
}

void kt_ticks_begin(void)
{
	u32 khz = kt_arch_cycles_khz();
	u64 last = kt_ticks();

	is_unit_cycles = khz;
	kt_ticks_mult = khz ? div_u64(NSEC_PER_MSEC * ONE, khz) : ONE;
	ticks_per_ns = khz ? div_u64((u64)khz << 32, NSEC_PER_MSEC) : ONE;
	ticks_go_on_from(last);
	ticks_look(&look_work.work);
}

void kt_ticks_end(void)
{
	cancel_delayed_work_sync(&look_work);
}

/* --- suspend ------------------------------------------------------------------ */

/* Runs on the last CPU, with interrupts off. After the suspend, its counter may have any value. */
static KT_ON_SUSPEND(ticks_on_suspend)
{
	suspended = kt_ticks();
	return 0;
}

/*
 * Like CLOCK_MONOTONIC, ticks do not count the time of a suspend. Suspend-to-idle does not call
 * this: cycles go on, and the time is part of the calls that are open.
 */
static KT_ON_RESUME(ticks_on_resume)
{
	ticks_go_on_from(suspended);
}

static KT_SYSCORE(power, ticks_on_suspend, ticks_on_resume);

void kt_ticks_init(void)
{
	INIT_DELAYED_WORK(&look_work, ticks_look);
	kt_register_syscore(&power);
}

void kt_ticks_exit(void)
{
	kt_unregister_syscore(&power);
}
