/* SPDX-License-Identifier: GPL-2.0 */
/* What nl*.c share: no other file knows libnl. */
#ifndef NL_PARTS_H
#define NL_PARTS_H

#include <linux/netlink.h>

#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "nl/nl.h"

/* What headers before 4.12 lack. */
#ifndef SOL_NETLINK
#define SOL_NETLINK 270
#endif
#ifndef NETLINK_CAP_ACK
#define NETLINK_CAP_ACK 10
#endif
#ifndef NETLINK_EXT_ACK
#define NETLINK_EXT_ACK 11
#endif
#ifndef NLM_F_CAPPED
#define NLM_F_CAPPED 0x100
#endif
#ifndef NLM_F_ACK_TLVS
#define NLM_F_ACK_TLVS 0x200
#endif
enum { KNL_ERROR_TEXT = 1 };	/* NLMSGERR_ATTR_MSG, which is no macro */

struct knl {
	bool is_watching;
	struct knl_notice *kept;	/* told, to be taken */
	size_t nr_kept;
	struct nl_sock *sock;
	struct nl_sock *notices;	/* or NULL */
	int family;
	/* of the exchange under way */
	int error;
	bool is_over;
	/* the last refusal, and what the module said of it; "": nothing */
	int said_error;
	char said[128];
	void (*answer)(struct knl *nl, struct nlattr **attrs);
	void *out;
	void *fn;
	void *arg;
};

/* A socket for exchanges; 0, or a negative NLE_*. */
int knl_open_socket(struct knl *nl);
/* From here on answers on it are ours: libnl asks for the family before. */
void knl_set_callbacks(struct knl *nl);
/* A message with the family's header; NULL: no memory. */
struct nl_msg *knl_request(struct knl *nl, uint8_t cmd, int flags);
/* Sends it, frees it, and hands each answer to nl->answer. */
int knl_exchange(struct knl *nl, struct nl_msg *msg);
/* Of one that cannot be whole: frees it; -EMSGSIZE, or -ENOMEM of NULL. */
int knl_drop(struct nl_msg *msg);
/* A command that says no more than which session. */
int knl_on_session(struct knl *nl, uint8_t cmd, uint64_t id);
/* Of a session, or with id 0 of all. */
int knl_dump(struct knl *nl, uint8_t cmd, uint64_t id, uint32_t flags);

/* What an attribute holds; 0: it is not there, or is short. */
uint32_t knl_u32(const struct nlattr *attr);
uint64_t knl_u64(const struct nlattr *attr);
/* NULL: it is not there, or does not end. */
const char *knl_text(const struct nlattr *attr);
/* From `at` on. An older peer's struct may be shorter, a newer one's longer. */
void knl_struct(void *to, size_t len, const struct nlattr *attr, size_t at);
/* What a message says is an errno, if it can be one; else -EPROTO. */
int knl_told_error(int error);

#endif
