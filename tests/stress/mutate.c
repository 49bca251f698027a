// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>
#include <string.h>

#include "mutate.h"

static const uint64_t boundaries[] = {
	0, 1, 2, 15, 16, 63, 64, 65, 127, 128, 255, 256, 511, 512, 513, 4095, 4096, 4097,
	65535, 65536, 1U << 20, 1U << 22, (1U << 22) + 1, 1U << 24, 0x7fffffff, 0x80000000,
	0xfffffffe, 0xffffffff, 1ULL << 32, 1ULL << 40, 0x7fffffffffffffff,
	0x8000000000000000, 0xfffffffffffff000, 0xfffffffffffffffe, 0xffffffffffffffff,
};

static const uint32_t lengths[] = {
	0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 20, 21, 60, 64, 65, 200, 2048, 2049, 4096, 60000,
	60001, 65000,
};

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static struct attr *choose(struct random *random, struct message *m)
{
	return m->nr_attrs ? &m->attrs[random_below(random, m->nr_attrs)] : NULL;
}

static uint16_t choose_type(struct random *random)
{
	uint16_t type = random_below(random, KTRACE_A_MAX + 4);

	if (random_one_in(random, 6))
		type |= NLA_F_NESTED;
	if (random_one_in(random, 12))
		type |= NLA_F_NET_BYTEORDER;
	return random_one_in(random, 20) ? random_u64(random) : type;
}

static void drop(struct random *random, struct message *m)
{
	struct attr *attr = choose(random, m);

	if (attr)
		*attr = m->attrs[--m->nr_attrs];
}

static void repeat(struct random *random, struct message *m)
{
	struct attr *attr = choose(random, m);

	if (attr)
		message_put(m, attr->type, m->data + attr->at, attr->len);
}

static void rename_one(struct random *random, struct message *m)
{
	struct attr *attr = choose(random, m);

	if (attr)
		attr->type = choose_type(random);
}

static void flag_nested(struct random *random, struct message *m)
{
	struct attr *attr = choose(random, m);

	if (attr)
		attr->type |= NLA_F_NESTED;
}

/* Replaces an attribute by a copy of another length; the added bytes are random. */
static void resize(struct random *random, struct message *m)
{
	uint32_t len = lengths[random_below(random, NR(lengths))], i;
	struct attr *attr = choose(random, m);
	uint32_t at = m->len;

	if (!attr || len > MAX_DATA - m->len)
		return;
	for (i = 0; i < len; i++)
		m->data[at + i] = i < attr->len ? m->data[attr->at + i] : random_u64(random);
	attr->at = at;
	attr->len = len;
	m->len += len;
}

static void set_boundary(struct random *random, struct message *m)
{
	uint64_t value = boundaries[random_below(random, NR(boundaries))];
	struct attr *attr = choose(random, m);
	uint32_t at, len;

	if (!attr || !attr->len)
		return;
	/* Any aligned four bytes of it, or the first eight. */
	at = attr->len > 8 ? random_below(random, attr->len / 4) * 4 : 0;
	len = attr->len - at < 8 ? attr->len - at : 8;
	memcpy(m->data + attr->at + at, &value, attr->len > 8 && len > 4 &&
	       random_one_in(random, 2) ? 4 : len);
}

static void flip(struct random *random, struct message *m)
{
	struct attr *attr = choose(random, m);
	uint32_t nr = 1 + random_below(random, 4);

	while (attr && attr->len && nr--)
		m->data[attr->at + random_below(random, attr->len)] ^=
			random_one_in(random, 2) ? 1U << random_below(random, 8) :
			(uint8_t)random_u64(random);
}

static void lie(struct random *random, struct message *m)
{
	static const int16_t by[] = { -4, -3, -1, 1, 2, 4, 8, 100, 4000, -32768, 32767 };
	struct attr *attr = choose(random, m);

	if (attr)
		attr->lie = by[random_below(random, NR(by))];
}

static void insert(struct random *random, struct message *m)
{
	uint64_t value = random_one_in(random, 2) ? random_u64(random) :
			 boundaries[random_below(random, NR(boundaries))];

	message_put(m, choose_type(random), &value, random_one_in(random, 2) ? 4 : 8);
}

/* Puts all attributes into one, or one into itself. */
static void nest(struct random *random, struct message *m)
{
	static uint8_t inner[MAX_PACKED];
	struct attr *attr = choose(random, m);
	struct nlattr head;

	if (!attr || attr->len > 30000)
		return;
	head.nla_len = NLA_HDRLEN + attr->len;
	head.nla_type = attr->type;
	memcpy(inner, &head, sizeof(head));
	memcpy(inner + NLA_HDRLEN, m->data + attr->at, attr->len);
	message_put(m, choose_type(random), inner, NLA_HDRLEN + attr->len);
}

