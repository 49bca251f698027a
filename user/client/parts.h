/* SPDX-License-Identifier: GPL-2.0 */
/* Declarations that the files of this folder share. No other folder uses libnl. */
#ifndef PARTS_H
#define PARTS_H

#include <linux/netlink.h>

#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "client/client.h"

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
enum { KTR_ERROR_TEXT = 1 };	/* NLMSGERR_ATTR_MSG, which #ifndef cannot test */

#define KTR_RECEIVE_LEN 32768	/* the largest datagram that the kernel sends in a dump */

typedef void ktr_answer_fn(struct ktr *ktr, struct nlattr **attrs);

struct ktr {
	bool is_watching;
	struct ktr_kept {
		struct ktr_notice *all;
		size_t nr;
	} kept, maps;		/* notices for ktr_notice_take() and ktr_maps_take() */
	bool is_keeping_maps;
	struct nl_sock *sock;
	struct nl_sock *notices;	/* or NULL */
	int family;
	/* the current exchange */
	uint32_t seq;
	int error;
	bool is_over;
	/* the error of the last refusal, and the module's text for it, or "" */
	int said_error;
	char said[128];
	/* called for each answer; out, fn and arg are for the function */
	ktr_answer_fn *answer;
	void *out;
	void *fn;
	void *arg;
};

#define KTR_MOST_MAPS 4096	/* notices MAPS that wait; those of further processes are dropped */

/* Opens ktr->sock. Returns 0 or a negative errno. */
int ktr_open_socket(struct ktr *ktr);
/* Returns a message with the header of the family, or NULL if memory is short. */
struct nl_msg *ktr_request(struct ktr *ktr, uint8_t cmd, int flags);
/* Sends and frees a message, and calls ktr->answer for each answer. */
int ktr_exchange(struct ktr *ktr, struct nl_msg *msg);
/*
 * The same in steps: ktr_receive() takes the next datagram with answers, until ktr->is_over; the
 * result is then ktr->error. Both return a negative errno if the exchange has failed.
 */
int ktr_send(struct ktr *ktr, struct nl_msg *msg);
int ktr_receive(struct ktr *ktr);
/* Converts a failure of libnl itself, NLE_*, to a negative errno. */
int ktr_errno_of(int error);
/* Frees a message that could not be completed. Returns -EMSGSIZE, or -ENOMEM if msg is NULL. */
int ktr_drop(struct nl_msg *msg);
/* Sends a command whose only attribute is the session. */
int ktr_on_session(struct ktr *ktr, uint8_t cmd, uint64_t id);
/*
 * Sends a dump command for a session, or for all sessions if id is 0. answer, which is called for
 * each answer, finds fn and arg in ktr.
 */
int ktr_dump(struct ktr *ktr, uint8_t cmd, uint64_t id, uint32_t flags, ktr_answer_fn *answer,
	     void *fn, void *arg);

/* Return the value of an attribute, or 0 if attr is NULL or too short. */
uint32_t ktr_u32(const struct nlattr *attr);
uint64_t ktr_u64(const struct nlattr *attr);
/* Returns the text of an attribute, or NULL if attr is NULL or the text has no terminating zero. */
const char *ktr_text(const struct nlattr *attr);
/*
 * Copies a struct of len bytes from byte `at` of an attribute on. The struct of an older module may
 * be shorter: the rest becomes 0. The struct of a newer module may be longer.
 */
void ktr_struct(void *to, size_t len, const struct nlattr *attr, size_t at);
/* Takes the text of the last refusal from another connection. */
void ktr_keep_said(struct ktr *ktr, const struct ktr *from);
/* Copies a struct of the library to one of the caller's, of len bytes. What is left becomes 0. */
void ktr_give(void *to, size_t to_len, const void *from, size_t len);
/* head: a packet of len bytes, aligned to 8 bytes. */
static inline struct ktr_packet ktr_packet_of(const struct ktrace_packet *head, size_t len)
{
	return (struct ktr_packet){
		.cpu = head->cpu_id, .nr_records = head->nr_records, .number = head->packet_seq,
		.begin = head->time_begin, .end = head->time_end,
		.discarded = head->events_discarded, .data = head, .len = len,
	};
}

/* Returns the number of cells that a column has in a row. */
uint32_t ktr_column_words(const struct ktrace_column *column);
/* Returns an error from a message if it is 0 or a negative errno, otherwise -EPROTO. */
int ktr_told_error(int error);

#endif
