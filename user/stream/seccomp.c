// SPDX-License-Identifier: GPL-2.0
/*
 * A system call that is not listed returns EPERM: the process goes on, and what it could not do
 * becomes an error that the reader reports. A killed process would be started again, with the same
 * end. Calls that are newer than the list return ENOSYS, so that libraries use older ones, whose
 * arguments can be checked: clone() for clone3(), whose flags are in memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "stream/seccomp.h"

/* The headers of el7 lack them. */
#ifndef SYS_getrandom
#define SYS_getrandom 318
#endif
#ifndef SYS_memfd_create
#define SYS_memfd_create 319
#endif
#ifndef SYS_statx
#define SYS_statx 332
#endif
#ifndef SYS_rseq
#define SYS_rseq 334
#endif
#ifndef F_ADD_SEALS
#define F_ADD_SEALS 1033
#endif

#define NEWEST SYS_rseq	/* the numbers of x32 are larger, too */

enum {
	NET = 1 << SECCOMP_NET, LOCAL = 1 << SECCOMP_LOCAL, CURL = 1 << SECCOMP_CURL,
	FILES = 1 << SECCOMP_FILE, PAGE = 1 << SECCOMP_PAGE, READER = 1 << SECCOMP_READER,
	SENDS = NET | CURL,
	ALL = SENDS | LOCAL | FILES | PAGE
};

/* The reader may do all that it forks processes for. */
struct call {
	unsigned int nr;
	unsigned int who;
	/* The call is allowed if the masked lower halves of these arguments have the values. */
	unsigned int nr_checks;
	struct check {
		unsigned int arg;
		uint32_t mask, value;
	} checks[2];
};

