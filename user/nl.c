// SPDX-License-Identifier: GPL-2.0
/* The only user of libnl. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "mem.h"
#include "nl.h"
#include "version.h"

#define RECEIVE_LEN 32768	/* the kernel makes no larger messages of a dump */
#define SOCKET_LEN (1 << 20)
#define MAX_ERRNO 4095

struct knl {
	bool is_watching;
	struct knl_notice *kept;	/* told, to be taken */
	size_t nr_kept;
	struct nl_sock *sock;
	struct nl_sock *notices;	/* or NULL */
	int family;
	/* of the exchange under way */
	int error;
	bool is_over;
	void (*answer)(struct knl *nl, struct nlattr **attrs);
	void *out;
	void *fn;
	void *arg;
};

/* --- exchanges ---------------------------------------------------------- */

/* What a message says is an errno, if it can be one. */
static int told_error(int error)
{
	return error <= 0 && error >= -MAX_ERRNO ? error : -EPROTO;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *answer, void *arg)
{
	struct knl *nl = arg;

	(void)from;
	nl->error = told_error(answer->error);
	nl->is_over = true;
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	struct knl *nl = arg;

	(void)msg;
	nl->is_over = true;
	return NL_STOP;
}

/* The kernel puts a dump's error into its last message. */
static int on_done(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *head = nlmsg_hdr(msg);
	struct knl *nl = arg;

	if (head->nlmsg_len >= NLMSG_HDRLEN + sizeof(int))
		nl->error = told_error(*(int *)NLMSG_DATA(head));
	nl->is_over = true;
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

/* libnl's numbers say less than errno; only its own failures pass through here. */
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

static int exchange(struct knl *nl, struct nl_msg *msg)
{
	int error;

	nl->error = 0;
	nl->is_over = false;
	error = nl_send_auto(nl->sock, msg);
	nlmsg_free(msg);
	if (error < 0)
		return errno_of(error);
	while (!nl->is_over) {
		error = nl_recvmsgs_default(nl->sock);
		if (error < 0 && !nl->is_over && error != -NLE_INTR)
			return errno_of(error);
	}
	nl->answer = NULL;
	return nl->error;
}

static struct nl_msg *request(struct knl *nl, uint8_t cmd, int flags)
{
	struct nl_msg *msg = nlmsg_alloc_size(flags & NLM_F_DUMP ? 4096 : 70000);

	if (!msg || !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, nl->family, 0,
				 NLM_F_REQUEST | flags, cmd, KTRACE_GENL_VERSION)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

static int on_session(struct knl *nl, uint8_t cmd, uint64_t id)
{
	struct nl_msg *msg = request(nl, cmd, NLM_F_ACK);

	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id))
		return -ENOMEM;
	return exchange(nl, msg);
}

/* libnl looks at the length of 64 bits only. */
static uint32_t u32_of(const struct nlattr *attr)
{
	return attr && nla_len(attr) >= (int)sizeof(uint32_t) ? nla_get_u32(attr) : 0;
}

static uint64_t u64_of(const struct nlattr *attr)
{
	return attr ? nla_get_u64((struct nlattr *)attr) : 0;
}

/* An older peer's struct may be shorter, a newer one's longer. */
static void copy_struct(void *to, size_t len, const struct nlattr *attr, size_t at)
{
	size_t there = attr ? nla_len(attr) : 0;

	memset(to, 0, len);
	if (there > at)
		memcpy(to, (char *)nla_data(attr) + at, there - at < len ? there - at : len);
}

/* --- opening ------------------------------------------------------------ */

static int explain_family(int error, struct err *err)
{
	if (access("/sys/module/ktrace", F_OK) == 0)
		return err_set(err, "The ktrace module does not answer (%s); unload and load it again.",
			       nl_geterror(error));
	return err_set(err, "The ktrace kernel module is not loaded; try: modprobe ktrace (ktrace doctor tells more).");
}

static int check_version(struct knl *nl, struct err *err)
{
	struct knl_info info;
	int error = knl_info(nl, &info);

	if (error == -EPERM)
		return err_set(err, "Tracing needs root (CAP_SYS_ADMIN in the initial user namespace); try: sudo ktrace ...");
	if (error)
		return err_set(err, "The ktrace module does not say its version: %s.",
			       strerror(-error));
	if (info.abi != KTRACE_ABI)
		return err_set(err, "The loaded module is version %s (interface %u), this is ktrace %s (interface %u); load the matching module: rmmod ktrace; modprobe ktrace.",
			       info.version, info.abi, KTRACE_VERSION, KTRACE_ABI);
	return 0;
}