/* Returns one of the attributes in a nest, or NULL if no nest has any. */
static uint8_t *choose_inner(struct random *random, struct message *m, struct attr **nest)
{
	uint32_t nr = random_below(random, 4), at = 0;
	struct nlattr head;

	*nest = choose(random, m);
	if (!*nest || !((*nest)->type & NLA_F_NESTED) || (*nest)->len < NLA_HDRLEN)
		return NULL;
	for (;;) {
		memcpy(&head, m->data + (*nest)->at + at, sizeof(head));
		if (!nr-- || head.nla_len < NLA_HDRLEN ||
		    at + NLA_ALIGN(head.nla_len) + NLA_HDRLEN > (*nest)->len)
			return m->data + (*nest)->at + at;
		at += NLA_ALIGN(head.nla_len);
	}
}

/* Changes an inner attribute's number or length. */
static void change_inner(struct random *random, struct message *m)
{
	struct attr *nest;
	uint8_t *inner = choose_inner(random, m, &nest);
	uint16_t type = random_one_in(random, 8) ? random_u64(random) : random_below(random, 12);
	uint16_t len = random_one_in(random, 8) ? random_u64(random) : random_below(random, 24);

	if (!inner)
		return;
	if (random_one_in(random, 2))
		memcpy(inner + offsetof(struct nlattr, nla_type), &type, sizeof(type));
	else
		memcpy(inner + offsetof(struct nlattr, nla_len), &len, sizeof(len));
}

/* Sets a value of four bytes, or of eight if there is room. */
static void set_inner(struct random *random, struct message *m)
{
	uint64_t value = boundaries[random_below(random, NR(boundaries))];
	struct attr *nest;
	uint8_t *inner = choose_inner(random, m, &nest);
	uint32_t left;

	if (!inner)
		return;
	left = nest->len - (inner - (m->data + nest->at)) - NLA_HDRLEN;
	memcpy(inner + NLA_HDRLEN, &value, left < 8 || random_one_in(random, 2) ?
	       (left < 4 ? left : 4) : 8);
}

/* Repeats the content of a nest. */
static void repeat_inner(struct random *random, struct message *m)
{
	struct attr *nest = choose(random, m);
	uint32_t len;

	if (!nest || !(nest->type & NLA_F_NESTED) || nest->len > 30000 ||
	    2u * nest->len > MAX_DATA - m->len)
		return;
	len = nest->len;
	memcpy(m->data + m->len, m->data + nest->at, len);
	memcpy(m->data + m->len + len, m->data + nest->at, len);
	nest->at = m->len;
	nest->len = 2 * len;
	m->len += 2 * len;
}

static void swap(struct random *random, struct message *m)
{
	struct attr *a = choose(random, m), *b = choose(random, m), c;

	if (!a)
		return;
	c = *a;
	*a = *b;
	*b = c;
}

static void turn_dump(struct random *random, struct message *m)
{
	m->flags ^= random_one_in(random, 2) ? NLM_F_DUMP : random_one_in(random, 2) ?
		    NLM_F_ROOT : NLM_F_MATCH;
}

static void set_flags(struct random *random, struct message *m)
{
	m->flags = NLM_F_REQUEST | NLM_F_ACK | random_u64(random);
}

static void set_command(struct random *random, struct message *m)
{
	m->cmd = random_one_in(random, 4) ? random_u64(random) :
		 random_below(random, KTRACE_CMD_MAX + 3);
}

static void set_head(struct random *random, struct message *m)
{
	m->version = random_u64(random);
	if (random_one_in(random, 2))
		m->reserved = random_u64(random);
}

static void cut(struct random *random, struct message *m)
{
	m->cut = 1 + random_below(random, random_one_in(random, 2) ? 8 : 60);
}

static void repeat_much(struct random *random, struct message *m)
{
	uint32_t nr = 1 + random_below(random, MAX_ATTRS);

	while (nr--)
		repeat(random, m);
}

void message_mutate(struct random *random, struct message *m)
{
	static void (*const ways[])(struct random *, struct message *) = {
		drop, repeat, rename_one, flag_nested, resize, set_boundary, set_boundary,
		set_boundary, flip, flip, lie, insert, insert, nest, swap, turn_dump, set_flags,
		set_command, set_head, cut, repeat_much, change_inner, change_inner, set_inner,
		set_inner, repeat_inner,
	};
	uint32_t nr = random_one_in(random, 3) ? 2 + random_below(random, 4) : 1;

	while (nr--)
		ways[random_below(random, NR(ways))](random, m);
}
