// SPDX-License-Identifier: GPL-2.0
/* What processes that speak with others may call, and what is refused. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../user/stream/seccomp.h"

/* Returns the line of the first claim that is wrong, or 0. */
static int in_child(enum seccomp_kind kind, int (*claims)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		_exit(seccomp_confine(kind) ? 255 : claims());
	}
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int is_refused(long result)
{
	return result == -1 && (errno == EPERM || errno == ENOSYS);
}

#define CLAIM(is) do { if (!(is)) return __LINE__; } while (0)
#define REFUSED(name, ...) CLAIM(is_refused(syscall(SYS_##name, __VA_ARGS__)))

static int hurts_nobody(void)
{
	pid_t other = getppid();

	REFUSED(kill, other, 0);
	REFUSED(tgkill, other, other, 0);
	REFUSED(ptrace, 16, other, 0, 0);
	REFUSED(process_vm_readv, other, 0, 0, 0, 0, 0);
	REFUSED(process_vm_writev, other, 0, 0, 0, 0, 0);
	REFUSED(prlimit64, other, 0, 0, 0);
	REFUSED(fcntl, STDERR_FILENO, F_SETOWN, other);
	REFUSED(ioctl, STDERR_FILENO, TIOCSTI, "x");
	REFUSED(execve, "/bin/true", NULL, NULL);
	REFUSED(fork, 0);
	REFUSED(vfork, 0);
	REFUSED(clone, SIGCHLD, 0, 0, 0, 0);
	REFUSED(clone3, NULL, 0);
	REFUSED(unshare, CLONE_NEWUSER);
	REFUSED(setns, 0, 0);
	REFUSED(setuid, 0);
	REFUSED(setresuid, 0, 0, 0);
	REFUSED(capset, NULL, NULL);
	REFUSED(prctl, PR_SET_DUMPABLE, 1, 0, 0, 0);
	REFUSED(mount, "none", "/", "tmpfs", 0, NULL);
	REFUSED(bpf, 0, NULL, 0);
	REFUSED(perf_event_open, NULL, 0, -1, -1, 0);
	REFUSED(keyctl, 0, 0, 0, 0, 0);
	REFUSED(add_key, NULL, NULL, NULL, 0, 0);
	REFUSED(userfaultfd, 0);
	REFUSED(io_setup, 1, NULL);
	REFUSED(io_uring_setup, 1, NULL);
	REFUSED(init_module, NULL, 0, "");
	REFUSED(open_by_handle_at, -1, NULL, 0);
	REFUSED(unlink, "/nonexistent");
	REFUSED(chmod, "/nonexistent", 0);
	REFUSED(symlink, "/nonexistent", "/nonexistent");
	REFUSED(truncate, "/nonexistent", 0);
	REFUSED(socket, AF_PACKET, SOCK_RAW, 0);
	REFUSED(socket, AF_VSOCK, SOCK_STREAM, 0);
	REFUSED(mmap, NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* A number of x32. */
	CLAIM(is_refused(syscall(0x40000000 | SYS_getpid)));
	return 0;
}

static int writes_nothing(void)
{
	REFUSED(openat, AT_FDCWD, "/dev/null", O_WRONLY);
	REFUSED(openat, AT_FDCWD, "/dev/null", O_RDWR);
	REFUSED(openat, AT_FDCWD, "/dev/null", O_RDONLY | O_TRUNC);
	REFUSED(openat, AT_FDCWD, "/dev/null", O_RDONLY | O_CREAT, 0600);
	REFUSED(open, "/dev/null", O_WRONLY);
	REFUSED(rename, "/nonexistent", "/nonexistent");
	REFUSED(ftruncate, -1, 0);
	return 0;
}

static int connects_nowhere(void)
{
	REFUSED(socket, AF_UNIX, SOCK_STREAM, 0);
	REFUSED(socket, AF_INET, SOCK_STREAM, 0);
	REFUSED(socket, AF_NETLINK, SOCK_RAW, 0);
	REFUSED(connect, -1, NULL, 0);
	return 0;
}

/* glibc opens files and sockets for this, and maps libraries. */
static int finds_addresses(void)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *all = NULL;

	CLAIM(!getaddrinfo("localhost", "1", &hints, &all) && all);
	freeaddrinfo(all);
	CLAIM(getaddrinfo("no-such-host.invalid", "1", &hints, &all));
	CLAIM(socket(AF_INET6, SOCK_STREAM, 0) >= 0 || errno == EAFNOSUPPORT);
	return 0;
}

