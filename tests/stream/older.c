// SPDX-License-Identifier: GPL-2.0
/*
 * older PROGRAM [WORD...]: runs a program that finds no more in the kernel than Linux 3.10 has. Newer
 * system calls return ENOSYS; newer flags and operations of older ones, what 3.10 returns for them.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NEWEST_CALL SYS_finit_module
#define NEWEST_PRCTL PR_GET_TID_ADDRESS
#define NEWEST_SO SO_SELECT_ERR_QUEUE
#define NEWEST_NETLINK NETLINK_TX_RING
#define NEWEST_FCNTL F_GETPIPE_SZ
#define NEW_OPEN 020000000	/* O_TMPFILE, which has O_DIRECTORY, too */

#define ARG(nr) offsetof(struct seccomp_data, args[nr])
#define LOAD(at) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at)
#define SKIP_UNLESS(test, value, nr) BPF_JUMP(BPF_JMP | (test) | BPF_K, value, 0, nr)
#define FAIL(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static struct sock_filter steps[] = {
	LOAD(offsetof(struct seccomp_data, nr)),
	SKIP_UNLESS(BPF_JGT, NEWEST_CALL, 1), FAIL(ENOSYS),

	SKIP_UNLESS(BPF_JEQ, SYS_openat, 4), LOAD(ARG(2)),
	SKIP_UNLESS(BPF_JSET, NEW_OPEN, 1), FAIL(EISDIR), ALLOW,

	/* Seals are above it. Locks of open files, 36 to 38, are not used by programs of the test. */
	SKIP_UNLESS(BPF_JEQ, SYS_fcntl, 4), LOAD(ARG(1)),
	SKIP_UNLESS(BPF_JGT, NEWEST_FCNTL, 1), FAIL(EINVAL), ALLOW,

	SKIP_UNLESS(BPF_JEQ, SYS_prctl, 4), LOAD(ARG(0)),
	SKIP_UNLESS(BPF_JGT, NEWEST_PRCTL, 1), FAIL(EINVAL), ALLOW,

	SKIP_UNLESS(BPF_JEQ, SYS_setsockopt, 9), LOAD(ARG(1)),
	SKIP_UNLESS(BPF_JEQ, SOL_SOCKET, 3), LOAD(ARG(2)),
	SKIP_UNLESS(BPF_JGT, NEWEST_SO, 5), FAIL(ENOPROTOOPT),
	SKIP_UNLESS(BPF_JEQ, SOL_NETLINK, 3), LOAD(ARG(2)),
	SKIP_UNLESS(BPF_JGT, NEWEST_NETLINK, 1), FAIL(ENOPROTOOPT), ALLOW,
	ALLOW,
};

int main(int argc, char **argv)
{
	const struct sock_fprog program = { .len = sizeof(steps) / sizeof(*steps), .filter = steps };

	if (argc < 2)
		return 2;
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("older: seccomp");
		return 77;
	}
	/* A filter that does nothing would be a test that cannot fail. */
	if (syscall(SYS_getrandom, NULL, 0UL, 0U) != -1 || errno != ENOSYS) {
		fprintf(stderr, "older: newer system calls still exist\n");
		return 77;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
