/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktrace: control interface of the kernel module.
 *
 * This comment is the manual of the generic netlink family "ktrace".
 * Every command needs CAP_SYS_ADMIN in the initial user namespace.
 * Unknown attributes and flags are refused with EINVAL, everything is
 * validated before anything changes, and an answer may carry attributes
 * that a reader does not know: it skips them.
 *
 * A session owns a filter, its sinks and its loss counters. Without a name
 * it dies with the socket that made it; with a name it lives until deleted.
 * A function is known to the kernel by a number that user space chooses, once
 * for a session, less than its KTRACE_A_NR_FUNCS: room for more than there are
 * at first lets a session grow. Who adds functions to a session, or takes some
 * away, is alone in doing so from the first message to the end of its commit.
 *
 * INFO (do)                 ->  VERSION string, ABI u32, FEATURES u64,
 *                               LIMITS struct ktrace_limits, MEM u64,
 *                               FLAGS u32 KTRACE_INFO_*, COSTS if they are known
 *
 * COSTS_SET (do)                COSTS struct ktrace_costs: what a hit costs a program
 *                               on this machine, measured from outside. Sessions of
 *                               user functions that are made from then on leave it
 *                               out of self_ns, but for those with KTRACE_F_RAW.
 *
 * SESSION_NEW (do)              NAME string, optional
 *                               FLAGS u32 KTRACE_F_*
 *                               NR_FUNCS u32
 *                               FD u32: the traced file, for callers' checks
 *                               PIDS binary: s32[], sender's pid namespace:
 *                                 only these processes; none: all
 *                               TIDS, UIDS, COMM, CGROUP as in SESSION_CHANGE
 *                               MIN_TIME u64 ns: of the kernel's side what took
 *                                less does not count, or with KTRACE_F_STREAM
 *                                counts and is not recorded,
 *                               MAX_DEPTH u32,
 *                               MAX_NODES u32 (default 65536),
 *                               NR_SUBBUFS u32 per CPU (power of two)
 *                               KTRACE_F_COUNT goes with no other flag, nor with
 *                               a MIN_TIME or MAX_DEPTH
 *                               KTRACE_F_SYSCALLS: FD and NR_FUNCS are not
 *                                given, nor functions added. Each call that
 *                                begins and ends while the session is active
 *                                counts in its histogram, and with
 *                                KTRACE_F_TABLE in the row of its keys: any of
 *                                syscall, errno, tid, pid, comm, cpu, uid, cgroup.
 *                                KTRACE_F_STREAM records calls, and with
 *                                KTRACE_F_STACKS, too, on which stack of
 *                                the program (KTRACE_REC_F_STACK).
 *                                KTRACE_F_PAGES tells what they did to the
 *                                page cache, while they ran and in their
 *                                threads: page faults of the program itself
 *                                are of no call
 *                               KTRACE_F_KERNEL: functions are of the kernel, and
 *                                told of by FUNC_ADD with SYMBOLS before the
 *                                first commit; no FD. A call counts for the
 *                                task that it interrupts, too. KTRACE_F_STREAM,
 *                                which goes with no KTRACE_F_TREE, records
 *                                calls, and with KTRACE_F_STACKS tells on which
 *                                stack they were entered. KTRACE_F_TREE is
 *                                the tree of calls that tasks make, interrupts
 *                                left out; with one of KTRACE_F_BY nodes are
 *                                of threads, processes, CPUs or names of tasks
 *                                (as they are when the call returns; func: STACK
 *                                of STACK_GET), and functions below these.
 *                                A thread or process that ended has, here and
 *                                with KTRACE_F_BY_TID of KTRACE_F_SCHED, a node
 *                                of KTRACE_FUNC_COMM below its own.
 *                                With KTRACE_F_STACKS instead of these nodes are
 *                                of functions, and below them of the stacks that
 *                                they were entered on (func: STACK); what these
 *                                lack of it has no stack: calls in interrupts,
 *                                and those that a quarter of the CPU's time was
 *                                not enough for.
 *                                With KTRACE_F_ERRORS instead of these, and
 *                                neither MIN_TIME nor MAX_DEPTH, nodes are of
 *                                chains of errors that calls returned (func:
 *                                KTRACE_ERROR_LINK)
 *                               KTRACE_F_SYSENTER: likewise without FD and
 *                                NR_FUNCS, with KTRACE_F_HIST alone; PIDS is one
 *                                process of one thread on one CPU, which makes
 *                                null calls
 *                               KTRACE_F_SCHED: likewise; a call is a period
 *                                (KTRACE_SCHED_*) of a task that began and
 *                                ended while the session was active. It counts
 *                                when the task leaves a CPU, or gets one; who
 *                                has one when the session begins, ends or is
 *                                reset is a RUN_CUT on each side of that, but
 *                                what a reset leaves of it a RUN or RUN_OUT
 *                                where it ends. With
 *                                KTRACE_F_TREE in nodes of the period, whose
 *                                self_ns is the longest, and with
 *                                KTRACE_F_BY_TID below one of the thread;
 *                                with KTRACE_F_STACKS, too, periods off the
 *                                CPU (PREEMPTED, SLEEP, DISK, STOPPED) have
 *                                below theirs a node of each stack on which
 *                                the CPU was left (func: STACK of STACK_GET);
 *                                what these lack of it has no stack. At most
 *                                MAX_NODES / 8 stacks are kept. KTRACE_F_STREAM
 *                                records periods, with TREE and STACKS those
 *                                stacks with them; a run that was cut by a
 *                                reset counts in pieces, is recorded whole, and
 *                                MIN_TIME is of the whole
 *                               KTRACE_F_BLOCK: likewise without FD and NR_FUNCS.
 *                                Each request of a disk whose first bio was
 *                                queued, by a task that is wanted, while the
 *                                session was active counts when it completes, in
 *                                histograms of its stages (KTRACE_BLOCK_FUNC);
 *                                one that no bio was queued for (of a flush, of
 *                                passthrough) from where it is first seen.
 *                                KTRACE_F_STREAM records those, with
 *                                KTRACE_F_STACKS, too, on which stack they were
 *                                queued. With
 *                                KTRACE_F_TREE each counts
 *                                in nodes of its stages (func is that of the
 *                                histogram; self_ns of Q2C is bytes). With
 *                                KTRACE_F_BY_COMM, _BY_TID or _BY_PID these are
 *                                below one of what who queued it was called
 *                                (func: STACK of STACK_GET), the latter two
 *                                below one more of its number (0: not known).
 *                                With KTRACE_F_BY_FILE they are below a node of
 *                                the device of the file's file system (major <<
 *                                20 | minor), one of KTRACE_NODE_HIGH and one of
 *                                KTRACE_NODE_LOW of its inode: that of the pages
 *                                or the direct call that the request's first
 *                                bio is of; all 0: of none, or it is in doubt.
 *                                With KTRACE_F_BY_CGROUP they are below one of
 *                                KTRACE_NODE_HIGH and one of KTRACE_NODE_LOW of
 *                                the number of the cgroup (as CGROUP) of who
 *                                queued it, or, of what somebody else writes
 *                                back, that it is charged to; 0: not known
 *                               KTRACE_F_VIRTIO: likewise without FD and NR_FUNCS,
 *                                with KTRACE_F_HIST alone, and of no tasks: neither
 *                                PIDS nor conditions, then or later. What drivers of
 *                                this machine do with queues of virtio devices
 *                                counts (KTRACE_VIRTIO_FUNC)
 *                               DEVS binary: u32[], with KTRACE_F_BLOCK: only
 *                                these disks, major << 20 | minor; at most
 *                                KTRACE_BLOCK_DEVS; none: all. With
 *                                KTRACE_F_VIRTIO devices: 3 of virtio3
 *                               FILES binary: u32[], with KTRACE_F_BLOCK: only
 *                                requests whose first bio is of these regular
 *                                files, or of files below these folders, on the
 *                                same file system; open for reading, held by the
 *                                session, at most KTRACE_BLOCK_FILES. ENODEV: one
 *                                is on a file system without a disk
 *                               TABLE struct ktrace_table, with KTRACE_F_TABLE: keys
 *                                and values of a table. A row is made when its keys
 *                                are first seen. Beyond max_rows calls count in one
 *                                row of the others, and in lost_rows. EINVAL, with
 *                                a sentence: the provider has no such key or value
 *                               LIFETIME u64 ns, not 0: it is stopped so long
 *                                after it became active for the first time, in
 *                                time that the machine was not suspended
 *                               BUDGET u32, of user functions with KTRACE_F_HIST:
 *                                what hits may cost programs, in thousandths of one
 *                                CPU over the last second. Beyond it the functions
 *                                that cost most are taken out (TAKEN_OUT of
 *                                FUNC_GET, and a notice once they are). Calls that do
 *                                not count (beyond MAX_DEPTH, not BELOW, not of
 *                                CALLER_FD) are not reckoned. EINVAL: COSTS are not
 *                                known
 *                           ->  SESSION u64, COOKIE u64
 *
 * FUNC_ADD (do)                 SESSION u64
 *                               FD u32: the ELF file of these functions
 *                               CALLER_FD u32, optional: the file that callers
 *                                 are in (KTRACE_FUNC_CALLER); else the session's
 *                               BUILD_ID of it, optional: kept for FUNC_GET
 *                               FUNCS binary: packed struct ktrace_func, each
 *                                 followed by its nr_exits struct ktrace_exit;
 *                                 at most KTRACE_MAX_SITES sites a message; with
 *                                 KTRACE_F_COUNT all are KTRACE_RETURN_NONE
 *                               or, of KTRACE_F_KERNEL, alone with SESSION:
 *                               SYMBOLS binary: struct ktrace_symbol, each with its
 *                                 name
 *                               Staged: nothing is planted. EEXIST: a number
 *                               is in use, or is there twice. EBUSY: another
 *                               changes the session. On error none is added.
 *
 * FUNC_DEL (do)                 SESSION u64
 *                               FUNC_LIST binary: u32[]. Staged likewise; what
 *                               was counted of them stays readable. FLAGS
 *                               KTRACE_DEL_UNDO: they come back. An empty list
 *                               begins a change: what another that died left
 *                               staged is dropped, and its numbers are free.
 *
 * SESSION_COMMIT (do)           SESSION u64. Starts the attach, or the change, on a
 *                               workqueue; SESSION_GET and a notice report its
 *                               end: state ACTIVE (or PAUSED) again. EBUSY:
 *                               another has staged functions. Takes all that
 *                               SESSION_CHANGE does: both happen, or neither.
 *
 * SESSION_CHANGE (do)           SESSION or NAME. What is given replaces what was:
 *                               PIDS s32[]: these processes are traced from now
 *                                 on; NOT_PIDS s32[]: these are not any more
 *                               TIDS s32[], UIDS u32[] (of the sender's user
 *                                 namespace), COMM string (may end with *),
 *                                 CGROUP u64 (version 2: its folder's inode):
 *                                 tasks must meet all; empty or 0: any
 *                               MIN_TIME, MAX_DEPTH: of user functions that are
 *                                not KTRACE_F_COUNT; of all else EINVAL
 *                               State CHANGING until breakpoints are where they
 *                               are wanted. EBUSY: a change is under way.
 *
 * SESSION_PAUSE, SESSION_RESUME (do)
 *                               SESSION or NAME. Takes all probes away, closing
 *                               what is open, and plants them again.
 *
 * SESSION_WATCH (do)            SESSION or NAME. Tasks that reach a function with
 *                               KTRACE_FUNC_HOLD wait until this socket, which
 *                               was told by a notice HELD, sends TASK_CONTINUE,
 *                               or is closed; at most the module's parameter
 *                               hold_ms (200), which is counted in gaps, and
 *                               25 times as long while the process of this
 *                               socket is at work.
 *                               EBUSY: another watches.
 *
 * TASK_CONTINUE (do)            SESSION u64, PID s32 of the process.
 *
 * SESSION_GET (do, dump)        SESSION u64 or NAME string; neither: dump all
 *                           ->  SESSION, COOKIE, NAME, STATE u32, ERROR s32,
 *                               FLAGS, NR_FUNCS, NR_USED u32 (numbers of
 *                               functions below are taken; what is staged is
 *                               not among them), NR_SITES u32, NR_FAILED u32,
 *                               OWNER s32 pid, READER s32 pid or 0,
 *                               CLOCKS struct ktrace_clocks[2] (start; now, or
 *                               when it was stopped), COUNTERS struct
 *                               ktrace_counters, MEM u64, LIFETIME: what is left
 *                               of one that has begun and not ended, MIN_TIME and
 *                               BUDGET if there are such, PIDS s32[] of the
 *                               reader's namespace if only some are traced: those
 *                               of now, children too, KTRACE_GET_PIDS at most
 *
 * SESSION_STOP (do)             SESSION or NAME. Starts to remove every probe and
 *                               to close every open frame; the data stays
 *                               readable. Cancels an attach that is under way.
 *                               State STOPPED, and a notice, report the end.
 *
 * SESSION_DEL (do)              SESSION or NAME. Stops it, then removes it. It
 *                               is found until nothing of it is planted any
 *                               more; then GET says ENOENT, a notice GONE.
 *
 * SESSION_RESET (do)            SESSION or NAME. Histograms and tree begin anew;
 *                               those before stay readable (KTRACE_READ_BEFORE)
 *                               until acknowledged by another RESET with FLAGS
 *                               KTRACE_RESET_DONE. EALREADY: an earlier reset
 *                               is not acknowledged; nothing changed. A call
 *                               counts where it returns.
 *
 * FUNC_GET (dump)               SESSION, FLAGS KTRACE_READ_BEFORE. First a message
 *                               with SESSION only, which may come again, then
 *                               one a function that was hit or failed, or with
 *                               FLAGS KTRACE_READ_PROBED each that is probed now:
 *                           ->  FUNC u32, STATS struct ktrace_stats,
 *                               BUCKETS binary: struct ktrace_bucket[],
 *                               ERROR s32 when it could not be probed,
 *                               TAKEN_OUT struct ktrace_taken_out, if BUDGET was
 *                               not enough for it,
 *                               OFFSET u64 and BUILD_ID, if it was given;
 *                               DEV u32, the disk of a histogram of KTRACE_F_BLOCK
 *                               (0: requests without a disk), or the queue of one of
 *                               KTRACE_F_VIRTIO, with NAME string, its driver's for it
 *
 * TABLE_GET (dump)              SESSION, FLAGS KTRACE_READ_BEFORE, KTRACE_READ_CPUS.
 *                               Each table of the session: by function if it has
 *                               KTRACE_F_HIST or KTRACE_F_COUNT, then that of TABLE.
 *                               First a message with SESSION only, which may come
 *                               again. A table begins with its schema:
 *                           ->  TABLE struct ktrace_table: what it is,
 *                               COLUMNS binary: struct ktrace_column[], of what CELLS
 *                               have, keys first
 *                               then one message for each row that was counted:
 *                           ->  CELLS binary: u64[], the words of each column,
 *                               BUCKETS if the table has histograms,
 *                               CPU u32 with KTRACE_READ_CPUS,
 *                               FLAGS u32 KTRACE_ROW_OTHERS: of all keys that have no
 *                               row; its keys are 0
 *
 * TREE_GET (dump)               SESSION, FLAGS KTRACE_READ_BEFORE
 *                           ->  NODES binary: struct ktrace_node[], parents not
 *                               necessarily before children
 *
 * STREAM_READ (dump)            SESSION, CPU u32, CURSOR u64: the next packet's
 *                               number wanted; all before it are acknowledged.
 *                               FLAGS KTRACE_READ_FLUSH closes the sub-buffer
 *                               being written.
 *                           ->  first CPU u32, CLOCK u64 (every record of this
 *                               CPU stamped before it is in a packet of this
 *                               dump or an earlier one, if FLUSH was given and
 *                               the dump was not cut), COUNTERS of this CPU;
 *                               then a message a packet: CURSOR u64, PACKET
 *                               binary (ktrace_record.h)
 *
 * STACK_GET (dump)              SESSION, CURSOR u64, optional: the first STACK wanted.
 *                               First a message with SESSION only, which may come
 *                               again, then one a stack, numbers in order:
 *                           ->  STACK u32, FLAGS u32 KTRACE_STACK_*, COMM string,
 *                               KERNEL_FRAMES binary: what the kernel calls each
 *                               frame, "name" or "name [module]", the innermost
 *                               first, each with a terminating zero; no address
 *                               of the kernel is told,
 *                               USER_FRAMES binary: u64[], likewise: addresses in
 *                               PID s32, the process as the kernel numbers it
 *
 * SUBSCRIBE (do)                The sending socket receives notices.
 * NOTICE                    <-  SESSION, EVENT u32, CPU u32, ERROR s32, PID s32 (in
 *                               the watcher's pid namespace; HELD, EXEC). A socket
 *                               that missed some is told so by ENOBUFS: look at
 *                               every session and CPU then.
 *
 * Errors: EPERM (no CAP_SYS_ADMIN), EACCES (the kernel is locked down, and the
 * module was loaded with respect_lockdown; INFO, SESSION_GET, SUBSCRIBE,
 * SESSION_PAUSE, SESSION_STOP, SESSION_DEL and TASK_CONTINUE go on), EINVAL, ERANGE
 * (an attribute's length), ENOENT (no such session, or function), ESRCH (no such
 * process, or none that waits), EEXIST (name or number taken), EBUSY (another reader,
 * editor or state), EALREADY, E2BIG (a limit), EMFILE (max_sessions), ENOMEM (max_mem),
 * EBADF, ENODATA (no figures before a reset), EOPNOTSUPP (no cgroups here), ENODEV (no
 * disk). ENOBUFS: the answer was lost for lack of memory.
 */
#ifndef _UAPI_KTRACE_H
#define _UAPI_KTRACE_H

#include <linux/types.h>

#include "ktrace_record.h"

#define KTRACE_GENL_NAME	"ktrace"
#define KTRACE_GENL_VERSION	1
/* Raised when an older peer could misunderstand a message. */
#define KTRACE_ABI		1

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

enum ktrace_attr {
	KTRACE_A_UNSPEC = 0,
	KTRACE_A_VERSION,	/* string */
	KTRACE_A_ABI,		/* u32 */
	KTRACE_A_FEATURES,	/* u64, KTRACE_FEATURE_* */
	KTRACE_A_LIMITS,	/* struct ktrace_limits */
	KTRACE_A_MEM,		/* u64 bytes */
	KTRACE_A_NAME,		/* string, [A-Za-z0-9._-]+ */
	KTRACE_A_SESSION,	/* u64 */
	KTRACE_A_COOKIE,	/* u64, random */
	KTRACE_A_FLAGS,		/* u32 */
	KTRACE_A_NR_FUNCS,	/* u32 */
	KTRACE_A_NR_SITES,	/* u32 */
	KTRACE_A_NR_FAILED,	/* u32 */
	KTRACE_A_FD,		/* u32 */
	KTRACE_A_PIDS,		/* s32[] */
	KTRACE_A_MIN_TIME,	/* u64 ns */
	KTRACE_A_MAX_DEPTH,	/* u32 */
	KTRACE_A_MAX_NODES,	/* u32 */
	KTRACE_A_NR_SUBBUFS,	/* u32 */
	KTRACE_A_FUNCS,		/* struct ktrace_func + struct ktrace_exit[] ... */
	KTRACE_A_STATE,		/* u32, KTRACE_STATE_* */
	KTRACE_A_ERROR,		/* s32, negative errno */
	KTRACE_A_OWNER,		/* s32 */
	KTRACE_A_CLOCKS,	/* struct ktrace_clocks[] */
	KTRACE_A_COUNTERS,	/* struct ktrace_counters */
	KTRACE_A_FUNC,		/* u32 */
	KTRACE_A_STATS,		/* struct ktrace_stats */
	KTRACE_A_BUCKETS,	/* struct ktrace_bucket[] */
	KTRACE_A_NODES,		/* struct ktrace_node[] */
	KTRACE_A_CPU,		/* u32 */
	KTRACE_A_CURSOR,	/* u64 */
	KTRACE_A_CLOCK,		/* u64 ns, CLOCK_MONOTONIC */
	KTRACE_A_PACKET,	/* one CTF packet */
	KTRACE_A_EVENT,		/* u32, KTRACE_EVENT_* */
	KTRACE_A_READER,	/* s32 */
	KTRACE_A_BUILD_ID,	/* u8[], of the file's ELF note */
	KTRACE_A_OFFSET,	/* u64, file offset of a function's first byte */
	KTRACE_A_NOT_PIDS,	/* s32[] */
	KTRACE_A_TIDS,		/* s32[] */
	KTRACE_A_UIDS,		/* u32[] */
	KTRACE_A_COMM,		/* string, 15 bytes at most */
	KTRACE_A_CGROUP,	/* u64 */
	KTRACE_A_CALLER_FD,	/* u32 */
	KTRACE_A_FUNC_LIST,	/* u32[] */
	KTRACE_A_NR_USED,	/* u32 */
	KTRACE_A_PID,		/* s32 */
	KTRACE_A_PAD,
	KTRACE_A_DEVS,		/* u32[], major << 20 | minor */
	KTRACE_A_DEV,		/* u32: major << 20 | minor */
	KTRACE_A_SYMBOLS,	/* struct ktrace_symbol + name ... */
	KTRACE_A_STACK,		/* u32 */
	KTRACE_A_KERNEL_FRAMES,	/* strings, each with its zero */
	KTRACE_A_USER_FRAMES,	/* u64[] */
	KTRACE_A_FILES,		/* u32[], file descriptors */
	KTRACE_A_LIFETIME,	/* u64 ns */
	KTRACE_A_COSTS,		/* struct ktrace_costs */
	KTRACE_A_BUDGET,	/* u32, thousandths of one CPU */
	KTRACE_A_TAKEN_OUT,	/* struct ktrace_taken_out */
	KTRACE_A_TABLE,		/* struct ktrace_table */
	KTRACE_A_COLUMNS,	/* struct ktrace_column[] */
	KTRACE_A_CELLS,		/* u64[] */
	__KTRACE_A_MAX
};

#define KTRACE_A_MAX (__KTRACE_A_MAX - 1)

/* INFO flags */
#define KTRACE_INFO_LOCKED	(1U << 0)	/* tracing is refused: EACCES */

/* SESSION_NEW flags */
#define KTRACE_F_HIST		(1U << 0)	/* histograms */
#define KTRACE_F_TREE		(1U << 1)	/* calling-context tree */
#define KTRACE_F_STREAM		(1U << 2)	/* ring of packets */
#define KTRACE_F_OVERWRITE	(1U << 3)	/* ring keeps the newest */
#define KTRACE_F_COUNT		(1U << 4)	/* entries only, no clock; only with FOLLOW */
#define KTRACE_F_FOLLOW		(1U << 5)	/* children of PIDS, and what they execute */
#define KTRACE_F_SYSCALLS	(1U << 6)	/* its functions are the system calls */
#define KTRACE_F_ON_EXEC	(1U << 7)	/* not of user functions: PIDS from their exec on */
#define KTRACE_F_BY_TID		(1U << 8)	/* with SCHED, KERNEL or BLOCK, and TREE: threads */
#define KTRACE_F_CPU_TIME	(1U << 9)	/* with SYSCALLS: self_ns is time on the CPU */
#define KTRACE_F_KERNEL		(1U << 10)	/* its functions are the kernel's */
#define KTRACE_F_SYSENTER	(1U << 11)	/* its functions are KTRACE_SYSENTER_* */
#define KTRACE_F_SCHED		(1U << 12)	/* its functions are what tasks spend time in */
#define KTRACE_F_BLOCK		(1U << 13)	/* its functions are stages of requests of disks */
#define KTRACE_F_BY_PID		(1U << 14)	/* with KERNEL or BLOCK, and TREE: processes */
#define KTRACE_F_BY_CPU		(1U << 15)	/* with KERNEL and TREE: CPUs */
#define KTRACE_F_STACKS		(1U << 16)	/* with SCHED or KERNEL, and TREE: stacks; */
						/* KERNEL, SYSCALLS or BLOCK, and STREAM */
#define KTRACE_F_BY_COMM	(1U << 17)	/* with KERNEL or BLOCK, and TREE: tasks' names */
#define KTRACE_F_VIRTIO		(1U << 18)	/* its functions are of virtio queues */
#define KTRACE_F_ERRORS		(1U << 19)	/* with KERNEL and TREE: chains of errors */
#define KTRACE_F_BY_FILE	(1U << 20)	/* with BLOCK and TREE: files */
#define KTRACE_F_BY_CGROUP	(1U << 21)	/* with BLOCK and TREE: cgroups of version 2 */
#define KTRACE_F_PAGES		(1U << 22)	/* with SYSCALLS and HIST or TABLE: pages */
#define KTRACE_F_RAW		(1U << 23)	/* of user functions: self_ns has what hits cost */
#define KTRACE_F_TABLE		(1U << 24)	/* a table with the keys that TABLE says */
#define KTRACE_F_BY		(KTRACE_F_BY_TID | KTRACE_F_BY_PID | KTRACE_F_BY_CPU | \
				 KTRACE_F_BY_COMM | KTRACE_F_BY_FILE | KTRACE_F_BY_CGROUP)

/* A number of 64 bits in two nodes of a tree, the latter below the former. */
#define KTRACE_NODE_HIGH(number)	((__u32)((number) >> 31))
#define KTRACE_NODE_LOW(number)		((__u32)(number) & 0x7fffffffU)
#define KTRACE_NODE_NUMBER(high, low)	((__u64)(high) << 31 | (low))

/*
 * With KTRACE_F_SYSCALLS: what func is. The number of a call of 64 bits, that of one of
 * 32 bits behind KTRACE_SYSCALL_COMPAT, or KTRACE_SYSCALL_OTHER.
 */
#define KTRACE_SYSCALL_COMPAT	512
#define KTRACE_SYSCALL_OTHER	1024
#define KTRACE_NR_SYSCALLS	1025

/*
 * With KTRACE_F_SYSENTER: what func is. A null call is nfsservctl, which no kernel has any
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

/* With KTRACE_F_SCHED: what func is, a period that a task spent ... */
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
 * With KTRACE_F_BLOCK: what func is. Devices have numbers of the session, the first ones that
 * are seen; FUNC_GET says whose it is (DEV). KTRACE_BLOCK_DEVS stands for all that come later.
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
 * With KTRACE_F_VIRTIO: what func is. Queues have numbers of the session, as disks do above;
 * FUNC_GET says whose it is (DEV: device << 16 | queue, and NAME). KTRACE_VIRTIO_QUEUES
 * stands for all that come later.
 */
#define KTRACE_VIRTIO_QUEUES_ORDER 9
#define KTRACE_VIRTIO_QUEUES	(1 << KTRACE_VIRTIO_QUEUES_ORDER)
#define KTRACE_VIRTIO_FUNC(queue, what)	((queue) << 3 | (what))
#define KTRACE_VIRTIO_QUEUE(func)	((func) >> 3)
#define KTRACE_VIRTIO_WHAT(func)	((func) & 7)
#define KTRACE_VIRTIO_DEV(device, queue) ((__u32)(device) << 16 | ((queue) & 0xffff))
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
	__u8 args[KTRACE_MAX_ARGS]; /* enum ktrace_value, in registers; for KTRACE_F_STREAM */
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

/* Times in ns. Recursion is counted once in total_ns. */
struct ktrace_stats {
	__u64 calls;		/* returned or closed */
	__u64 entries;
	__u64 total_ns;
	__u64 self_ns;
	__u64 min_ns;
	__u64 max_ns;
	__u64 sum_ns;		/* of all calls, recursive ones too: for the mean */
	/* of system calls only: */
	__u64 errors;		/* calls that returned one */
	__u64 bytes;		/* returned by calls that read, write, send or receive */
	__u64 gaps;		/* of these: from one's end to the start of the thread's next, */
	__u64 gap_ns;		/* if that is the same call on the same file */
	/* with KTRACE_F_PAGES, pages of the page cache: */
	__u64 page_hits;	/* read or written, and there before */
	__u64 page_misses;	/* read or written, and brought by the call itself */
	__u64 pages_ahead;	/* brought by it besides: read ahead, or a file system's own */
	__u64 pages_dirtied;	/* were clean */
	/* of user functions: */
	__u64 at_most;		/* calls that ended before this was seen: their times are bounds */
	__u64 since;		/* the last such call began then, if some have not ended: */
				/* CLOCK_MONOTONIC, ns; else 0 */
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
	__KTRACE_KEY_MAX
};

/* Values. Times are in ns. */
enum ktrace_figure {
	KTRACE_FIGURE_CALLS = 0,	/* that ended */
	KTRACE_FIGURE_ENTRIES,
	KTRACE_FIGURE_ERRORS,		/* calls that returned one */
	KTRACE_FIGURE_TOTAL,
	KTRACE_FIGURE_SELF,		/* of one CPU it may be below zero */
	KTRACE_FIGURE_SUM,		/* of all calls, recursive ones too */
	KTRACE_FIGURE_MIN,
	KTRACE_FIGURE_MAX,
	KTRACE_FIGURE_BYTES,
	KTRACE_FIGURE_GAPS,
	KTRACE_FIGURE_GAP_TIME,
	KTRACE_FIGURE_PAGE_HITS,
	KTRACE_FIGURE_PAGE_MISSES,
	KTRACE_FIGURE_PAGES_AHEAD,
	KTRACE_FIGURE_PAGES_DIRTIED,
	KTRACE_FIGURE_AT_MOST,
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
	KTRACE_COLUMN_LATEST	/* text: that of the row whose "last" is larger */
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
#define KTRACE_FUNC_COMM	0x80000000U	/* | STACK: below a task that ended, its name */
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
