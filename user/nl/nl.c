// SPDX-License-Identifier: GPL-2.0
/* The sockets: sends requests, receives answers and notices. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "nl/nl_parts.h"
#include "util/mem.h"

#define RECEIVE_LEN 32768	/* the largest message that the kernel sends in a dump */
#define SOCKET_LEN (1 << 20)
#define MAX_ERRNO 4095

/* --- exchanges ---------------------------------------------------------- */

int knl_told_error(int error)
{
	return error <= 0 && error >= -MAX_ERRNO ? error : -EPROTO;
}

/* Keeps the text of a refusal, which may be in attributes behind the first `at` bytes. */
static void keep_said(struct knl *nl, const struct nlmsghdr *head, size_t at)
{
	struct nlattr *attrs[KNL_ERROR_TEXT + 1] = { NULL };
	const char *text;
	size_t len;

	nl->said_error = nl->error;
	nl->said[0] = 0;
	if (!(head->nlmsg_flags & NLM_F_ACK_TLVS) || head->nlmsg_len <= at)
		return;
	nla_parse(attrs, KNL_ERROR_TEXT, (struct nlattr *)((char *)head + at),
		  head->nlmsg_len - at, NULL);
	text = knl_text(attrs[KNL_ERROR_TEXT]);
	if (!text)
		return;
	/* Drop the full stop: the text becomes a part of a sentence. */
	len = strlen(text);
	len -= len && text[len - 1] == '.';
	snprintf(nl->said, sizeof(nl->said), "%.*s", (int)len, text);
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *answer, void *arg)
{
	const struct nlmsghdr *head = (const void *)((char *)answer - NLMSG_HDRLEN);
	size_t at = NLMSG_HDRLEN + sizeof(*answer);
	struct knl *nl = arg;

	(void)from;
	/* The answer repeats the request, unless NETLINK_CAP_ACK is set. */
	if (!(head->nlmsg_flags & NLM_F_CAPPED) && answer->msg.nlmsg_len >= NLMSG_HDRLEN)
		at += NLMSG_ALIGN((size_t)answer->msg.nlmsg_len - NLMSG_HDRLEN);
	nl->error = knl_told_error(answer->error);
	nl->is_over = true;
	keep_said(nl, head, at);
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	struct knl *nl = arg;

	(void)msg;
	nl->is_over = true;
	return NL_STOP;
}

/* The last message of a dump has its error. */
static int on_done(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *head = nlmsg_hdr(msg);
	struct knl *nl = arg;

	if (head->nlmsg_len >= NLMSG_HDRLEN + sizeof(int))
		nl->error = knl_told_error(*(int *)NLMSG_DATA(head));
	nl->is_over = true;
	if (nl->error)
		keep_said(nl, head, NLMSG_HDRLEN + sizeof(int));
	return NL_STOP;
}

static int on_answer(struct nl_msg *msg, void *arg)
{
	struct nlattr *attrs[KTRACE_A_MAX + 1];
	struct knl *nl = arg;

	if (nl->answer && genlmsg_parse(nlmsg_hdr(msg), 0, attrs, KTRACE_A_MAX, NULL) >= 0)
		nl->answer(nl, attrs);
	return NL_OK;
}

/* Converts a failure of libnl itself. Errors of the module do not pass through here. */
static int errno_of(int error)
{
	switch (-error) {
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_INTR:
		return -EINTR;
	default:
		return -EIO;
	}
}

static int talk(struct knl *nl, struct nl_msg *msg)
{
	int error = nl_send_auto(nl->sock, msg);

	if (error < 0)
		return errno_of(error);
	while (!nl->is_over) {
		error = nl_recvmsgs_default(nl->sock);
		if (error < 0 && !nl->is_over && error != -NLE_INTR)
			return errno_of(error);
	}
	return nl->error;
}

int knl_exchange(struct knl *nl, struct nl_msg *msg)
{
	int error;

	nl->error = 0;
	nl->is_over = false;
	error = talk(nl, msg);
	nlmsg_free(msg);
	nl->answer = NULL;
	return error;
}

int knl_drop(struct nl_msg *msg)
{
	int error = msg ? -EMSGSIZE : -ENOMEM;

	nlmsg_free(msg);
	return error;
}

struct nl_msg *knl_request(struct knl *nl, uint8_t cmd, int flags)
{
	struct nl_msg *msg = nlmsg_alloc_size(flags & NLM_F_DUMP ? 4096 : 70000);

	if (!msg || !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, nl->family, 0,
				 NLM_F_REQUEST | flags, cmd, KTRACE_GENL_VERSION)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

int knl_on_session(struct knl *nl, uint8_t cmd, uint64_t id)
{
	struct nl_msg *msg = knl_request(nl, cmd, NLM_F_ACK);

	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id))
		return knl_drop(msg);
	return knl_exchange(nl, msg);
}

/* nla_get_u64() checks the length of the attribute, nla_get_u32() does not. */
uint32_t knl_u32(const struct nlattr *attr)
{
	return attr && nla_len(attr) >= (int)sizeof(uint32_t) ? nla_get_u32(attr) : 0;
}

uint64_t knl_u64(const struct nlattr *attr)
{
	return attr ? nla_get_u64((struct nlattr *)attr) : 0;
}

const char *knl_text(const struct nlattr *attr)
{
	return attr && memchr(nla_data(attr), 0, nla_len(attr)) ? nla_data(attr) : NULL;
}

