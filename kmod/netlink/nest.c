// SPDX-License-Identifier: GPL-2.0
/*
 * Parses nested attributes, with the same rules on every kernel. The rules of the kernel's own
 * parser have changed more than once.
 */
#include <linux/string.h>
#include <net/netlink.h>

#include "compat/genl.h"
#include "netlink/nest.h"

/* The text has a terminating zero, and at most policy->len characters before it. */
static bool nest_is_text_good(const struct nlattr *attr, const struct nla_policy *policy)
{
	return memchr(nla_data(attr), 0, min_t(int, nla_len(attr), policy->len + 1));
}

static bool nest_is_length_good(const struct nlattr *attr, const struct nla_policy *policy)
{
	switch (policy->type) {
	case NLA_FLAG:
		return !nla_len(attr);
	case NLA_U32:
		return nla_len(attr) == sizeof(u32);
	case NLA_U64:
		return nla_len(attr) == sizeof(u64);
	case NLA_NUL_STRING:
		return nest_is_text_good(attr, policy);
	default:
		return nla_len(attr) <= policy->len;
	}
}

int kt_nest_parse(const struct nlattr *from, const struct kt_nest *nest, u32 allowed,
		  const struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	const struct nlattr *attr;
	int rem, type;

	memset(attrs, 0, (nest->max + 1) * sizeof(*attrs));
	if (!from)
		return 0;
	if (!(from->nla_type & NLA_F_NESTED))
		return kt_refuse(extack, -EINVAL, "A nest lacks NLA_F_NESTED.");
	nla_for_each_attr(attr, nla_data(from), nla_len(from), rem) {
		type = nla_type(attr);
		if (type > nest->max || !(allowed >> type & 1))
			return kt_refuse(extack, -EINVAL,
					 "A nest has an attribute that the command does not take.");
		if (attrs[type])
			return kt_refuse(extack, -EINVAL, "A nest has a duplicate attribute.");
		if (!nest_is_length_good(attr, &nest->policy[type]))
			return kt_refuse(extack, -ERANGE,
					 "A nest has an attribute of a wrong length.");
		attrs[type] = attr;
	}
	return rem > 0 ? kt_refuse(extack, -EINVAL, "A nest does not end with an attribute.") : 0;
}
