// SPDX-License-Identifier: GPL-2.0
/*
 * Messages from a netlink socket, through libnl: answers of all commands, and notices. After the
 * number of a command come messages, each with its kind and length in front.
 */
#include "fuzz.h"

#include "../../user/client/socket.c"
#include "../../user/client/stream.c"

#include "../../user/draw/draw.h"
#include "../../user/report/chosen.h"
#include "../../user/report/graph.h"
#include "../../user/report/io_table.h"
#include "../../user/report/json.h"
#include "../../user/report/json_write.h"
#include "../../user/report/layout.h"
#include "../../user/report/sched_table.h"
#include "../../user/report/stack_table.h"
#include "../../user/report/syscalls.h"
#include "../../user/report/virtio.h"
#include "show.h"

#define FAMILY 30

static struct input input;
static uint32_t seq;

/* --- messages ----------------------------------------------------------- */

enum kind { DATA, ERROR, DONE, RAW, NR_KINDS };

/* Puts attributes: for each its number, then its length and bytes. */
static size_t put_attributes(uint8_t *to, size_t room, struct input *from)
{
	struct nlattr attr;
	size_t at = 0, len;
	uint8_t *part;

	while (from->left) {
		attr.nla_type = take(from, 1);
		part = take_part(from, &len);
		if (NLA_HDRLEN + NLA_ALIGN(len) > room - at) {
			free(part);
			break;
		}
		attr.nla_len = NLA_HDRLEN + len;
		memcpy(to + at, &attr, sizeof(attr));
		memcpy(to + at + NLA_HDRLEN, part, len);
		at += NLA_HDRLEN + NLA_ALIGN(len);
		free(part);
	}
	return at;
}

static size_t put_message(uint8_t *to, size_t room, struct input *from, enum kind kind)
{
	struct nlmsghdr head = { .nlmsg_type = FAMILY, .nlmsg_flags = NLM_F_MULTI, .nlmsg_seq = seq };
	struct genlmsghdr genl = { .cmd = 1 };
	size_t at = sizeof(head);

	if (kind == DATA) {
		memcpy(to + at, &genl, sizeof(genl));
		at += sizeof(genl);
		at += put_attributes(to + at, room - at, from);
	} else {
		head.nlmsg_type = kind == ERROR ? NLMSG_ERROR : kind == DONE ? NLMSG_DONE : FAMILY;
		/* A sentence may follow, after the request or only its header. */
		head.nlmsg_flags |= NLM_F_ACK_TLVS | (from->left & 4 ? NLM_F_CAPPED : 0);
		memcpy(to + at, from->at, from->left);
		at += from->left;
	}
	head.nlmsg_len = at;
	memcpy(to, &head, sizeof(head));
	return at;
}

/* Returns the next message, in memory that ends with it, or NULL if there is none. */
static uint8_t *take_message(size_t *len)
{
	enum kind kind = take(&input, 1) % NR_KINDS;
	uint8_t *part, *message;
	struct input from;

	if (!input.left)
		return NULL;
	part = take_part(&input, &from.left);
	from.at = part;
	message = calloc(1, 2 * from.left + 64);
	*len = put_message(message, 2 * from.left + 64, &from, kind);
	free(part);
	return realloc(message, *len);
}

/* --- in the place of a socket ------------------------------------------- */

int __wrap_nl_recv(struct nl_sock *sock, struct sockaddr_nl *from, unsigned char **buffer,
		   struct ucred **creds);
int __wrap_nl_recv(struct nl_sock *sock, struct sockaddr_nl *from, unsigned char **buffer,
		   struct ucred **creds)
{
	uint8_t *message;
	size_t len;

	(void)sock;
	(void)creds;
	memset(from, 0, sizeof(*from));
	message = take_message(&len);
	*buffer = message;
	return message ? (int)len : -NLE_FAILURE;
}

static int swallow(struct nl_sock *sock, struct nl_msg *msg)
{
	(void)sock;
	seq = nlmsg_hdr(msg)->nlmsg_seq;
	return 0;
}

/* libnl does not check that there are 32 bits, and is built without a sanitizer. */
uint32_t __real_nla_get_u32(const struct nlattr *attr);
uint32_t __wrap_nla_get_u32(const struct nlattr *attr);

uint32_t __wrap_nla_get_u32(const struct nlattr *attr)
{
	must(nla_len(attr) >= 4);
	return __real_nla_get_u32(attr);
}

