// SPDX-License-Identifier: GPL-2.0
/* Single system calls, with arguments that can be printed without a look into the program. */
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#include "report/number_names.h"
#include "report/record.h"
#include "report/syscall_names.h"
#include "util/out.h"

#define HEX_FROM 0x1000000	/* larger results are mostly addresses */

/*
 * The arguments of each call: f file; a directory that relative paths start at; d number; l long
 * number; u size or offset; o permissions; x anything else. Calls that replace the program's memory
 * have none. Calls that are not listed show all six in hexadecimal, used or not.
 */
static const struct {
	const char *name, *args;
} shapes[] = {
	{ "read", "fxu" }, { "write", "fxu" }, { "pread64", "fxuu" }, { "pwrite64", "fxuu" },
	{ "readv", "fxu" }, { "writev", "fxu" }, { "preadv", "fxuu" }, { "pwritev", "fxuu" },
	{ "preadv2", "fxuuxx" }, { "pwritev2", "fxuuxx" }, { "close", "f" }, { "fstat", "fx" },
	{ "lseek", "fld" }, { "ioctl", "fxx" }, { "fcntl", "fdx" }, { "dup", "f" },
	{ "dup2", "fd" }, { "fsync", "f" }, { "fdatasync", "f" }, { "ftruncate", "fu" },
	{ "fallocate", "fxuu" }, { "flock", "fd" }, { "getdents64", "fxu" }, { "fchdir", "f" },
	{ "fchmod", "fo" }, { "fstatfs", "fx" }, { "syncfs", "f" }, { "readahead", "fuu" },
	{ "sync_file_range", "fuux" }, { "sendfile", "fdxu" }, { "splice", "fxdxux" },
	{ "copy_file_range", "fxdxux" }, { "connect", "fxu" }, { "accept", "fxx" },
	{ "accept4", "fxxx" }, { "bind", "fxu" }, { "listen", "fd" }, { "shutdown", "fd" },
	{ "sendto", "fxuxxu" }, { "recvfrom", "fxuxxx" }, { "sendmsg", "fxx" },
	{ "recvmsg", "fxx" }, { "sendmmsg", "fxux" }, { "recvmmsg", "fxuxx" },
	{ "getsockname", "fxx" }, { "getpeername", "fxx" }, { "setsockopt", "fddxu" },
	{ "getsockopt", "fddxx" }, { "epoll_wait", "fxdd" }, { "epoll_pwait", "fxddxu" },
	{ "epoll_ctl", "fddx" }, { "poll", "xud" }, { "ppoll", "xuxxu" }, { "select", "dxxxx" },
	{ "pselect6", "dxxxxx" }, { "open", "xxo" }, { "openat", "axxo" }, { "mmap", "xuxxdu" },
	{ "munmap", "xu" }, { "mprotect", "xux" }, { "mremap", "xuuxx" }, { "madvise", "xud" },
	{ "msync", "xux" }, { "brk", "x" }, { "futex", "xddxxd" }, { "nanosleep", "xx" },
	{ "clock_nanosleep", "ddxx" }, { "wait4", "dxxx" }, { "waitid", "ddxxx" },
	{ "execve", "" }, { "execveat", "" }, { "rt_sigreturn", "" }, { "exit_group", "d" },
	{ "kill", "dd" }, { "getpid", "" },
	{ "getppid", "" }, { "sched_yield", "" }, { "sync", "" }, { "unlink", "x" },
	{ "unlinkat", "axx" }, { "rename", "xx" }, { "renameat", "axax" },
	{ "renameat2", "axaxx" }, { "mkdir", "xo" }, { "mkdirat", "axo" }, { "rmdir", "x" },
	{ "access", "xd" }, { "faccessat", "axd" }, { "faccessat2", "axdx" }, { "creat", "xo" },
	{ "link", "xx" }, { "symlink", "xx" }, { "readlink", "xxu" }, { "readlinkat", "axxu" },
	{ "chmod", "xo" }, { "fchmodat", "axo" }, { "chdir", "x" }, { "truncate", "xu" },
	{ "statfs", "xx" }, { "lstat", "xx" }, { "statx", "axxxx" }, { "openat2", "axxu" },
	{ "stat", "xx" }, { "newfstatat", "axxx" }, { "socket", "ddd" },
	{ "pause", "" }, { "rt_sigtimedwait", "xxxu" }, { "rt_sigsuspend", "xu" },
	{ "semop", "dxu" }, { "msgsnd", "dxux" }, { "msgrcv", "dxudx" }, { "fork", "" },
	{ "vfork", "" }, { "clone", "xxxxx" }, { "clone3", "xu" }, { "io_getevents", "xddxx" },
	{ "rt_sigaction", "dxxu" }, { "rt_sigprocmask", "dxxu" }, { "sigaltstack", "xx" },
	{ "tgkill", "ddd" }, { "getrandom", "xux" }, { "prlimit64", "ddxx" }, { "arch_prctl", "xx" },
	{ "set_tid_address", "x" }, { "set_robust_list", "xu" }, { "rseq", "xuxx" },
	{ "gettid", "" }, { "getuid", "" }, { "geteuid", "" }, { "getgid", "" }, { "getegid", "" },
	{ "getpgrp", "" }, { "umask", "o" }, { "uname", "x" }, { "getcwd", "xu" }, { "pipe", "x" },
	{ "pipe2", "xx" }, { "epoll_create1", "x" }, { "eventfd2", "ux" }, { "dup3", "fdx" },
	{ "clock_gettime", "dx" }, { "gettimeofday", "xx" }, { "exit", "d" }, { "sysinfo", "x" },
};

