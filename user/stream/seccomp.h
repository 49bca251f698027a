/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SECCOMP_H
#define SECCOMP_H

/* What a process does after it has called seccomp_confine(); seccomp.c lists its system calls. */
enum seccomp_kind {
	SECCOMP_NET,	/* finds an address, connects and sends */
	SECCOMP_LOCAL,	/* sends to a local socket, also files in memory */
	SECCOMP_CURL,	/* the same as SECCOMP_NET through libcurl, which loads libraries and has threads */
	SECCOMP_FILE,	/* writes files */
	SECCOMP_PAGE,	/* answers clients of a listening socket */
	SECCOMP_READER	/* reads the module, and forks processes of all these kinds */
};

/*
 * Refuses other system calls from now on with EPERM, in this process and those that it forks. A
 * kernel without filters (CONFIG_SECCOMP_FILTER) refuses none. Returns 0, or -1 with errno set.
 */
int seccomp_confine(enum seccomp_kind kind);

#endif
