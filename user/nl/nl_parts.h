/* SPDX-License-Identifier: GPL-2.0 */
/* Declarations that the files nl*.c share. No other file uses libnl. */
#ifndef NL_PARTS_H
#define NL_PARTS_H

#include <linux/netlink.h>

#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "nl/nl.h"

/* Kernel headers before 4.12 lack these. */
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
enum { KNL_ERROR_TEXT = 1 };	/* NLMSGERR_ATTR_MSG, which #ifndef cannot test */

typedef void knl_answer_fn(struct knl *nl, struct nlattr **attrs);

struct knl {
	bool is_watching;
	struct knl_notice *kept;	/* notices for knl_notice_take() */
	size_t nr_kept;
	struct nl_sock *sock;
	struct nl_sock *notices;	/* or NULL */
	int family;
	/* the current exchange */
	int error;
	bool is_over;
	/* the error of the last refusal, and the module's text for it, or "" */
	int said_error;
	char said[128];
	/* called for each answer; out, fn and arg are for the function */
	knl_answer_fn *answer;
	void *out;
	void *fn;
	void *arg;
};

/* Opens nl->sock. Returns 0 or a negative NLE_*. */
int knl_open_socket(struct knl *nl);
/* Sets the callbacks of nl->sock. libnl must have resolved the family before. */
void knl_set_callbacks(struct knl *nl);
/* Returns a message with the header of the family, or NULL if memory is short. */
struct nl_msg *knl_request(struct knl *nl, uint8_t cmd, int flags);
/* Sends and frees a message, and calls nl->answer for each answer. */
int knl_exchange(struct knl *nl, struct nl_msg *msg);
/* Frees a message that could not be completed. Returns -EMSGSIZE, or -ENOMEM if msg is NULL. */
int knl_drop(struct nl_msg *msg);
/* Sends a command whose only attribute is the session. */
int knl_on_session(struct knl *nl, uint8_t cmd, uint64_t id);
/*
 * Sends a dump command for a session, or for all sessions if id is 0. answer, which is called for
 * each answer, finds fn and arg in nl.
 */
int knl_dump(struct knl *nl, uint8_t cmd, uint64_t id, uint32_t flags, knl_answer_fn *answer,
	     void *fn, void *arg);

/* Return the value of an attribute, or 0 if attr is NULL or too short. */
uint32_t knl_u32(const struct nlattr *attr);
uint64_t knl_u64(const struct nlattr *attr);
/* Returns the text of an attribute, or NULL if attr is NULL or the text has no terminating zero. */
const char *knl_text(const struct nlattr *attr);
/*
 * Copies a struct of len bytes from byte `at` of an attribute on. The struct of an older module may
 * be shorter: the rest becomes 0. The struct of a newer module may be longer.
 */
void knl_struct(void *to, size_t len, const struct nlattr *attr, size_t at);
/* Returns an error from a message if it is 0 or a negative errno, otherwise -EPROTO. */
int knl_told_error(int error);

#endif
