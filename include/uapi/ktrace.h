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
 * Every command needs CAP_SYS_ADMIN in the initial user namespace, of the sender and of the opener
 * of the socket. If the module was loaded with the parameter group, members of that group may send
 * the commands that only read, in the initial user and pid namespaces: INFO, SESSION_GET, FUNC_GET,
 * TABLE_GET, TREE_GET, STREAM_READ, STACK_GET and SUBSCRIBE.
 *
 * genlmsghdr.version of a request is KTRACE_GENL_VERSION. The module refuses a request of another
 * version with EPROTONOSUPPORT. INFO, SESSION_GET and SESSION_DEL are the exceptions: the module
 * answers them in every version, so that a client can compare versions, and can end the sessions
 * of any module. These commands, and VERSION, ABI, SESSION, NAME and OWNER, keep their numbers for
 * ever.
 *
 * The module validates a whole request before it changes anything. It refuses unknown attributes
 * and values, attributes that the command does not take, and duplicate attributes with EINVAL. It
 * refuses an attribute of a wrong length with ERANGE (outside of nests the kernel checks lengths,
 * and may report EINVAL). Many refusals have an explanation, NLMSGERR_ATTR_MSG, for a socket with
 * NETLINK_EXT_ACK. An answer may contain attributes that a client does not know; the client skips
 * them.
 *
 * TARGET, WHO and LIMIT are nests. A nest has NLA_F_NESTED set, and contains attributes of its
 * enum.
 *
 * SESSION_NEW makes a session, FUNC_ADD adds its functions, and SESSION_COMMIT attaches it. A
 * session ends when the socket that made it is closed or, if the session has a NAME, with
 * SESSION_DEL. Most commands identify their session by SESSION or by NAME; dumps, FUNC_ADD,
 * FUNC_DEL and TASK_CONTINUE take SESSION only.
 *
 *
 * INDEX
 *
 * command         kind      takes                              answers
 * INFO            do                                           VERSION ABI FEATURES LIMITS MEM
 *                                                              FLAGS COSTS
 * COSTS_SET       do        COSTS
 * SESSION_NEW     do        PROVIDER SINKS FLAGS NAME TARGET   SESSION COOKIE
 *                           WHO LIMIT TABLE TRIGGER
 * FUNC_ADD        do        SESSION, and FD CALLER_FD
 *                           BUILD_ID FUNCS, or SYMBOLS
 * FUNC_DEL        do        SESSION FUNC_LIST FLAGS
 * SESSION_COMMIT  do        session WHO LIMIT
 * SESSION_CHANGE  do        session WHO LIMIT
 * SESSION_PAUSE   do        session
 * SESSION_RESUME  do        session
 * SESSION_GATE    do        SESSIONS FLAGS
 * SESSION_WATCH   do        session
 * TASK_CONTINUE   do        SESSION PID
 * SESSION_GET     do, dump  session; a dump: nothing           SESSION COOKIE NAME PROVIDER SINKS
 *                                                              FLAGS TARGET WHO LIMIT TABLE STATE
 *                                                              ERROR NR_USED NR_SITES NR_FAILED
 *                                                              OWNER READER CLOCKS COUNTERS MEM
 *                                                              NR_LEFT ENDED_AT TRIGGER TRIGGERED
 * SESSION_STOP    do        session
 * SESSION_DEL     do        session
 * SESSION_RESET   do        session or SESSIONS, FLAGS
 * SESSION_ARM     do        session
 * FUNC_GET        dump      SESSION FLAGS                      SESSION; FUNC ERROR TAKEN_OUT
 *                                                              OFFSET BUILD_ID
 * TABLE_GET       dump      SESSION FLAGS                      SESSION; TABLE COLUMNS; CELLS
 *                                                              NAME BUCKETS CPU FLAGS
 * TREE_GET        dump      SESSION FLAGS                      NODES
 * STREAM_READ     dump      SESSION CPU CURSOR KEEP FLAGS      CPU CLOCK COUNTERS; CURSOR PACKET
 * STACK_GET       dump      SESSION CURSOR                     SESSION; STACK FLAGS COMM PID
 *                                                              KERNEL_FRAMES USER_FRAMES
 *                                                              USER_PLACES
 * UNWIND_ADD      do        SESSION FD UNWIND_LEN
 *                           UNWIND_OFFSET UNWIND_PART
 * SUBSCRIBE       do
 * NOTICE          event                                        SESSION EVENT CPU ERROR PID
 *
 * "session" means SESSION or NAME. A semicolon separates messages of one dump. FUNC_GET, TABLE_GET
 * and STACK_GET begin with a message that contains SESSION alone. This message may occur again
 * later in the dump.
 *
 *
 * COMMANDS
 *
 * INFO            FLAGS are KTRACE_INFO_*. The answer has COSTS once a COSTS_SET has set them.
 *
 * COSTS_SET       Sets what a hit costs a program on this machine, as measured from outside.
 *                 Sessions of user functions that are made later subtract these costs from
 *                 self_ns, except sessions with KTRACE_F_RAW.
 *
 * SESSION_NEW     PROVIDER and SINKS are required; FLAGS are KTRACE_F_*. The sinks, flags, targets
 *                 and limits that a provider takes are listed under PROVIDERS. WHO takes all
 *                 attributes except NOT_PIDS; LIMIT takes all. TABLE is required with
 *                 KTRACE_SINK_TABLE, and refused without. KTRACE_SINK_COUNT excludes all other
 *                 sinks, all flags, MIN_TIME and MAX_DEPTH. TRIGGER needs KTRACE_SINK_STREAM: when
 *                 a recorded event meets its condition, a notice TRIGGERED is sent, and after
 *                 after_ns the ring is frozen until SESSION_ARM. Records that are not written
 *                 meanwhile are no loss, and are counted in after_trigger. Figures go on.
 *
 * FUNC_ADD        Stages functions; no probe is planted before SESSION_COMMIT. The client chooses
 *                 the number of each function, from 0 to NR_FUNCS - 1, once per session. If
 *                 NR_FUNCS is larger than the number of functions, more functions can be added
 *                 later. A message has at most KTRACE_MAX_SITES sites. With KTRACE_SINK_COUNT
 *                 every function has KTRACE_RETURN_NONE. KTRACE_PROVIDER_KERNEL takes SYMBOLS
 *                 only, and only before the first commit. On error no function is added. From the
 *                 first FUNC_ADD or FUNC_DEL to the end of the commit only one socket can change
 *                 functions. EEXIST: a number is in use, or occurs twice. EBUSY: another socket
 *                 changes the session.
 *
 * FUNC_DEL        Stages the removal of functions. Their figures stay readable. With FLAGS
 *                 KTRACE_DEL_UNDO it stages the return of removed functions. An empty FUNC_LIST
 *                 begins a new change: it drops everything that is staged, also by a socket that
 *                 was closed, and frees the numbers of the staged functions.
 *
 * SESSION_COMMIT  Starts the attach, or the change, in the background. When it has finished, STATE
 *                 is ACTIVE (or PAUSED) again, and a notice is sent. Takes WHO and LIMIT as
 *                 SESSION_CHANGE does: both changes are made, or neither. EBUSY: another socket
 *                 has staged functions.
 *
 * SESSION_CHANGE  Changes which tasks are traced, and limits. WHO takes PIDS (adds these
 *                 processes), NOT_PIDS (removes these processes), and TIDS, UIDS, COMM and CGROUP,
 *                 each of which replaces the earlier condition; an empty list, an empty string or
 *                 0 removes the condition. LIMIT takes MIN_TIME and MAX_DEPTH, in sessions of user
 *                 functions without KTRACE_SINK_COUNT. STATE is CHANGING until all breakpoints are
 *                 in place. EBUSY: STATE is not NEW, ACTIVE or PAUSED; a change may be under way.
 *
 * SESSION_PAUSE   Removes all probes and closes open calls.
 * SESSION_RESUME  Plants the probes again. If that fails, STATE is PAUSED again, with ERROR.
 *
 * SESSION_GATE    Opens the gates of sessions with KTRACE_F_GATE, or with FLAGS KTRACE_GATE_CLOSE
 *                 closes them, all at the same moment. Such a session counts nothing until its
 *                 gate is open, and nothing after it was closed, which is final. CLOCKS are those
 *                 of the gate. EBUSY: one of the sessions is not ACTIVE, has no gate, or a gate
 *                 that is not closed (not open) any more; no gate was changed.
 *
 * SESSION_WATCH   Makes this socket the watcher of the session. From now on a task that reaches a
 *                 function with KTRACE_FUNC_HOLD waits, and the socket gets a notice HELD, until
 *                 the socket sends TASK_CONTINUE or is closed. A task waits at most hold_ms (a
 *                 parameter of the module, default 200), or 25 times as long while the process of
 *                 this socket is at work. Each wait that times out is counted in gaps. EBUSY:
 *                 another socket watches.
 * TASK_CONTINUE   Ends the wait of all held tasks of process PID.
 *
 * SESSION_GET     TARGET has NR_FUNCS. WHO has FOLLOW and ON_EXEC as given, and PIDS if only some
 *                 processes are traced: the processes traced now, with their children, at most
 *                 KTRACE_GET_PIDS, and no process once the session is stopped. LIMIT has MIN_TIME,
 *                 BUDGET and EVENT if they are set, SUBBUFS_PER_CPU with KTRACE_SINK_STREAM,
 *                 FREQUENCY of PROFILE, and LIFETIME: the time left, from the begin of the first
 *                 attach until the session ends. TABLE is there with KTRACE_SINK_TABLE, TRIGGER and
 *                 TRIGGERED with a trigger.
 *
 * SESSION_STOP    Starts to remove all probes and to close all open calls. The data stays
 *                 readable. Cancels an attach that is under way. When it has finished, STATE is
 *                 STOPPED, and a notice is sent.
 *
 * SESSION_DEL     Stops a session, then removes it. SESSION_GET finds the session until all its
 *                 probes are removed. After that it fails with ENOENT, and a notice GONE is sent.
 *
 * SESSION_RESET   Sets histograms, tables and the tree aside, and starts new ones. The figures
 *                 from before the reset stay readable (KTRACE_READ_BEFORE) until another
 *                 SESSION_RESET with FLAGS KTRACE_RESET_DONE acknowledges them. A call that is
 *                 open during the reset counts in the new figures, when it returns. SESSIONS are
 *                 reset at the same moment, so that what they count has one window. EALREADY: an
 *                 earlier reset is not acknowledged. ENOENT: there is no reset to acknowledge, or
 *                 no such session. On error nothing was changed.
 *
 * SESSION_ARM     Thaws the ring of a session with a TRIGGER, and waits for the next event. What
 *                 was not acknowledged stays in the ring. Does nothing if the trigger is armed.
 *                 EINVAL: there is no trigger. EBUSY: an event is just being recorded.
 *
 * FUNC_GET        One message for each function that was hit, exceeded BUDGET, or could not be
 *                 probed; with FLAGS KTRACE_READ_PROBED, for each function that was committed and
 *                 not removed since. ERROR means that it is not probed. FLAGS KTRACE_READ_BEFORE
 *                 selects the figures from before the last SESSION_RESET, as it does for TABLE_GET
 *                 and TREE_GET. The figures themselves are in TABLE_GET.
 *
 * TABLE_GET       Every table of the session: with KTRACE_SINK_HIST or _COUNT the table by
 *                 function, then the table with the keys of TABLE. A table begins with its schema,
 *                 TABLE and COLUMNS. One message for each row follows: CELLS; NAME if a driver has
 *                 named the queue; BUCKETS if the table has histograms; CPU with FLAGS
 *                 KTRACE_READ_CPUS; and FLAGS KTRACE_ROW_OTHERS in the row that counts all keys
 *                 without a row of their own. The keys of that row are 0.
 *
 * TREE_GET        Nodes of the tree, in any order: a parent may follow its children.
 *
 * STREAM_READ     Acknowledges all packets before number KEEP (default CURSOR, and not above it),
 *                 then reads the packets from CURSOR on. A packet stays in the ring, unchanged,
 *                 until it is acknowledged; with KTRACE_F_OVERWRITE, or until its room is needed.
 *                 FLAGS KTRACE_READ_FLUSH closes the sub-buffer that is being written.
 *                 The first message has CLOCK: if FLUSH was given and the dump was not cut, every
 *                 record of this CPU with an earlier time is in a packet of this dump or of an
 *                 earlier one. Each of the other messages has one packet (ktrace_record.h).
 *
 * STACK_GET       Stacks in order of their numbers, from number CURSOR on (default 0). FLAGS are
 *                 KTRACE_STACK_*. PID is in the pid namespace of the reader; 0: it is not there.
 *                 For a reader in the namespace of the session's creator, it is kept when the
 *                 process ends. USER_PLACES says which code the frames were in when the stack was
 *                 taken. It is missing without KTRACE_F_UNWIND.
 *
 * UNWIND_ADD      Gives a session with KTRACE_F_UNWIND the table of a file (ktrace_unwind.h): FD is
 *                 the ELF file, open for reading; without FD, it is the table of the vDSO. A table
 *                 of UNWIND_LEN bytes is sent in parts, from offset 0 on, by one socket. The part
 *                 at UNWIND_OFFSET is UNWIND_PART; the last one puts the table into use. UNWIND_LEN
 *                 0, without a part, means that the file has no table: its frames are found by
 *                 frame pointers, and no notice MAPS is sent for it. A table serves all sessions
 *                 that were given it, and is freed with the last of them. EEXIST, at the first
 *                 part: the file is known, from this or another session. What is known now serves
 *                 this session, too; nothing has to be sent. EINVAL: the session has no
 *                 KTRACE_F_UNWIND, the table is damaged, or the part is not the next one; the
 *                 parts so far are forgotten. E2BIG: UNWIND_LEN is longer than any table, or the
 *                 session has KTRACE_UNWIND_FILES files. EBUSY: another socket sends a table of
 *                 this session.
 *
 * SUBSCRIBE       The socket receives notices from now on.
 * NOTICE          HELD and EXEC have PID, in the pid namespace of the watcher. MAPS has PID, in the
 *                 pid namespace of the session's creator: code of files of which the session knows
 *                 nothing, neither a table nor that there is none, is mapped. It is sent once per
 *                 change, and not for processes outside of that namespace. A socket that missed
 *                 notices gets ENOBUFS; its client must then look at every session and CPU.
 *
 *
 * PROVIDERS
 *
 * USER            Functions of programs. TARGET: FD and NR_FUNCS are required. Sinks: HIST, COUNT,
 *                 TABLE, TREE, STREAM. Flags: OVERWRITE, RAW, BELOW, NO_ENTRIES. LIMIT: all;
 *                 BUDGET needs HIST and COSTS. Keys: function, tid, pid, comm, cpu, uid, cgroup,
 *                 of the task whose call ends. Rows by these keys do not have SINCE, and their
 *                 ENTRIES are the calls that ended, and the calls of functions with
 *                 KTRACE_RETURN_NONE. NO_ENTRIES needs STREAM.
 *
 * With STACKS, KTRACE_F_UNWIND is a flag of every provider. The frames of programs are then found
 * by the tables of UNWIND_ADD. Code of a file without a table must have frame pointers, as all code
 * without the flag. SCHED and BLOCK take one stack for all sessions that want it: by tables, if one
 * of them has the flag. Changes of mappings are watched by two probes of the kernel's own
 * functions, which stay until the last session with the flag has ended.
 *
 * USER, SYSCALLS, KERNEL, SCHED, BLOCK and FAULT take TRIGGER. In a session of USER the open
 * callers of the call that met the condition have an EXIT each, marked KTRACE_REC_F_OPEN, right
 * behind its own record. A caller that ends before frozen_from has another EXIT then, which
 * replaces that one.
 *
 * All other providers take no FD and no BUDGET; only KERNEL takes NR_FUNCS. SYSCALLS, KERNEL,
 * SCHED, BLOCK and FAULT take MIN_TIME with HIST, STREAM or TABLE. A shorter event does not count;
 * in a session with STREAM it counts, but is not recorded.
 *
 * SYSCALLS        System calls. A call counts if it begins and ends while the session is active.
 *                 Sinks: HIST, TABLE, STREAM; with STREAM also STACKS: where in the program the
 *                 call was made (KTRACE_REC_F_STACK). Flags: OVERWRITE, CPU_TIME, PAGES, GATE.
 *                 Keys: syscall, errno, tid, pid, comm, cpu, uid, cgroup. PAGES counts what calls
 *                 did to the page cache, in their own thread and while they ran. Page faults of
 *                 the program itself belong to no call.
 *
 * KERNEL          Functions of the kernel. TARGET: NR_FUNCS is required. A call in an interrupt
 *                 counts for the task that is interrupted. Sinks: HIST, COUNT, TABLE, TREE (not
 *                 with STREAM or TABLE), STREAM; with STREAM or TREE also STACKS: the stack on
 *                 which the call was entered. Flags: OVERWRITE, ERRORS, GATE. Keys: function, tid,
 *                 pid, comm, cpu, uid, cgroup, of the task that runs when the call returns. TREE is
 *                 the tree of the calls that tasks make, without interrupts; MAX_DEPTH needs it.
 *                 With STACKS the nodes are functions, and below each function its stacks (func:
 *                 STACK). Calls that count in a function but in no stack below it had no stack:
 *                 they were made in an interrupt, or taking stacks had already used a quarter of
 *                 the time of the CPU. With ERRORS (without MIN_TIME and MAX_DEPTH) the nodes are
 *                 chains of errors that calls returned (func: KTRACE_ERROR_LINK).
 *
 * SYSENTER        Entry to and exit from the kernel. Sink: HIST. WHO: PIDS is one process with one
 *                 thread on one CPU, which makes null calls; FOLLOW and ON_EXEC are refused.
 *
 * SCHED           The scheduler. A call is a period (KTRACE_SCHED_*) of a task. It counts when the
 *                 task leaves a CPU, or gets one. A run that the begin, the end or a reset of the
 *                 session interrupts is a RUN_CUT on each side; but the part after a reset is a
 *                 RUN or RUN_OUT. Sinks: HIST, TABLE, STREAM, and TREE together with STACKS.
 *                 Flags: OVERWRITE, GATE. Keys: period, tid, pid, comm, cpu, uid, cgroup, of the
 *                 task of the period, on the CPU that it leaves or gets. With TREE and STACKS,
 *                 periods off the CPU (PREEMPTED, SLEEP, DISK, STOPPED) count in a node of the
 *                 thread, in a node of the period below it, and below that in a node of the stack
 *                 on which the CPU was left (func: STACK). self_ns of these nodes is the longest
 *                 period. At most MAX_NODES / 8 stacks are kept. STREAM records periods; with TREE
 *                 and STACKS it records their stacks, too. A run that was cut by a reset counts
 *                 in pieces, but STREAM records it whole, and MIN_TIME applies to the whole run.
 *
 * BLOCK           Requests of disks. A request counts, when it completes, if a traced task queued
 *                 its first bio while the session was active. It counts in histograms of its
 *                 stages (KTRACE_BLOCK_FUNC). A request without a bio (flush, passthrough) counts
 *                 from the moment when it is first seen. TARGET: DEVS, FILES. Sinks: HIST, TABLE,
 *                 STREAM; with STREAM also STACKS: where the request was queued. Flags: OVERWRITE,
 *                 GATE. Keys: device, operation, stage, file, tid, pid, comm, cpu, uid, cgroup.
 *                 A request counts in one row, with its whole time. If the stage is a key, it
 *                 counts in one row for each stage that it went through; its bytes and errors
 *                 count in the row of Q2C. The CPU is the one that completes the request. The task
 *                 is the one that queued it, with the name that the task had then; tid and pid 0,
 *                 an empty comm, or uid 4294967295 mean that the task is not known. The file is
 *                 the file of the pages, or of the direct call, of the first bio; all 0 means no
 *                 file, or an uncertain one. The cgroup is the one of the task or, in write-back,
 *                 the one that the data is charged to; 0 means that it is not known.
 *
 * FAULT           Page faults of programs (enum ktrace_fault), from the exception to the moment
 *                 when the page is in its place. Sinks: HIST, TABLE, STREAM. Flags: OVERWRITE,
 *                 GATE. Keys: fault, tid, pid, comm, cpu, uid, cgroup.
 *
 * PROFILE         Samples of what CPUs do. A timer of each CPU takes FREQUENCY samples per second,
 *                 and each counts as a call of func enum ktrace_profile that lasted the time
 *                 between two samples. A sample that does not count, because of WHO or a flag, is
 *                 in excluded; a sample that was not taken, because the timer came too late, in
 *                 missed_samples. So calls + excluded + missed_samples is the number of samples
 *                 that were due while the session counted. LIMIT: FREQUENCY, EVENT. With EVENT a
 *                 sample is taken at an event, and "lasts" as many events as it stands for: every
 *                 figure of time counts events. With a period, at most FREQUENCY samples are taken
 *                 in each second, without one at most twice as many; missed_samples has the others,
 *                 and with a period, at the stop, also those that the kernel did not deliver. If no
 *                 CPU counts the event, the attach fails with EOPNOTSUPP. Sinks: HIST, TABLE,
 *                 STREAM, TREE with STACKS, STACKS with TREE or STREAM. Flags: OVERWRITE, GATE,
 *                 ONLY_USER, ONLY_KERNEL. Keys: mode, tid, pid, comm, cpu, uid, cgroup. With TREE
 *                 and STACKS, a sample counts in a node of its func, and below it in a node of its
 *                 stack (func: STACK), which begins at the interrupted instruction. Idle samples
 *                 have no stack, and no record: their number is that of hits without the
 *                 records SAMPLE. At most MAX_NODES / 8 stacks are kept, with 24 frames each on
 *                 average.
 *
 * VIRTIO          What drivers of this machine do with queues of virtio devices
 *                 (KTRACE_VIRTIO_FUNC). TARGET: DEVS. Sink: HIST. Its events belong to no task, so
 *                 WHO is refused, in SESSION_NEW and later.
 *
 *
 * ERRORS
 *
 * EPERM            see RULES: the sender, or the opener of the socket, may not send this
 * EPROTONOSUPPORT  a message of another version of the interface
 * EACCES           the kernel is locked down, and the module was loaded with respect_lockdown;
 *                  INFO, SESSION_GET, SUBSCRIBE, SESSION_PAUSE, SESSION_STOP, SESSION_DEL and
 *                  TASK_CONTINUE still work
 * EINVAL           see RULES
 * ERANGE           wrong length of an attribute
 * ENOENT           no such session, or no such function
 * ESRCH            no such process, or the process has no task that waits
 * EEXIST           the name or number is in use
 * EBUSY            another socket reads or edits the session, or its STATE does not allow this
 * EALREADY         see SESSION_RESET
 * E2BIG            a limit of the interface is exceeded
 * EMFILE           the limit max_sessions of the module is reached, or 64 sessions of BLOCK are
 *                  attached; SUBSCRIBE without CAP_SYS_ADMIN: 256 sockets receive notices
 * EUSERS           the FREQUENCY of all sessions of PROFILE that have not stopped or failed would
 *                  be above KTRACE_MAX_SAMPLES together; an EVENT without a period counts twice
 * ENOMEM           the limit max_mem of the module is reached, or the machine has no memory left
 * EBADF            no such file descriptor
 * ENODATA          there are no figures from before a reset
 * EOPNOTSUPP       this kernel has no cgroups of version 2; as ERROR of a session: no CPU of this
 *                  machine counts EVENT
 * ENODEV           a file of FILES is on a file system without a disk
 * ENOBUFS          the answer was lost for lack of memory
 */
