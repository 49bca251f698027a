// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system/server.h"
#include "system/witness.h"
#include "util/lines.h"

#define PATIENCE_MS 1000

bool server_is_behind(const char *type)
{
	static const char *const types[] = {
		"fuse", "nfs", "cifs", "smb", "9p", "afs", "ceph", "autofs", "coda", "virtiofs",
	};
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strncmp(type, types[i], strlen(types[i])))
			return true;
	return false;
}

static bool is_on_server(pid_t pid, uint64_t dev)
{
	unsigned int major, minor;
	struct lines mounts;
	const char *type;
	bool has = false;

	lines_open(&mounts, "/proc/%d/mountinfo", (int)pid);
	while (!has && lines_next(&mounts)) {
		type = strstr(mounts.text, " - ");
		has = type && sscanf(mounts.text, "%*u %*u %u:%u", &major, &minor) == 2 &&
		      makedev(major, minor) == dev && server_is_behind(type + strlen(" - "));
	}
	lines_close(&mounts);
	return has;
}

bool server_has(pid_t pid, uint64_t dev)
{
	return is_on_server(pid, dev) || is_on_server(getpid(), dev);
}

/* The kernel may keep a process that waits for a server even when it is killed. */
static void read_in_child(const char *path)
{
	char byte;
	int fd;

	witness_close_all();
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	_exit(fd >= 0 && pread(fd, &byte, 1, 0) < 0);
}

bool server_answers(pid_t pid, uint64_t dev, const char *path)
{
	pid_t child, ended = 0;
	int waited_ms;

	/* A process that has ended has no mounts. */
	if (!server_has(pid, dev))
		return true;
	child = fork();
	if (!child)
		read_in_child(path);
	for (waited_ms = 0; !ended && waited_ms < PATIENCE_MS; waited_ms++) {
		ended = waitpid(child, NULL, WNOHANG);
		poll(NULL, 0, !ended);
	}
	if (ended)
		return ended == child;
	kill(child, SIGKILL);
	waitpid(child, NULL, WNOHANG);
	return false;
}

bool server_is_silent(uint64_t *silent_dev, pid_t pid, uint64_t dev, const char *path)
{
	if (dev != *silent_dev && server_answers(pid, dev, path))
		return false;
	*silent_dev = dev;
	return true;
}
