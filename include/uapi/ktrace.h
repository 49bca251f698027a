/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktrace: control interface of the kernel module.
 *
 * This comment is the manual of the generic netlink family "ktrace": rules, index of commands,
 * commands, providers, errors. Attributes are defined once, with type and meaning, in
 * enum ktrace_attr and in the enums of the three nests.
 *
 *
 * RULES
 *
 * Every command needs CAP_SYS_ADMIN in the initial user namespace.
 *
 * genlmsghdr.version of a request is KTRACE_GENL_VERSION. The module refuses a request of another
 * version with EPROTONOSUPPORT. INFO, SESSION_GET and SESSION_DEL are the exceptions: they are
 * answered in every version, so that both sides can say which versions met, and any command can
 * end the sessions of any module. These commands, and VERSION, ABI, SESSION, NAME and OWNER, keep
 * their numbers for ever.
 *
 * The module validates a whole request before it changes anything. It refuses with EINVAL what it
 * does not know, what the command does not take, and an attribute that is given twice. It refuses
 * an attribute of a wrong length with ERANGE (outside of nests the kernel checks this, and may say
 * EINVAL). Many refusals carry a sentence, NLMSGERR_ATTR_MSG, for a socket with NETLINK_EXT_ACK.
 * An answer may carry attributes that a client does not know; the client skips them.
 *
 * TARGET, WHO and LIMIT are nests. A nest has NLA_F_NESTED set, and holds attributes of its enum.
 *
 * A session is made with SESSION_NEW, gets its functions with FUNC_ADD, and is attached with
 * SESSION_COMMIT. It ends when the socket that made it is closed, or, if it has a NAME, with
 * SESSION_DEL. Most commands name their session by SESSION or by NAME; dumps, FUNC_ADD, FUNC_DEL
 * and TASK_CONTINUE take SESSION only.
 *
 *
 * INDEX
 *
 * command         kind      takes                              answers
 * INFO            do                                           VERSION ABI FEATURES LIMITS MEM
 *                                                              FLAGS COSTS
 * COSTS_SET       do        COSTS
 * SESSION_NEW     do        PROVIDER SINKS FLAGS NAME TARGET   SESSION COOKIE
 *                           WHO LIMIT TABLE
 * FUNC_ADD        do        SESSION, and FD CALLER_FD
 *                           BUILD_ID FUNCS, or SYMBOLS
 * FUNC_DEL        do        SESSION FUNC_LIST FLAGS
 * SESSION_COMMIT  do        session WHO LIMIT
 * SESSION_CHANGE  do        session WHO LIMIT
 * SESSION_PAUSE   do        session
 * SESSION_RESUME  do        session
 * SESSION_WATCH   do        session
 * TASK_CONTINUE   do        SESSION PID
 * SESSION_GET     do, dump  session; a dump: nothing           SESSION COOKIE NAME PROVIDER SINKS
 *                                                              FLAGS TARGET WHO LIMIT STATE ERROR
 *                                                              NR_USED NR_SITES NR_FAILED OWNER
 *                                                              READER CLOCKS COUNTERS MEM
 * SESSION_STOP    do        session
 * SESSION_DEL     do        session
 * SESSION_RESET   do        session FLAGS
 * FUNC_GET        dump      SESSION FLAGS                      SESSION; FUNC ERROR TAKEN_OUT
 *                                                              OFFSET BUILD_ID
 * TABLE_GET       dump      SESSION FLAGS                      SESSION; TABLE COLUMNS; CELLS
 *                                                              NAME BUCKETS CPU FLAGS
 * TREE_GET        dump      SESSION FLAGS                      NODES
 * STREAM_READ     dump      SESSION CPU CURSOR FLAGS           CPU CLOCK COUNTERS; CURSOR PACKET
 * STACK_GET       dump      SESSION CURSOR                     SESSION; STACK FLAGS COMM PID
 *                                                              KERNEL_FRAMES USER_FRAMES
 * SUBSCRIBE       do
 * NOTICE          event                                        SESSION EVENT CPU ERROR PID
 *
 * "session" stands for SESSION or NAME. A semicolon separates messages of one dump. The message
 * with SESSION alone, with which FUNC_GET, TABLE_GET and STACK_GET begin, may come again later.
 *
 *
 * COMMANDS
 *
 * INFO            FLAGS are KTRACE_INFO_*. COSTS are there once they are known.
 *
 * COSTS_SET       Tells the module what a hit costs a program on this machine, as measured from
 *                 outside. Sessions of user functions that are made later leave these costs out
 *                 of self_ns, except those with KTRACE_F_RAW.
 *
 * SESSION_NEW     PROVIDER and SINKS must be given; FLAGS are KTRACE_F_*. PROVIDERS below says
 *                 which sinks, flags, targets and limits a provider takes. WHO takes everything
 *                 except NOT_PIDS; LIMIT takes everything. TABLE goes with KTRACE_SINK_TABLE.
 *                 KTRACE_SINK_COUNT goes with no other sink, no flag, no MIN_TIME and no
 *                 MAX_DEPTH.
 *
 * FUNC_ADD        Stages functions; nothing is planted yet. The client numbers functions, once
 *                 for a session, from 0 to NR_FUNCS - 1; NR_FUNCS larger than the number of
 *                 functions leaves room for later ones. A message has at most KTRACE_MAX_SITES
 *                 sites. With KTRACE_SINK_COUNT every function is KTRACE_RETURN_NONE.
 *                 KTRACE_PROVIDER_KERNEL takes SYMBOLS alone, before the first commit.
 *                 EEXIST: a number is in use or is there twice. EBUSY: another socket changes
 *                 the session. On error no function is added. From the first FUNC_ADD or
 *                 FUNC_DEL to the end of the commit only one socket can change functions.
 *
 * FUNC_DEL        Stages the removal of functions; what they counted stays readable. With FLAGS
 *                 KTRACE_DEL_UNDO they come back. An empty list begins a change: functions that
 *                 another socket staged before it was closed are dropped, their numbers are free.
 *
 * SESSION_COMMIT  Starts the attach, or the change, in the background. SESSION_GET and a notice
 *                 report the end: STATE is ACTIVE (or PAUSED) again. Takes WHO and LIMIT as
 *                 SESSION_CHANGE does; both changes happen, or neither. EBUSY: another socket
 *                 has staged functions.
 *
 * SESSION_CHANGE  What is given replaces what was. WHO takes PIDS (also trace these processes),
 *                 NOT_PIDS (trace these no longer), TIDS, UIDS, COMM and CGROUP (an empty list,
 *                 an empty text or 0: any). LIMIT takes MIN_TIME and MAX_DEPTH, of user functions
 *                 without KTRACE_SINK_COUNT. STATE is CHANGING until breakpoints are where they
 *                 are wanted. EBUSY: a change is under way.
 *
 * SESSION_PAUSE   Removes all probes and closes open calls.
 * SESSION_RESUME  Plants the probes again.
 *
 * SESSION_WATCH   Tasks that reach a function with KTRACE_FUNC_HOLD wait, and a notice HELD goes
 *                 to this socket, until it sends TASK_CONTINUE or is closed. They wait at most
 *                 hold_ms (a parameter of the module, 200), or 25 times as long while the process
 *                 of this socket runs; a wait that times out counts in gaps. EBUSY: another
 *                 socket watches.
 * TASK_CONTINUE   Lets the held tasks of process PID go on.
 *
 * SESSION_GET     TARGET has NR_FUNCS. WHO has FOLLOW and ON_EXEC as given, and PIDS if only some
 *                 processes are traced: those of now, with their children, KTRACE_GET_PIDS at
 *                 most. LIMIT has MIN_TIME and BUDGET if there are any, and LIFETIME: the time
 *                 left, once it has begun and until it ends.
 *
 * SESSION_STOP    Starts to remove every probe and to close every open call; the data stays
 *                 readable. Cancels an attach that is under way. STATE STOPPED, and a notice,
 *                 report the end.
 *
 * SESSION_DEL     Stops a session, then removes it. The session is found until nothing of it is
 *                 planted any more; then SESSION_GET fails with ENOENT, and a notice says GONE.
 *
 * SESSION_RESET   Histograms, tables and the tree begin anew. The figures before the reset stay
 *                 readable (KTRACE_READ_BEFORE) until another SESSION_RESET with FLAGS
 *                 KTRACE_RESET_DONE acknowledges them. EALREADY: an earlier reset is not
 *                 acknowledged, nothing changed. A call counts where it returns.
 *
 * FUNC_GET        One message for each function that was hit or could not be probed; with FLAGS
 *                 KTRACE_READ_PROBED for each that is probed now. FLAGS KTRACE_READ_BEFORE: see
 *                 SESSION_RESET; TABLE_GET and TREE_GET take it, too. TABLE_GET has what the
 *                 function counted.
 *
 * TABLE_GET       Every table of the session: the table by function, with KTRACE_SINK_HIST or
 *                 _COUNT, then the table with the keys of TABLE. A table begins with its schema,
 *                 TABLE and COLUMNS. One message for each row follows: CELLS, NAME where a driver
 *                 names a queue, BUCKETS if the table has histograms, CPU with FLAGS
 *                 KTRACE_READ_CPUS, and FLAGS KTRACE_ROW_OTHERS for the row of all keys that
 *                 have no row; the keys of that row are 0.
 *
 * TREE_GET        Nodes of the tree; a parent may come after its children.
 *
 * STREAM_READ     Acknowledges all packets before number CURSOR, then reads those from CURSOR on.
 *                 FLAGS KTRACE_READ_FLUSH closes the sub-buffer that is being written. The first
 *                 message has CLOCK: every record of this CPU stamped before it is in a packet of
 *                 this dump or an earlier one, if FLUSH was given and the dump was not cut. The
 *                 others have one packet each (ktrace_record.h).
 *
 * STACK_GET       Stacks from number CURSOR on (0 if it is not given), in order. FLAGS are
 *                 KTRACE_STACK_*.
 *
 * SUBSCRIBE       The socket receives notices from now on.
 * NOTICE          PID is there for HELD and EXEC, in the pid namespace of the watcher. A socket
 *                 that missed notices gets ENOBUFS: then look at every session and CPU.
 *
 *
 * PROVIDERS
 *
 * USER            Functions of programs. TARGET: FD and NR_FUNCS are needed. Sinks: HIST, COUNT,
 *                 TREE, STREAM. Flags: OVERWRITE, RAW. LIMIT: all; BUDGET needs HIST and COSTS.
 *
 * All other providers take no FD, no BUDGET, and no NR_FUNCS except KERNEL. SYSCALLS, KERNEL,
 * SCHED, BLOCK and FAULT take MIN_TIME with HIST, STREAM or TABLE: a shorter event does not count,
 * or, with STREAM, counts and is not recorded.
 *
 * SYSCALLS        System calls. Each call that begins and ends while the session is active counts.
 *                 Sinks: HIST, TABLE, STREAM, and STACKS with STREAM: where in the program the
 *                 call was made (KTRACE_REC_F_STACK). Flags: OVERWRITE, CPU_TIME, PAGES. Keys:
 *                 syscall, errno, tid, pid, comm, cpu, uid, cgroup. PAGES counts what calls did
 *                 to the page cache, in their threads and while they ran; page faults of the
 *                 program itself belong to no call.
 *
 * KERNEL          Functions of the kernel. TARGET: NR_FUNCS is needed. A call counts for the task
 *                 that it interrupts, too. Sinks: HIST, COUNT, TABLE, TREE (neither with STREAM
 *                 nor with TABLE), STREAM, and STACKS with STREAM or TREE: the stack on which the
 *                 call was entered. Flags: OVERWRITE, ERRORS. Keys: function, tid, pid, comm, cpu,
 *                 uid, cgroup, of the task that runs when the call returns. TREE is the tree of
 *                 calls that tasks make, without interrupts; MAX_DEPTH needs it.
 *                 With STACKS, nodes are functions, with the stacks below them (func: STACK);
 *                 calls that are in a function and not in a stack below it had no stack: calls in
 *                 interrupts, and calls beyond a quarter of the CPU's time. With ERRORS, and
 *                 neither MIN_TIME nor MAX_DEPTH, nodes are chains of errors that calls returned
 *                 (func: KTRACE_ERROR_LINK).
 *
 * SYSENTER        Entry to and exit from the kernel. Sink: HIST. WHO: PIDS is one process of one
 *                 thread on one CPU, which makes null calls; neither FOLLOW nor ON_EXEC.
 *
 * SCHED           The scheduler. A call is a period (KTRACE_SCHED_*) of a task. It counts when the
 *                 task leaves a CPU, or gets one. What runs when the session begins, ends or is
 *                 reset is a RUN_CUT on each side, except that the part after a reset is a RUN or
 *                 RUN_OUT. Sinks: HIST, TABLE, STREAM, and TREE with STACKS. Flags: OVERWRITE.
 *                 Keys: period, tid, pid, comm, cpu, uid, cgroup, of that task, on the CPU that it
 *                 leaves or gets. With TREE and STACKS, periods off the CPU (PREEMPTED, SLEEP,
 *                 DISK, STOPPED) count in nodes of the thread, with nodes of the period below
 *                 them, and below these nodes of the stack on which the CPU was left (func:
 *                 STACK); self_ns is the longest; at most MAX_NODES / 8 stacks are kept. STREAM
 *                 records periods, with TREE and STACKS their stacks, too. A run that was cut by a
 *                 reset counts in pieces, but is recorded whole, and MIN_TIME is of the whole.
 *
 * BLOCK           Requests of disks. A request whose first bio a wanted task queued while the
 *                 session was active counts when it completes, in histograms of its stages
 *                 (KTRACE_BLOCK_FUNC). A request without a bio (flush, passthrough) counts from
 *                 where it is first seen. TARGET: DEVS, FILES. Sinks: HIST, TABLE, STREAM, and
 *                 STACKS with STREAM: where the request was queued. Flags: OVERWRITE. Keys:
 *                 device, operation, stage, file, tid, pid, comm, cpu, uid, cgroup. A request
 *                 counts in one row, with its whole time; if the stage is a key, in one row for
 *                 each stage that it went through, and its bytes and errors in that of Q2C. The
 *                 CPU is the one that completes it. The task is the one that queued it, with
 *                 the name that it had then; tid and pid 0, an empty comm, or uid 4294967295: not
 *                 known. The file is that of the pages, or of the direct call, of the first bio;
 *                 all 0: no file, or it is in doubt. The cgroup is the task's, or, in write-back,
 *                 the one that the data is charged to; 0: not known.
 *
 * FAULT           Page faults of programs (enum ktrace_fault), from the exception to the moment
 *                 when the page is in its place. Sinks: HIST, TABLE. Keys: fault, tid, pid, comm,
 *                 cpu, uid, cgroup.
 *
 * VIRTIO          What drivers of this machine do with queues of virtio devices
 *                 (KTRACE_VIRTIO_FUNC). TARGET: DEVS. Sink: HIST. It has no tasks: no WHO, then
 *                 or later.
 *
 *
 * ERRORS
 *
 * EPERM            no CAP_SYS_ADMIN
 * EPROTONOSUPPORT  a message of another interface
 * EACCES           the kernel is locked down, and the module was loaded with respect_lockdown;
 *                  INFO, SESSION_GET, SUBSCRIBE, SESSION_PAUSE, SESSION_STOP, SESSION_DEL and
 *                  TASK_CONTINUE still work
 * EINVAL           see RULES
 * ERANGE           the length of an attribute
 * ENOENT           no such session, or function
 * ESRCH            no such process, or none that waits
 * EEXIST           a name or number is taken
 * EBUSY            another reader, editor or state
 * EALREADY         see SESSION_RESET
 * E2BIG            a limit of the interface
 * EMFILE           the module's max_sessions
 * ENOMEM           the module's max_mem, or the machine's memory
 * EBADF            no such file descriptor
 * ENODATA          there are no figures from before a reset
 * EOPNOTSUPP       this kernel has no cgroups of version 2
 * ENODEV           a file of FILES is on a file system without a disk
 * ENOBUFS          the answer was lost for lack of memory
 */