#ifndef _UAPI_KTRACE_H
#define _UAPI_KTRACE_H

#include <linux/types.h>

#include "ktrace_record.h"

#define KTRACE_GENL_NAME	"ktrace"
/* This number grows whenever an older peer could misunderstand a message. */
#define KTRACE_ABI		5
#define KTRACE_GENL_VERSION	KTRACE_ABI

#define KTRACE_NAME_LEN		64	/* with the terminating zero */
#define KTRACE_MAX_SITES	512	/* sites in one FUNC_ADD */
#define KTRACE_MAX_EXITS	64	/* exits of one function */
#define KTRACE_MAX_PIDS		512
#define KTRACE_GET_PIDS		64
#define KTRACE_BUILD_ID_LEN	20	/* at most */
#define KTRACE_MAX_BUDGET	(1000 * 1024)	/* thousandths of a CPU */
#define KTRACE_MAX_FREQUENCY	10000	/* samples per second and CPU */
#define KTRACE_MAX_SAMPLES	20000	/* the same of all sessions together: 1 % of a fast CPU */
#define KTRACE_UNWIND_PART	32768	/* bytes of a table in one UNWIND_ADD, at most */
#define KTRACE_UNWIND_FILES	4096	/* files of a session for UNWIND_ADD, at most */

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
	KTRACE_CMD_SESSION_GATE,
	KTRACE_CMD_SESSION_ARM,
	KTRACE_CMD_UNWIND_ADD,
	__KTRACE_CMD_MAX
};