/* Notices are read without libnl. */
ssize_t __wrap_recv(int fd, void *to, size_t room, int flags);
ssize_t __wrap_recv(int fd, void *to, size_t room, int flags)
{
	size_t len;
	uint8_t *message = take_message(&len);

	(void)fd;
	(void)flags;
	if (!message) {
		errno = EAGAIN;
		return -1;
	}
	len = len < room ? len : room;
	memcpy(to, message, len);
	free(message);
	return len;
}

static struct nl_sock *make_socket(void)
{
	struct nl_sock *sock = nl_socket_alloc();
	struct nl_cb *cb = nl_socket_get_cb(sock);

	nl_cb_overwrite_send(cb, swallow);
	nl_cb_put(cb);
	nl_socket_disable_auto_ack(sock);
	return sock;
}

/* --- commands ----------------------------------------------------------- */

static void print_session(FILE *out, const struct ktr_session *session)
{
	must(strlen(session->name) < sizeof(session->name));
	json_write(out, sessions_document(session, 1), 0);
}

static void print_figures(struct ktr *ktr, FILE *out, unsigned int which)
{
	struct ktr_session session = { .sinks = which & 64 ? KTRACE_SINK_TREE : 0 };
	struct trace trace;
	struct names names;
	struct view *view;
	struct err err;

	show_names(&names);
	show_begin(&trace, which);
	view = view_create(&trace, out, &names, &session, &err);
	view_finish(view, ktr, &err);
}

static void name_functions(struct ktr *ktr)
{
	struct names names = { .texts = calloc(4, sizeof(*names.texts)), .nr = 4 };

	names_fill(&names, ktr, 1, 0);
	names_free(&names);
}

/* Their kinds are read from a session of another sort, which has none. */
static void print_stacks(struct ktr *ktr, FILE *out)
{
	struct ktr_session session = { .id = 1 };
	struct stacks stacks = { .nr = 0 };
	struct table threads, table;
	struct paths paths;

	sched_init(&threads);
	stacks_read(&stacks, ktr, 1, NULL);
	stack_table_read(&table, ktr, &session, 0, &threads, &stacks);
	stack_table_print(out, &table);
	stack_table_paths(&paths, &table);
	format_flame.paths(out, &paths);
	paths_free(&paths);
	table_free(&table);
	table_free(&threads);
	stacks_free(&stacks);
}

static void print_syscalls(struct ktr *ktr, FILE *out, uint32_t sinks, uint32_t flags)
{
	struct ktr_session session = { .id = 1, .sinks = sinks, .flags = flags };
	struct syscalls syscalls;

	syscalls_read(&syscalls, ktr, &session, 0);
	syscalls.calls.flags |= SYSCALLS_WIDE;
	syscalls_sort(&syscalls, "p99");
	syscalls_print(out, &syscalls);
	json_write(out, syscalls_document(&session, &syscalls), 0);
	syscalls_free(&syscalls);
}

/* Without the keys file and cgroup, whose names would be looked up in the machine. */
static void print_chosen(struct ktr *ktr, FILE *out, uint32_t provider)
{
	static const struct ktrace_table of_calls = {
		.keys = { KTRACE_KEY_COMM, KTRACE_KEY_PID, KTRACE_KEY_SYSCALL, KTRACE_KEY_ERRNO },
	}, of_requests = {
		.keys = { KTRACE_KEY_DEVICE, KTRACE_KEY_OPERATION, KTRACE_KEY_STAGE, KTRACE_KEY_UID },
	};
	bool is_block = provider == KTRACE_PROVIDER_BLOCK;
	struct ktr_session session = {
		.id = 1, .sinks = KTRACE_SINK_TABLE, .provider = provider,
	};
	struct chosen chosen = { .names = NULL };

	chosen_read(&chosen, ktr, &session, is_block ? &of_requests : &of_calls, 0);
	table_sort(&chosen.table, "p99");
	chosen_print(out, &chosen);
	json_write(out, chosen_document(&session, &chosen), 0);
	chosen_free(&chosen);
}

static void print_sched(struct ktr *ktr, FILE *out)
{
	struct ktr_session session = { .id = 1, .sinks = KTRACE_SINK_TABLE };
	struct table table;

	sched_read(&table, ktr, &session, 0);
	table_sort(&table, "avg");
	sched_print(out, &table);
	sched_print_hists(out, &table);
	table_free(&table);
}

