/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_NEST_H
#define KT_NEST_H

#include <linux/types.h>

struct netlink_ext_ack;
struct nla_policy;
struct nlattr;

#define KT_NEST_ATTRS 10	/* of one nest, at most, number 0 included */

/* What a nest may hold. */
struct kt_nest {
	const struct nla_policy *policy;	/* [max + 1] */
	int max;
};

/*
 * Fills attrs[max + 1] with what the nest holds, NULL where it has no such attribute; from may be
 * NULL, then it holds nothing. allowed: 1 << number of each that the command takes. Returns 0,
 * -EINVAL, or -ERANGE of a wrong length.
 */
int kt_nest_parse(const struct nlattr *from, const struct kt_nest *nest, u32 allowed,
		  const struct nlattr **attrs, struct netlink_ext_ack *extack);

#endif