#define KTRACE_CMD_MAX (__KTRACE_CMD_MAX - 1)

/* type, meaning. An array, a struct or a mixture of both is of type binary, which is not shown. */
enum ktrace_attr {
	KTRACE_A_UNSPEC = 0,
	/* the module */
	KTRACE_A_VERSION,	/* string: of the module */
	KTRACE_A_ABI,		/* u32: KTRACE_ABI of the module */
	KTRACE_A_FEATURES,	/* u64: KTRACE_FEATURE_* */
	KTRACE_A_LIMITS,	/* struct ktrace_limits: of the module */
	KTRACE_A_MEM,		/* u64: bytes of memory that all sessions use together */
	KTRACE_A_COSTS,		/* struct ktrace_costs */
	/* a session, as requested */
	KTRACE_A_NAME,		/* string: [A-Za-z0-9._-]+; in TABLE_GET the name of a queue */
	KTRACE_A_SESSION,	/* u64: number of a session, never 0 */
	KTRACE_A_COOKIE,	/* u64: random: differs between sessions of one number or name */
	KTRACE_A_PROVIDER,	/* u32: enum ktrace_provider */
	KTRACE_A_SINKS,		/* u32: KTRACE_SINK_* */
	KTRACE_A_FLAGS,		/* u32: each command has its own flags */
	KTRACE_A_TARGET,	/* nest: enum ktrace_target_attr, where events are looked for */
	KTRACE_A_WHO,		/* nest: enum ktrace_who_attr, which tasks are traced; none: all */
	KTRACE_A_LIMIT,		/* nest: enum ktrace_limit_attr, limits: time, depth, size, cost */
	KTRACE_A_TABLE,		/* struct ktrace_table */
	/* a session, as it is */
	KTRACE_A_STATE,		/* u32: enum ktrace_state */
	KTRACE_A_ERROR,		/* s32: negative errno; of a function: why it is not probed */
	KTRACE_A_NR_USED,	/* u32: the numbers of committed functions are below this */
	KTRACE_A_NR_SITES,	/* u32: sites that are probed */
	KTRACE_A_NR_FAILED,	/* u32: functions that could not be probed */
	KTRACE_A_OWNER,		/* s32: process that made the session */
	KTRACE_A_READER,	/* s32: process that reads the stream, or 0 */
	KTRACE_A_CLOCKS,	/* struct ktrace_clocks[2]: at the start; now, or at the stop */
	KTRACE_A_COUNTERS,	/* struct ktrace_counters: of the session, or of one CPU */
	/* functions */
	KTRACE_A_FD,		/* u32: file descriptor of the ELF file of these functions */
	KTRACE_A_CALLER_FD,	/* u32: file descriptor of the file of their callers */
				/* (KTRACE_FUNC_CALLER); default: the FD of TARGET */
	KTRACE_A_BUILD_ID,	/* u8[]: from the ELF note of the file; kept for FUNC_GET */
	KTRACE_A_FUNCS,		/* packed struct ktrace_func, each followed by its nr_exits */
				/* struct ktrace_exit */
	KTRACE_A_SYMBOLS,	/* packed struct ktrace_symbol, each with its name */
	KTRACE_A_FUNC_LIST,	/* u32[]: numbers of functions */
	KTRACE_A_FUNC,		/* u32: number of a function */
	KTRACE_A_OFFSET,	/* u64: file offset of the first byte of a function */
	KTRACE_A_TAKEN_OUT,	/* struct ktrace_taken_out: the function exceeded BUDGET */
	/* figures and records */
	KTRACE_A_BUCKETS,	/* struct ktrace_bucket[] */
	KTRACE_A_COLUMNS,	/* struct ktrace_column[]: the columns of CELLS, keys first */
	KTRACE_A_CELLS,		/* u64[]: the words of all columns, in order */
	KTRACE_A_NODES,		/* struct ktrace_node[] */
	KTRACE_A_CPU,		/* u32: below LIMITS.nr_cpus */
	KTRACE_A_CURSOR,	/* u64: number of a packet, or of a stack */
	KTRACE_A_CLOCK,		/* u64: ns, CLOCK_MONOTONIC */
	KTRACE_A_PACKET,	/* one CTF packet */
	KTRACE_A_STACK,		/* u32: number of a stack */
	KTRACE_A_COMM,		/* string: name of the task of a stack, 15 bytes at most */
	KTRACE_A_KERNEL_FRAMES,	/* zero-terminated strings "name" or "name [module]", innermost */
				/* first; kernel addresses are never reported */
	KTRACE_A_USER_FRAMES,	/* u64[]: addresses in process PID, innermost first: behind a */
				/* call; the first is the next instruction, and an instruction */
				/* that a signal interrupted has 1 added, so that all but the */
				/* first are one byte behind the code that they stand for */
	/* events */
	KTRACE_A_EVENT,		/* u32: enum ktrace_event */
	KTRACE_A_PID,		/* s32: process */
	KTRACE_A_PAD,
	/* a session with WHO.PIDS, as it is */
	KTRACE_A_NR_LEFT,	/* u32: processes that are traced now, or were at the stop */
	KTRACE_A_ENDED_AT,	/* u64: ns, CLOCK_MONOTONIC: the last of them ended; 0: some are */
				/* left */
	KTRACE_A_SESSIONS,	/* u64[]: of different sessions, KTRACE_GATE_SESSIONS at most */
	KTRACE_A_KEEP,		/* u64: number of the first packet that is not acknowledged */
	KTRACE_A_TRIGGER,	/* struct ktrace_trigger */
	KTRACE_A_TRIGGERED,	/* struct ktrace_triggered */
	KTRACE_A_UNWIND_LEN,	/* u32: bytes of a whole table; 0: the file has none */
	KTRACE_A_UNWIND_OFFSET,	/* u32: where in the table the part begins */
	KTRACE_A_UNWIND_PART,	/* the next bytes of the table, at most KTRACE_UNWIND_PART */
	KTRACE_A_USER_PLACES,	/* struct ktrace_place[]: one for each of USER_FRAMES */
	__KTRACE_A_MAX
};

