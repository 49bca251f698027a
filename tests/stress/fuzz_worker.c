// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "fuzz_worker.h"
#include "mutate.h"

#define NR_SOCKETS 4
#define NR_PENDING 16
#define MAX_BATCH 5
#define RECEIVE_LEN 65536

/* A message that has not been answered yet. */
struct pending {
	uint32_t seq;		/* 0: unused */
	uint8_t cmd;
	bool is_dump;
	int slot;
	uint64_t id;		/* of the slot at that time; 0: it may name another */
	uint32_t provider, sinks, nr_funcs; /* of a session that it makes */
	bool is_named;
	bool goes_on;
};

struct sock {
	int fd;
	bool is_subscribed;
	struct pending pending[NR_PENDING];
};

struct step {
	const struct kind *kind;
	int slot;
	struct sock *sock;
	bool goes_on;		/* it continues after a success, so it is valid */
};

struct worker {
	struct random random;
	struct maker maker;
	struct known *known;
	struct tally *tally;
	struct sock socks[NR_SOCKETS];
	struct step next;	/* continues after the message before, if kind is set */
	struct sock *editors[NR_SLOTS];	/* the socket that last staged functions of a session */
	uint32_t seq;
	struct message message;
	uint8_t packed[MAX_BATCH * MAX_PACKED], received[RECEIVE_LEN];
};

static const struct kind *kind_of(uint8_t cmd)
{
	int i;

	for (i = 0; i < NR_KINDS - 1 && (kinds[i].cmd != cmd || kinds[i].is_dump); i++)
		;
	return &kinds[i];
}

/* --- answers -------------------------------------------------------------- */

static struct pending *find_pending(struct sock *sock, uint32_t seq)
{
	int i;

	for (i = 0; i < NR_PENDING; i++)
		if (sock->pending[i].seq == seq)
			return &sock->pending[i];
	return NULL;
}

static uint32_t nr_pending(const struct sock *sock)
{
	uint32_t nr = 0;
	int i;

	for (i = 0; i < NR_PENDING; i++)
		nr += !!sock->pending[i].seq;
	return nr;
}

static void take_notice(struct worker *w, struct sock *sock, const struct nlmsghdr *nlh)
{
	const uint64_t *session = genl_find(nlh, KTRACE_A_SESSION, sizeof(*session));
	const uint32_t *event = genl_find(nlh, KTRACE_A_EVENT, sizeof(*event));
	const int32_t *pid = genl_find(nlh, KTRACE_A_PID, sizeof(*pid));

	if (!session || !event || !pid || *event != KTRACE_EVENT_HELD)
		return;
	w->known->held_in = *session;
	w->known->held_pid = *pid;
	if (!w->next.kind)
		w->next = (struct step){ kind_of(KTRACE_CMD_TASK_CONTINUE), 0, sock, true };
}

static bool has_functions(const struct slot *slot)
{
	return slot->provider == KTRACE_PROVIDER_USER || slot->provider == KTRACE_PROVIDER_KERNEL;
}

/* A new session is usually filled next, or attached. */
static void take_data(struct worker *w, struct sock *sock, const struct pending *pending,
		      const struct nlmsghdr *nlh)
{
	const uint64_t *session = genl_find(nlh, KTRACE_A_SESSION, sizeof(*session));
	struct slot *slot = &w->known->slots[pending->slot];

	if (pending->cmd != KTRACE_CMD_SESSION_NEW || !session)
		return;
	slot->provider = pending->provider;
	slot->sinks = pending->sinks;
	slot->nr_funcs = pending->nr_funcs;
	slot->is_named = pending->is_named;
	slot->id = *session;
	w->next = (struct step){ kind_of(has_functions(slot) ? KTRACE_CMD_FUNC_ADD :
							      KTRACE_CMD_SESSION_COMMIT),
				 pending->slot, sock, true };
}

/* Returns the command that is most likely to have an effect next. */
static uint8_t next_command(struct random *random, uint8_t cmd)
{
	switch (cmd) {
	case KTRACE_CMD_FUNC_ADD:
		return KTRACE_CMD_SESSION_COMMIT;
	case KTRACE_CMD_SESSION_COMMIT:
		return random_one_in(random, 2) ? KTRACE_CMD_SESSION_GATE :
		       random_one_in(random, 2) ? KTRACE_CMD_SESSION_PAUSE :
						  KTRACE_CMD_SESSION_WATCH;
	case KTRACE_CMD_SESSION_GATE:
		return KTRACE_CMD_SESSION_GATE;
	case KTRACE_CMD_SESSION_PAUSE:
		return KTRACE_CMD_SESSION_RESUME;
	case KTRACE_CMD_SESSION_RESUME:
		return KTRACE_CMD_SESSION_WATCH;
	case KTRACE_CMD_SESSION_WATCH:
		return KTRACE_CMD_SUBSCRIBE;
	case KTRACE_CMD_SUBSCRIBE:
		return KTRACE_CMD_FUNC_DEL;
	}
	return 0;
}

