// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel locked down for confidentiality refuses tracing to everybody, but
 * asks no loaded module. With this parameter we ask ourselves. It does not
 * change while the module is loaded, so that no one who may not load modules
 * gets around it.
 */
#include <linux/bitops.h>
#include <linux/module.h>

#include <uapi/ktrace.h>

#include "compat.h"
#include "lockdown.h"

static bool respect_lockdown;
module_param(respect_lockdown, bool, 0444);
MODULE_PARM_DESC(respect_lockdown, "refuse to trace when lockdown=confidentiality would (default N)");

#define CMD(name) BIT(KTRACE_CMD_##name)
static const unsigned long harmless = CMD(INFO) | CMD(SESSION_GET) | CMD(SUBSCRIBE) |
	CMD(SESSION_PAUSE) | CMD(SESSION_STOP) | CMD(SESSION_DEL) | CMD(TASK_CONTINUE);

bool kt_lockdown_is_on(void)
{
	return respect_lockdown && kt_kernel_hides();
}

bool kt_lockdown_refuses(u8 cmd)
{
	return !(harmless >> cmd & 1) && kt_lockdown_is_on();
}