#define KTRACE_A_MAX (__KTRACE_A_MAX - 1)

/* TARGET: type, meaning */
enum ktrace_target_attr {
	KTRACE_TARGET_UNSPEC = 0,
	KTRACE_TARGET_FD,	/* u32: file descriptor of the traced file, for checks of callers */
	KTRACE_TARGET_NR_FUNCS,	/* u32: the numbers of functions are below this */
	KTRACE_TARGET_DEVS,	/* u32[]: only these disks, major << 20 | minor, or these virtio */
				/* devices, 3 for virtio3; at most KTRACE_BLOCK_DEVS */
	KTRACE_TARGET_FILES,	/* u32[]: file descriptors, open for reading, at most */
				/* KTRACE_BLOCK_FILES, of regular files and folders: only */
				/* requests whose first bio belongs to one of these files, or to */
				/* a file below one of these folders on the same file system. */
				/* The session keeps the files and folders open. */
	__KTRACE_TARGET_MAX
};

#define KTRACE_TARGET_MAX (__KTRACE_TARGET_MAX - 1)

/*
 * WHO: type, meaning. Numbers are those of the sender's namespaces. A task must meet all
 * conditions that are given.
 */
enum ktrace_who_attr {
	KTRACE_WHO_UNSPEC = 0,
	KTRACE_WHO_PIDS,	/* s32[]: processes */
	KTRACE_WHO_NOT_PIDS,	/* s32[]: processes that are no longer traced */
	KTRACE_WHO_TIDS,	/* s32[]: threads */
	KTRACE_WHO_UIDS,	/* u32[]: users */
	KTRACE_WHO_COMM,	/* string: name of the task, 15 bytes at most, may end with * */
	KTRACE_WHO_CGROUP,	/* u64: cgroup of version 2 (inode of its folder), or below it */
	KTRACE_WHO_FOLLOW,	/* flag: also children of PIDS, and the programs they execute */
	KTRACE_WHO_ON_EXEC,	/* flag: PIDS from their next exec on; not for user functions */
	__KTRACE_WHO_MAX
};

