// SPDX-License-Identifier: GPL-2.0
/*
 * RELP, the protocol that rsyslog acknowledges each message in. A frame is
 *
 *	NUMBER COMMAND LENGTH[ DATA]<LF>
 *
 * Numbers count from 1 on. The answer to a command has its number, and is "rsp" with the data
 * "200 OK", or another code and a reason.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stream/sink.h"
#include "stream/syslog_5424.h"
#include "util/clock.h"
#include "util/mem.h"

#define WINDOW 128U		/* messages without an answer */
#define LAST_NUMBER 999999999	/* of the protocol; 1 follows */
#define ANSWER_SECONDS 60
#define ANSWER_LEN 1024		/* at most */
#define WORD_LEN 12		/* with a zero: "serverclose" */
#define REASON_LEN 100
#define CLOSE_MS 1000
#define HEAD_LEN 32		/* "999999999 syslog 262144 " */
#define OFFER "relp_version=0\nrelp_software=ktrace\ncommands=syslog"

struct relp {
	uint32_t next;		/* number of the next command, */
	uint32_t expected;	/* and of the next answer */
	bool is_healthy;
	size_t len;		/* of what has arrived and is not parsed yet */
	char in[ANSWER_LEN];
};

/* An answer in relp.in. */
struct answer {
	unsigned long number;
	char command[WORD_LEN];
	const char *data;
	size_t len;
	size_t all;		/* of the frame */
};

static uint32_t after(uint32_t number)
{
	return number < LAST_NUMBER ? number + 1 : 1;
}

/* --- answers -------------------------------------------------------------- */

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyz"

/*
 * Takes a word of these characters, and the blank behind it, or nothing of a line feed. Returns 1,
 * 0 if more bytes must come, or -1 if there is another character or no word.
 */
static int take_word(const struct relp *relp, size_t *at, const char *of, char word[WORD_LEN])
{
	size_t len;

	for (len = 0; *at + len < relp->len; len++) {
		word[len] = relp->in[*at + len];
		if (word[len] == ' ' || word[len] == '\n') {
			*at += len + (word[len] == ' ');
			word[len] = 0;
			return len ? 1 : -1;
		}
		if (len == WORD_LEN - 1 || !word[len] || !strchr(of, word[len]))
			return -1;
	}
	return 0;
}

/* Parses the first frame in relp.in. Returns as take_word() does. */
static int parse(const struct relp *relp, struct answer *answer)
{
	char number[WORD_LEN], len[WORD_LEN];
	size_t at = 0;
	int taken = take_word(relp, &at, DIGITS, number);

	if (taken == 1)
		taken = take_word(relp, &at, LETTERS, answer->command);
	if (taken == 1)
		taken = take_word(relp, &at, DIGITS, len);
	if (taken != 1)
		return taken ? -1 : relp->len < sizeof(relp->in) ? 0 : -1;
	answer->number = strtoul(number, NULL, 10);
	answer->len = strtoul(len, NULL, 10);
	answer->data = relp->in + at;
	answer->all = at + answer->len + 1;
	if (answer->all > sizeof(relp->in) || (answer->len && relp->in[at - 1] != ' '))
		return -1;
	if (answer->all > relp->len)
		return 0;
	return answer->data[answer->len] == '\n' ? 1 : -1;
}

/*
 * Copies the first line of an answer without its code, which is returned. Returns 0 if the answer
 * has no code.
 */
static unsigned int code_of(const struct answer *answer, char reason[REASON_LEN])
{
	unsigned int code;
	int begin = 0;

	snprintf(reason, REASON_LEN, "%.*s", (int)answer->len, answer->data);
	reason[strcspn(reason, "\n")] = 0;
	if (strspn(reason, DIGITS) != 3 || (reason[3] && reason[3] != ' '))
		return 0;
	sscanf(reason, "%u %n", &code, &begin);
	memmove(reason, reason + begin, strlen(reason + begin) + 1);
	return code;
}

static int check(const struct relp *relp, const struct answer *answer, struct err *err)
{
	if (!strcmp(answer->command, "serverclose"))
		return err_set(err, "the collector ends the session");
	if (strcmp(answer->command, "rsp"))
		return err_set(err, "the collector sends the command %s, which is no answer",
			       answer->command);
	if (answer->number != relp->expected)
		return err_set(err, "the collector answers message %lu where %u is next",
			       answer->number, relp->expected);
	return 0;
}

/*
 * The collector sends answers that are shorter than a segment, so its TCP holds the second one back
 * until the first one is acknowledged, which this side's TCP would delay by 40 ms. Linux forgets the
 * option after a while.
 */
static void acknowledge_at_once(const struct link *link)
{
	int on = 1;

	setsockopt(link->fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof(on));
}

/* Reads the next answer, which stays valid until the next call of drop_answer(). */
static int read_answer(struct link *link, struct answer *answer, struct err *err)
{
	uint64_t until = clock_now_ns() + ANSWER_SECONDS * CLOCK_SECOND, now;
	struct relp *relp = link->own;
	ssize_t len;
	int parsed;

	while (!(parsed = parse(relp, answer))) {
		now = clock_now_ns();
		if (now >= until)
			return err_set(err, "the answer is not complete after %d s", ANSWER_SECONDS);
		acknowledge_at_once(link);
		len = link_read(link, relp->in + relp->len, sizeof(relp->in) - relp->len,
				(until - now) / 1000000 + 1, err);
		if (len < 0)
			return -1;
		relp->len += len;
	}
	if (parsed < 0)
		return err_set(err, "the collector's answer is not RELP: check address and port");
	return check(relp, answer, err);
}