#ifndef _UAPI_KTRACE_H
#define _UAPI_KTRACE_H

#include <linux/types.h>

#include "ktrace_record.h"

#define KTRACE_GENL_NAME	"ktrace"
/* Raised when an older peer could misunderstand a message. */
#define KTRACE_ABI		2
#define KTRACE_GENL_VERSION	KTRACE_ABI

#define KTRACE_NAME_LEN		64	/* with the terminating zero */
#define KTRACE_MAX_SITES	512	/* sites in one FUNC_ADD */
#define KTRACE_MAX_EXITS	64	/* exits of one function */
#define KTRACE_MAX_PIDS		512
#define KTRACE_GET_PIDS		64
#define KTRACE_BUILD_ID_LEN	20	/* at most */
#define KTRACE_MAX_BUDGET	(1000 * 1024)	/* thousandths of a CPU */

enum ktrace_cmd {
	KTRACE_CMD_UNSPEC = 0,
	KTRACE_CMD_INFO,
	KTRACE_CMD_SESSION_NEW,
	KTRACE_CMD_FUNC_ADD,
	KTRACE_CMD_SESSION_COMMIT,
	KTRACE_CMD_SESSION_GET,
	KTRACE_CMD_SESSION_DEL,
	KTRACE_CMD_SESSION_STOP,
	KTRACE_CMD_SESSION_RESET,
	KTRACE_CMD_FUNC_GET,
	KTRACE_CMD_TREE_GET,
	KTRACE_CMD_STREAM_READ,
	KTRACE_CMD_SUBSCRIBE,
	KTRACE_CMD_NOTICE,
	KTRACE_CMD_FUNC_DEL,
	KTRACE_CMD_SESSION_CHANGE,
	KTRACE_CMD_SESSION_PAUSE,
	KTRACE_CMD_SESSION_RESUME,
	KTRACE_CMD_SESSION_WATCH,
	KTRACE_CMD_TASK_CONTINUE,
	KTRACE_CMD_STACK_GET,
	KTRACE_CMD_COSTS_SET,
	KTRACE_CMD_TABLE_GET,
	__KTRACE_CMD_MAX
};

