/* SPDX-License-Identifier: GPL-2.0 */
/* The tests that a module built with KTRACE_SELFTEST=1 runs when it is loaded. */
#ifndef KT_SELFTEST_H
#define KT_SELFTEST_H

#ifdef KTRACE_SELFTEST

/*
 * Runs all tests, and logs how many passed. Returns 0, or a negative errno if one failed. Process
 * context; nothing else of the module runs.
 */
int kt_selftest(void);

#else

static inline int kt_selftest(void)
{
	return 0;
}

#endif

#endif
