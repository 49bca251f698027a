// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stream/rights.h"
#include "system/user.h"

#define NOBODY "65534:65534"

int rights_close_files(int one, int other)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	int fd;

	if (!dir)
		return -1;
	while ((entry = readdir(dir))) {
		fd = atoi(entry->d_name);
		if (fd > STDERR_FILENO && fd != one && fd != other && fd != dirfd(dir))
			close(fd);
	}
	closedir(dir);
	return 0;
}

static bool has_no_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	return !syscall(SYS_capget, &head, data) &&
	       !(data[0].permitted | data[1].permitted | data[0].inheritable | data[1].inheritable);
}

static int keep_only(uint32_t capabilities)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ .effective = capabilities, .permitted = capabilities },
	};

	/* The system calls of ktrace-send@.service lack capset(). */
	if (!capabilities && has_no_capabilities())
		return 0;
	return syscall(SYS_capset, &head, data);
}

/*
 * Limits the capabilities of programs that are executed later. Only root can do this; for other users
 * PR_SET_NO_NEW_PRIVS prevents that a program gets capabilities.
 */
static void drop_bounds(void)
{
	unsigned long capability;

	for (capability = 0; !prctl(PR_CAPBSET_DROP, capability, 0, 0, 0); capability++)
		;
}

static int become_nobody(void)
{
	struct user user = { .uid = 0 };
	char nobody[] = NOBODY;
	struct err err;
	int error = 0;

	if (user_find(&user, "ktrace", &err)) {
		user_free(&user);
		user = (struct user){ .uid = 0 };
		error = user_find(&user, nobody, &err);
	}
	if (!error)
		error = user_become(&user);
	user_free(&user);
	return error;
}

int rights_drop(enum seccomp_kind kind)
{
	bool is_root = !geteuid(), keeps_user = kind == SECCOMP_FILE || !is_root;

	drop_bounds();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (!keeps_user && become_nobody())
		return -1;
	if (keep_only(is_root && keeps_user ? 1U << CAP_DAC_OVERRIDE : 0))
		return -1;
	/* Other processes of the user cannot read its memory, and a crash leaves no file of it. */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	return seccomp_confine(kind);
}

int rights_confine_reader(void)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return seccomp_confine(SECCOMP_READER);
}

void rights_ignore_ends(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGXFSZ };
	sigset_t none;
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		signal(ends[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}