#define KTRACE_CMD_MAX (__KTRACE_CMD_MAX - 1)

/* type, meaning. An array, a struct or a mix of them has no type of its own: it is binary. */
enum ktrace_attr {
	KTRACE_A_UNSPEC = 0,
	/* the module */
	KTRACE_A_VERSION,	/* string: of the module */
	KTRACE_A_ABI,		/* u32: KTRACE_ABI of the module */
	KTRACE_A_FEATURES,	/* u64: KTRACE_FEATURE_* */
	KTRACE_A_LIMITS,	/* struct ktrace_limits: the module's */
	KTRACE_A_MEM,		/* u64: bytes that all sessions hold */
	KTRACE_A_COSTS,		/* struct ktrace_costs */
	/* a session, as asked for */
	KTRACE_A_NAME,		/* string: [A-Za-z0-9._-]+; in TABLE_GET a queue's */
	KTRACE_A_SESSION,	/* u64: a session's number, never 0 */
	KTRACE_A_COOKIE,	/* u64: random, tells sessions of the same number or name apart */
	KTRACE_A_PROVIDER,	/* u32: enum ktrace_provider */
	KTRACE_A_SINKS,		/* u32: KTRACE_SINK_* */
	KTRACE_A_FLAGS,		/* u32: each command has its own */
	KTRACE_A_TARGET,	/* nest: enum ktrace_target_attr, in what events are looked for */
	KTRACE_A_WHO,		/* nest: enum ktrace_who_attr, which tasks are traced; none: all */
	KTRACE_A_LIMIT,		/* nest: enum ktrace_limit_attr, what is too short, deep, much */
	KTRACE_A_TABLE,		/* struct ktrace_table */
	/* a session, as it is */
	KTRACE_A_STATE,		/* u32: enum ktrace_state */
	KTRACE_A_ERROR,		/* s32: negative errno; of a function: why it is not probed */
	KTRACE_A_NR_USED,	/* u32: function numbers below it are taken, staged ones not */
	KTRACE_A_NR_SITES,	/* u32: places that are probed */
	KTRACE_A_NR_FAILED,	/* u32: places that could not be */
	KTRACE_A_OWNER,		/* s32: process that made it */
	KTRACE_A_READER,	/* s32: process that reads its stream, or 0 */
	KTRACE_A_CLOCKS,	/* struct ktrace_clocks[2]: start; now, or when it was stopped */
	KTRACE_A_COUNTERS,	/* struct ktrace_counters: of the session, or of one CPU */
	/* functions */
	KTRACE_A_FD,		/* u32: the ELF file of these functions */
	KTRACE_A_CALLER_FD,	/* u32: the file of their callers (KTRACE_FUNC_CALLER); not */
				/* given: that of TARGET */
	KTRACE_A_BUILD_ID,	/* u8[]: of the file's ELF note; kept for FUNC_GET */
	KTRACE_A_FUNCS,		/* packed struct ktrace_func, each followed by its nr_exits */
				/* struct ktrace_exit */
	KTRACE_A_SYMBOLS,	/* packed struct ktrace_symbol, each with its name */
	KTRACE_A_FUNC_LIST,	/* u32[]: numbers */
	KTRACE_A_FUNC,		/* u32: number */
	KTRACE_A_OFFSET,	/* u64: file offset of a function's first byte */
	KTRACE_A_TAKEN_OUT,	/* struct ktrace_taken_out: BUDGET was not enough for it */
	/* figures and records */
	KTRACE_A_BUCKETS,	/* struct ktrace_bucket[] */
	KTRACE_A_COLUMNS,	/* struct ktrace_column[]: what CELLS have, keys first */
	KTRACE_A_CELLS,		/* u64[]: the words of each column */
	KTRACE_A_NODES,		/* struct ktrace_node[] */
	KTRACE_A_CPU,		/* u32: below LIMITS.nr_cpus */
	KTRACE_A_CURSOR,	/* u64: number of a packet, or of a stack */
	KTRACE_A_CLOCK,		/* u64: ns, CLOCK_MONOTONIC */
	KTRACE_A_PACKET,	/* one CTF packet */
	KTRACE_A_STACK,		/* u32: a stack's number */
	KTRACE_A_COMM,		/* string: name of a stack's task, 15 bytes at most */
	KTRACE_A_KERNEL_FRAMES,	/* strings "name" or "name [module]", the innermost first, each */
				/* with its zero; no address of the kernel is told */
	KTRACE_A_USER_FRAMES,	/* u64[]: addresses in process PID, the innermost first */
	/* events */
	KTRACE_A_EVENT,		/* u32: enum ktrace_event */
	KTRACE_A_PID,		/* s32: process */
	KTRACE_A_PAD,
	__KTRACE_A_MAX
};

