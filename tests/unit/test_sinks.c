// SPDX-License-Identifier: GPL-2.0
/* The transports of sinks, against collectors of this file that answer as a test tells them. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../user/stream/sink.h"

#define NR 300		/* messages of a part: more than a window of RELP */
#define SOON_MS 300	/* after which no answer comes any more */

/* --- what the transports call --------------------------------------------- */

ssize_t __real_link_read(struct link *link, void *to, size_t room, int ms, struct err *err);

ssize_t __wrap_link_read(struct link *link, void *to, size_t room, int ms, struct err *err)
{
	assert_in_range(ms, 1000, 190001);
	return __real_link_read(link, to, room, SOON_MS, err);
}

static bool has_memfd = true;

/* Only memfd_create is called in this way. */
long __wrap_syscall(long nr, const char *name, unsigned int flags)
{
	(void)nr;
	errno = ENOSYS;
	return has_memfd ? memfd_create(name, flags) : -1;
}

/* --- collectors ----------------------------------------------------------- */

/* How a collector behaves, and what it has got: shared with the test. */
struct collector {
	bool (*serve)(struct collector *collector, int fd);	/* one connection; false: the last */
	const char *hello;	/* the answer to open, or what comes before anything */
	const char *answer;	/* to a message, in a format for its number; NULL: none */
	uint32_t odd;		/* the number of the message, from 0 on, that has ... */
	const char *odd_answer;	/* ... this one; "": the connection ends */
	int limit;		/* bytes that it sends, then it closes; -1: no limit */
	uint32_t nr_connections, nr_closes, nr_messages;
	uint32_t nr_of[NR];	/* how often it has got each message */
	char chunk[128];	/* of the last part */
	uint32_t size;
};

static struct collector *collector;
static int listener, reader[2];
static pid_t server;
static char address[64];

/* Sends an answer as far as the limit allows. Returns false there. */
static bool answer(int fd, const char *text, size_t len)
{
	size_t allowed = collector->limit < 0 || len <= (size_t)collector->limit ? len :
			 (size_t)collector->limit;

	if (collector->limit >= 0)
		collector->limit -= allowed;
	return send(fd, text, allowed, MSG_NOSIGNAL) == (ssize_t)allowed && allowed == len;
}

static void count(const char *text, size_t len)
{
	char copy[32];
	unsigned int nr;

	snprintf(copy, sizeof(copy), "%.*s", (int)len, text);
	if (sscanf(copy, "message %u", &nr) != 1 || nr >= NR)
		_exit(1);
	collector->nr_messages++;
	collector->nr_of[nr]++;
}

/* Serves connections one after the other: each but the first one well. */
static void run_server(void)
{
	bool again = true;
	int fd;

	while (again) {
		fd = accept(listener, NULL, NULL);
		if (fd < 0)
			_exit(2);
		collector->nr_connections++;
		again = collector->serve(collector, fd);
		close(fd);
		collector->limit = -1;
		collector->odd_answer = NULL;
	}
	_exit(0);
}

/* Ends a server that a failed test has left, too. */
static void stop(void)
{
	if (server <= 0)
		return;
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	server = 0;
}

static void start(const struct collector *how)
{
	stop();
	*collector = *how;
	server = fork();
	assert_true(server >= 0);
	if (!server) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run_server();
	}
}

static int setup(void **state)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(in);

	(void)state;
	collector = mmap(NULL, sizeof(*collector), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(listener, (struct sockaddr *)&in, len) || listen(listener, 8) ||
	    getsockname(listener, (struct sockaddr *)&in, &len) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, reader))
		return -1;
	snprintf(address, sizeof(address), "127.0.0.1:%u", ntohs(in.sin_port));
	return 0;
}

/* --- senders -------------------------------------------------------------- */

static struct part *part_of(uint32_t nr)
{
	struct part *part = calloc(1, sizeof(*part));
	uint32_t at = 0;

