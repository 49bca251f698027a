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

/* A command fails with an errno and a sentence, where the kernel can carry one. */
#ifdef KT_HAVE_GENL_EXTACK
#define kt_refuse(info, error, text)				\
({								\
	NL_SET_ERR_MSG((info)->extack, text);			\
	error;							\
})
#else
#define kt_refuse(info, error, text) ((void)(info), (error))
#endif

/* A number for a network namespace. */
static inline u32 kt_net_id(const struct net *net)
{
#ifdef KT_HAVE_NS_COMMON
	return net->ns.inum;
#else
	return net->proc_inum;
#endif
}

#endif