static int open_socket(struct knl *nl)
{
	nl->sock = nl_socket_alloc();
	if (!nl->sock)
		return -NLE_NOMEM;
	nl_socket_set_msg_buf_size(nl->sock, RECEIVE_LEN);
	nl_socket_disable_auto_ack(nl->sock);
	return genl_connect(nl->sock);
}

static void set_callbacks(struct knl *nl)
{
	nl_socket_set_buffer_size(nl->sock, SOCKET_LEN, 0);
	nl_socket_modify_err_cb(nl->sock, NL_CB_CUSTOM, on_error, nl);
	nl_socket_modify_cb(nl->sock, NL_CB_ACK, NL_CB_CUSTOM, on_ack, nl);
	nl_socket_modify_cb(nl->sock, NL_CB_FINISH, NL_CB_CUSTOM, on_done, nl);
	nl_socket_modify_cb(nl->sock, NL_CB_VALID, NL_CB_CUSTOM, on_answer, nl);
}

static int connect_family(struct knl *nl, struct err *err)
{
	int error = open_socket(nl);

	if (error < 0)
		return err_set(err, "A generic netlink socket cannot be opened: %s.",
			       nl_geterror(error));
	nl->family = genl_ctrl_resolve(nl->sock, KTRACE_GENL_NAME);
	if (nl->family < 0)
		return explain_family(nl->family, err);
	set_callbacks(nl);
	return check_version(nl, err);
}

struct knl *knl_open(struct err *err)
{
	struct knl *nl = mem_alloc(sizeof(*nl));

	if (!connect_family(nl, err))
		return nl;
	knl_close(nl);
	return NULL;
}

struct knl *knl_open_to_trace(struct err *err)
{
	struct knl *nl = knl_open(err);
	struct knl_info info;

	if (!nl || knl_info(nl, &info) || !(info.flags & KTRACE_INFO_LOCKED))
		return nl;
	err_set(err, "The kernel is locked down (confidentiality), and the ktrace module was told to respect that (respect_lockdown): only ctl list, show, pause and detach work until the machine is started without lockdown.");
	knl_close(nl);
	return NULL;
}