static void *nothing(void *arg)
{
	return arg;
}

static int has_threads(void)
{
	pthread_t thread;

	CLAIM(!pthread_create(&thread, NULL, nothing, NULL) && !pthread_join(thread, NULL));
	return 0;
}

static int has_no_threads(void)
{
	pthread_t thread;

	CLAIM(pthread_create(&thread, NULL, nothing, NULL));
	return 0;
}

static char path[] = "/dev/shm/ktrace-seccomp-XXXXXX";

static int writes_files(void)
{
	int fd = open(path, O_RDWR);

	CLAIM(fd >= 0 && write(fd, "x", 1) == 1 && !ftruncate(fd, 0) && !fdatasync(fd));
	CLAIM(!rename(path, path));
	return 0;
}

static int forks_senders(void)
{
	int status;
	pid_t pid = fork();

	CLAIM(pid >= 0);
	if (!pid)
		_exit(seccomp_confine(SECCOMP_NET) ? 1 : hurts_nobody());
	CLAIM(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	CLAIM(!WEXITSTATUS(status) && !kill(getpid(), 0));
	REFUSED(execve, "/bin/true", NULL, NULL);
	REFUSED(ptrace, 16, getppid(), 0, 0);
	REFUSED(bpf, 0, NULL, 0);
	REFUSED(mount, "none", "/", "tmpfs", 0, NULL);
	REFUSED(init_module, NULL, 0, "");
	REFUSED(clone, SIGCHLD | CLONE_NEWUSER, 0, 0, 0, 0);
	return finds_addresses();
}

static void test_nobody_is_hurt(void **state)
{
	enum seccomp_kind kind;

	(void)state;
	for (kind = SECCOMP_NET; kind < SECCOMP_READER; kind++)
		assert_int_equal(in_child(kind, hurts_nobody), 0);
}

static void test_only_one_kind_writes_files(void **state)
{
	(void)state;
	close(mkstemp(path));
	assert_int_equal(in_child(SECCOMP_CURL, writes_nothing), 0);
	assert_int_equal(in_child(SECCOMP_PAGE, writes_nothing), 0);
	assert_int_equal(in_child(SECCOMP_NET, writes_nothing), 0);
	assert_int_equal(in_child(SECCOMP_FILE, writes_files), 0);
	unlink(path);
}

static void test_only_senders_connect(void **state)
{
	(void)state;
	assert_int_equal(in_child(SECCOMP_NET, finds_addresses), 0);
	assert_int_equal(in_child(SECCOMP_CURL, finds_addresses), 0);
	assert_int_equal(in_child(SECCOMP_PAGE, connects_nowhere), 0);
	assert_int_equal(in_child(SECCOMP_FILE, connects_nowhere), 0);
}

static void test_threads(void **state)
{
	(void)state;
	assert_int_equal(in_child(SECCOMP_CURL, has_threads), 0);
	assert_int_equal(in_child(SECCOMP_NET, has_no_threads), 0);
	assert_int_equal(in_child(SECCOMP_PAGE, has_no_threads), 0);
}

static void test_the_reader_forks_senders(void **state)
{
	(void)state;
	assert_int_equal(in_child(SECCOMP_READER, forks_senders), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nobody_is_hurt),
		cmocka_unit_test(test_only_one_kind_writes_files),
		cmocka_unit_test(test_only_senders_connect),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_the_reader_forks_senders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
