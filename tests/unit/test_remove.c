// SPDX-License-Identifier: GPL-2.0
/* kmod/compat/remove.c: removal of probes, in a kernel that sometimes fails to remove them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "shim.h"

/* --- what it needs of a kernel ------------------------------------------------ */

#define KT_COMPAT_FPROBE_H
#define KT_COMPAT_RCU_H
#define KT_HAS_FPROBE 1
#define THIS_MODULE NULL
#define module_param_named(...)
#define MODULE_PARM_DESC(...)
#define pr_err(...) snprintf(said, sizeof(said), __VA_ARGS__)

struct ftrace_ops { int error; };
struct fprobe { int error; int nr_left; bool is_disabled; };
struct kretprobe { struct { void *addr; } kp; bool fails; };

static char said[256];
static int nr_waits, nr_pins, nr_sleeps;
static bool is_unregistered;

static void __module_get(void *module)
{
	(void)module;
	nr_pins++;
}

/* Before this call, handlers may still be entered; after a failed removal, too. */
static void kt_wait_for_hits(void)
{
	assert_true(is_unregistered);
	nr_waits++;
}

static int unregister_ftrace_function(struct ftrace_ops *ops)
{
	is_unregistered = true;
	return ops->error;
}

static int unregister_fprobe(struct fprobe *fprobe)
{
	is_unregistered = true;
	return fprobe->nr_left && fprobe->nr_left-- ? -ENOMEM : fprobe->error;
}

static void disable_fprobe(struct fprobe *fprobe)
{
	fprobe->is_disabled = true;
}

#define HZ 100
long schedule_timeout_uninterruptible(long ticks)
{
	nr_sleeps++;
	return ticks - ticks;
}

/* The function has no result. A kretprobe that was not disarmed has no address afterwards. */
static void unregister_kretprobes(struct kretprobe **kretprobes, int nr)
{
	while (nr--)
		if (kretprobes[nr]->fails)
			kretprobes[nr]->kp.addr = NULL;
}

#include "../../kmod/compat/remove.c"

/* --- tests --------------------------------------------------------------------- */

static int begin(void **state)
{
	(void)state;
	said[0] = 0;
	nr_waits = nr_pins = nr_sleeps = stuck.counter = 0;
	is_unregistered = false;
	return 0;
}

static void test_what_is_out_may_be_freed(void **state)
{
	struct ftrace_ops ops = { 0 };
	struct fprobe fprobe = { 0 };

	(void)state;
	assert_true(kt_ftrace_ops_remove(&ops));
	assert_true(kt_fprobe_remove(&fprobe));
	assert_int_equal(nr_waits, 2);
	assert_int_equal(nr_pins + stuck.counter, 0);
	assert_string_equal(said, "");
}

static void test_a_stuck_one_pins_the_module(void **state)
{
	struct ftrace_ops ops = { -ENODEV };
	struct fprobe fprobe = { .error = -ENOMEM };

	(void)state;
	assert_false(kt_ftrace_ops_remove(&ops));
	assert_non_null(strstr(said, "1 ftrace_ops (error -19)"));
	assert_false(kt_fprobe_remove(&fprobe));
	assert_non_null(strstr(said, "1 fprobe (error -12)"));
	assert_true(fprobe.is_disabled);
	assert_int_equal(nr_waits, 2);
	assert_int_equal(nr_pins, 2);
	assert_int_equal(stuck.counter, 2);
}

static void test_memory_comes_back(void **state)
{
	struct fprobe fprobe = { .nr_left = 3 };

	(void)state;
	assert_true(kt_fprobe_remove(&fprobe));
	assert_int_equal(nr_sleeps, 3);
	assert_int_equal(nr_pins + stuck.counter, 0);
	assert_false(fprobe.is_disabled);
}

static void test_some_kretprobes_are_stuck(void **state)
{
	struct kretprobe good = { .kp.addr = &good }, bad = { .kp.addr = &bad, .fails = true };
	struct kretprobe *all[] = { &good, &bad };

	(void)state;
	kt_kretprobes_remove(all, 1);
	assert_int_equal(nr_pins + stuck.counter, 0);
	kt_kretprobes_remove(all, 2);
	assert_true(kt_kretprobe_is_out(&good));
	assert_false(kt_kretprobe_is_out(&bad));
	assert_int_equal(nr_pins, 1);
	assert_int_equal(stuck.counter, 1);
	assert_non_null(strstr(said, "1 kretprobes"));
	kt_kretprobes_remove(all, 0);
	assert_int_equal(nr_pins, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_what_is_out_may_be_freed, begin),
		cmocka_unit_test_setup(test_a_stuck_one_pins_the_module, begin),
		cmocka_unit_test_setup(test_memory_comes_back, begin),
		cmocka_unit_test_setup(test_some_kretprobes_are_stuck, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
