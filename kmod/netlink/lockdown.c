// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel locked down for confidentiality keeps its memory from root, and refuses tracing to
 * everybody, but asks no loaded module. So we ask: then no results of its functions are shown,
 * and with the parameter nothing is. The parameter does not change while the module is loaded,
 * so that no one who may not load modules gets around it.
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

/* There is no way back, and each question that is answered with yes is a line in the log. */
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
