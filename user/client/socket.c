// SPDX-License-Identifier: GPL-2.0
/* The sockets: sends requests, receives answers and notices. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "client/parts.h"

#define SOCKET_LEN (1 << 20)
#define MAX_ERRNO 4095

/* --- exchanges ---------------------------------------------------------- */

int ktr_told_error(int error)
{
	return error <= 0 && error >= -MAX_ERRNO ? error : -EPROTO;
}

/* Keeps the text of a refusal, which may be in attributes behind the first `at` bytes. */
static void keep_said(struct ktr *ktr, const struct nlmsghdr *head, size_t at)
{
	struct nlattr *attrs[KTR_ERROR_TEXT + 1] = { NULL };
	const char *text;
	size_t len;

	ktr->said_error = ktr->error;
	ktr->said[0] = 0;
	if (!(head->nlmsg_flags & NLM_F_ACK_TLVS) || head->nlmsg_len <= at)
		return;
	nla_parse(attrs, KTR_ERROR_TEXT, (struct nlattr *)((char *)head + at),
		  head->nlmsg_len - at, NULL);
	text = ktr_text(attrs[KTR_ERROR_TEXT]);
	if (!text)
		return;
	/* Drop the full stop: the text becomes a part of a sentence. */
	len = strlen(text);
	len -= len && text[len - 1] == '.';
	snprintf(ktr->said, sizeof(ktr->said), "%.*s", (int)len, text);
}

/* The answer to a request has ended, with an error or 0. */
static void take_error(struct ktr *ktr, struct nlmsghdr *head)
{
	const struct nlmsgerr *answer = NLMSG_DATA(head);
	size_t at = NLMSG_HDRLEN + sizeof(*answer);

	ktr->is_over = true;
	if (head->nlmsg_len < at) {
		ktr->error = -EPROTO;
		return;
	}
	ktr->error = ktr_told_error(answer->error);
	/* The answer repeats the request, unless NETLINK_CAP_ACK is set. */
	if (!(head->nlmsg_flags & NLM_F_CAPPED) && answer->msg.nlmsg_len >= NLMSG_HDRLEN)
		at += NLMSG_ALIGN((size_t)answer->msg.nlmsg_len - NLMSG_HDRLEN);
	if (ktr->error)
		keep_said(ktr, head, at);
}

/* The last message of a dump has its error. */
static void take_done(struct ktr *ktr, struct nlmsghdr *head)
{
	ktr->is_over = true;
	if (head->nlmsg_len >= NLMSG_HDRLEN + sizeof(int))
		ktr->error = ktr_told_error(*(int *)NLMSG_DATA(head));
	if (ktr->error)
		keep_said(ktr, head, NLMSG_HDRLEN + sizeof(int));
}

static void take_answer(struct ktr *ktr, struct nlmsghdr *head)
{
	struct nlattr *attrs[KTRACE_A_MAX + 1];

	if (ktr->answer && genlmsg_valid_hdr(head, 0) &&
	    genlmsg_parse(head, 0, attrs, KTRACE_A_MAX, NULL) >= 0)
		ktr->answer(ktr, attrs);
}

/* Messages of an earlier exchange, which failed, are skipped. */
static void read_message(struct ktr *ktr, struct nlmsghdr *head)
{
	if (head->nlmsg_seq != ktr->seq || ktr->is_over)
		return;
	if (head->nlmsg_type == NLMSG_ERROR)
		take_error(ktr, head);
	else if (head->nlmsg_type == NLMSG_DONE)
		take_done(ktr, head);
	else if (head->nlmsg_type >= NLMSG_MIN_TYPE)
		take_answer(ktr, head);
}

int ktr_errno_of(int error)
{
	static const struct {
		int nle, error;
	} known[] = {
		{ NLE_NOMEM, ENOMEM }, { NLE_INTR, EINTR }, { NLE_OBJ_NOTFOUND, ENOENT },
		{ NLE_PERM, EPERM }, { NLE_NOACCESS, EACCES }, { NLE_BUSY, EBUSY },
		{ NLE_AF_NOSUPPORT, EAFNOSUPPORT },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].nle == -error)
			return -known[i].error;
	return -EIO;
}

int ktr_send(struct ktr *ktr, struct nl_msg *msg)
{
	int error;

	ktr->error = 0;
	ktr->is_over = false;
	error = nl_send_auto(ktr->sock, msg);
	ktr->seq = nlmsg_hdr(msg)->nlmsg_seq;
	nlmsg_free(msg);
	return error < 0 ? ktr_errno_of(error) : 0;
}