#define KTRACE_A_MAX (__KTRACE_A_MAX - 1)

/* TARGET: type, meaning */
enum ktrace_target_attr {
	KTRACE_TARGET_UNSPEC = 0,
	KTRACE_TARGET_FD,	/* u32: the traced file, for checks of callers */
	KTRACE_TARGET_NR_FUNCS,	/* u32: numbers of functions are below it */
	KTRACE_TARGET_DEVS,	/* u32[]: only these disks, major << 20 | minor, or these virtio */
				/* devices, 3 for virtio3; at most KTRACE_BLOCK_DEVS */
	KTRACE_TARGET_FILES,	/* u32[]: open file descriptors, for reading, at most */
				/* KTRACE_BLOCK_FILES: only requests whose first bio is of these */
				/* regular files, or of files below these folders, on the same */
				/* file system. The session holds them. */
	__KTRACE_TARGET_MAX
};

#define KTRACE_TARGET_MAX (__KTRACE_TARGET_MAX - 1)

/* WHO: type, meaning. Numbers are of the sender's namespaces. A task must meet everything given. */
enum ktrace_who_attr {
	KTRACE_WHO_UNSPEC = 0,
	KTRACE_WHO_PIDS,	/* s32[]: processes */
	KTRACE_WHO_NOT_PIDS,	/* s32[]: processes that are traced no longer */
	KTRACE_WHO_TIDS,	/* s32[]: threads */
	KTRACE_WHO_UIDS,	/* u32[]: users */
	KTRACE_WHO_COMM,	/* string: name of the task, 15 bytes at most, may end with * */
	KTRACE_WHO_CGROUP,	/* u64: of version 2, its folder's inode; or below it */
	KTRACE_WHO_FOLLOW,	/* flag: children of PIDS, too, and what they execute */
	KTRACE_WHO_ON_EXEC,	/* flag: PIDS from their next exec on; not of user functions */
	__KTRACE_WHO_MAX
};

#define KTRACE_WHO_MAX (__KTRACE_WHO_MAX - 1)

/* LIMIT: type, meaning */
enum ktrace_limit_attr {
	KTRACE_LIMIT_UNSPEC = 0,
	KTRACE_LIMIT_MIN_TIME,	/* u64: ns; a shorter call does not count */
	KTRACE_LIMIT_MAX_DEPTH,	/* u32: calls that are deeper do not count; not 0 */
	KTRACE_LIMIT_MAX_NODES,	/* u32: of a tree; not given: 65536 */
	KTRACE_LIMIT_SUBBUFS_PER_CPU,	/* u32: sub-buffers of each CPU's ring, a power of two; */
					/* not given: 64 */
	KTRACE_LIMIT_LIFETIME,	/* u64: ns, not 0; the session is stopped so long after it became */
				/* active for the first time, suspended time not counted */
	KTRACE_LIMIT_BUDGET,	/* u32: what hits may cost programs, in thousandths of one CPU, */
				/* over the last second. Beyond it the functions that cost most */
				/* are taken out (TAKEN_OUT, and a notice). Calls that do not */
				/* count (too deep, not BELOW, not of CALLER_FD) are left out. */
	__KTRACE_LIMIT_MAX
};

