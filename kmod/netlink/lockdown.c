// SPDX-License-Identifier: GPL-2.0
/*
 * Lockdown for confidentiality. A kernel that is locked down hides its memory from root and refuses
 * to trace, but this does not affect a loaded module. So this module checks for lockdown itself: it
 * then hides the results of kernel functions, and with the parameter it refuses to trace. The
 * parameter cannot change while the module is loaded, so that only a user who may load modules can
 * set it.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/module.h>

#include <uapi/ktrace.h>

#include "compat/lockdown.h"
#include "netlink/lockdown.h"

static bool respect_lockdown;
module_param(respect_lockdown, bool, 0444);
MODULE_PARM_DESC(respect_lockdown, "refuse to trace when lockdown=confidentiality would (default N)");

#define CMD(name) BIT(KTRACE_CMD_##name)
static const unsigned long harmless = CMD(INFO) | CMD(SESSION_GET) | CMD(SUBSCRIBE) |
	CMD(SESSION_PAUSE) | CMD(SESSION_STOP) | CMD(SESSION_DEL) | CMD(TASK_CONTINUE);

/* Keeps a positive answer: lockdown cannot be lifted, and each such check is a line in the log. */
bool kt_lockdown_hides(void)
{
	static bool is_hidden;

	if (!READ_ONCE(is_hidden) && kt_kernel_hides())
		WRITE_ONCE(is_hidden, true);
	return READ_ONCE(is_hidden);
}

bool kt_lockdown_is_on(void)
{
	return respect_lockdown && kt_lockdown_hides();
}

bool kt_lockdown_refuses(u8 cmd)
{
	return !(harmless >> cmd & 1) && kt_lockdown_is_on();
}