/* nl_recvmsgs() would not return before the last datagram of a dump. */
int ktr_receive(struct ktr *ktr)
{
	struct sockaddr_nl from;
	struct nlmsghdr *head;
	unsigned char *datagram = NULL;
	int len = nl_recv(ktr->sock, &from, &datagram, NULL);

	if (len <= 0)
		return len ? ktr_errno_of(len) : -EIO;
	/* Only the kernel has this number. */
	if (!from.nl_pid)
		for (head = (void *)datagram; nlmsg_ok(head, len); head = nlmsg_next(head, &len))
			read_message(ktr, head);
	free(datagram);
	return 0;
}

int ktr_exchange(struct ktr *ktr, struct nl_msg *msg)
{
	int error = ktr_send(ktr, msg);

	while (!error && !ktr->is_over)
		error = ktr_receive(ktr);
	ktr->answer = NULL;
	return error ? error : ktr->error;
}

int ktr_drop(struct nl_msg *msg)
{
	int error = msg ? -EMSGSIZE : -ENOMEM;

	nlmsg_free(msg);
	return error;
}

struct nl_msg *ktr_request(struct ktr *ktr, uint8_t cmd, int flags)
{
	struct nl_msg *msg = nlmsg_alloc_size(flags & NLM_F_DUMP ? 4096 : 70000);

	if (!msg || !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, ktr->family, 0,
				 NLM_F_REQUEST | flags, cmd, KTRACE_GENL_VERSION)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

int ktr_on_session(struct ktr *ktr, uint8_t cmd, uint64_t id)
{
	struct nl_msg *msg = ktr_request(ktr, cmd, NLM_F_ACK);

	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id))
		return ktr_drop(msg);
	return ktr_exchange(ktr, msg);
}

/* nla_get_u64() checks the length of the attribute, nla_get_u32() does not. */
uint32_t ktr_u32(const struct nlattr *attr)
{
	return attr && nla_len(attr) >= (int)sizeof(uint32_t) ? nla_get_u32(attr) : 0;
}

uint64_t ktr_u64(const struct nlattr *attr)
{
	return attr ? nla_get_u64((struct nlattr *)attr) : 0;
}

const char *ktr_text(const struct nlattr *attr)
{
	return attr && memchr(nla_data(attr), 0, nla_len(attr)) ? nla_data(attr) : NULL;
}

void ktr_give(void *to, size_t to_len, const void *from, size_t len)
{
	memset(to, 0, to_len);
	memcpy(to, from, len < to_len ? len : to_len);
}

void ktr_struct(void *to, size_t len, const struct nlattr *attr, size_t at)
{
	size_t there = attr ? nla_len(attr) : 0;

	memset(to, 0, len);
	if (there > at)
		memcpy(to, (char *)nla_data(attr) + at, there - at < len ? there - at : len);
}

int ktr_dump(struct ktr *ktr, uint8_t cmd, uint64_t id, uint32_t flags, ktr_answer_fn *answer,
	     void *fn, void *arg)
{
	struct nl_msg *msg = ktr_request(ktr, cmd, NLM_F_DUMP);

	if (!msg || (id && nla_put_u64(msg, KTRACE_A_SESSION, id)) ||
	    (flags && nla_put_u32(msg, KTRACE_A_FLAGS, flags)))
		return ktr_drop(msg);
	ktr->answer = answer;
	ktr->fn = fn;
	ktr->arg = arg;
	return ktr_exchange(ktr, msg);
}

/* --- a socket ------------------------------------------------------------ */

/* Requests texts for refusals, without the refused request. Old kernels support neither. */
static void ask_for_sentences(struct nl_sock *sock)
{
	int yes = 1;

	setsockopt(nl_socket_get_fd(sock), SOL_NETLINK, NETLINK_CAP_ACK, &yes, sizeof(yes));
	setsockopt(nl_socket_get_fd(sock), SOL_NETLINK, NETLINK_EXT_ACK, &yes, sizeof(yes));
}

int ktr_open_socket(struct ktr *ktr)
{
	int error;

	ktr->sock = nl_socket_alloc();
	if (!ktr->sock)
		return -ENOMEM;
	nl_socket_set_msg_buf_size(ktr->sock, KTR_RECEIVE_LEN);
	nl_socket_disable_auto_ack(ktr->sock);
	error = genl_connect(ktr->sock);
	if (error)
		return ktr_errno_of(error);
	ask_for_sentences(ktr->sock);
	nl_socket_set_buffer_size(ktr->sock, SOCKET_LEN, 0);
	return 0;
}

const char *ktr_said(const struct ktr *ktr, int error)
{
	return ktr->said[0] && ktr->said_error == error ? ktr->said : NULL;
}

void ktr_keep_said(struct ktr *ktr, const struct ktr *from)
{
	ktr->said_error = from->said_error;
	memcpy(ktr->said, from->said, sizeof(ktr->said));
}

