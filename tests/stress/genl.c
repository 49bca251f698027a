// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "genl.h"

#define RECEIVE_LEN 65536
#define BUFFER_LEN (8 << 20)

uint16_t genl_family;

/* --- messages ------------------------------------------------------------- */

void message_begin(struct message *m, uint8_t cmd, uint16_t flags)
{
	memset(m, 0, offsetof(struct message, data));
	m->type = genl_family;
	m->flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	m->cmd = cmd;
	m->version = KTRACE_GENL_VERSION;
}

void message_put(struct message *m, uint16_t type, const void *data, size_t len)
{
	struct attr *attr = &m->attrs[m->nr_attrs];

	if (m->nr_attrs == MAX_ATTRS || len > MAX_DATA - m->len || len > 65000)
		return;
	*attr = (struct attr){ .type = type, .len = len, .at = m->len };
	if (len)
		memcpy(m->data + m->len, data, len);
	m->len += len;
	m->nr_attrs++;
}

void message_put_u32(struct message *m, uint16_t type, uint32_t value)
{
	message_put(m, type, &value, sizeof(value));
}

void message_put_u64(struct message *m, uint16_t type, uint64_t value)
{
	message_put(m, type, &value, sizeof(value));
}

/* --- nests ---------------------------------------------------------------- */

void nest_begin(struct nest *nest, uint16_t type)
{
	nest->type = type | NLA_F_NESTED;
	nest->len = 0;
}

void nest_put(struct nest *nest, uint16_t type, const void *data, size_t len)
{
	struct nlattr head = { .nla_len = NLA_HDRLEN + len, .nla_type = type };
	uint8_t *to = nest->data + nest->len;

	if (NLA_ALIGN((uint32_t)head.nla_len) > MAX_NEST - nest->len)
		return;
	memset(to, 0, NLA_ALIGN(head.nla_len));
	memcpy(to, &head, sizeof(head));
	if (len)
		memcpy(to + NLA_HDRLEN, data, len);
	nest->len += NLA_ALIGN(head.nla_len);
}

void nest_put_u32(struct nest *nest, uint16_t type, uint32_t value)
{
	nest_put(nest, type, &value, sizeof(value));
}

void nest_put_u64(struct nest *nest, uint16_t type, uint64_t value)
{
	nest_put(nest, type, &value, sizeof(value));
}

void message_put_nest(struct message *m, const struct nest *nest)
{
	if (nest->len)
		message_put(m, nest->type, nest->data, nest->len);
}

static uint32_t inner_u32(const uint8_t *data, uint32_t len, uint16_t type)
{
	uint32_t at = 0, value;
	struct nlattr head;

	for (; at + NLA_HDRLEN + sizeof(value) <= len; at += NLA_ALIGN(head.nla_len)) {
		memcpy(&head, data + at, sizeof(head));
		if (head.nla_len < NLA_HDRLEN)
			return 0;
		memcpy(&value, data + at + NLA_HDRLEN, sizeof(value));
		if (head.nla_type == type && head.nla_len >= NLA_HDRLEN + sizeof(value))
			return value;
	}
	return 0;
}

uint32_t message_u32(const struct message *m, uint16_t type, uint16_t inner)
{
	uint32_t value = 0, i;

	for (i = 0; i < m->nr_attrs; i++) {
		const struct attr *attr = &m->attrs[i];

		if ((attr->type & NLA_TYPE_MASK) != type || attr->len < sizeof(value))
			continue;
		if (inner)
			return inner_u32(m->data + attr->at, attr->len, inner);
		memcpy(&value, m->data + attr->at, sizeof(value));
	}
	return value;
}

/* --- packing -------------------------------------------------------------- */

static size_t attr_pack(const struct message *m, const struct attr *attr, uint8_t *to)
{
	struct nlattr head = { .nla_len = NLA_HDRLEN + attr->len + attr->lie,
			       .nla_type = attr->type };
	size_t len = NLA_HDRLEN + attr->len;

	memcpy(to, &head, sizeof(head));
	memcpy(to + NLA_HDRLEN, m->data + attr->at, attr->len);
	memset(to + len, 0, NLA_ALIGN(len) - len);
	return NLA_ALIGN(len);
}