#define KTRACE_WHO_MAX (__KTRACE_WHO_MAX - 1)

/* LIMIT: type, meaning */
enum ktrace_limit_attr {
	KTRACE_LIMIT_UNSPEC = 0,
	KTRACE_LIMIT_MIN_TIME,	/* u64: ns; a shorter call does not count */
	KTRACE_LIMIT_MAX_DEPTH,	/* u32: deeper calls do not count; not 0 */
	KTRACE_LIMIT_MAX_NODES,	/* u32: nodes of a tree at most; default 65536 */
	KTRACE_LIMIT_SUBBUFS_PER_CPU,	/* u32: sub-buffers of the ring of each CPU, a power of */
					/* two; default 64 */
	KTRACE_LIMIT_LIFETIME,	/* u64: ns, not 0: from the begin of the first attach until the */
				/* session is stopped; time in suspend does not count */
	KTRACE_LIMIT_BUDGET,	/* u32: what hits may cost programs, in thousandths of one CPU, */
				/* over the last second, from the first attach on. If they cost */
				/* more, the costliest functions are removed (TAKEN_OUT, and a */
				/* notice), also while a socket stages or commits a change. */
	KTRACE_LIMIT_FREQUENCY,	/* u32: samples per second and CPU of PROFILE, at most */
				/* KTRACE_MAX_FREQUENCY; default 99, with a period of EVENT the */
				/* most that can be given */
	KTRACE_LIMIT_EVENT,	/* struct ktrace_sample_event: what PROFILE samples (time) */
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
	KTRACE_PROVIDER_SCHED,		/* how tasks spend their time: KTRACE_SCHED_* */
	KTRACE_PROVIDER_BLOCK,		/* stages of disk requests */
	KTRACE_PROVIDER_VIRTIO,		/* virtio queues */
	KTRACE_PROVIDER_FAULT,		/* page faults of programs */
	KTRACE_PROVIDER_PROFILE,	/* samples of what CPUs do: KTRACE_PROFILE_* */
	__KTRACE_PROVIDER_MAX
};

/* INFO flags */
#define KTRACE_INFO_LOCKED	(1U << 0)	/* tracing is refused: EACCES */

/* SINKS: in what form a session keeps events */
#define KTRACE_SINK_HIST	(1U << 0)	/* histogram of each function */
#define KTRACE_SINK_COUNT	(1U << 1)	/* entries only, no times; no other sink, no flag */
#define KTRACE_SINK_TABLE	(1U << 2)	/* rows with the keys of TABLE */
#define KTRACE_SINK_TREE	(1U << 3)	/* calling-context tree */
#define KTRACE_SINK_STACKS	(1U << 4)	/* stacks, with TREE or STREAM */
#define KTRACE_SINK_STREAM	(1U << 5)	/* ring of packets */

/* SESSION_NEW flags */
#define KTRACE_F_OVERWRITE	(1U << 0)	/* with STREAM: the ring keeps the newest records */
#define KTRACE_F_CPU_TIME	(1U << 1)	/* SYSCALLS: self_ns is time on the CPU */
#define KTRACE_F_PAGES		(1U << 2)	/* SYSCALLS, with HIST or TABLE: count pages */
#define KTRACE_F_ERRORS		(1U << 3)	/* KERNEL, with TREE: chains of errors */
#define KTRACE_F_RAW		(1U << 4)	/* USER: self_ns includes what hits cost */
/* USER: only calls below functions that may be added later, see KTRACE_FUNC_BELOW */
#define KTRACE_F_BELOW		(1U << 5)
#define KTRACE_F_GATE		(1U << 6)	/* counts while its gate is open: SESSION_GATE */
/* USER, with STREAM: one record per call, EXIT; ENTRY only if it has values or NO_RETURN */
#define KTRACE_F_NO_ENTRIES	(1U << 7)
#define KTRACE_F_ONLY_USER	(1U << 8)	/* PROFILE: only samples in user mode count */
#define KTRACE_F_ONLY_KERNEL	(1U << 9)	/* PROFILE: only samples in the kernel count */
#define KTRACE_F_UNWIND		(1U << 10)	/* with STACKS: tables for programs: UNWIND_ADD */

/*
 * The meaning of func for KTRACE_PROVIDER_SYSCALLS: the number of a 64-bit call, the number of a
 * 32-bit call + KTRACE_SYSCALL_COMPAT, or KTRACE_SYSCALL_OTHER. A call of x32 has the number of
 * the 64-bit call that does the same.
 */
#define KTRACE_SYSCALL_COMPAT	512
#define KTRACE_SYSCALL_OTHER	1024
#define KTRACE_NR_SYSCALLS	1025

/*
 * The meaning of func for KTRACE_PROVIDER_SYSENTER. A null call is the system call nfsservctl,
 * which no kernel implements any more, with KTRACE_SYSENTER_MAGIC as its third argument. The first
 * argument is the TSC before this call; if it is 0, the call does not count. The second argument
 * is the TSC after the previous call; if it is 0, the exit of the previous call does not count.
 * A call that counts adds one value, in cycles of the TSC, to each of these.
 */
#define KTRACE_SYSENTER_ENTRY	0	/* from the first argument to sys_enter */
#define KTRACE_SYSENTER_HANDLER	1	/* from sys_enter to sys_exit */
#define KTRACE_SYSENTER_EXIT	2	/* from sys_exit to the second argument of the next call */
#define KTRACE_SYSENTER_PROBES	3	/* in the two probes; not part of the other three */
#define KTRACE_NR_SYSENTER	4
#define KTRACE_SYSENTER_MAGIC	0x6b74726163654e30ULL

/* The meaning of func for KTRACE_PROVIDER_SCHED: a period that a task spent ... */
#define KTRACE_SCHED_RUN	0	/* on a CPU, until the task gave it up, or ended */
#define KTRACE_SCHED_RUN_OUT	1	/* on a CPU, until the task was preempted */
#define KTRACE_SCHED_WAKEUP	2	/* runnable, from its wake-up or fork until it got a CPU */
#define KTRACE_SCHED_PREEMPTED	3	/* runnable, from its preemption until it got a CPU again */
#define KTRACE_SCHED_SLEEP	4	/* in an interruptible sleep, until woken */
#define KTRACE_SCHED_DISK	5	/* in an uninterruptible sleep, until woken */
#define KTRACE_SCHED_STOPPED	6	/* stopped by a signal, or by its tracer */
#define KTRACE_SCHED_RUN_CUT	7	/* on a CPU; the begin, end or a reset cut this period */
#define KTRACE_NR_SCHED		8

/*
 * The meaning of func for KTRACE_PROVIDER_BLOCK. Each session numbers the first devices that it
 * sees; TABLE_GET reports the device itself. KTRACE_BLOCK_DEVS is the number of all later devices.
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
	KTRACE_BLOCK_ZEROES,		/* writes of zeroes, which carry no data */
	KTRACE_BLOCK_PASSTHROUGH,	/* commands of programs and drivers */
	KTRACE_BLOCK_OTHER		/* any other, such as operations on zones */
};

/*
 * Stages of a request. A stage that a request skips does not count, and the next stage begins
 * where the skipped stage would have begun. So the total_ns of all stages add up to the total_ns
 * of Q2C. Calls, bytes and errors of Q2C are those of the requests. Higher numbers are reserved
 * for future stages.
 */
enum ktrace_block_stage {
	KTRACE_BLOCK_Q2G = 0,		/* from the queueing of the bio to the request for it */
	KTRACE_BLOCK_G2I,		/* to the insertion into the I/O scheduler */
	KTRACE_BLOCK_I2D,		/* to the last time it was issued to the driver */
	KTRACE_BLOCK_D2C,		/* to the completion of its last byte */
	KTRACE_BLOCK_Q2C		/* the whole request */
};

/*
 * The meaning of func for KTRACE_PROVIDER_VIRTIO. Each session numbers the first queues that it
 * sees; TABLE_GET reports the device, the queue and its NAME. KTRACE_VIRTIO_QUEUES is the number
 * of all later queues.
 */