const char *knl_reason(int error)
{
	return error == -EACCES ?
	       "the kernel was locked down, which the module respects (respect_lockdown)" :
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

/* On a socket of their own: a full one must not cost an answer. */
static void subscribe(struct knl *nl)
{
	struct nl_sock *sock = nl->sock;
	struct nl_msg *msg;
	int error = open_socket(nl);

	set_callbacks(nl);
	msg = error < 0 ? NULL : request(nl, KTRACE_CMD_SUBSCRIBE, NLM_F_ACK);
	error = msg ? exchange(nl, msg) : -ENOMEM;
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
	notice->session = u64_of(attrs[KTRACE_A_SESSION]);
	notice->event = u32_of(attrs[KTRACE_A_EVENT]);
	notice->pid = u32_of(attrs[KTRACE_A_PID]);
}

/* Those that a watcher must answer are kept: whoever else waits for news drains too. */
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

/* --- commands ----------------------------------------------------------- */

static void take_info(struct knl *nl, struct nlattr **attrs)
{
	struct knl_info *info = nl->out;

	if (attrs[KTRACE_A_VERSION])
		nla_strlcpy(info->version, attrs[KTRACE_A_VERSION], sizeof(info->version));
	info->abi = u32_of(attrs[KTRACE_A_ABI]);
	info->features = u64_of(attrs[KTRACE_A_FEATURES]);
	info->mem = u64_of(attrs[KTRACE_A_MEM]);
	info->flags = u32_of(attrs[KTRACE_A_FLAGS]);
	copy_struct(&info->limits, sizeof(info->limits), attrs[KTRACE_A_LIMITS], 0);
}

int knl_info(struct knl *nl, struct knl_info *info)
{
	struct nl_msg *msg = request(nl, KTRACE_CMD_INFO, NLM_F_ACK);

	memset(info, 0, sizeof(*info));
	nl->answer = take_info;
	nl->out = info;
	return msg ? exchange(nl, msg) : -ENOMEM;
}

struct ids {
	uint64_t session, cookie;
};

static void take_ids(struct knl *nl, struct nlattr **attrs)
{
	struct ids *ids = nl->out;

	ids->session = u64_of(attrs[KTRACE_A_SESSION]);
	ids->cookie = u64_of(attrs[KTRACE_A_COOKIE]);
}

/* The bytes of an empty list are none, but the list is there. */
static int put_list(struct nl_msg *msg, int attr, const void *list, size_t nr)
{
	return list && nla_put(msg, attr, nr * sizeof(uint32_t), list);
}

static int put_conditions(struct nl_msg *msg, const struct knl_conditions *c)
{
	return put_list(msg, KTRACE_A_TIDS, c->tids, c->nr_tids) ||
	       put_list(msg, KTRACE_A_UIDS, c->uids, c->nr_uids) ||
	       (c->comm && nla_put_string(msg, KTRACE_A_COMM, c->comm)) ||
	       (c->cgroup && nla_put_u64(msg, KTRACE_A_CGROUP, *c->cgroup));
}

static int put_new(struct nl_msg *msg, const struct knl_new *new)
{
	if (put_conditions(msg, &new->conditions) ||
	    nla_put_u32(msg, KTRACE_A_FLAGS, new->flags) ||
	    nla_put_u32(msg, KTRACE_A_NR_FUNCS, new->nr_funcs) ||
	    nla_put_u32(msg, KTRACE_A_FD, new->fd) ||
	    (new->name && nla_put_string(msg, KTRACE_A_NAME, new->name)) ||
	    (new->nr_pids && nla_put(msg, KTRACE_A_PIDS, new->nr_pids * sizeof(int32_t),
				     new->pids)) ||
	    (new->min_time && nla_put_u64(msg, KTRACE_A_MIN_TIME, new->min_time)) ||
	    (new->max_depth && nla_put_u32(msg, KTRACE_A_MAX_DEPTH, new->max_depth)) ||
	    (new->nr_subbufs && nla_put_u32(msg, KTRACE_A_NR_SUBBUFS, new->nr_subbufs)))
		return -ENOMEM;
	return 0;
}

int knl_session_new(struct knl *nl, const struct knl_new *new, uint64_t *id, uint64_t *cookie)
{
	struct nl_msg *msg = request(nl, KTRACE_CMD_SESSION_NEW, NLM_F_ACK);
	struct ids ids = { 0, 0 };
	int error;

	if (!msg || put_new(msg, new))
		return -ENOMEM;
	nl->answer = take_ids;
	nl->out = &ids;
	error = exchange(nl, msg);
	*id = ids.session;
	*cookie = ids.cookie;
	return error;
}

int knl_func_add(struct knl *nl, uint64_t id, const struct knl_funcs *funcs)
{
	struct nl_msg *msg = request(nl, KTRACE_CMD_FUNC_ADD, NLM_F_ACK);

	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id) ||
	    nla_put_u32(msg, KTRACE_A_FD, funcs->fd) ||
	    (funcs->caller_fd >= 0 && nla_put_u32(msg, KTRACE_A_CALLER_FD, funcs->caller_fd)) ||
	    (funcs->build_id_len && nla_put(msg, KTRACE_A_BUILD_ID, funcs->build_id_len,
					    funcs->build_id)) ||
	    nla_put(msg, KTRACE_A_FUNCS, funcs->len, funcs->funcs))
		return -ENOMEM;
	return exchange(nl, msg);
}

int knl_session_commit(struct knl *nl, uint64_t id)
{
	return on_session(nl, KTRACE_CMD_SESSION_COMMIT, id);
}

int knl_func_del(struct knl *nl, uint64_t id, const uint32_t *funcs, size_t nr, uint32_t flags)
{
	struct nl_msg *msg = request(nl, KTRACE_CMD_FUNC_DEL, NLM_F_ACK);

	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id) ||
	    nla_put_u32(msg, KTRACE_A_FLAGS, flags) ||
	    nla_put(msg, KTRACE_A_FUNC_LIST, nr * sizeof(*funcs), funcs))
		return -ENOMEM;
	return exchange(nl, msg);
}

int knl_session_pause(struct knl *nl, uint64_t id)
{
	return on_session(nl, KTRACE_CMD_SESSION_PAUSE, id);
}

int knl_session_resume(struct knl *nl, uint64_t id)
{
	return on_session(nl, KTRACE_CMD_SESSION_RESUME, id);
}

static int send_change(struct knl *nl, uint8_t cmd, uint64_t id, const struct knl_change *change)
{
	struct nl_msg *msg = request(nl, cmd, NLM_F_ACK);

	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id) ||
	    put_conditions(msg, &change->conditions) ||
	    (change->nr_pids && put_list(msg, KTRACE_A_PIDS, change->pids, change->nr_pids)) ||
	    (change->nr_not_pids && put_list(msg, KTRACE_A_NOT_PIDS, change->not_pids,
					     change->nr_not_pids)) ||
	    (change->min_time && nla_put_u64(msg, KTRACE_A_MIN_TIME, *change->min_time)) ||
	    (change->max_depth && nla_put_u32(msg, KTRACE_A_MAX_DEPTH, change->max_depth)))
		return -ENOMEM;
	return exchange(nl, msg);
}

