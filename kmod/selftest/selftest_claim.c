// SPDX-License-Identifier: GPL-2.0
/* What the tests claim. The first claim that is not so fails all of them. */
#include <linux/compiler.h>
#include <linux/printk.h>

#include "selftest/selftest_parts.h"

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