	strcpy(part->id, "00c0ffee00c0ffee.3.17.0");
	for (part->nr = 0; part->nr < nr; part->nr++) {
		at += sprintf(part->bytes + at, "message %u", part->nr);
		part->ends[part->nr] = at;
	}
	return part;
}

static struct link link_to(const char *to)
{
	return (struct link){ .address = to, .fd = -1, .reader = reader[0] };
}

static void close_link(const struct sink_kind *sink, struct link *link)
{
	if (sink->transport->close)
		sink->transport->close(link);
	else
		close(link->fd);
	link->fd = -1;
}

/* Opens, sends what is left, and closes. Returns 0, or -1 with err set. */
static int try(const struct sink_kind *sink, struct link *link, const struct part *part,
	       struct err *err)
{
	int result = sink->transport->open(link, err);

	if (result) {
		assert_int_equal(link->fd, -1);
		assert_null(link->own);
		return -1;
	}
	result = sink->transport->send(link, part, err);
	assert_true(result ? link->done < part->nr : link->done == part->nr);
	close_link(sink, link);
	assert_null(link->own);
	return result;
}

/* A first attempt that fails for this reason, and a second one that delivers all of the rest. */
static void fails(const struct sink_kind *sink, const struct collector *how, const char *why)
{
	struct part *part = part_of(NR);
	struct link link = link_to(address);
	struct err err;
	uint32_t i;

	start(how);
	assert_int_equal(try(sink, &link, part, &err), -1);
	if (!strstr(err.text, why))
		fail_msg("\"%s\" does not say \"%s\"", err.text, why);
	assert_int_equal(try(sink, &link, part, &err), 0);
	for (i = 0; i < NR; i++)
		assert_in_range(collector->nr_of[i], 1, 2);
	assert_int_equal(link.refused, 0);
	stop();
	free(part);
}

/* --- RELP ----------------------------------------------------------------- */

#define OPENED "1 rsp 93 200 OK\nrelp_version=0\nrelp_software=1.11.0,librelp,http://librelp.adiscon.com\ncommands=syslog\n"
#define OK "%u rsp 6 200 OK\n"

/* Reads a frame. Returns its number, or -1 at the end of the connection. */
static long read_frame(FILE *in, char command[32], char data[256], size_t *len)
{
	unsigned int number;

	if (fscanf(in, "%u %31s %zu", &number, command, len) != 3)
		return -1;
	if (*len >= 256 || (*len && fgetc(in) != ' ') || fread(data, 1, *len, in) != *len ||
	    fgetc(in) != '\n')
		_exit(3);
	return number;
}

static bool relp_answer(int fd, long number)
{
	const char *format = collector->answer;
	char text[2048];

	if (collector->odd_answer && collector->nr_messages - 1 == collector->odd)
		format = collector->odd_answer;
	/* It says no more behind half an answer. */
	else if (collector->odd_answer && collector->nr_messages - 1 > collector->odd &&
		 !strchr(collector->odd_answer, '\n'))
		format = NULL;
	if (!format)
		return true;
	return *format && answer(fd, text, snprintf(text, sizeof(text), format, number));
}

static bool serve_relp(struct collector *of, int fd)
{
	char command[32], data[256];
	FILE *in = fdopen(dup(fd), "r");
	bool goes_on = true;
	long number, next = 1;
	size_t len;

	while (goes_on && (number = read_frame(in, command, data, &len)) >= 0) {
		if (number != next++)
			_exit(4);
		if (!strcmp(command, "open")) {
			if (!memmem(data, len, "relp_version=0\n", 15))
				_exit(5);
			goes_on = answer(fd, of->hello, strlen(of->hello));
		} else if (!strcmp(command, "syslog")) {
			count(data, len);
			goes_on = relp_answer(fd, number);
		} else if (!strcmp(command, "close")) {
			of->nr_closes++;
			goes_on = false;
		}
	}
	fclose(in);
	return true;
}

