// SPDX-License-Identifier: GPL-2.0
/* Tests that need a running kernel: interrupts, NMIs, tasks. Not built by default. */
#include <linux/errno.h>
#include <linux/printk.h>

#include "selftest/selftest.h"
#include "selftest/selftest_parts.h"

int kt_selftest(void)
{
	int nr = kt_selftest_ring();

	if (!kt_selftest_has_failed())
		nr += kt_selftest_shadow();
	/* The last test, since the kernel does not trust cycles again afterwards. */
	if (!kt_selftest_has_failed())
		nr += kt_selftest_ticks();
	if (kt_selftest_has_failed()) {
		pr_err("ktrace: selftest: failed, the module is not loaded\n");
		return -EILSEQ;
	}
	pr_info("ktrace: selftest: %d passed\n", nr);
	return 0;
}
