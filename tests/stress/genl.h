/* SPDX-License-Identifier: GPL-2.0 */
/* A minimal client of the netlink family, which can send messages that no library would. */
#ifndef GENL_H
#define GENL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/netlink.h>
#include <linux/genetlink.h>

#include "../../include/uapi/ktrace.h"

#define MAX_ATTRS 32
#define MAX_DATA 65536	/* bytes of all attributes of a message */
#define MAX_PACKED (2 * MAX_DATA)

struct attr {
	uint16_t type;
	uint16_t len;
	int16_t lie;		/* added to the length in its header */
	uint32_t at;		/* in the message's data */
};

struct message {
	uint16_t type, flags;
	uint8_t cmd, version;
	uint16_t reserved;
	uint32_t nr_attrs;
	struct attr attrs[MAX_ATTRS];
	uint32_t len;		/* of data */
	uint32_t cut;		/* bytes missing at the end of the payload */
	uint8_t data[MAX_DATA];
};

void message_begin(struct message *m, uint8_t cmd, uint16_t flags);
/* An attribute that does not fit is omitted. */
void message_put(struct message *m, uint16_t type, const void *data, size_t len);
void message_put_u32(struct message *m, uint16_t type, uint32_t value);
void message_put_u64(struct message *m, uint16_t type, uint64_t value);
/* The attributes that go into one attribute of a message, one after the other. */
#define MAX_NEST 8192
struct nest {
	uint16_t type;
	uint32_t len;
	uint8_t data[MAX_NEST];
};

void nest_begin(struct nest *nest, uint16_t type);
/* An attribute that does not fit is omitted. */
void nest_put(struct nest *nest, uint16_t type, const void *data, size_t len);
void nest_put_u32(struct nest *nest, uint16_t type, uint32_t value);
void nest_put_u64(struct nest *nest, uint16_t type, uint64_t value);
/* Adds nothing if the nest is empty. */
void message_put_nest(struct message *m, const struct nest *nest);
/* Returns the first 32 bits of an attribute, or with inner, of one inside of it; 0 if missing. */
uint32_t message_u32(const struct message *m, uint16_t type, uint16_t inner);

/* Returns the bytes written to packed, which has room for MAX_PACKED: a multiple of 4. */
size_t message_pack(const struct message *m, uint32_t seq, void *packed);

/* Finds the family's number, and returns a socket. On an error, prints it and ends the program. */
int genl_open(void);
extern uint16_t genl_family;

/* Returns an attribute of an answer, at least len long, or NULL if it has none. */
const void *genl_find(const struct nlmsghdr *nlh, uint16_t type, size_t len);

/*
 * Sends one message and reads its answers; each is passed to fn, if it is given. Returns 0, or the
 * negative error at the end; -EBADMSG if there was no answer.
 */
typedef void (*genl_fn)(const struct nlmsghdr *nlh, void *arg);
int genl_call(int fd, const struct message *m, genl_fn fn, void *arg);

#endif