static const struct collector relp = {
	.serve = serve_relp, .hello = OPENED, .answer = OK, .limit = -1,
};

/* The answer to the first open is another one. */
static bool serve_relp_hello(struct collector *of, int fd)
{
	serve_relp(of, fd);
	of->hello = OPENED;
	return true;
}

static void test_relp(void **state)
{
	struct part *part = part_of(NR);
	struct link link = link_to(address);
	struct err err;
	uint32_t i;

	(void)state;
	start(&relp);
	assert_int_equal(try(&sink_relp, &link, part, &err), 0);
	for (i = 0; i < NR; i++)
		assert_int_equal(collector->nr_of[i], 1);
	assert_int_equal(link.refused, 0);
	assert_int_equal(collector->nr_closes, 1);
	stop();
	free(part);
}

/* Several parts in one session, an empty one among them. */
static void test_relp_parts(void **state)
{
	struct part *part = part_of(NR), *none = part_of(0);
	struct link link = link_to(address);
	struct err err;
	int i;

	(void)state;
	start(&relp);
	assert_int_equal(sink_relp.transport->open(&link, &err), 0);
	for (i = 0; i < 5; i++) {
		link.done = 0;
		assert_int_equal(sink_relp.transport->send(&link, none, &err), 0);
		assert_int_equal(sink_relp.transport->send(&link, part, &err), 0);
		assert_int_equal(link.done, NR);
	}
	close_link(&sink_relp, &link);
	assert_int_equal(collector->nr_connections, 1);
	assert_int_equal(collector->nr_messages, 5 * NR);
	stop();
	free(part);
	free(none);
}

static void test_relp_refusal(void **state)
{
	struct part *part = part_of(NR);
	struct collector how = relp;
	struct link link = link_to(address);
	struct err err;

	(void)state;
	how.odd = 200;
	how.odd_answer = "%u rsp 22 500 no room\x1b\nmore text\n";
	start(&how);
	assert_int_equal(try(&sink_relp, &link, part, &err), 0);
	assert_int_equal(link.done, NR);
	assert_int_equal(link.refused, 1);
	assert_string_equal(link.refusal, "500 no room\x1b");
	assert_int_equal(collector->nr_connections, 1);
	stop();
	free(part);
}

static void test_relp_wrong(void **state)
{
	static const struct wrong {
		const char *answer, *why;
	} wrongs[] = {
		{ "", "connection" },
		{ "0 serverclose 0\n", "ends the session" },
		{ "%u rsp 6 200", "no answer came" },
		{ "%u rsp 6 200 OK", "no answer came" },
		{ "%u rsp 6 200 OK?", "is not RELP" },
		{ "%u rsp 2 OK\n", "no code" },
		{ "%u rsp 6 2000 O\n", "no code" },
		{ "%u rsp 0\n", "no code" },
		{ "%u rsp 0 200 OK\n", "is not RELP" },
		{ "%u syslog 6 200 OK\n", "command syslog" },
		{ "7 rsp 6 200 OK\n", "answers message 7 where" },
		{ "99999999999 rsp 6 200 OK\n", "answers message 99999999999 where" },
		{ "999999999999 rsp 6 200 OK\n", "is not RELP" },
		{ "%u rsp 99999999999 200 OK\n", "is not RELP" },
		{ "%u rsp 2000 200 OK\n", "is not RELP" },
		{ "%u rsp -6 200 OK\n", "is not RELP" },
		{ "%u rspspsrspsrspsrpsprsprps 6 200 OK\n", "is not RELP" },
		{ "%u\n", "is not RELP" },
		{ "\n", "is not RELP" },
		{ " ", "is not RELP" },
		{ "%u  6 200 OK\n", "is not RELP" },
		{ "HTTP/1.1 400 Bad Request\r\n", "is not RELP" },
		{ "\x16\x03\x01", "is not RELP" },
	};
	struct collector how = relp;
	size_t i;

	(void)state;
	how.odd = 150;
	for (i = 0; i < sizeof(wrongs) / sizeof(*wrongs); i++) {
		how.odd_answer = wrongs[i].answer;
		fails(&sink_relp, &how, wrongs[i].why);
	}
}