static void print_io(struct ktr *ktr, FILE *out)
{
	struct table table;

	io_read(&table, ktr, 1, 0);
	table.duration_ns = 1;
	table_print(out, &table);
	json_write(out, tables_document(&(struct ktr_session){ .id = 1 },
					&(struct json_table){ "rows", &table }, 1), 0);
	table_free(&table);
}

static void print_virtio(struct ktr *ktr, FILE *out)
{
	struct virtio_devs devs = { .nr = 0 };
	struct table table;

	virtio_read(&table, ktr, 1, 0, &devs);
	table_print(out, &table);
	json_write(out, tables_document(&(struct ktr_session){ .id = 1 },
					&(struct json_table){ "rows", &table }, 1), 0);
	table_free(&table);
}

static void print_table(struct ktr *ktr, FILE *out, unsigned int which)
{
	switch (which % 5) {
	case 0:
		print_stacks(ktr, out);
		break;
	case 1:
		if (which & 16)
			print_chosen(ktr, out, KTRACE_PROVIDER_SYSCALLS);
		else
			print_syscalls(ktr, out, which & 8 ? KTRACE_SINK_TABLE : KTRACE_SINK_HIST,
				       which & 8 ? 0 : KTRACE_F_PAGES);
		break;
	case 2:
		print_sched(ktr, out);
		break;
	case 3:
		if (which & 16)
			print_chosen(ktr, out, KTRACE_PROVIDER_BLOCK);
		else
			print_io(ktr, out);
		break;
	default:
		print_virtio(ktr, out);
	}
}

/* Touches all that a packet has, in memory that ends with it. */
static void check_packet(const struct ktr_packet *packet)
{
	uint64_t *copy = malloc(packet->len), sum = 0;
	struct ktr_record record;
	size_t at = 0;
	int i;

	memcpy(copy, packet->data, packet->len);
	while (ktr_record_next(copy, packet->len, &at, &record) > 0)
		for (i = 0; i < record.nr_payload; i++)
			sum += record.payload[i];
	must(at <= packet->len && (sum || !sum));
	free(copy);
}

static void read_stream(struct ktr *ktr)
{
	struct ktr_stream *stream = calloc(1, sizeof(*stream));
	struct ktr_packet packet;
	struct cpu cpus[2] = { { .acked = 1 } };

	stream->ktr = stream->opener = ktr;
	stream->cpus = cpus;
	stream->nr_cpus = 2;
	while (ktr_stream_next(stream, &packet) > 0)
		check_packet(&packet);
	free(stream);
}

static void take_notices(struct ktr *ktr)
{
	struct ktr_notice notice;

	ktr->is_watching = true;
	ktr->notices = ktr->sock;
	ktr_notices_drain(ktr);
	while (ktr_notice_take(ktr, &notice))
		;
	ktr->notices = NULL;
}

static void command(struct ktr *ktr, FILE *out, unsigned int which)
{
	struct ktr_session session, *sessions;
	struct ktr_info info;
	size_t nr, i;
	struct ktr_new new;
	uint64_t id, cookie;

	switch (which % 9) {
	case 0:
		ktr_info(ktr, &info);
		must(strlen(info.version) < sizeof(info.version));
		break;
	case 1:
		memset(&session, 0, sizeof(session));
		ktr_session_get(ktr, 1, &session);
		print_session(out, &session);
		break;
	case 2:
		ktr_session_list(ktr, &sessions, &nr);
		for (i = 0; i < nr; i++)
			print_session(out, &sessions[i]);
		free(sessions);
		break;
	case 3:
		name_functions(ktr);
		break;
	case 4:
		read_stream(ktr);
		break;
	case 5:
		memset(&new, 0, sizeof(new));
		ktr_session_new(ktr, &new, &id, &cookie);
		break;
	case 6:
		take_notices(ktr);
		break;
	case 7:
		print_table(ktr, out, which / 9);
		break;
	default:
		print_figures(ktr, out, which / 9);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct ktr *ktr = calloc(1, sizeof(*ktr));
	FILE *out = open_checked();
	unsigned int which;

	input.at = data;
	input.left = len;
	ktr->sock = make_socket();
	ktr->family = FAMILY;
	which = take(&input, 2);
	command(ktr, out, which);
	must(strlen(ktr_reason(ktr, ktr->said_error)) < 200);
	ktr_close(ktr);
	fclose(out);
	return 0;
}