static void go_on(struct worker *w, struct sock *sock, const struct pending *pending)
{
	uint8_t next = next_command(&w->random, pending->cmd);

	if (pending->cmd == KTRACE_CMD_SESSION_COMMIT &&
	    !has_functions(&w->known->slots[pending->slot]))
		next = KTRACE_CMD_SESSION_GATE;
	if (pending->cmd == KTRACE_CMD_SUBSCRIBE)
		sock->is_subscribed = true;
	if (pending->cmd == KTRACE_CMD_FUNC_ADD || pending->cmd == KTRACE_CMD_FUNC_DEL)
		w->editors[pending->slot] = sock;
	if (next && !random_one_in(&w->random, 8))
		w->next = (struct step){ kind_of(next), pending->slot, sock, true };
}

/* Repeats the command: a session is attached, or changed, a moment after the answer. */
static void try_again(struct worker *w, struct sock *sock, const struct pending *pending)
{
	struct timespec moment = { 0, 2000000 };

	if (random_one_in(&w->random, 64))
		return;
	nanosleep(&moment, NULL);
	w->next = (struct step){ kind_of(pending->cmd), pending->slot, sock, true };
}

static bool take_end(struct worker *w, struct sock *sock, struct pending *pending, int error)
{
	struct slot *slot = &w->known->slots[pending->slot];

	if ((error == -ENOENT || (!error && pending->cmd == KTRACE_CMD_SESSION_DEL)) &&
	    slot->id == pending->id)
		slot->id = 0;
	if (!error)
		go_on(w, sock, pending);
	else if (error == -EBUSY && pending->goes_on)
		try_again(w, sock, pending);
	pending->seq = 0;
	return tally_answer(w->tally, pending->cmd, pending->is_dump, error);
}

static bool take(struct worker *w, struct sock *sock, const struct nlmsghdr *nlh)
{
	struct pending *pending;

	if (nlh->nlmsg_seq == 0) {
		take_notice(w, sock, nlh);
		return true;
	}
	pending = find_pending(sock, nlh->nlmsg_seq);
	if (!pending) {
		printf("There is an answer to message %u, which was answered.\n", nlh->nlmsg_seq);
		return false;
	}
	if (nlh->nlmsg_type == NLMSG_ERROR || nlh->nlmsg_type == NLMSG_DONE)
		return take_end(w, sock, pending, *(const int *)NLMSG_DATA(nlh));
	take_data(w, sock, pending, nlh);
	return true;
}

/* --- sockets -------------------------------------------------------------- */

/* Messages without an answer will not be answered. */
static void reopen(struct worker *w, struct sock *sock)
{
	int i;

	w->tally->abandoned += nr_pending(sock);
	w->tally->closed++;
	close(sock->fd);
	memset(sock, 0, sizeof(*sock));
	sock->fd = genl_open();
	if (w->next.sock == sock)
		w->next.kind = NULL;
	for (i = 0; i < NR_SLOTS; i++)
		if (w->editors[i] == sock)
			w->editors[i] = NULL;
}

/* A socket with notices may get the error that it missed some, and answers with them. */
static bool is_overrun(struct worker *w, struct sock *sock, int error)
{
	if (error != ENOBUFS || !sock->is_subscribed) {
		printf("A socket failed: %s.\n", strerror(error));
		return false;
	}
	w->tally->overruns++;
	reopen(w, sock);
	return true;
}

/* Returns 1 if it took something, 0 if there is nothing, -1 if it is no answer. */
static int receive_once(struct worker *w, struct sock *sock)
{
	/* A short buffer truncates its content, and the socket cannot be used afterwards. */
	size_t room = random_one_in(&w->random, 64) ? 4096 : RECEIVE_LEN;
	struct nlmsghdr *nlh = (void *)w->received;
	ssize_t len = recv(sock->fd, w->received, room, MSG_DONTWAIT | MSG_TRUNC);

	if (len < 0 && errno == EAGAIN)
		return 0;
	if (len < 0)
		return is_overrun(w, sock, errno) ? 1 : -1;
	if ((size_t)len > room) {
		reopen(w, sock);
		return 1;
	}
	for (; NLMSG_OK(nlh, len); nlh = NLMSG_NEXT(nlh, len))
		if (!take(w, sock, nlh))
			return -1;
	return 1;
}

/* When a request has been sent, its answers have been, too: there is no need to wait. */
static bool receive_all(struct worker *w, struct sock *sock)
{
	int i, took;

	do {
		took = receive_once(w, sock);
	} while (took > 0);
	for (i = 0; !took && i < NR_PENDING; i++)
		if (sock->pending[i].seq) {
			printf("There was no answer to message %u, command %d%s.\n",
			       sock->pending[i].seq, sock->pending[i].cmd,
			       sock->pending[i].is_dump ? " (dump)" : "");
			return false;
		}
	return !took;
}

/* --- messages ------------------------------------------------------------- */

static bool has_name(const struct message *m)
{
	uint32_t i;

	for (i = 0; i < m->nr_attrs && m->attrs[i].type != KTRACE_A_NAME; i++)
		;
	return i < m->nr_attrs;
}