static void test_relp_open(void **state)
{
	static const struct wrong {
		const char *hello, *why;
	} wrongs[] = {
		{ "1 rsp 15 500 not allowed\n", "refuses the session: 500 not allowed" },
		{ "1 rsp 6 200 OK\n", "does not accept the command syslog" },
		{ "1 rsp 38 200 OK\nrelp_version=0\ncommands=syslogs\n", "does not accept" },
		{ "2 rsp 6 200 OK\n", "answers message 2 where 1" },
		{ "0 serverclose 0\n", "ends the session" },
		{ "220 smtp.example.com ESMTP\r\n", "is not RELP" },
		{ "", "no answer came" },
	};
	struct collector how = relp;
	size_t i;

	(void)state;
	how.serve = serve_relp_hello;
	for (i = 0; i < sizeof(wrongs) / sizeof(*wrongs); i++) {
		how.hello = wrongs[i].hello;
		fails(&sink_relp, &how, wrongs[i].why);
	}
}

/* The collector closes after each byte of its first answers. */
static void test_relp_closes(void **state)
{
	struct collector how = relp;
	int end = strlen(OPENED "2 rsp 6 200 OK\n3 rsp 6 200 OK\n");

	(void)state;
	for (how.limit = 0; how.limit < end; how.limit++)
		fails(&sink_relp, &how, "");
}

static void test_relp_silent(void **state)
{
	struct collector how = relp;
	struct part *part = part_of(NR);
	struct link link = link_to(address);
	struct err err;

	(void)state;
	how.answer = NULL;
	start(&how);
	assert_int_equal(try(&sink_relp, &link, part, &err), -1);
	assert_non_null(strstr(err.text, "no answer came"));
	assert_int_equal(link.done, 0);
	assert_in_range(collector->nr_messages, 1, 128);
	stop();
	free(part);
}

/* --- Fluent --------------------------------------------------------------- */

static uint64_t big_endian(const unsigned char *at, size_t len)
{
	uint64_t number = 0;

	while (len--)
		number = number << 8 | *at++;
	return number;
}

/* Reads ["ktrace", ENTRIES, {"chunk": CHUNK, "size": SIZE}]. Returns false at the end. */
static bool read_part(FILE *in)
{
	static const char begin[] = "\x93\xa6ktrace\xc6";
	unsigned char head[16], bytes[PART_LEN];
	size_t len, at;

	if (fread(head, 1, 13, in) != 13)
		return false;
	len = big_endian(head + 9, 4);
	if (memcmp(head, begin, 9) || fread(bytes, 1, len, in) != len || fread(head, 1, 8, in) != 8)
		_exit(6);
	for (at = 0; at < len; at += strcspn((char *)bytes + at + 1, "m") + 1)
		count((char *)bytes + at, len - at);
	if (memcmp(head, "\x82\xa5" "chunk", 7) || (head[7] & 0xe0) != 0xa0)
		_exit(7);
	len = head[7] & 0x1f;
	if (fread(collector->chunk, 1, len, in) != len || fread(head, 1, 6, in) != 6)
		_exit(8);
	collector->chunk[len] = 0;
	if (memcmp(head, "\xa4size", 5))
		_exit(9);
	len = head[5] == 0xcc ? 1 : head[5] == 0xcd ? 2 : 0;
	if (fread(head + 6, 1, len, in) != len)
		_exit(10);
	collector->size = len ? big_endian(head + 6, len) : head[5];
	return true;
}