static const char *find_args(uint32_t func)
{
	const char *name = syscall_name(func);
	size_t i;

	for (i = 0; name && i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (!strcmp(shapes[i].name, name))
			return shapes[i].args;
	return "xxxxxx";
}

/* Called for each event, so the arguments of a call are looked up once and kept. */
static const char *args_of(uint32_t func)
{
	static const char *found[KTRACE_NR_SYSCALLS];

	if (func >= KTRACE_NR_SYSCALLS)
		return find_args(func);
	if (!found[func])
		found[func] = find_args(func);
	return found[func];
}

static void print_arg(FILE *out, const struct record *call, char kind, int nr)
{
	uint64_t value = call->syscall.args[nr];

	if (kind == 'f' && call->path)
		out_put(out, "%d<%s%s>", (int)value,
			strlen(call->path) == KTRACE_SYSCALL_PATH_LEN ? "..." : "", call->path);
	else if (kind == 'a' && (int)value == AT_FDCWD)
		fputs("AT_FDCWD", out);
	else if (kind == 'f' || kind == 'a' || kind == 'd')
		out_put(out, "%d", (int)value);
	else if (kind == 'l')
		out_put(out, "%lld", (long long)value);
	else if (kind == 'u')
		out_put(out, "%llu", (unsigned long long)value);
	else if (kind == 'o')
		out_put(out, "%#llo", (unsigned long long)value);
	else
		out_put(out, "%#llx", (unsigned long long)value);
}

static bool is_readable(const struct value *string)
{
	return string->state == KTRACE_STRING_WHOLE || string->state == KTRACE_STRING_CUT;
}

/* Prints the argument as an address if its string could not be read. */
static void print_name(FILE *out, const struct record *call)
{
	if (is_readable(&call->value))
		value_print_string(out, &call->value);
	else if (call->value.state == KTRACE_STRING_NULL)
		fputs("NULL", out);
	else
		print_arg(out, call, 'x', call->string_arg);
}

static void print_args(FILE *out, const struct record *call, const char *args)
{
	unsigned int i;

	for (i = 0; args[i]; i++) {
		fputs(i ? ", " : "", out);
		if (call->value.kind && i == call->string_arg)
			print_name(out, call);
		else
			print_arg(out, call, args[i], i);
	}
	if (i || !call->value.kind)
		return;
	/* The arguments are gone with the program that made the call. */
	if (is_readable(&call->value))
		value_print_string(out, &call->value);
	else
		fputc('?', out);
}

static void print_result(FILE *out, const struct record *call)
{
	char name[ERRNO_NAME_LEN];

	if (call->error)
		out_put(out, "-1 %s", errno_text(name, call->error));
	else if (call->syscall.ret >= 0 && call->syscall.ret < HEX_FROM)
		out_put(out, "%lld", (long long)call->syscall.ret);
	else
		out_put(out, "%#llx", (unsigned long long)call->syscall.ret);
}

void syscall_event_print(FILE *out, const struct record *call)
{
	out_put(out, "%s(", call->name);
	print_args(out, call, args_of(call->event.func));
	fputs(") = ", out);
	print_result(out, call);
	fputc('\n', out);
}
