// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family: one callback per command. The manual is the head comment of
 * include/uapi/ktrace.h.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/notifier.h>
#include <net/genetlink.h>

#include <uapi/ktrace.h>

#include "compat/genl.h"
#include "netlink/commands.h"
#include "netlink/dump.h"
#include "netlink/family.h"
#include "netlink/message.h"
#include "netlink/notices.h"
#include "netlink/subscriber.h"
#include "session/sessions.h"

static int family_on_release(struct notifier_block *block, unsigned long event, void *data)
{
	struct netlink_notify *notify = data;

	if (event == NETLINK_URELEASE && notify->protocol == NETLINK_GENERIC) {
		kt_subscriber_remove(notify->net, notify->portid);
		kt_session_close_socket(kt_message_socket_of(notify->net, notify->portid));
	}
	return NOTIFY_DONE;
}

static struct notifier_block release_block = { .notifier_call = family_on_release };

#define OP(name, ...) { KT_OP_POLICY(kt_message_policy) .cmd = KTRACE_CMD_##name, __VA_ARGS__ }

static const struct genl_ops ops[] = {
	OP(INFO, .doit = kt_cmd_info),
	OP(SESSION_NEW, .doit = kt_cmd_new),
	OP(FUNC_ADD, .doit = kt_cmd_func_add),
	OP(SESSION_COMMIT, .doit = kt_cmd_commit),
	OP(SESSION_GET, .doit = kt_cmd_get, .dumpit = kt_session_dump),
	OP(SESSION_DEL, .doit = kt_cmd_delete),
	OP(SESSION_STOP, .doit = kt_cmd_stop),
	OP(SESSION_ARM, .doit = kt_cmd_arm),
	OP(SESSION_RESET, .doit = kt_cmd_reset),
	OP(COSTS_SET, .doit = kt_cmd_costs),
	OP(FUNC_GET, .dumpit = kt_func_dump, .done = kt_dump_end_figures),
	OP(TREE_GET, .dumpit = kt_tree_dump, .done = kt_dump_end_figures),
	OP(TABLE_GET, .dumpit = kt_table_dump, .done = kt_dump_end_figures),
	OP(STREAM_READ, .dumpit = kt_stream_dump, .done = kt_dump_end),
	OP(SUBSCRIBE, .doit = kt_cmd_subscribe),
	OP(FUNC_DEL, .doit = kt_cmd_func_del),
	OP(SESSION_CHANGE, .doit = kt_cmd_change),
	OP(SESSION_PAUSE, .doit = kt_cmd_pause),
	OP(SESSION_RESUME, .doit = kt_cmd_resume),
	OP(SESSION_GATE, .doit = kt_cmd_gate),
	OP(SESSION_WATCH, .doit = kt_cmd_watch),
	OP(TASK_CONTINUE, .doit = kt_cmd_continue),
	OP(UNWIND_ADD, .doit = kt_cmd_unwind_add),
	OP(STACK_GET, .dumpit = kt_stacks_dump, .done = kt_dump_end),
};

static struct genl_family family = {
	.name = KTRACE_GENL_NAME,
	.version = KTRACE_GENL_VERSION,
	.maxattr = KTRACE_A_MAX,
	KT_FAMILY_POLICY(kt_message_policy)
	.netnsok = true,
	.parallel_ops = true,
	.module = THIS_MODULE,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
	KT_RESV_START_OP(KTRACE_CMD_MAX + 1)
};

int kt_family_init(void)
{
	int error = netlink_register_notifier(&release_block);

	if (error)
		return error;
	kt_message_init(&family);
	kt_notices_init(&family);
	error = genl_register_family(&family);
	if (error) {
		kt_notices_exit();
		netlink_unregister_notifier(&release_block);
	}
	return error;
}

void kt_family_exit(void)
{
	genl_unregister_family(&family);
	netlink_unregister_notifier(&release_block);
	kt_notices_exit();
}