#define KTRACE_VIRTIO_QUEUES_ORDER 9
#define KTRACE_VIRTIO_QUEUES	(1 << KTRACE_VIRTIO_QUEUES_ORDER)
#define KTRACE_VIRTIO_FUNC(queue, what)	((queue) << 3 | (what))
#define KTRACE_VIRTIO_QUEUE(func)	((func) >> 3)
#define KTRACE_VIRTIO_WHAT(func)	((func) & 7)
#define KTRACE_NR_VIRTIO	KTRACE_VIRTIO_FUNC(KTRACE_VIRTIO_QUEUES + 1, 0)

enum ktrace_virtio_what {
	KTRACE_VIRTIO_ADD = 0,	/* entries: requests; errors: requests that the queue refused */
	KTRACE_VIRTIO_OUT,	/* entries, bytes: pieces of memory that the device shall read */
	KTRACE_VIRTIO_IN,	/* entries, bytes: pieces of memory that the device may write */
	KTRACE_VIRTIO_USED,	/* entries: requests that the device has used; bytes: written by */
				/* it; calls and times: of requests whose ADD was seen */
	KTRACE_VIRTIO_KICK,	/* entries: notifications of the device by the driver */
	KTRACE_VIRTIO_INTERRUPT	/* entries: interrupts by the device; errors: interrupts without */
				/* work in this queue */
};

/*
 * The meaning of func for KTRACE_PROVIDER_FAULT: the access that faulted, with KTRACE_FAULT_MAJOR
 * if a page had to be read. errors are faults that ended in a signal.
 */
enum ktrace_fault {
	KTRACE_FAULT_READ = 0,
	KTRACE_FAULT_WRITE,
	KTRACE_FAULT_EXEC,	/* fetch of an instruction */
	KTRACE_FAULT_MAJOR = 1 << 2
};

#define KTRACE_NR_FAULTS	(KTRACE_FAULT_MAJOR << 1)

/* The meaning of func for KTRACE_PROVIDER_PROFILE: what the CPU did at the sample. */
enum ktrace_profile {
	KTRACE_PROFILE_USER = 0,	/* a program, in user mode */
	KTRACE_PROFILE_KERNEL,		/* the kernel, also in a softirq of an idle CPU */
	KTRACE_PROFILE_IDLE		/* nothing */
};

#define KTRACE_NR_PROFILE	3

/*
 * The meaning of func in a node with KTRACE_F_ERRORS. A call that returned an error is a node,
 * with its errno, below the node of the last call inside it that returned an error. So the call
 * that failed first is at the root. Errno 0 means that the function went on after the error of its
 * parent node: another call in it failed later, or it returned no error. A node with errno 0 has
 * no children. self_ns is the part of total_ns that belongs to calls with nodes below this one.
 */
#define KTRACE_ERROR_LINK(func, nr)	((func) << 12 | (nr))
#define KTRACE_ERROR_FUNC(link)		((link) >> 12)
#define KTRACE_ERROR_NR(link)		((link) & 0xfff)
#define KTRACE_ERROR_FUNCS		(1U << 19)	/* the largest NR_FUNCS */

/* STREAM_READ flags */
#define KTRACE_READ_FLUSH	(1U << 0)

/* FUNC_GET, TREE_GET and TABLE_GET flags */
#define KTRACE_READ_BEFORE	(1U << 1)

/* FUNC_GET flags */
#define KTRACE_READ_PROBED	(1U << 2)

/* TABLE_GET flags */
#define KTRACE_READ_CPUS	(1U << 3)	/* one row per key and CPU that counted it */

/* FUNC_DEL flags */
#define KTRACE_DEL_UNDO		(1U << 0)

/* TABLE_GET: flags of a row */
#define KTRACE_ROW_OTHERS	(1U << 0)

/* SESSION_GATE flags */
#define KTRACE_GATE_CLOSE	(1U << 0)
#define KTRACE_GATE_SESSIONS	8

/* SESSION_RESET flags */
#define KTRACE_RESET_DONE	(1U << 0)

/* STACK_GET: flags of a stack. A stack has at most KTRACE_STACK_FRAMES frames of each kind. */
#define KTRACE_STACK_FRAMES	127
#define KTRACE_STACK_KERNEL_CUT	(1U << 0)	/* there were more kernel frames */
#define KTRACE_STACK_USER_CUT	(1U << 1)	/* there were more user frames */
#define KTRACE_STACK_USER_GONE	(1U << 2)	/* the next user frame was not in memory */
#define KTRACE_STACK_USER_FP	(1U << 3)	/* KTRACE_F_UNWIND: some user frames were found */
						/* by frame pointers: callers may be missing */
#define KTRACE_STACK_USER_NO_RULE (1U << 4)	/* ends where a table has no rule to go on */

/*
 * Where an address was in a mapped file that has a table of UNWIND_ADD. It stays true when the
 * process maps other files, executes another program, or ends.
 */
struct ktrace_place {
	__u64 inode;		/* of the file, as in /proc/PID/maps; 0: the vDSO */
	__u64 offset;		/* of the address in the file; KTRACE_PLACE_UNKNOWN: not known */
	__u32 major;		/* the device of the inode, as in /proc/PID/maps */
	__u32 minor;
};

#define KTRACE_PLACE_UNKNOWN	(~0ULL)

/* FEATURES */
#define KTRACE_FEATURE_UPROBE	(1ULL << 0)
#define KTRACE_FEATURE_SYSCALLS	(1ULL << 1)
#define KTRACE_FEATURE_KERNEL	(1ULL << 2)
#define KTRACE_FEATURE_FPROBE	(1ULL << 5)	/* thousands of kernel functions at once */
#define KTRACE_FEATURE_SCHED	(1ULL << 3)
#define KTRACE_FEATURE_BLOCK	(1ULL << 4)
#define KTRACE_FEATURE_VIRTIO	(1ULL << 6)
#define KTRACE_FEATURE_UNWIND	(1ULL << 7)	/* KTRACE_F_UNWIND, UNWIND_ADD */

enum ktrace_state {
	KTRACE_STATE_UNSPEC = 0,
	KTRACE_STATE_NEW,	/* functions may be added */
	KTRACE_STATE_ATTACHING,
	KTRACE_STATE_ACTIVE,
	KTRACE_STATE_STOPPED,
	KTRACE_STATE_FAILED,	/* KTRACE_A_ERROR is the reason; no probe is planted */
	KTRACE_STATE_CHANGING,	/* active, while probes are added or removed */
	KTRACE_STATE_PAUSED	/* no probe is planted, the data stays */
};

enum ktrace_event {
	KTRACE_EVENT_UNSPEC = 0,
	KTRACE_EVENT_STATE,	/* the session's state changed */
	KTRACE_EVENT_DATA,	/* a quarter of the ring of CPU waits to be read */
	KTRACE_EVENT_GONE,	/* the session was deleted */
	KTRACE_EVENT_HELD,	/* a task of process PID waits for TASK_CONTINUE */
	KTRACE_EVENT_EXEC,	/* process PID now runs another program */
	KTRACE_EVENT_STACKS,	/* there are new stacks */
	KTRACE_EVENT_TAKEN_OUT,	/* functions were removed because they exceeded BUDGET */
	KTRACE_EVENT_TRIGGERED,	/* an event met the condition of TRIGGER */
	KTRACE_EVENT_MAPS	/* process PID has mapped code of unknown files: UNWIND_ADD */
};

/* How the return of a function is observed. */
enum ktrace_return {
	KTRACE_RETURN_NONE = 0,		/* not observed: calls have no duration and no callees */
	KTRACE_RETURN_SITES,		/* by probes at its exits */
	KTRACE_RETURN_URETPROBE,	/* by a uretprobe of the kernel */
	KTRACE_RETURN_UNSEEN,		/* not observed: a later hit proves the end */
	KTRACE_RETURN_SILENT		/* by probes at its exits, for calls that jumped to it */
};

enum ktrace_exit_kind {
	KTRACE_EXIT_UNSPEC = 0,
	KTRACE_EXIT_RET,	/* return instruction */
	KTRACE_EXIT_JMP,	/* jump that leaves the function */
	KTRACE_EXIT_JCC,	/* conditional jump: leaves if condition cc holds */
	KTRACE_EXIT_JMP_REG,	/* indirect jump through register base */
	KTRACE_EXIT_JMP_MEM,	/* indirect jump through [base + index*scale + disp] */
	KTRACE_EXIT_JMP_PLT	/* jump to a stub, which jumps to an import via [rip + disp] */
};