int knl_session_change(struct knl *nl, uint64_t id, const struct knl_change *change)
{
	return send_change(nl, KTRACE_CMD_SESSION_CHANGE, id, change);
}

int knl_session_commit_change(struct knl *nl, uint64_t id, const struct knl_change *change)
{
	return send_change(nl, KTRACE_CMD_SESSION_COMMIT, id, change);
}

int knl_session_watch(struct knl *nl, uint64_t id)
{
	int error = on_session(nl, KTRACE_CMD_SESSION_WATCH, id);

	nl->is_watching |= !error;
	return error;
}

int knl_task_continue(struct knl *nl, uint64_t id, int32_t pid)
{
	struct nl_msg *msg = request(nl, KTRACE_CMD_TASK_CONTINUE, NLM_F_ACK);

	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id) ||
	    nla_put_u32(msg, KTRACE_A_PID, pid))
		return -ENOMEM;
	return exchange(nl, msg);
}

int knl_session_stop(struct knl *nl, uint64_t id)
{
	return on_session(nl, KTRACE_CMD_SESSION_STOP, id);
}

int knl_session_reset(struct knl *nl, uint64_t id, uint32_t flags)
{
	struct nl_msg *msg = request(nl, KTRACE_CMD_SESSION_RESET, NLM_F_ACK);

	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id) ||
	    nla_put_u32(msg, KTRACE_A_FLAGS, flags))
		return -ENOMEM;
	return exchange(nl, msg);
}

int knl_session_del(struct knl *nl, uint64_t id)
{
	return on_session(nl, KTRACE_CMD_SESSION_DEL, id);
}

static void parse_session(struct nlattr **attrs, struct knl_session *session)
{
	memset(session, 0, sizeof(*session));
	session->id = u64_of(attrs[KTRACE_A_SESSION]);
	session->cookie = u64_of(attrs[KTRACE_A_COOKIE]);
	if (attrs[KTRACE_A_NAME])
		nla_strlcpy(session->name, attrs[KTRACE_A_NAME], sizeof(session->name));
	session->state = u32_of(attrs[KTRACE_A_STATE]);
	session->error = told_error(u32_of(attrs[KTRACE_A_ERROR]));
	session->flags = u32_of(attrs[KTRACE_A_FLAGS]);
	session->nr_funcs = u32_of(attrs[KTRACE_A_NR_FUNCS]);
	session->nr_used = u32_of(attrs[KTRACE_A_NR_USED]);
	session->nr_sites = u32_of(attrs[KTRACE_A_NR_SITES]);
	session->nr_failed = u32_of(attrs[KTRACE_A_NR_FAILED]);
	session->owner = u32_of(attrs[KTRACE_A_OWNER]);
	session->reader = u32_of(attrs[KTRACE_A_READER]);
	session->mem = u64_of(attrs[KTRACE_A_MEM]);
	copy_struct(&session->start, sizeof(session->start), attrs[KTRACE_A_CLOCKS], 0);
	copy_struct(&session->now, sizeof(session->now), attrs[KTRACE_A_CLOCKS],
		    sizeof(session->start));
	copy_struct(&session->counters, sizeof(session->counters),
		    attrs[KTRACE_A_COUNTERS], 0);
}

static void take_session(struct knl *nl, struct nlattr **attrs)
{
	parse_session(attrs, nl->out);
}

int knl_session_get(struct knl *nl, uint64_t id, struct knl_session *session)
{
	nl->answer = take_session;
	nl->out = session;
	return on_session(nl, KTRACE_CMD_SESSION_GET, id);
}

int knl_session_find(struct knl *nl, const char *name, struct knl_session *session)
{
	struct nl_msg *msg = request(nl, KTRACE_CMD_SESSION_GET, NLM_F_ACK);

	if (!msg || nla_put_string(msg, KTRACE_A_NAME, name))
		return -ENOMEM;
	nl->answer = take_session;
	nl->out = session;
	return exchange(nl, msg);
}

/* --- dumps -------------------------------------------------------------- */

