// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "serve/notify.h"

void notify(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t len;
	int fd;

	if (!path || (*path != '/' && *path != '@') || strlen(path) >= sizeof(address.sun_path))
		return;
	strcpy(address.sun_path, path);
	len = offsetof(struct sockaddr_un, sun_path) + strlen(path);
	if (*path == '@')
		address.sun_path[0] = 0;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address, len);
	close(fd);
}

uint64_t notify_watchdog_ns(void)
{
	const char *us = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");

	if (!us || (pid && strtol(pid, NULL, 10) != getpid()))
		return 0;
	return strtoull(us, NULL, 10) * 1000;
}