static bool serve_fluent(struct collector *of, int fd)
{
	FILE *in = fdopen(dup(fd), "r");
	bool goes_on = !of->hello || answer(fd, of->hello, strlen(of->hello));
	char ack[256];
	int len;

	of->hello = NULL;
	while (goes_on && read_part(in)) {
		len = sprintf(ack, "\x81\xa3" "ack%c%s", 0xa0 | (int)strlen(of->chunk), of->chunk);
		if (of->odd_answer) {
			len = snprintf(ack, sizeof(ack), "%s", of->odd_answer);
			goes_on = len > 0;
		}
		goes_on = answer(fd, ack, len) && goes_on;
	}
	fclose(in);
	return true;
}

static const struct collector fluent = { .serve = serve_fluent, .limit = -1 };

static void test_fluent(void **state)
{
	struct part *part = part_of(NR);
	struct link link = link_to(address);
	struct err err;
	uint32_t i;

	(void)state;
	start(&fluent);
	assert_int_equal(try(&sink_fluent, &link, part, &err), 0);
	for (i = 0; i < NR; i++)
		assert_int_equal(collector->nr_of[i], 1);
	assert_string_equal(collector->chunk, part->id);
	assert_int_equal(collector->size, NR);
	link.done = 100;
	assert_int_equal(try(&sink_fluent, &link, part, &err), 0);
	assert_string_equal(collector->chunk, "00c0ffee00c0ffee.3.17.0+200");
	assert_int_equal(collector->size, 200);
	assert_int_equal(collector->nr_of[99], 1);
	assert_int_equal(collector->nr_of[100], 2);
	link.done = 0;
	*part->id = 0;
	assert_int_equal(try(&sink_fluent, &link, part, &err), 0);
	assert_memory_equal(collector->chunk, "at.", 3);
	stop();
	free(part);
}

static void test_fluent_wrong(void **state)
{
	static const struct wrong {
		const char *answer, *why;
	} wrongs[] = {
		{ "", "connection" },
		{ "\x81\xa3" "ack\xb7" "00c0ffee00c0ffee.3.16.0", "acknowledges the chunk 00c0ffee00c0ffee.3.16.0" },
		{ "\x81\xa3" "ack\xa1" "0", "acknowledges the chunk 0," },
		{ "\x81\xa3" "ack\xb7" "00c0ffee00c0ffee.3.17", "no answer came" },
		{ "\x81\xa3" "ack\xb7" "00c0ffee00c0ffee.3.17.00", "is no acknowledgement" },
		{ "\x81\xa3" "nak\xb7" "00c0ffee00c0ffee.3.17.0", "is no acknowledgement" },
		{ "\x81\xa3" "ack\xda\xff\xff" "0", "no answer came" },
		{ "\xa3" "ack", "is no acknowledgement" },
		{ "HTTP/1.1 400", "is no acknowledgement" },
	};
	struct collector how = fluent;
	char long_ack[256] = "\x81\xa3" "ack\xda\x10\x10";
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrongs) / sizeof(*wrongs); i++) {
		how.odd_answer = wrongs[i].answer;
		fails(&sink_fluent, &how, wrongs[i].why);
	}
	memset(long_ack + 8, 'x', sizeof(long_ack) - 9);
	how.odd_answer = NULL;
	how.hello = long_ack;
	fails(&sink_fluent, &how, "");
	how.hello = "\x92\xa4HELO\x80";
	fails(&sink_fluent, &how, "asks for a shared key");
}

static void test_fluent_closes(void **state)
{
	struct collector how = fluent;
	int end = sizeof("\x81\xa3" "ack\xb7" "00c0ffee00c0ffee.3.17.0") - 1;

	(void)state;
	for (how.limit = 0; how.limit < end; how.limit++)
		fails(&sink_fluent, &how, "");
}

/* --- journald ------------------------------------------------------------- */

static char path[64];
static int journal;

static void open_journal(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };

	snprintf(path, sizeof(path), "/tmp/test_sinks.%d", getpid());
	strcpy(un.sun_path, path);
	unlink(path);
	journal = socket(AF_UNIX, SOCK_DGRAM, 0);
	assert_int_equal(bind(journal, (struct sockaddr *)&un, sizeof(un)), 0);
}