void knl_struct(void *to, size_t len, const struct nlattr *attr, size_t at)
{
	size_t there = attr ? nla_len(attr) : 0;

	memset(to, 0, len);
	if (there > at)
		memcpy(to, (char *)nla_data(attr) + at, there - at < len ? there - at : len);
}

int knl_dump(struct knl *nl, uint8_t cmd, uint64_t id, uint32_t flags, knl_answer_fn *answer,
	     void *fn, void *arg)
{
	struct nl_msg *msg = knl_request(nl, cmd, NLM_F_DUMP);

	if (!msg || (id && nla_put_u64(msg, KTRACE_A_SESSION, id)) ||
	    (flags && nla_put_u32(msg, KTRACE_A_FLAGS, flags)))
		return knl_drop(msg);
	nl->answer = answer;
	nl->fn = fn;
	nl->arg = arg;
	return knl_exchange(nl, msg);
}

/* --- a socket ------------------------------------------------------------ */

void knl_set_callbacks(struct knl *nl)
{
	nl_socket_set_buffer_size(nl->sock, SOCKET_LEN, 0);
	nl_socket_modify_err_cb(nl->sock, NL_CB_CUSTOM, on_error, nl);
	nl_socket_modify_cb(nl->sock, NL_CB_ACK, NL_CB_CUSTOM, on_ack, nl);
	nl_socket_modify_cb(nl->sock, NL_CB_FINISH, NL_CB_CUSTOM, on_done, nl);
	nl_socket_modify_cb(nl->sock, NL_CB_VALID, NL_CB_CUSTOM, on_answer, nl);
}

/* Requests texts for refusals, without the refused request. Old kernels support neither. */
static void ask_for_sentences(struct nl_sock *sock)
{
	int yes = 1;

	setsockopt(nl_socket_get_fd(sock), SOL_NETLINK, NETLINK_CAP_ACK, &yes, sizeof(yes));
	setsockopt(nl_socket_get_fd(sock), SOL_NETLINK, NETLINK_EXT_ACK, &yes, sizeof(yes));
}

int knl_open_socket(struct knl *nl)
{
	int error;

	nl->sock = nl_socket_alloc();
	if (!nl->sock)
		return -NLE_NOMEM;
	nl_socket_set_msg_buf_size(nl->sock, RECEIVE_LEN);
	nl_socket_disable_auto_ack(nl->sock);
	error = genl_connect(nl->sock);
	if (!error)
		ask_for_sentences(nl->sock);
	return error;
}

const char *knl_said(const struct knl *nl, int error)
{
	return nl->said[0] && nl->said_error == error ? nl->said : NULL;
}

const char *knl_reason(const struct knl *nl, int error)
{
	const char *said = knl_said(nl, error);

	return said ? said : error == -EACCES ?
	       "the kernel is locked down, and the module respects that (respect_lockdown)" :
	       strerror(-error);
}

void knl_close(struct knl *nl)
{
	if (!nl)
		return;
	nl_socket_free(nl->notices);
	nl_socket_free(nl->sock);
	free(nl->kept);
	free(nl);
}

/* --- notices ------------------------------------------------------------ */

/* Notices have a socket of their own: if it overflows, no answer is lost. */
static void subscribe(struct knl *nl)
{
	struct nl_sock *sock = nl->sock;
	struct nl_msg *msg;
	int error = knl_open_socket(nl);

	msg = error < 0 ? NULL : knl_request(nl, KTRACE_CMD_SUBSCRIBE, NLM_F_ACK);
	if (msg)
		knl_set_callbacks(nl);
	error = msg ? knl_exchange(nl, msg) : -ENOMEM;
	nl->notices = nl->sock;
	nl->sock = sock;
	if (!error)
		return;
	nl_socket_free(nl->notices);
	nl->notices = NULL;
}

int knl_notice_fd(struct knl *nl)
{
	if (!nl->notices)
		subscribe(nl);
	return nl->notices ? nl_socket_get_fd(nl->notices) : -1;
}

static void keep_notice(struct knl *nl, struct nlmsghdr *head)
{
	struct nlattr *attrs[KTRACE_A_MAX + 1];
	struct knl_notice *notice;

	if (genlmsg_parse(head, 0, attrs, KTRACE_A_MAX, NULL) || !attrs[KTRACE_A_PID])
		return;
	nl->kept = mem_grow(nl->kept, nl->nr_kept, sizeof(*nl->kept));
	notice = &nl->kept[nl->nr_kept++];
	notice->session = knl_u64(attrs[KTRACE_A_SESSION]);
	notice->event = knl_u32(attrs[KTRACE_A_EVENT]);
	notice->pid = knl_u32(attrs[KTRACE_A_PID]);
}

/*
 * Keeps the notices that a watcher must answer, because other code that waits for notices drains
 * the socket, too.
 */
void knl_notices_drain(struct knl *nl)
{
	union {
		struct nlmsghdr head;
		char bytes[4096];
	} buffer;
	ssize_t len;

	if (!nl->notices)
		return;
	for (;;) {
		len = recv(nl_socket_get_fd(nl->notices), &buffer, sizeof(buffer), MSG_DONTWAIT);
		if (len < 0 && errno != ENOBUFS)
			return;
		if (len > 0 && nl->is_watching && nlmsg_ok(&buffer.head, len))
			keep_notice(nl, &buffer.head);
	}
}

bool knl_notice_take(struct knl *nl, struct knl_notice *notice)
{
	if (!nl->nr_kept)
		return false;
	*notice = nl->kept[0];
	memmove(nl->kept, nl->kept + 1, --nl->nr_kept * sizeof(*nl->kept));
	return true;
}