#define KTRACE_LIMIT_MAX (__KTRACE_LIMIT_MAX - 1)

/* Where the events of a session come from: see PROVIDERS above. */
enum ktrace_provider {
	KTRACE_PROVIDER_UNSPEC = 0,
	KTRACE_PROVIDER_USER,		/* functions of programs */
	KTRACE_PROVIDER_SYSCALLS,	/* system calls */
	KTRACE_PROVIDER_KERNEL,		/* functions of the kernel */
	KTRACE_PROVIDER_SYSENTER,	/* entry to and exit from the kernel: KTRACE_SYSENTER_* */
	KTRACE_PROVIDER_SCHED,		/* what tasks spend time in: KTRACE_SCHED_* */
	KTRACE_PROVIDER_BLOCK,		/* stages of requests of disks */
	KTRACE_PROVIDER_VIRTIO,		/* virtio queues */
	KTRACE_PROVIDER_FAULT,		/* page faults of programs */
	__KTRACE_PROVIDER_MAX
};

/* INFO flags */
#define KTRACE_INFO_LOCKED	(1U << 0)	/* tracing is refused: EACCES */

/* SINKS: what a session keeps of events */
#define KTRACE_SINK_HIST	(1U << 0)	/* histogram of each function */
#define KTRACE_SINK_COUNT	(1U << 1)	/* entries only, no clock; no other sink, no flag */
#define KTRACE_SINK_TABLE	(1U << 2)	/* rows with the keys of TABLE */
#define KTRACE_SINK_TREE	(1U << 3)	/* calling-context tree */
#define KTRACE_SINK_STACKS	(1U << 4)	/* stacks, with TREE or STREAM */
#define KTRACE_SINK_STREAM	(1U << 5)	/* ring of packets */

/* SESSION_NEW flags */
#define KTRACE_F_OVERWRITE	(1U << 0)	/* with STREAM: the ring keeps the newest */
#define KTRACE_F_CPU_TIME	(1U << 1)	/* of SYSCALLS: self_ns is time on the CPU */
#define KTRACE_F_PAGES		(1U << 2)	/* of SYSCALLS, with HIST or TABLE: pages */
#define KTRACE_F_ERRORS		(1U << 3)	/* of KERNEL, with TREE: chains of errors */
#define KTRACE_F_RAW		(1U << 4)	/* of USER: self_ns includes what hits cost */

/*
 * Of KTRACE_PROVIDER_SYSCALLS: what func is. The number of a call of 64 bits, that of one of
 * 32 bits behind KTRACE_SYSCALL_COMPAT, or KTRACE_SYSCALL_OTHER.
 */
#define KTRACE_SYSCALL_COMPAT	512
#define KTRACE_SYSCALL_OTHER	1024
#define KTRACE_NR_SYSCALLS	1025

/*
 * Of KTRACE_PROVIDER_SYSENTER: what func is. A null call is nfsservctl, which no kernel has any
 * more, with KTRACE_SYSENTER_MAGIC as its third argument; the first is the TSC before it,
 * 0: it does not count; the second the TSC after the one before, 0: that one's exit does
 * not count. Of calls that count these have one value each, in cycles of the TSC.
 */
#define KTRACE_SYSENTER_ENTRY	0	/* from the first argument to sys_enter */
#define KTRACE_SYSENTER_HANDLER	1	/* from there to sys_exit */
#define KTRACE_SYSENTER_EXIT	2	/* from there to the next one's second argument */
#define KTRACE_SYSENTER_PROBES	3	/* ours at both, which is in none of these */
#define KTRACE_NR_SYSENTER	4
#define KTRACE_SYSENTER_MAGIC	0x6b74726163654e30ULL

/* Of KTRACE_PROVIDER_SCHED: what func is, a period that a task spent ... */
#define KTRACE_SCHED_RUN	0	/* on a CPU, until it gave it up, or ended */
#define KTRACE_SCHED_RUN_OUT	1	/* on a CPU, until that was taken from it */
#define KTRACE_SCHED_WAKEUP	2	/* runnable, woken or new, until it got a CPU */
#define KTRACE_SCHED_PREEMPTED	3	/* runnable, its CPU taken, until it got one again */
#define KTRACE_SCHED_SLEEP	4	/* in an interruptible sleep, until woken */
#define KTRACE_SCHED_DISK	5	/* in an uninterruptible one */
#define KTRACE_SCHED_STOPPED	6	/* stopped by a signal, or by who traces it */
#define KTRACE_SCHED_RUN_CUT	7	/* on a CPU: what begin, end or reset cut off */
#define KTRACE_NR_SCHED		8

/*
 * Of KTRACE_PROVIDER_BLOCK: what func is. Devices have numbers of the session, the first ones that
 * are seen, which TABLE_GET replaces. KTRACE_BLOCK_DEVS stands for all that come later.
 */
#define KTRACE_BLOCK_DEVS	64
#define KTRACE_BLOCK_FILES	64
#define KTRACE_BLOCK_FUNC(dev, op, stage)	((dev) << 6 | (op) << 3 | (stage))
#define KTRACE_BLOCK_DEV(func)			((func) >> 6)
#define KTRACE_BLOCK_OP(func)			((func) >> 3 & 7)
#define KTRACE_BLOCK_STAGE(func)		((func) & 7)
#define KTRACE_NR_BLOCK		KTRACE_BLOCK_FUNC(KTRACE_BLOCK_DEVS + 1, 0, 0)

enum ktrace_block_op {
	KTRACE_BLOCK_READ = 0,
	KTRACE_BLOCK_WRITE,
	KTRACE_BLOCK_FLUSH,
	KTRACE_BLOCK_DISCARD,
	KTRACE_BLOCK_ZEROES,		/* writes that carry no data */
	KTRACE_BLOCK_PASSTHROUGH,	/* commands of programs and drivers */
	KTRACE_BLOCK_OTHER		/* of zones */
};

/*
 * Stages of a request. One that it did not go through does not count, and the next begins
 * where that would have: their total_ns add up to that of Q2C, whose calls, bytes and errors
 * are those of the requests. Numbers beyond are free for stages to come.
 */
enum ktrace_block_stage {
	KTRACE_BLOCK_Q2G = 0,		/* bio queued, to request got */
	KTRACE_BLOCK_G2I,		/* to inserted into the scheduler */
	KTRACE_BLOCK_I2D,		/* to issued to the driver, at last */
	KTRACE_BLOCK_D2C,		/* to completed, its last byte */
	KTRACE_BLOCK_Q2C		/* all of it */
};