static void await(struct worker *w, const struct step *step, uint32_t seq, bool is_valid)
{
	struct pending *pending = find_pending(step->sock, 0);

	*pending = (struct pending){
		.seq = seq,
		.cmd = w->message.cmd,
		.is_dump = (w->message.flags & NLM_F_DUMP) == NLM_F_DUMP,
		.slot = step->slot,
		.id = is_valid ? w->known->slots[step->slot].id : 0,
		.provider = message_u32(&w->message, KTRACE_A_PROVIDER, 0),
		.sinks = message_u32(&w->message, KTRACE_A_SINKS, 0),
		.nr_funcs = message_u32(&w->message, KTRACE_A_TARGET, KTRACE_TARGET_NR_FUNCS),
		.is_named = has_name(&w->message),
		.goes_on = step->goes_on,
	};
}

/* Chooses a slot with a session, for all commands except the one that makes a session. */
static int choose_slot(struct worker *w, const struct kind *kind)
{
	bool wants_free = kind->cmd == KTRACE_CMD_SESSION_NEW;
	int slot = random_below(&w->random, NR_SLOTS), i;

	for (i = 0; i < NR_SLOTS; i++, slot = (slot + 1) % NR_SLOTS)
		if (!w->known->slots[slot].id == wants_free)
			break;
	return slot;
}

static struct step choose_step(struct worker *w, struct sock *sock)
{
	struct step step = w->next;

	w->next.kind = NULL;
	if (step.kind)
		return step;
	step.kind = kind_choose(&w->random);
	step.slot = choose_slot(w, step.kind);
	step.sock = sock;
	step.goes_on = false;
	/* Other sockets may not change functions while that one edits. */
	if (w->editors[step.slot] && (step.kind->cmd == KTRACE_CMD_FUNC_ADD ||
				      step.kind->cmd == KTRACE_CMD_FUNC_DEL ||
				      step.kind->cmd == KTRACE_CMD_SESSION_COMMIT))
		step.sock = w->editors[step.slot];
	return step;
}

static size_t pack_one(struct worker *w, const struct step *step, uint8_t *to)
{
	bool is_valid = step->goes_on || !random_one_in(&w->random, 2);
	size_t len;

	message_make(&w->maker, step->kind, step->slot, &w->message);
	if (!is_valid)
		message_mutate(&w->random, &w->message);
	w->tally->valid += is_valid;
	len = message_pack(&w->message, ++w->seq, to);
	await(w, step, w->seq, is_valid);
	return len;
}

/* If the socket refuses a batch, none of its messages was sent. */
static void take_back(struct worker *w, struct sock *sock, uint32_t first)
{
	int i;

	for (i = 0; i < NR_PENDING; i++)
		if (sock->pending[i].seq >= first) {
			sock->pending[i].seq = 0;
			w->tally->refused++;
		}
}

static bool send_some(struct worker *w, struct sock *sock)
{
	struct step step = choose_step(w, sock);
	uint32_t nr = random_one_in(&w->random, 8) ? 2 + random_below(&w->random, MAX_BATCH - 1) : 1;
	uint32_t first = w->seq + 1;
	size_t len = 0;

	sock = step.sock;
	if (nr_pending(sock) + MAX_BATCH > NR_PENDING && !receive_all(w, sock))
		return false;
	while (nr--) {
		len += pack_one(w, &step, w->packed + len);
		w->tally->sent++;
		step.kind = kind_choose(&w->random);
		step.slot = choose_slot(w, step.kind);
		step.goes_on = false;
	}
	if (send(sock->fd, w->packed, len, 0) != (ssize_t)len)
		take_back(w, sock, first);
	/*
	 * Sometimes answers are left waiting while other sockets are used, or a dump is left half
	 * read.
	 */
	if (random_one_in(&w->random, 6))
		return receive_once(w, sock) >= 0;
	return random_one_in(&w->random, 8) || receive_all(w, sock);
}

static bool do_step(struct worker *w)
{
	struct sock *sock = &w->socks[random_below(&w->random, NR_SOCKETS)];
	int i;

	if (random_one_in(&w->random, 100))
		reopen(w, sock);
	if (!send_some(w, sock))
		return false;
	for (i = 0; i < NR_SOCKETS; i++)
		if (w->socks[i].is_subscribed && receive_once(w, &w->socks[i]) < 0)
			return false;
	return true;
}

bool fuzz_work(struct known *known, struct tally *tally, uint64_t seed, uint64_t nr_messages,
	       const struct maker *files)
{
	static struct worker w;
	bool is_good = true;
	int i;

	w.random.state = seed;
	w.known = known;
	w.tally = tally;
	w.maker = *files;
	w.maker.random = &w.random;
	w.maker.known = known;
	for (i = 0; i < NR_SOCKETS; i++)
		w.socks[i].fd = genl_open();
	while (is_good && tally->sent < nr_messages)
		is_good = do_step(&w);
	if (!is_good)
		printf("That was seed %llu, by message %u.\n", (unsigned long long)seed, w.seq);
	for (i = 0; i < NR_SOCKETS; i++) {
		is_good = is_good && receive_all(&w, &w.socks[i]);
		close(w.socks[i].fd);
	}
	return is_good;
}