size_t message_pack(const struct message *m, uint32_t seq, void *packed)
{
	struct genlmsghdr genl = { .cmd = m->cmd, .version = m->version,
				   .reserved = m->reserved };
	struct nlmsghdr nlh = { .nlmsg_type = m->type, .nlmsg_flags = m->flags,
				.nlmsg_seq = seq };
	size_t len = NLMSG_HDRLEN + GENL_HDRLEN;
	uint8_t *to = packed;
	uint32_t i;

	for (i = 0; i < m->nr_attrs && len + m->attrs[i].len + 8 <= MAX_PACKED; i++)
		len += attr_pack(m, &m->attrs[i], to + len);
	len -= m->cut < len - NLMSG_HDRLEN ? m->cut : len - NLMSG_HDRLEN;
	nlh.nlmsg_len = len;
	memcpy(to + NLMSG_HDRLEN, &genl, sizeof(genl));
	memcpy(to, &nlh, sizeof(nlh));
	memset(to + len, 0, NLMSG_ALIGN(len) - len);
	return NLMSG_ALIGN(len);
}

/* --- answers -------------------------------------------------------------- */

const void *genl_find(const struct nlmsghdr *nlh, uint16_t type, size_t len)
{
	const uint8_t *at = (const uint8_t *)nlh + NLMSG_HDRLEN + GENL_HDRLEN;
	const uint8_t *end = (const uint8_t *)nlh + nlh->nlmsg_len;
	const struct nlattr *attr;

	for (; at + NLA_HDRLEN <= end; at += NLA_ALIGN(attr->nla_len)) {
		attr = (const void *)at;
		if (attr->nla_len < NLA_HDRLEN || at + attr->nla_len > end)
			return NULL;
		if ((attr->nla_type & NLA_TYPE_MASK) == type)
			return attr->nla_len >= NLA_HDRLEN + len ? at + NLA_HDRLEN : NULL;
	}
	return NULL;
}

static void find_family(const struct nlmsghdr *nlh, void *arg)
{
	const uint16_t *id = genl_find(nlh, CTRL_ATTR_FAMILY_ID, sizeof(*id));

	(void)arg;
	if (id)
		genl_family = *id;
}

/* Returns true if it was the last message. */
static bool take(const struct nlmsghdr *nlh, uint32_t seq, genl_fn fn, void *arg, int *error)
{
	if (nlh->nlmsg_seq != seq)
		return false;
	if (nlh->nlmsg_type == NLMSG_ERROR || nlh->nlmsg_type == NLMSG_DONE) {
		*error = *(const int *)NLMSG_DATA(nlh);
		return true;
	}
	if (fn)
		fn(nlh, arg);
	return false;
}

int genl_call(int fd, const struct message *m, genl_fn fn, void *arg)
{
	static uint8_t packed[MAX_PACKED], received[RECEIVE_LEN];
	static uint32_t seq = 1U << 31;
	const struct nlmsghdr *nlh;
	int error;
	ssize_t len;

	len = message_pack(m, ++seq, packed);
	if (send(fd, packed, len, 0) != len)
		return -errno;
	for (;;) {
		len = recv(fd, received, sizeof(received), MSG_DONTWAIT);
		if (len <= 0)
			return len && errno != EAGAIN ? -errno : -EBADMSG;
		for (nlh = (void *)received; NLMSG_OK(nlh, len); nlh = NLMSG_NEXT(nlh, len))
			if (take(nlh, seq, fn, arg, &error))
				return error;
	}
}

static void look_up(int fd)
{
	static struct message m;
	int error;

	message_begin(&m, CTRL_CMD_GETFAMILY, 0);
	m.type = GENL_ID_CTRL;
	message_put(&m, CTRL_ATTR_FAMILY_NAME, KTRACE_GENL_NAME, sizeof(KTRACE_GENL_NAME));
	error = genl_call(fd, &m, find_family, NULL);
	if (error || !genl_family) {
		fprintf(stderr, "The netlink family of ktrace is not there (%d): load the module.\n",
			error);
		exit(1);
	}
}

int genl_open(void)
{
	struct sockaddr_nl own = { .nl_family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	int len = BUFFER_LEN;

	if (fd < 0 || bind(fd, (struct sockaddr *)&own, sizeof(own))) {
		perror("There is no netlink socket to be had");
		exit(1);
	}
	/* Answers that wait while other sockets are used must not be lost. */
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &len, sizeof(len));
	if (!genl_family)
		look_up(fd);
	return fd;
}
