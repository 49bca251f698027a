// SPDX-License-Identifier: GPL-2.0
/*
 * Who may send which command. The opener of the socket needs the right as well as the sender: a
 * process that inherits a socket, or whose output is a socket, must not use its own rights for the
 * opener. For CAP_SYS_ADMIN the kernel leaves the opener out if the message has an address, since
 * no process writes one by accident.
 */
#include <linux/bitops.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include <net/sock.h>

#include <uapi/ktrace.h>

#include "netlink/sender.h"

/* Cannot change while the module is loaded, so that only a user who may load modules can set it. */
static unsigned int group = (gid_t)-1;
module_param(group, uint, 0444);
MODULE_PARM_DESC(group, "id of the group whose members may read all that is traced, but not trace (default none)");

#define CMD(name) BIT(KTRACE_CMD_##name)
static const unsigned long reading = CMD(INFO) | CMD(SESSION_GET) | CMD(FUNC_GET) |
	CMD(TREE_GET) | CMD(TABLE_GET) | CMD(STACK_GET) | CMD(STREAM_READ) | CMD(SUBSCRIBE);

static bool sender_is_member(const struct cred *cred, kgid_t gid)
{
	const struct cred *own = override_creds(cred);
	bool is_member = cred->user_ns == &init_user_ns && in_egroup_p(gid);

	revert_creds(own);
	return is_member;
}

/*
 * In a container anyone who may set his group could become a member. Before 5.12 a thread of the
 * kernel may send for a process of io_uring, whose namespaces it does not have.
 */
static bool sender_may_be_in_container(void)
{
	return (current->flags & PF_KTHREAD) || task_active_pid_ns(current) != &init_pid_ns;
}

static bool sender_is_in_group(const struct sk_buff *skb)
{
	const struct socket *socket = NETLINK_CB(skb).sk->sk_socket;
	kgid_t gid = make_kgid(&init_user_ns, group);

	return gid_valid(gid) && socket && socket->file && !sender_may_be_in_container() &&
	       sender_is_member(socket->file->f_cred, gid) && sender_is_member(current_cred(), gid);
}

bool kt_sender_is_admin(const struct sk_buff *skb)
{
	return netlink_capable(skb, CAP_SYS_ADMIN);
}

bool kt_sender_may(const struct sk_buff *skb, u8 cmd)
{
	return kt_sender_is_admin(skb) ||
	       ((reading >> cmd & 1) && sender_is_in_group(skb));
}
