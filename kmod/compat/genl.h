/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_GENL_H
#define KT_COMPAT_GENL_H

#include <net/genetlink.h>
#include <net/net_namespace.h>

#ifdef KT_HAVE_RESV_START_OP
#define KT_RESV_START_OP(op) .resv_start_op = (op),
#else
#define KT_RESV_START_OP(op)
#endif

#ifdef KT_HAVE_FAMILY_POLICY
#define KT_FAMILY_POLICY(p) .policy = (p),
#define KT_OP_POLICY(p)
#else
#define KT_FAMILY_POLICY(p)
#define KT_OP_POLICY(p) .policy = (p),
#endif

/*
 * Returns error, the errno of a command that fails, and adds a sentence where the kernel can carry
 * one. extack may be NULL.
 */
struct netlink_ext_ack;
#ifdef KT_HAVE_GENL_EXTACK
#define kt_refuse(extack, error, text)				\
({								\
	if (extack)						\
		NL_SET_ERR_MSG(extack, text);			\
	error;							\
})
#else
#define kt_refuse(extack, error, text) ((void)(extack), (error))
#endif

static inline struct netlink_ext_ack *kt_info_extack(const struct genl_info *info)
{
#ifdef KT_HAVE_GENL_EXTACK
	return info->extack;
#else
	return NULL;
#endif
}

static inline struct netlink_ext_ack *kt_dump_extack(const struct netlink_callback *cb)
{
#ifdef KT_HAVE_DUMP_EXTACK
	return cb->extack;
#else
	return NULL;
#endif
}

/* Returns the inode number of a network namespace. */
static inline u32 kt_net_id(const struct net *net)
{
#ifdef KT_HAVE_NS_COMMON
	return net->ns.inum;
#else
	return net->proc_inum;
#endif
}

#endif