#define CALL(name, who) { SYS_##name, who, 0, {{ 0 }} }
#define CHECKED(name, who, arg, mask, value) { SYS_##name, who, 1, {{ arg, mask, value }} }
#define EQUALS(name, who, arg, value) CHECKED(name, who, arg, UINT32_MAX, value)
#define EQUAL(name, who, arg, value, other, its) \
	{ SYS_##name, who, 2, {{ arg, UINT32_MAX, value }, { other, UINT32_MAX, its }} }

/* Only to read: O_TRUNC changes a file that is not open for writing, too. */
#define WRITES (O_ACCMODE | O_CREAT | O_TRUNC)
#define NAMESPACES \
	(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)
/* F_DUPFD to F_SETLKW; the next one, F_SETOWN, would send signals. */
#define HARMLESS_FCNTL 7U

/* What is called for each part or page comes first. */
static const struct call calls[] = {
	CALL(poll, ALL), CALL(recvfrom, ALL), CALL(sendto, ALL), CALL(sendmsg, ALL),
	CALL(write, ALL), CALL(read, ALL), CALL(fdatasync, FILES), CALL(fstat, ALL),
	CALL(stat, SENDS | FILES), CALL(epoll_wait, SENDS | PAGE), CALL(close, ALL),
	CALL(accept4, PAGE), CALL(accept, PAGE), CALL(epoll_ctl, SENDS | PAGE),
	CALL(recvmsg, ALL), CALL(writev, SENDS | PAGE), CALL(readv, SENDS),
	CALL(futex, ALL), CALL(clock_gettime, ALL), CALL(gettimeofday, ALL), CALL(time, ALL),

	CALL(brk, ALL), CALL(munmap, ALL), CALL(mremap, ALL), CALL(madvise, ALL),
	/* Libraries are loaded; nothing is both written and executed. */
	CHECKED(mmap, ALL, 2, PROT_EXEC, 0), CHECKED(mmap, SENDS, 2, PROT_WRITE, 0),
	CHECKED(mprotect, ALL, 2, PROT_EXEC, 0),

	CHECKED(fcntl, ALL, 1, ~HARMLESS_FCNTL, 0), EQUALS(fcntl, ALL, 1, F_DUPFD_CLOEXEC),
	EQUALS(fcntl, LOCAL, 1, F_ADD_SEALS), CALL(memfd_create, LOCAL),
	EQUALS(ioctl, SENDS | PAGE, 1, FIONREAD), EQUALS(ioctl, SENDS | PAGE, 1, FIONBIO),
	EQUALS(ioctl, FILES, 1, TCGETS),
	CALL(lseek, ALL), CALL(pread64, ALL), CALL(ppoll, ALL), CALL(select, SENDS),

	/* Addresses: files, and servers of names; rtnetlink lists the interfaces for getaddrinfo(). */
	EQUALS(socket, SENDS | LOCAL, 0, AF_UNIX), EQUALS(socket, SENDS, 0, AF_INET),
	EQUALS(socket, SENDS, 0, AF_INET6),
	EQUAL(socket, SENDS, 0, AF_NETLINK, 2, NETLINK_ROUTE),
	CALL(connect, SENDS | LOCAL), CALL(bind, SENDS), CALL(sendmmsg, SENDS),
	CALL(setsockopt, SENDS | LOCAL | PAGE), CALL(getsockopt, SENDS | LOCAL | PAGE),
	CALL(getsockname, SENDS | PAGE), CALL(getpeername, SENDS | PAGE),
	CALL(shutdown, SENDS | PAGE),
	CHECKED(openat, SENDS, 2, WRITES, O_RDONLY), CHECKED(open, SENDS, 1, WRITES, O_RDONLY),
	CALL(access, SENDS), CALL(faccessat, SENDS), CALL(lstat, SENDS), CALL(statfs, SENDS),
	CALL(fstatfs, SENDS), CALL(newfstatat, SENDS | FILES), CALL(statx, SENDS | FILES),
	CALL(readlink, SENDS), CALL(readlinkat, SENDS), CALL(getdents, SENDS),
	CALL(getdents64, SENDS), CALL(getcwd, SENDS), CALL(fadvise64, SENDS | FILES),
	CALL(epoll_create1, SENDS), CALL(epoll_pwait, SENDS | PAGE), CALL(pipe2, SENDS),
	CALL(eventfd2, SENDS), CALL(socketpair, SENDS), CALL(timerfd_create, SENDS),
	CALL(timerfd_settime, SENDS), CALL(uname, SENDS), CALL(sysinfo, SENDS),
	CALL(times, SENDS), CALL(getrusage, SENDS), CALL(getrlimit, SENDS),
	EQUALS(prlimit64, SENDS, 0, 0), CALL(sched_getaffinity, SENDS),
	CALL(getuid, SENDS), CALL(geteuid, SENDS), CALL(getgid, SENDS), CALL(getegid, SENDS),
	CALL(getppid, SENDS),

	/* The thread in which libcurl finds addresses. */
	CHECKED(clone, CURL, 0, CLONE_THREAD, CLONE_THREAD), CALL(set_robust_list, CURL),
	CALL(rseq, CURL), CALL(sigaltstack, CURL),

	CALL(openat, FILES), CALL(open, FILES), CALL(rename, FILES), CALL(ftruncate, FILES),
	CALL(flock, FILES), CALL(dup, FILES),

	CALL(getpid, ALL), CALL(gettid, ALL), CALL(getrandom, ALL), CALL(sched_yield, ALL),
	CALL(rt_sigaction, ALL), CALL(rt_sigprocmask, ALL), CALL(rt_sigreturn, ALL),
	CALL(restart_syscall, ALL), CALL(nanosleep, ALL), CALL(clock_nanosleep, ALL),
	CALL(exit, ALL), CALL(exit_group, ALL),

	/* Processes, and how they drop their privileges. */
	CHECKED(clone, READER, 0, NAMESPACES | CLONE_VM | CLONE_PTRACE, 0),
	CALL(wait4, READER), CALL(kill, READER), CALL(prctl, READER), CALL(capget, READER),
	CALL(capset, READER), CALL(setgroups, READER), CALL(setresgid, READER), CALL(setresuid, READER),
	CALL(set_robust_list, READER), CALL(rseq, READER),
	/* Names of files, which may be longer than a path. */
	CALL(open_by_handle_at, READER), CALL(name_to_handle_at, READER),
	CALL(fchdir, READER), CALL(setitimer, READER),
};

#undef CALL
#undef CHECKED
#undef EQUALS

/* --- the filter ------------------------------------------------------------------------ */

#define NR_CALLS (sizeof(calls) / sizeof(*calls))
#define MOST (8 + 9 * NR_CALLS)
#define AT(member) offsetof(struct seccomp_data, member)

struct filter {
	struct sock_filter steps[MOST];
	unsigned short nr;
};

static void step(struct filter *filter, uint16_t code, uint32_t value, uint8_t skip)
{
	filter->steps[filter->nr++] = (struct sock_filter){ .code = code, .k = value, .jf = skip };
}

static void load(struct filter *filter, size_t at)
{
	step(filter, BPF_LD | BPF_W | BPF_ABS, at, 0);
}

/* Goes on with the next step if the loaded value is this one, or else skips some. */
static void compare(struct filter *filter, uint32_t value, uint8_t skip)
{
	step(filter, BPF_JMP | BPF_JEQ | BPF_K, value, skip);
}

static void finish(struct filter *filter, uint32_t result)
{
	step(filter, BPF_RET | BPF_K, result, 0);
}

/* The lower half of an argument comes first. */
static void check(struct filter *filter, const struct check *check, uint8_t skip)
{
	load(filter, AT(args) + check->arg * sizeof(uint64_t));
	step(filter, BPF_ALU | BPF_AND | BPF_K, check->mask, 0);
	compare(filter, check->value, skip);
}

static void allow(struct filter *filter, const struct call *call)
{
	unsigned int left = call->nr_checks;
	const struct check *next = call->checks;

	/* A check has three steps; behind the last one are two. */
	compare(filter, call->nr, left ? 3 * left + 2 : 1);
	while (left--)
		check(filter, next++, 3 * left + 1);
	finish(filter, SECCOMP_RET_ALLOW);
	if (call->nr_checks)
		load(filter, AT(nr));
}

static void build(struct filter *filter, enum seccomp_kind kind)
{
	size_t i;

	load(filter, AT(arch));
	compare(filter, AUDIT_ARCH_X86_64, 2);
	load(filter, AT(nr));
	step(filter, BPF_JMP | BPF_JGT | BPF_K, NEWEST, 1);
	finish(filter, SECCOMP_RET_ERRNO | ENOSYS);
	for (i = 0; i < NR_CALLS; i++)
		if (kind == SECCOMP_READER || calls[i].who & 1U << kind)
			allow(filter, &calls[i]);
	finish(filter, SECCOMP_RET_ERRNO | EPERM);
}

int seccomp_confine(enum seccomp_kind kind)
{
	struct filter filter = { .nr = 0 };
	struct sock_fprog program = { .filter = filter.steps };

	/* A kernel with filters says EFAULT. */
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) && errno == EINVAL)
		return 0;
	build(&filter, kind);
	program.len = filter.nr;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}