/*
 * Of KTRACE_PROVIDER_VIRTIO: what func is. Queues have numbers of the session, as disks do above;
 * TABLE_GET has the device, the queue and its NAME instead. KTRACE_VIRTIO_QUEUES stands for all
 * that come later.
 */
#define KTRACE_VIRTIO_QUEUES_ORDER 9
#define KTRACE_VIRTIO_QUEUES	(1 << KTRACE_VIRTIO_QUEUES_ORDER)
#define KTRACE_VIRTIO_FUNC(queue, what)	((queue) << 3 | (what))
#define KTRACE_VIRTIO_QUEUE(func)	((func) >> 3)
#define KTRACE_VIRTIO_WHAT(func)	((func) & 7)
#define KTRACE_NR_VIRTIO	KTRACE_VIRTIO_FUNC(KTRACE_VIRTIO_QUEUES + 1, 0)

enum ktrace_virtio_what {
	KTRACE_VIRTIO_ADD = 0,	/* entries: requests added, and refused, which are errors */
	KTRACE_VIRTIO_OUT,	/* entries: their pieces of memory that the device reads; bytes */
	KTRACE_VIRTIO_IN,	/* that it writes, likewise: as much as it may */
	KTRACE_VIRTIO_USED,	/* entries: used; calls, times: if seen added; bytes: written */
	KTRACE_VIRTIO_KICK,	/* entries: the device was told that there are some */
	KTRACE_VIRTIO_INTERRUPT	/* entries: it told so; errors: none was of this queue */
};

/*
 * Of KTRACE_PROVIDER_FAULT: what func is, the access that faulted, with KTRACE_FAULT_MAJOR if a
 * page had to be read. errors are faults that ended in a signal.
 */
enum ktrace_fault {
	KTRACE_FAULT_READ = 0,
	KTRACE_FAULT_WRITE,
	KTRACE_FAULT_EXEC,	/* an instruction was fetched */
	KTRACE_FAULT_MAJOR = 1 << 2
};

#define KTRACE_NR_FAULTS	(KTRACE_FAULT_MAJOR << 1)

/*
 * With KTRACE_F_ERRORS: what func of a node is. A call that returned an error hangs, with its
 * errno, below the last call in it that returned one: that is, who failed first is at the root.
 * Errno 0: the function went on after that error, as another call in it failed, or it returned
 * none; such a node has no others below. self_ns is that part of total_ns which others hang below.
 */
#define KTRACE_ERROR_LINK(func, nr)	((func) << 12 | (nr))
#define KTRACE_ERROR_FUNC(link)		((link) >> 12)
#define KTRACE_ERROR_NR(link)		((link) & 0xfff)
#define KTRACE_ERROR_FUNCS		(1U << 19)	/* NR_FUNCS at most */

/* STREAM_READ flags */
#define KTRACE_READ_FLUSH	(1U << 0)

/* FUNC_GET, TREE_GET and TABLE_GET flags */
#define KTRACE_READ_BEFORE	(1U << 1)

/* FUNC_GET flags */
#define KTRACE_READ_PROBED	(1U << 2)

/* TABLE_GET flags */
#define KTRACE_READ_CPUS	(1U << 3)	/* a row for each CPU that it was counted on */

/* FUNC_DEL flags */
#define KTRACE_DEL_UNDO		(1U << 0)

/* TABLE_GET: flags of a row */
#define KTRACE_ROW_OTHERS	(1U << 0)

/* SESSION_RESET flags */
#define KTRACE_RESET_DONE	(1U << 0)

/* STACK_GET: flags of a stack; of each kind of frames at most KTRACE_STACK_FRAMES are kept */
#define KTRACE_STACK_FRAMES	32
#define KTRACE_STACK_KERNEL_CUT	(1U << 0)	/* it goes on */
#define KTRACE_STACK_USER_CUT	(1U << 1)
#define KTRACE_STACK_USER_GONE	(1U << 2)	/* what comes next was not in memory */

/* FEATURES */
#define KTRACE_FEATURE_UPROBE	(1ULL << 0)
#define KTRACE_FEATURE_SYSCALLS	(1ULL << 1)
#define KTRACE_FEATURE_KERNEL	(1ULL << 2)
#define KTRACE_FEATURE_FPROBE	(1ULL << 5)	/* thousands of kernel functions at once */
#define KTRACE_FEATURE_SCHED	(1ULL << 3)
#define KTRACE_FEATURE_BLOCK	(1ULL << 4)
#define KTRACE_FEATURE_VIRTIO	(1ULL << 6)

enum ktrace_state {
	KTRACE_STATE_UNSPEC = 0,
	KTRACE_STATE_NEW,	/* functions may be added */
	KTRACE_STATE_ATTACHING,
	KTRACE_STATE_ACTIVE,
	KTRACE_STATE_STOPPED,
	KTRACE_STATE_FAILED,	/* KTRACE_A_ERROR says why; nothing is planted */
	KTRACE_STATE_CHANGING,	/* active, while probes are added or taken away */
	KTRACE_STATE_PAUSED	/* nothing is planted, the data stays */
};

enum ktrace_event {
	KTRACE_EVENT_UNSPEC = 0,
	KTRACE_EVENT_STATE,	/* the session's state changed */
	KTRACE_EVENT_DATA,	/* a quarter of CPU's ring waits to be read */
	KTRACE_EVENT_GONE,	/* the session was deleted */
	KTRACE_EVENT_HELD,	/* a task of process PID waits for TASK_CONTINUE */
	KTRACE_EVENT_EXEC,	/* process PID runs another program now */
	KTRACE_EVENT_STACKS,	/* there are stacks that were not there before */
	KTRACE_EVENT_TAKEN_OUT	/* functions were taken out: BUDGET was not enough */
};

/* How the return of a function is observed. */
enum ktrace_return {
	KTRACE_RETURN_NONE = 0,		/* not observed: calls have no duration and no callees */
	KTRACE_RETURN_SITES,		/* at its exits */
	KTRACE_RETURN_URETPROBE,	/* the kernel's uretprobe */
	KTRACE_RETURN_UNSEEN,		/* not observed: a later hit proves the end */
	KTRACE_RETURN_SILENT		/* at its exits, for the calls that jumped to it */
};

enum ktrace_exit_kind {
	KTRACE_EXIT_UNSPEC = 0,
	KTRACE_EXIT_RET,	/* return instruction */
	KTRACE_EXIT_JMP,	/* jump that leaves the function */
	KTRACE_EXIT_JCC,	/* leaves when condition cc holds */
	KTRACE_EXIT_JMP_REG,	/* indirect through register base */
	KTRACE_EXIT_JMP_MEM,	/* indirect through [base + index*scale + disp] */
	KTRACE_EXIT_JMP_PLT	/* to a stub, which jumps to an import through [rip + disp] */
};