static int dump(struct knl *nl, uint8_t cmd, uint64_t id, uint32_t flags)
{
	struct nl_msg *msg = request(nl, cmd, NLM_F_DUMP);

	if (!msg || (id && nla_put_u64(msg, KTRACE_A_SESSION, id)) ||
	    (flags && nla_put_u32(msg, KTRACE_A_FLAGS, flags)))
		return -ENOMEM;
	return exchange(nl, msg);
}

static void take_listed(struct knl *nl, struct nlattr **attrs)
{
	struct knl_session session;

	parse_session(attrs, &session);
	((knl_session_fn)nl->fn)(nl->arg, &session);
}

int knl_session_each(struct knl *nl, knl_session_fn fn, void *arg)
{
	nl->answer = take_listed;
	nl->fn = fn;
	nl->arg = arg;
	return dump(nl, KTRACE_CMD_SESSION_GET, 0, 0);
}

static void take_func(struct knl *nl, struct nlattr **attrs)
{
	struct knl_func func;

	if (!attrs[KTRACE_A_FUNC])
		return;
	memset(&func, 0, sizeof(func));
	func.func = u32_of(attrs[KTRACE_A_FUNC]);
	func.error = told_error(u32_of(attrs[KTRACE_A_ERROR]));
	copy_struct(&func.stats, sizeof(func.stats), attrs[KTRACE_A_STATS], 0);
	func.offset = u64_of(attrs[KTRACE_A_OFFSET]);
	copy_struct(func.build_id, sizeof(func.build_id), attrs[KTRACE_A_BUILD_ID], 0);
	if (attrs[KTRACE_A_BUILD_ID])
		func.build_id_len = nla_len(attrs[KTRACE_A_BUILD_ID]);
	if (func.build_id_len > sizeof(func.build_id))
		func.build_id_len = sizeof(func.build_id);
	if (attrs[KTRACE_A_BUCKETS]) {
		func.buckets = nla_data(attrs[KTRACE_A_BUCKETS]);
		func.nr_buckets = nla_len(attrs[KTRACE_A_BUCKETS]) / sizeof(*func.buckets);
	}
	((knl_func_fn)nl->fn)(nl->arg, &func);
}

int knl_func_each(struct knl *nl, uint64_t id, uint32_t flags, knl_func_fn fn, void *arg)
{
	nl->answer = take_func;
	nl->fn = fn;
	nl->arg = arg;
	return dump(nl, KTRACE_CMD_FUNC_GET, id, flags);
}

static void take_nodes(struct knl *nl, struct nlattr **attrs)
{
	const struct nlattr *nodes = attrs[KTRACE_A_NODES];

	if (nodes)
		((knl_node_fn)nl->fn)(nl->arg, nla_data(nodes),
				     nla_len(nodes) / sizeof(struct ktrace_node));
}

int knl_node_each(struct knl *nl, uint64_t id, uint32_t flags, knl_node_fn fn, void *arg)
{
	nl->answer = take_nodes;
	nl->fn = fn;
	nl->arg = arg;
	return dump(nl, KTRACE_CMD_TREE_GET, id, flags);
}

static void take_packet(struct knl *nl, struct nlattr **attrs)
{
	struct knl_stream *stream = nl->out;
	const struct nlattr *packet = attrs[KTRACE_A_PACKET];

	if (attrs[KTRACE_A_COUNTERS]) {
		stream->clock = u64_of(attrs[KTRACE_A_CLOCK]);
		copy_struct(&stream->counters, sizeof(stream->counters),
			    attrs[KTRACE_A_COUNTERS], 0);
	}
	if (!packet || !nl->fn)
		return;
	stream->next = u64_of(attrs[KTRACE_A_CURSOR]) + 1;
	stream->nr_packets++;
	((knl_packet_fn)nl->fn)(nl->arg, nla_data(packet), nla_len(packet));
}

int knl_stream_read(struct knl *nl, uint64_t id, uint32_t cpu, uint64_t cursor,
		   uint32_t flags, struct knl_stream *stream, knl_packet_fn fn, void *arg)
{
	struct nl_msg *msg = request(nl, KTRACE_CMD_STREAM_READ, NLM_F_DUMP);

	memset(stream, 0, sizeof(*stream));
	stream->next = cursor;
	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id) ||
	    nla_put_u32(msg, KTRACE_A_CPU, cpu) || nla_put_u64(msg, KTRACE_A_CURSOR, cursor) ||
	    nla_put_u32(msg, KTRACE_A_FLAGS, flags))
		return -ENOMEM;
	nl->answer = take_packet;
	nl->out = stream;
	nl->fn = fn;
	nl->arg = arg;
	return exchange(nl, msg);
}