/* ktrace_func.flags */
#define KTRACE_FUNC_CALLER	(1U << 0) /* only calls from the caller file count */
#define KTRACE_FUNC_BELOW	(1U << 1) /* show only calls of it, and the calls inside them */
#define KTRACE_FUNC_NOT_BELOW	(1U << 2) /* do not show calls of it, nor calls inside them */
#define KTRACE_FUNC_HIDDEN	(1U << 3) /* the function itself is neither shown nor counted */
#define KTRACE_FUNC_HOLD	(1U << 4) /* not recorded: tasks wait here (SESSION_WATCH) */
#define KTRACE_FUNC_LOOP	(1U << 5) /* loops to its start: no new call at an open call's sp */
#define KTRACE_FUNC_CHECK	(1U << 6) /* its entry is a jbe: a call only if it is not taken */
#define KTRACE_FUNC_JUMPS	(1U << 7) /* also jumps to functions with probes at all exits */
#define KTRACE_FUNC_ALL		((1U << 8) - 1)	/* all flags of user functions */
/* ktrace_symbol.flags: BELOW, NOT_BELOW, and */
#define KTRACE_FUNC_TASK	(1U << 7) /* interrupts do not call the function */

/* Register numbers are those of the instruction encoding: 0 rax, 1 rcx, ... 15 r15. */
#define KTRACE_REG_RIP		16
#define KTRACE_REG_NONE		17

/* ktrace_func.traits */
#define KTRACE_TRAIT_STEPPED	(1U << 0) /* the kernel steps the entry; else it emulates it */
#define KTRACE_TRAIT_CATCHES	(1U << 1) /* called where an exception is caught, just before */
#define KTRACE_TRAIT_THROWS	(1U << 2) /* never returns: an open call further out goes on */
#define KTRACE_TRAIT_LEAPS	(1U << 3) /* THROWS, and goes on at once, as longjmp does */
#define KTRACE_TRAIT_ENDLESS	(1U << 4) /* has no exit: ends with its thread, or is unwound */
#define KTRACE_TRAIT_ALL	((1U << 5) - 1)

struct ktrace_func {
	__u32 func;
	__u16 nr_exits;
	__u8 ret;		/* enum ktrace_return */
	__u8 flags;
	__u64 entry;		/* file offset of the probe at the entry */
	__u64 start;		/* file offsets of the body: [start, end) */
	__u64 end;
	__u64 cold_start;	/* file offsets of the .cold part, or 0 */
	__u64 cold_end;
	__u8 args[KTRACE_MAX_ARGS]; /* enum ktrace_value, in registers; for KTRACE_SINK_STREAM */
	__u8 result;		/* enum ktrace_value; seen at RET exits and by uretprobes */
	__u8 traits;		/* KTRACE_TRAIT_* */
};

struct ktrace_exit {
	__u64 offset;		/* file offset of the instruction */
	__u8 kind;		/* enum ktrace_exit_kind */
	__u8 cc;		/* condition, low nibble of the jcc opcode */
	__u8 base;		/* registers of an indirect jump: KTRACE_REG_* or a number */
	__u8 index;
	__u8 scale;		/* 1, 2, 4, 8 */
	__u8 len;		/* length of the instruction, for rip-relative addresses */
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
	__u8 result;		/* KTRACE_VALUE_INT: a number, by the type of the function */
	__u64 addr;		/* from /proc/kallsyms; 0: the kernel looks it up, slowly */
	char name[];		/* "vfs_read", "ext4:ext4_sync_file" */
};

struct ktrace_limits {
	__u64 max_mem;		/* bytes, all sessions */
	__u32 nr_cpus;		/* possible CPUs: the numbers of streams are below this */
	__u32 subbuf_len;	/* bytes of a packet at most */
	__u32 max_depth;	/* frames of one shadow stack */
	__u32 max_sessions;
	__u32 max_sites;	/* of one session */
	__u32 __pad;
};

/* The same moment on four clocks: ns, and tsc in cycles. */
struct ktrace_clocks {
	__u64 monotonic;
	__u64 realtime;
	__u64 boottime;
	__u64 tsc;
};

/*
 * What happened to all events and records. At any moment, per CPU and summed:
 * produced = acknowledged + dropped + held.
 */
struct ktrace_counters {
	__u64 hits;		/* probe hits that passed the filter */
	__u64 run_cnt;		/* hits whose own cost was measured */
	__u64 run_ns;		/* cost of these hits, ns */
	__u64 produced;		/* records given to the ring */
	__u64 acknowledged;	/* records read and acknowledged */
	__u64 held;		/* records that wait in the ring */
	__u64 dropped;		/* records, for the two reasons below */
	__u64 dropped_full;	/* ring full (discard mode) */
	__u64 dropped_overwritten;
	__u64 lost_pool;	/* calls: no memory for a shadow stack or histogram */
	__u64 lost_depth;	/* calls: shadow stack full */
	__u64 lost_nested;	/* hits inside ktrace itself */
	__u64 lost_fault;	/* hits: user memory could not be read */
	__u64 lost_tree;	/* calls counted in the "tree full" node */
	__u64 unmatched;	/* returns whose entry was not seen, although its probe was set */
	__u64 unwound;		/* frames closed by exception, longjmp or exit */
	__u64 gaps;		/* held tasks that went on early: time-out, or probes changed */
	__u64 lost_missed;	/* calls of any task that the kernel had no room to observe; */
				/* PROFILE with EVENT: times that a CPU came and got no counter */
	__u64 lost_stacks;	/* stacks: no room or no time; their calls and periods count */
	__u64 lost_files;	/* bios not counted: unknown if they belong to FILES */
	__u64 ret_cnt;		/* hits of returns, included in run_cnt */
	__u64 ret_ns;		/* cost of these hits, ns, included in run_ns */
	__u64 lost_rows;	/* calls counted in the row of the others: the table was full */
	/* for user functions: */
	__u64 excluded;		/* hits of tasks that meet not all conditions of WHO; PROFILE: */
				/* all other samples */
	__u64 cost_ns;		/* cost of all hits, also of these, ns; the module's part is a */
				/* moving average, and the kernel's part that of COSTS */
	__u64 after_trigger;	/* records that were not written, since a trigger had fired */
	__u64 missed_samples;	/* PROFILE: the timer came too late for these, in any task */
};

/*
 * What a hit costs the program, ns. The first three are the kernel's part: the trap, the search
 * for the probe, and the emulation or stepping of the instruction. The others are the module's
 * part.
 */
struct ktrace_costs {
	__u64 entry;		/* at an entry whose instruction is emulated */
	__u64 stepped;		/* at an entry whose instruction is single-stepped */
	__u64 ret;		/* at a return instruction */
	__u64 own_entry;
	__u64 own_ret;
};

/* A function that was removed because the session exceeded BUDGET. */
struct ktrace_taken_out {
	__u64 time;		/* of the removal, ns, CLOCK_MONOTONIC */
	__u64 calls;		/* its calls in the interval before, estimated from ... */
	__u64 cost_ns;		/* ... the cost of these calls, ns ... */
	__u64 moment_ns;	/* ... and the length of the interval, ns */
};

/*
 * Log-linear buckets: an index below 16 is the value itself. Above, an octave
 * [2^e, 2^(e+1)) has 16 equal parts, and index = (e - 3) * 16 + part.
 */
#define KTRACE_BUCKET_BITS	4
#define KTRACE_NR_OCTAVES	40
struct ktrace_bucket {
	__u32 index;
	__u32 __pad;
	__u64 count;
};

/*
 * A table has rows. The keys of a row describe what the row counts; the row has values for it.
 * Each key and value has a name, a kind and a unit, which TABLE_GET sends first.
 */