/* ktrace_func.flags */
#define KTRACE_FUNC_CALLER	(1U << 0) /* record only calls out of the caller file */
#define KTRACE_FUNC_BELOW	(1U << 1) /* only its calls are shown, and what they call */
#define KTRACE_FUNC_NOT_BELOW	(1U << 2) /* its calls, and what they call, are not shown */
#define KTRACE_FUNC_HIDDEN	(1U << 3) /* neither shown nor counted itself */
#define KTRACE_FUNC_HOLD	(1U << 4) /* not recorded: tasks wait here (SESSION_WATCH) */
#define KTRACE_FUNC_LOOP	(1U << 5) /* jumps to its start: at an open call's sp no call */
#define KTRACE_FUNC_CHECK	(1U << 6) /* its entry is a jbe: a call where it is not taken */
#define KTRACE_FUNC_JUMPS	(1U << 7) /* jumps, too, to what has probes at all exits */
#define KTRACE_FUNC_ALL		((1U << 8) - 1)	/* those of user functions */
/* ktrace_symbol.flags: BELOW, NOT_BELOW, and */
#define KTRACE_FUNC_TASK	(1U << 7) /* no interrupt calls it */

/* Register numbers are those of the instruction encoding: 0 rax, 1 rcx, ... 15 r15. */
#define KTRACE_REG_RIP		16
#define KTRACE_REG_NONE		17

struct ktrace_func {
	__u32 func;
	__u16 nr_exits;
	__u8 ret;		/* enum ktrace_return */
	__u8 flags;
	__u64 entry;		/* file offset of the probe at the entry */
	__u64 start;		/* file offsets of the body, to which calls and jumps lead ... */
	__u64 end;		/* ... [start, end) */
	__u64 cold_start;	/* and of its .cold part, or 0 */
	__u64 cold_end;
	__u8 args[KTRACE_MAX_ARGS]; /* enum ktrace_value, in registers; for KTRACE_SINK_STREAM */
	__u8 result;		/* enum ktrace_value; seen at RET exits and by uretprobes */
	__u8 is_stepped;	/* 1: the kernel steps the entry's instruction, 0: emulates it */
};

struct ktrace_exit {
	__u64 offset;		/* file offset of the instruction */
	__u8 kind;		/* enum ktrace_exit_kind */
	__u8 cc;		/* condition, low nibble of the jcc opcode */
	__u8 base;		/* registers of an indirect jump */
	__u8 index;
	__u8 scale;		/* 1, 2, 4, 8 */
	__u8 len;		/* length of the instruction, for rip-relative */
	__u16 __pad;
	__s32 disp;		/* RET: bytes of arguments it removes; JMP, JCC: relative target */
	__u32 __pad2;
};

#define KTRACE_SYMBOL_LEN	575	/* bytes of a name at most */
/* A function of the kernel: packed, each name padded with zeroes to a multiple of 8. */
struct ktrace_symbol {
	__u32 func;
	__u16 len;		/* of the name, which has no terminating zero */
	__u8 flags;		/* KTRACE_FUNC_BELOW, KTRACE_FUNC_NOT_BELOW, KTRACE_FUNC_TASK */
	__u8 result;		/* KTRACE_VALUE_INT: the kernel's types say it is a number */
	__u64 addr;		/* where /proc/kallsyms has it; 0: the kernel looks, slowly */
	char name[];		/* "vfs_read", "ext4:ext4_sync_file" */
};

struct ktrace_limits {
	__u64 max_mem;		/* bytes, all sessions */
	__u32 nr_cpus;		/* possible CPUs: streams are numbered below it */
	__u32 subbuf_len;	/* bytes of a packet at most */
	__u32 max_depth;	/* frames of one shadow stack */
	__u32 max_sessions;
	__u32 max_sites;	/* of one session */
	__u32 __pad;
};

/* One moment on four clocks, ns; tsc in cycles. */
struct ktrace_clocks {
	__u64 monotonic;
	__u64 realtime;
	__u64 boottime;
	__u64 tsc;
};

/*
 * What became of every event and record. At any moment, per CPU and summed:
 * produced = acknowledged + dropped + held.
 */
struct ktrace_counters {
	__u64 hits;		/* probe hits that passed the filter */
	__u64 run_cnt;		/* hits whose cost was measured */
	__u64 run_ns;		/* ns those took */
	__u64 produced;		/* records that a sink was asked to keep */
	__u64 acknowledged;	/* records read and acknowledged */
	__u64 held;		/* records waiting in the ring */
	__u64 dropped;		/* sum of the reasons below, stream */
	__u64 dropped_full;	/* ring full (discard mode) */
	__u64 dropped_overwritten;
	__u64 lost_pool;	/* calls: no memory for a shadow stack or histogram */
	__u64 lost_depth;	/* calls: shadow stack full */
	__u64 lost_nested;	/* hits inside ktrace itself */
	__u64 lost_fault;	/* hits: user memory could not be read */
	__u64 lost_tree;	/* calls counted in the "tree full" node */
	__u64 unmatched;	/* returns of calls that were not seen, nor open at the attach */
	__u64 unwound;		/* frames closed by exception, longjmp or exit */
	__u64 gaps;		/* tasks that ran on: held too long, or as functions left */
	__u64 lost_missed;	/* calls of kernel functions, of any task: no room to watch them */
	__u64 lost_stacks;	/* stacks: no room, or no time; their periods, or calls, count */
	__u64 lost_files;	/* bios: are they below a folder of FILES? It could not be told */
	__u64 ret_cnt;		/* of run_cnt and run_ns, those that ended calls */
	__u64 ret_ns;
	__u64 lost_rows;	/* calls counted in the row of the others: the table was full */
};

/*
 * What a hit costs the program, ns. The first three are the kernel's part: the trap, finding the
 * probe, and the instruction that is emulated or stepped. The others are the module's part.
 */
struct ktrace_costs {
	__u64 entry;		/* at an entry whose instruction is emulated */
	__u64 stepped;		/* at one whose instruction is single-stepped */
	__u64 ret;		/* at a return instruction */
	__u64 own_entry;
	__u64 own_ret;
};

/* A function that BUDGET was not enough for. */
struct ktrace_taken_out {
	__u64 time;		/* when, ns, CLOCK_MONOTONIC */
	__u64 calls;		/* in the moment before ... */
	__u64 cost_ns;		/* ... what these cost, ... */
	__u64 moment_ns;	/* ... and how long that was */
};

