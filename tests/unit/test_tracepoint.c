// SPDX-License-Identifier: GPL-2.0
/*
 * kmod/compat/tracepoint.c in user space, built as for a kernel that finds tracepoints by name and
 * needs memory to unregister a probe. Tools: -I tests/unit/kernel_shim.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../kmod/compat/tracepoint.c"

#define NR_PROBES 3

static int nr_registered, nr_failures, nr_waits;
static const char *refused;

int tracepoint_probe_register(const char *name, void *probe, void *data)
{
	if (name == refused)
		return -ENOENT;
	nr_registered++;
	return 0;
}

int tracepoint_probe_unregister(const char *name, void *probe, void *data)
{
	if (nr_failures && nr_failures--)
		return -ENOMEM;
	nr_registered--;
	return 0;
}

long schedule_timeout_uninterruptible(long ticks)
{
	nr_waits++;
	return 0;
}

/* The data of the probes is freed when they are detached and this function has returned. */
void tracepoint_synchronize_unregister(void)
{
	assert_int_equal(nr_registered, 0);
}

static void on_event(void *data)
{
}

static struct kt_tracepoint probes[NR_PROBES] = {
	{ .name = "one", .fn = on_event }, { .name = "two", .fn = on_event },
	{ .name = "three", .fn = on_event },
};

static int begin(void **state)
{
	nr_registered = 0;
	nr_failures = 0;
	nr_waits = 0;
	refused = NULL;
	return 0;
}

static void test_all_are_attached_and_detached(void **state)
{
	assert_int_equal(kt_tracepoints_attach(probes, NR_PROBES), 0);
	assert_int_equal(nr_registered, NR_PROBES);
	kt_tracepoints_detach(probes, NR_PROBES);
	assert_int_equal(nr_waits, 0);
}

static void test_all_or_none(void **state)
{
	refused = probes[2].name;
	assert_int_equal(kt_tracepoints_attach(probes, NR_PROBES), -ENOENT);
	assert_int_equal(nr_registered, 0);
}

static void test_no_memory_to_detach(void **state)
{
	assert_int_equal(kt_tracepoints_attach(probes, NR_PROBES), 0);
	nr_failures = 5;
	kt_tracepoints_detach(probes, NR_PROBES);
	assert_int_equal(nr_waits, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_all_are_attached_and_detached, begin),
		cmocka_unit_test_setup(test_all_or_none, begin),
		cmocka_unit_test_setup(test_no_memory_to_detach, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