static void close_journal(void)
{
	close(journal);
	unlink(path);
}

/* More messages than the socket has room for, while a child takes them slowly. */
static void test_journald(void **state)
{
	struct part *part = part_of(NR);
	struct link link;
	struct err err;
	char text[64];
	ssize_t len;
	int i;

	(void)state;
	open_journal();
	*collector = (struct collector){ .limit = -1 };
	server = fork();
	if (!server) {
		usleep(100000);
		for (i = 0; i < NR; i++) {
			len = recv(journal, text, sizeof(text), 0);
			count(text, len);
		}
		_exit(0);
	}
	link = link_to(path);
	assert_int_equal(try(&sink_journald, &link, part, &err), 0);
	waitpid(server, NULL, 0);
	for (i = 0; i < NR; i++)
		assert_int_equal(collector->nr_of[i], 1);
	link.done = 0;
	close_journal();
	assert_int_equal(try(&sink_journald, &link, part, &err), -1);
	assert_non_null(strstr(err.text, path));
	free(part);
}

/* Takes the file of an entry, and checks that it is sealed. */
static void take_file(const struct part *part)
{
	char control[CMSG_SPACE(sizeof(int))], *bytes;
	struct msghdr message = { .msg_control = control, .msg_controllen = sizeof(control) };
	int fd;

	assert_int_equal(recvmsg(journal, &message, 0), 0);
	assert_int_equal(CMSG_FIRSTHDR(&message)->cmsg_type, SCM_RIGHTS);
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	assert_int_equal(fcntl(fd, F_GET_SEALS),
			 F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
	assert_int_equal(lseek(fd, 0, SEEK_END), PART_LEN);
	bytes = mmap(NULL, PART_LEN, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_memory_equal(bytes, part->bytes, PART_LEN);
	munmap(bytes, PART_LEN);
	close(fd);
}

static void test_journald_long(void **state)
{
	struct part *part = part_of(0);
	struct link link;
	struct err err;

	(void)state;
	memset(part->bytes, 'x', PART_LEN);
	part->ends[0] = PART_LEN;
	part->nr = 1;
	open_journal();
	link = link_to(path);
	assert_int_equal(try(&sink_journald, &link, part, &err), 0);
	assert_int_equal(link.refused, 0);
	take_file(part);
	link.done = 0;
	has_memfd = false;
	assert_int_equal(try(&sink_journald, &link, part, &err), 0);
	assert_int_equal(link.refused, 1);
	assert_non_null(strstr(link.refusal, "262144 bytes are too long"));
	has_memfd = true;
	close_journal();
	free(part);
}

/* journald is replaced by another one while the sender has its socket. */
static void test_journald_gone(void **state)
{
	struct part *part = part_of(1);
	struct link link;
	struct err err;

	(void)state;
	open_journal();
	link = link_to(path);
	assert_int_equal(sink_journald.transport->open(&link, &err), 0);
	close_journal();
	open_journal();
	assert_int_equal(sink_journald.transport->send(&link, part, &err), -1);
	assert_non_null(strstr(err.text, "journald takes no message"));
	close_link(&sink_journald, &link);
	assert_int_equal(try(&sink_journald, &link, part, &err), 0);
	close_journal();
	free(part);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_relp), cmocka_unit_test(test_relp_parts),
		cmocka_unit_test(test_relp_refusal), cmocka_unit_test(test_relp_wrong),
		cmocka_unit_test(test_relp_open), cmocka_unit_test(test_relp_closes),
		cmocka_unit_test(test_relp_silent),
		cmocka_unit_test(test_fluent), cmocka_unit_test(test_fluent_wrong),
		cmocka_unit_test(test_fluent_closes),
		cmocka_unit_test(test_journald), cmocka_unit_test(test_journald_long),
		cmocka_unit_test(test_journald_gone),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, setup, NULL);
}