static void drop_answer(struct relp *relp, const struct answer *answer)
{
	relp->expected = after(relp->expected);
	relp->len -= answer->all;
	memmove(relp->in, relp->in + answer->all, relp->len);
}

/* --- commands ------------------------------------------------------------- */

static int write_command(struct link *link, const char *command, const char *data, struct err *err)
{
	struct relp *relp = link->own;
	char frame[128];
	struct iovec iov = { .iov_base = frame };

	iov.iov_len = snprintf(frame, sizeof(frame), "%u %s %zu%s%s\n", relp->next, command,
			       strlen(data), *data ? " " : "", data);
	relp->next = after(relp->next);
	return link_write(link, &iov, 1, err);
}

/* Returns true if the answer has a line commands= with syslog in it. */
static bool offers_syslog(const struct answer *answer)
{
	static const char key[] = "\ncommands=";
	char text[ANSWER_LEN + 1], *commands, *command, *rest;

	snprintf(text, sizeof(text), "%.*s", (int)answer->len, answer->data);
	commands = strstr(text, key);
	if (!commands)
		return false;
	commands += sizeof(key) - 1;
	commands[strcspn(commands, "\n")] = 0;
	for (command = strtok_r(commands, ",", &rest); command; command = strtok_r(NULL, ",", &rest))
		if (!strcmp(command, "syslog"))
			return true;
	return false;
}

static int open_session(struct link *link, struct err *err)
{
	char reason[REASON_LEN];
	struct answer answer;

	if (write_command(link, "open", OFFER, err) || read_answer(link, &answer, err))
		return -1;
	if (code_of(&answer, reason) != 200)
		return err_set(err, "the collector refuses the session: %.*s", (int)answer.len,
			       answer.data);
	if (!offers_syslog(&answer))
		return err_set(err, "the collector does not accept the command syslog of RELP");
	drop_answer(link->own, &answer);
	return 0;
}

static void relp_close(struct link *link);

static int relp_open(struct link *link, struct err *err)
{
	struct relp *relp;

	if (link_connect(link, "2514", err))
		return -1;
	relp = mem_alloc(sizeof(*relp));
	relp->next = relp->expected = 1;
	link->own = relp;
	if (open_session(link, err)) {
		relp_close(link);
		return -1;
	}
	relp->is_healthy = true;
	return 0;
}

static int write_messages(struct link *link, const struct part *part, uint32_t message, uint32_t end,
			  struct err *err)
{
	struct iovec iov[3 * WINDOW], *to = iov;
	char heads[WINDOW][HEAD_LEN], *head = heads[0];
	struct relp *relp = link->own;
	uint32_t begin, len;

	for (; message < end; message++, head += HEAD_LEN) {
		begin = part_begin_of(part, message);
		len = part->ends[message] - begin;
		*to++ = (struct iovec){ head, snprintf(head, HEAD_LEN, "%u syslog %u ", relp->next,
						       len) };
		*to++ = (struct iovec){ (char *)part->bytes + begin, len };
		*to++ = (struct iovec){ (char *)"\n", 1 };
		relp->next = after(relp->next);
	}
	return link_write(link, iov, to - iov, err);
}

static int take_answer(struct link *link, struct err *err)
{
	char reason[REASON_LEN];
	struct answer answer;
	unsigned int code;

	if (read_answer(link, &answer, err))
		return -1;
	code = code_of(&answer, reason);
	if (!code)
		return err_set(err, "the collector's answer has no code: check address and port");
	if (code == 200)
		link->done++;
	else
		link_refuse(link, "%u %s", code, reason);
	drop_answer(link->own, &answer);
	return 0;
}

static int send_messages(struct link *link, const struct part *part, struct err *err)
{
	uint32_t sent = link->done, end;

	while (link->done < part->nr) {
		end = link->done + WINDOW < part->nr ? link->done + WINDOW : part->nr;
		/* Half a window at a time costs fewer system calls. */
		if (sent < end && (end == part->nr || end - sent >= WINDOW / 2)) {
			if (write_messages(link, part, sent, end, err))
				return -1;
			sent = end;
		}
		if (take_answer(link, err))
			return -1;
	}
	return 0;
}

static int relp_send(struct link *link, const struct part *part, struct err *err)
{
	struct relp *relp = link->own;

	relp->is_healthy = !send_messages(link, part, err);
	return relp->is_healthy ? 0 : -1;
}

/* The answer to close is not needed: all messages have theirs. */
static void relp_close(struct link *link)
{
	struct relp *relp = link->own;
	struct err err;

	if (relp && relp->is_healthy && !write_command(link, "close", "", &err))
		link_read(link, relp->in, sizeof(relp->in), CLOSE_MS, &err);
	free(relp);
	link->own = NULL;
	if (link->fd >= 0)
		close(link->fd);
	link->fd = -1;
}

static const struct transport transport = {
	.open = relp_open, .send = relp_send, .close = relp_close,
};

const struct sink_kind sink_relp = {
	.name = "relp",
	.address = "HOST[:PORT]",
	.needs_address = true,
	.check = link_check,
	.is_confirmed = true,
	.promise = "rsyslog has queued each message; only a queue on disk or a direct one survives a crash",
	.max_message = 8096,
	.put = syslog_5424_put,
	.transport = &transport,
};
