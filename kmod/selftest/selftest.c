// SPDX-License-Identifier: GPL-2.0
/* Tests that need a running kernel: interrupts, NMIs, tasks. Not built by default. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/printk.h>

#include "selftest/selftest.h"

static bool has_failed;

bool kt_selftest_claim(bool is_so, const char *claim, const char *file, int line)
{
	if (is_so || READ_ONCE(has_failed))
		return is_so;
	WRITE_ONCE(has_failed, true);
	pr_err("ktrace: selftest: %s:%d: it is not so that %s\n", file, line, claim);
	return false;
}

bool kt_selftest_has_failed(void)
{
	return READ_ONCE(has_failed);
}

int kt_selftest(void)
{
	int nr = kt_selftest_ring();

	if (!has_failed)
		nr += kt_selftest_shadow();
	/* The last test, since the kernel does not trust cycles again afterwards. */
	if (!has_failed)
		nr += kt_selftest_ticks();
	if (has_failed) {
		pr_err("ktrace: selftest: failed, the module is not loaded\n");
		return -EILSEQ;
	}
	pr_info("ktrace: selftest: %d passed\n", nr);
	return 0;
}