enum ktrace_key {
	KTRACE_KEY_NONE = 0,
	KTRACE_KEY_FUNCTION,	/* number of the function in FUNC_ADD */
	KTRACE_KEY_SYSCALL,	/* number of the call, see KTRACE_SYSCALL_COMPAT */
	KTRACE_KEY_ERRNO,	/* errno that the call returned; 0: no error */
	KTRACE_KEY_TID,		/* thread, in the initial pid namespace */
	KTRACE_KEY_PID,		/* process, in the initial pid namespace */
	KTRACE_KEY_COMM,	/* text: name of the task when the event ended (BLOCK: began) */
	KTRACE_KEY_CPU,		/* CPU on which the event ended */
	KTRACE_KEY_UID,		/* user, in the initial user namespace */
	KTRACE_KEY_CGROUP,	/* cgroup of version 2: inode of its folder */
	KTRACE_KEY_PERIOD,	/* KTRACE_SCHED_* */
	KTRACE_KEY_DEVICE,	/* major << 20 | minor, or 3 of virtio3; all ones: several */
	KTRACE_KEY_OPERATION,	/* enum ktrace_block_op, enum ktrace_virtio_what */
	KTRACE_KEY_STAGE,	/* enum ktrace_block_stage, KTRACE_SYSENTER_* */
	KTRACE_KEY_QUEUE,	/* of a virtio device; all ones: several */
	KTRACE_KEY_FAULT,	/* enum ktrace_fault */
	KTRACE_KEY_FILE,	/* device of the file system, major << 20 | minor, and inode */
	KTRACE_KEY_MODE,	/* enum ktrace_profile */
	__KTRACE_KEY_MAX
};

/* Values. Times are in ns. */
enum ktrace_figure {
	KTRACE_FIGURE_CALLS = 0,	/* calls that returned, or were closed: with a time, or */
					/* those of AT_MOST */
	KTRACE_FIGURE_ENTRIES,
	KTRACE_FIGURE_ERRORS,		/* calls that returned an error */
	KTRACE_FIGURE_TOTAL,		/* recursion is counted once */
	KTRACE_FIGURE_SELF,		/* of a single CPU it may be negative */
	KTRACE_FIGURE_SUM,		/* of all calls, also recursive ones: for the mean */
	KTRACE_FIGURE_MIN,
	KTRACE_FIGURE_MAX,
	KTRACE_FIGURE_BYTES,		/* returned by calls that read, write, send or receive */
	KTRACE_FIGURE_GAPS,		/* gaps: from the end of such a call to the start of the */
	KTRACE_FIGURE_GAP_TIME,		/* thread's next one, if the same call on the same file */
	/* with KTRACE_F_PAGES, pages of the page cache: */
	KTRACE_FIGURE_PAGE_HITS,	/* read or written, and already in the cache */
	KTRACE_FIGURE_PAGE_MISSES,	/* read or written, and added to the cache by the call */
	KTRACE_FIGURE_PAGES_AHEAD,	/* added besides: read ahead, or by a file system */
	KTRACE_FIGURE_PAGES_DIRTIED,	/* clean pages that the call made dirty */
	/* for user functions: */
	KTRACE_FIGURE_AT_MOST,		/* calls that ended unseen: without a time in TOTAL, */
					/* SUM, MIN, MAX and the histogram */
	KTRACE_FIGURE_SINCE,		/* begin of the last call whose return cannot be seen: */
					/* CLOCK_MONOTONIC; 0: there was no such call */
	/* for rows by chosen keys: */
	KTRACE_FIGURE_LAST,		/* when the row last counted, on a clock of the module */
	KTRACE_FIGURE_COMM,		/* for which task it then counted; with key pid and */
					/* without key tid, for which process */
	/* for user functions: upper bounds of what TOTAL and SELF do not include */
	KTRACE_FIGURE_AT_MOST_TIME,	/* the calls of AT_MOST; recursion is counted once */
	KTRACE_FIGURE_AT_MOST_SELF,	/* time in which it ran, or another function in its place */
	__KTRACE_FIGURE_MAX
};

/* The content of a column. For a value: how to combine the values of two rows. */
enum ktrace_column_kind {
	KTRACE_COLUMN_UNSPEC = 0,
	KTRACE_COLUMN_NUMBER,	/* a key: one word */
	KTRACE_COLUMN_TEXT,	/* a key: two words, 16 bytes padded with zeroes */
	KTRACE_COLUMN_SUM,	/* a value of one word: the sum */
	KTRACE_COLUMN_LEAST,	/* the smaller one; all ones: there is no value */
	KTRACE_COLUMN_MOST,	/* the larger one */
	KTRACE_COLUMN_LATEST,	/* text: the one of the row with the larger "last" */
	KTRACE_COLUMN_FILE	/* a key: two words, device and inode */
};

#define KTRACE_COLUMN_TEXT_LEN	16

struct ktrace_column {
	__u8 name[16];		/* "tid", "calls"; padded with zeroes, as unit is */
	__u8 unit[8];		/* "ns", "bytes", "pages", "calls"; "": a plain number */
	__u32 id;		/* enum ktrace_key or ktrace_figure */
	__u8 is_key;
	__u8 kind;		/* enum ktrace_column_kind */
	__u16 __pad;
};

#define KTRACE_TABLE_KEYS	4	/* at most */
#define KTRACE_TABLE_ROWS	8192	/* the default of max_rows */
#define KTRACE_TABLE_MAX_ROWS	(1U << 20)
#define KTRACE_TABLE_HISTOGRAM	(1U << 0)	/* each row has a histogram */

/* In requests, the table that the session shall have; in answers, a table that it has. */
struct ktrace_table {
	__u64 values;		/* 1 << KTRACE_FIGURE_*; 0: all values of the provider */
	__u32 flags;		/* KTRACE_TABLE_* */
	__u32 max_rows;		/* 0: KTRACE_TABLE_ROWS; in answers 0: one row per function */
	__u32 keys[KTRACE_TABLE_KEYS];	/* enum ktrace_key, each once, followed by zeroes */
};

#define KTRACE_NODE_ROOT	0xffffffffU
#define KTRACE_FUNC_FULL	0xfffffffeU	/* func of the "tree full" node */
#define KTRACE_NODE_TAIL	(1U << 0)	/* some of its calls were jumps of the parent */
/*
 * The calls of func under parent that ended unseen, with upper bounds of their times. They are not
 * in the node of func under parent, which has the callees.
 */
#define KTRACE_NODE_AT_MOST	(1U << 1)
struct ktrace_node {
	__u32 node;
	__u32 parent;		/* or KTRACE_NODE_ROOT */
	__u32 func;
	__u32 marks;		/* KTRACE_NODE_TAIL, KTRACE_NODE_AT_MOST */
	__u64 calls;
	__u64 total_ns;		/* of all calls of this node */
	__u64 self_ns;		/* of user functions signed: costs of hits are subtracted */
};

/*
 * A condition: an event of func that took min_ns or longer and, with KTRACE_TRIGGER_ERROR, failed.
 * Calls that a stop or a pause of the session closes, and calls with KTRACE_REC_F_AT_MOST, do not
 * meet it. BLOCK: func is an enum ktrace_block_stage, whose time is compared; KTRACE_TRIGGER_ANY is
 * KTRACE_BLOCK_Q2C. SCHED: KTRACE_TRIGGER_ANY is a wait for a CPU (_WAKEUP or _PREEMPTED), and
 * KTRACE_SCHED_RUN is also a _RUN_OUT; KTRACE_SCHED_RUN_CUT is refused.
 */
#define KTRACE_TRIGGER_ANY	0xffffffffU
#define KTRACE_TRIGGER_ERROR	(1U << 0)	/* SYSCALLS, KERNEL, BLOCK, FAULT */
struct ktrace_trigger {
	__u32 func;		/* as in records, or KTRACE_TRIGGER_ANY */
	__u32 flags;		/* KTRACE_TRIGGER_* */
	__u64 min_ns;
	__u64 after_ns;		/* for how long records are still written after the event */
};

/*
 * A source of samples: an event that the kernel's perf events count, on each CPU. type is
 * PERF_TYPE_HARDWARE, or PERF_TYPE_SOFTWARE with PERF_COUNT_SW_PAGE_FAULTS, _CONTEXT_SWITCHES or
 * _CPU_MIGRATIONS (linux/perf_event.h).
 */
struct ktrace_sample_event {
	__u32 type;		/* PERF_TYPE_* */
	__u32 zero;
	__u64 config;		/* PERF_COUNT_* */
	__u64 period;		/* events from one sample of a CPU to the next; 0: the kernel */
				/* adapts it, so that there are FREQUENCY samples per second */
};

/* The event that met the condition; all 0: the trigger is armed. */
struct ktrace_triggered {
	__u64 time;		/* ns, CLOCK_MONOTONIC: when its record had been written */
	__u64 frozen_from;	/* ns, CLOCK_MONOTONIC: no record is begun from then on */
	__u64 duration;		/* ns */
	__u32 func;
	__u32 tid;
	__u32 error;		/* errno, or 0 */
	__u32 __pad;
};

#endif
