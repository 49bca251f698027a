/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_NEST_H
#define KT_NEST_H

#include <linux/types.h>

struct netlink_ext_ack;
struct nla_policy;
struct nlattr;

#define KT_NEST_ATTRS 10	/* elements of attrs that are enough for any nest */

/* The attributes that a nest can contain. */
struct kt_nest {
	const struct nla_policy *policy;	/* [max + 1] */
	int max;
};

/*
 * Fills attrs[max + 1] with the attributes of the nest, and with NULL for missing attributes. from
 * is the nest, or NULL: then all attributes are missing. allowed is a mask of 1 << number of the
 * attributes that the command takes. Returns 0, -EINVAL, or -ERANGE if a length is wrong.
 */
int kt_nest_parse(const struct nlattr *from, const struct kt_nest *nest, u32 allowed,
		  const struct nlattr **attrs, struct netlink_ext_ack *extack);

#endif