const char *ktr_reason(const struct ktr *ktr, int error)
{
	const char *said = ktr ? ktr_said(ktr, error) : NULL;

	if (said)
		return said;
	switch (error) {
	case -EACCES:
		return "the kernel is locked down, and the module respects that (respect_lockdown)";
	case -EPERM:
		return "only root may do this (CAP_SYS_ADMIN in the initial user namespace)";
	default:
		return strerror(-error);
	}
}

void ktr_close(struct ktr *ktr)
{
	if (!ktr)
		return;
	nl_socket_free(ktr->notices);
	nl_socket_free(ktr->sock);
	free(ktr->kept.all);
	free(ktr->maps.all);
	free(ktr);
}

/* --- notices ------------------------------------------------------------ */

/* Notices have a socket of their own: if it overflows, no answer is lost. */
static void subscribe(struct ktr *ktr)
{
	struct nl_sock *sock = ktr->sock;
	struct nl_msg *msg;
	int error = ktr_open_socket(ktr);

	msg = error < 0 ? NULL : ktr_request(ktr, KTRACE_CMD_SUBSCRIBE, NLM_F_ACK);
	error = msg ? ktr_exchange(ktr, msg) : -ENOMEM;
	ktr->notices = ktr->sock;
	ktr->sock = sock;
	if (!error)
		return;
	nl_socket_free(ktr->notices);
	ktr->notices = NULL;
}

int ktr_notice_fd(struct ktr *ktr)
{
	if (!ktr->notices)
		subscribe(ktr);
	return ktr->notices ? nl_socket_get_fd(ktr->notices) : -1;
}

/* A process whose mappings change all the time has one notice. */
static bool is_known(const struct ktr_kept *kept, const struct ktr_notice *notice)
{
	size_t i;

	for (i = 0; i < kept->nr; i++)
		if (kept->all[i].pid == notice->pid && kept->all[i].session == notice->session)
			return true;
	return false;
}

/* Returns the list that a notice belongs to, or NULL. */
static struct ktr_kept *list_for(struct ktr *ktr, const struct ktr_notice *notice)
{
	if (notice->event != KTRACE_EVENT_MAPS)
		return ktr->is_watching ? &ktr->kept : NULL;
	return ktr->is_keeping_maps && ktr->maps.nr < KTR_MOST_MAPS &&
	       !is_known(&ktr->maps, notice) ? &ktr->maps : NULL;
}

static void keep_notice(struct ktr *ktr, struct nlmsghdr *head)
{
	struct nlattr *attrs[KTRACE_A_MAX + 1];
	struct ktr_notice notice, *longer;
	struct ktr_kept *kept;

	if (genlmsg_parse(head, 0, attrs, KTRACE_A_MAX, NULL) || !attrs[KTRACE_A_PID])
		return;
	notice.session = ktr_u64(attrs[KTRACE_A_SESSION]);
	notice.event = ktr_u32(attrs[KTRACE_A_EVENT]);
	notice.pid = ktr_u32(attrs[KTRACE_A_PID]);
	kept = list_for(ktr, &notice);
	longer = kept ? realloc(kept->all, (kept->nr + 1) * sizeof(notice)) : NULL;
	if (!longer)
		return;
	kept->all = longer;
	kept->all[kept->nr++] = notice;
}

/*
 * Keeps the notices that this socket must answer, because other code that waits for notices drains
 * the socket, too.
 */
void ktr_notices_drain(struct ktr *ktr)
{
	union {
		struct nlmsghdr head;
		char bytes[4096];
	} buffer;
	ssize_t len;

	if (!ktr->notices)
		return;
	for (;;) {
		len = recv(nl_socket_get_fd(ktr->notices), &buffer, sizeof(buffer), MSG_DONTWAIT);
		if (len < 0 && errno != ENOBUFS)
			return;
		if (len > 0 && nlmsg_ok(&buffer.head, len))
			keep_notice(ktr, &buffer.head);
	}
}

void ktr_maps_keep(struct ktr *ktr, bool are_kept)
{
	ktr->is_keeping_maps = are_kept;
	if (are_kept)
		ktr_notice_fd(ktr);
	else
		ktr->maps.nr = 0;
}

static bool take_kept(struct ktr_kept *kept, struct ktr_notice *notice)
{
	if (!kept->nr)
		return false;
	*notice = kept->all[0];
	memmove(kept->all, kept->all + 1, --kept->nr * sizeof(*kept->all));
	return true;
}

bool ktr_notice_take(struct ktr *ktr, struct ktr_notice *notice)
{
	return take_kept(&ktr->kept, notice);
}

bool ktr_maps_take(struct ktr *ktr, struct ktr_notice *notice)
{
	return take_kept(&ktr->maps, notice);
}