/*
 * Log-linear buckets: index below 16 is the value itself; above, an octave
 * [2^e, 2^(e+1)) has 16 equal parts and index = (e - 3) * 16 + part.
 */
#define KTRACE_BUCKET_BITS	4
#define KTRACE_NR_OCTAVES	40
struct ktrace_bucket {
	__u32 index;
	__u32 __pad;
	__u64 count;
};

/*
 * A table has rows. A row has keys, which say what it counts, and values.
 * Keys and values have a name, a kind and a unit: TABLE_GET begins with them.
 */
enum ktrace_key {
	KTRACE_KEY_NONE = 0,
	KTRACE_KEY_FUNCTION,	/* the number that FUNC_ADD gave it */
	KTRACE_KEY_SYSCALL,	/* as in KTRACE_SYSCALL_COMPAT */
	KTRACE_KEY_ERRNO,	/* that the call returned; 0: no error */
	KTRACE_KEY_TID,		/* in the initial namespaces, as pid and uid */
	KTRACE_KEY_PID,
	KTRACE_KEY_COMM,	/* the task's name when the event ended: text */
	KTRACE_KEY_CPU,		/* that the event ended on */
	KTRACE_KEY_UID,
	KTRACE_KEY_CGROUP,	/* of version 2: its folder's inode */
	KTRACE_KEY_PERIOD,	/* KTRACE_SCHED_* */
	KTRACE_KEY_DEVICE,	/* major << 20 | minor, or 3 of virtio3; all ones: several */
	KTRACE_KEY_OPERATION,	/* enum ktrace_block_op, enum ktrace_virtio_what */
	KTRACE_KEY_STAGE,	/* enum ktrace_block_stage, KTRACE_SYSENTER_* */
	KTRACE_KEY_QUEUE,	/* of a virtio device; all ones: several */
	KTRACE_KEY_FAULT,	/* enum ktrace_fault */
	KTRACE_KEY_FILE,	/* device of its file system, major << 20 | minor, and inode */
	__KTRACE_KEY_MAX
};

/* Values. Times are in ns. */
enum ktrace_figure {
	KTRACE_FIGURE_CALLS = 0,	/* that returned, or were closed */
	KTRACE_FIGURE_ENTRIES,
	KTRACE_FIGURE_ERRORS,		/* calls that returned one */
	KTRACE_FIGURE_TOTAL,		/* recursion is counted once */
	KTRACE_FIGURE_SELF,		/* of one CPU it may be below zero */
	KTRACE_FIGURE_SUM,		/* of all calls, recursive ones too: for the mean */
	KTRACE_FIGURE_MIN,
	KTRACE_FIGURE_MAX,
	KTRACE_FIGURE_BYTES,		/* returned by calls that read, write, send or receive */
	KTRACE_FIGURE_GAPS,		/* of these: from one's end to the start of the thread's */
	KTRACE_FIGURE_GAP_TIME,		/* next, if that is the same call on the same file */
	/* with KTRACE_F_PAGES, pages of the page cache: */
	KTRACE_FIGURE_PAGE_HITS,	/* read or written, and there before */
	KTRACE_FIGURE_PAGE_MISSES,	/* read or written, and brought by the call itself */
	KTRACE_FIGURE_PAGES_AHEAD,	/* brought by it besides: read ahead, or a file system's */
	KTRACE_FIGURE_PAGES_DIRTIED,	/* were clean */
	/* of user functions: */
	KTRACE_FIGURE_AT_MOST,		/* calls that ended before this was seen: bounds */
	KTRACE_FIGURE_SINCE,		/* when the last call began whose return cannot be seen: */
					/* CLOCK_MONOTONIC; 0: none did */
	/* of rows by chosen keys: */
	KTRACE_FIGURE_LAST,		/* when the row last counted, on a clock of the module's */
	KTRACE_FIGURE_COMM,		/* of which task; by pid and not by tid, of which process */
	__KTRACE_FIGURE_MAX
};

/* What a column holds. Of a value: how the value of two rows together follows from theirs. */
enum ktrace_column_kind {
	KTRACE_COLUMN_UNSPEC = 0,
	KTRACE_COLUMN_NUMBER,	/* a key: one word */
	KTRACE_COLUMN_TEXT,	/* a key: two words, 16 bytes padded with zeroes */
	KTRACE_COLUMN_SUM,	/* a value of one word: the sum */
	KTRACE_COLUMN_LEAST,	/* all ones: of nothing */
	KTRACE_COLUMN_MOST,
	KTRACE_COLUMN_LATEST,	/* text: that of the row whose "last" is larger */
	KTRACE_COLUMN_FILE	/* a key: two words, device and inode */
};

#define KTRACE_COLUMN_TEXT_LEN	16

struct ktrace_column {
	__u8 name[16];		/* "tid", "calls"; padded with zeroes, as unit is */
	__u8 unit[8];		/* "ns", "bytes", "pages", "calls"; "": a number of something */
	__u32 id;		/* enum ktrace_key or ktrace_figure */
	__u8 is_key;
	__u8 kind;		/* enum ktrace_column_kind */
	__u16 __pad;
};

#define KTRACE_TABLE_KEYS	4	/* at most */
#define KTRACE_TABLE_ROWS	8192	/* if max_rows is 0 */
#define KTRACE_TABLE_MAX_ROWS	(1U << 20)
#define KTRACE_TABLE_HISTOGRAM	(1U << 0)	/* each row has a histogram */

/* A table that a session asks for; and in answers, one that it has. */
struct ktrace_table {
	__u64 values;		/* 1 << KTRACE_FIGURE_*; 0: all that there are */
	__u32 flags;		/* KTRACE_TABLE_* */
	__u32 max_rows;		/* 0: KTRACE_TABLE_ROWS; in answers 0: one for each function */
	__u32 keys[KTRACE_TABLE_KEYS];	/* enum ktrace_key, each once, and zeroes behind them */
};

#define KTRACE_NODE_ROOT	0xffffffffU
#define KTRACE_FUNC_FULL	0xfffffffeU	/* the "tree full" node's func */
#define KTRACE_NODE_TAIL	(1U << 0)	/* calls of it were parent's jumps */
#define KTRACE_NODE_AT_MOST	(1U << 1)	/* calls of it ended before this was seen */
struct ktrace_node {
	__u32 node;
	__u32 parent;		/* or KTRACE_NODE_ROOT */
	__u32 func;
	__u32 marks;		/* KTRACE_NODE_TAIL, KTRACE_NODE_AT_MOST */
	__u64 calls;
	__u64 total_ns;		/* of all calls of this node */
	__u64 self_ns;
};

#endif
