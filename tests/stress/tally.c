// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "messages.h"
#include "tally.h"

/* The errors in the manual of the public header, and those of netlink itself. */
static const struct {
	int number;
	const char *name;
} known[] = {
	{ 0, "ok" }, { EPERM, "EPERM" }, { ENOENT, "ENOENT" }, { ESRCH, "ESRCH" },
	{ E2BIG, "E2BIG" }, { EBADF, "EBADF" }, { ENOMEM, "ENOMEM" }, { EBUSY, "EBUSY" },
	{ EEXIST, "EEXIST" }, { EINVAL, "EINVAL" }, { EMFILE, "EMFILE" }, { ERANGE, "ERANGE" },
	{ ENODATA, "ENODATA" }, { EALREADY, "EALREADY" }, { EOPNOTSUPP, "EOPNOTSUPP" },
	{ ENODEV, "ENODEV" }, { EMSGSIZE, "EMSGSIZE" }, { ENOBUFS, "ENOBUFS" },
	{ EPROTONOSUPPORT, "EPROTONOSUPPORT" },
};

#define NR_KNOWN (sizeof(known) / sizeof(known[0]))

static const char *name_of(int number)
{
	uint32_t i;

	for (i = 0; i < NR_KNOWN; i++)
		if (known[i].number == number)
			return known[i].name;
	return NULL;
}

bool tally_answer(struct tally *tally, uint8_t cmd, bool is_dump, int error)
{
	if (error > 0 || error <= -NR_ERRNOS || !name_of(-error)) {
		printf("Command %d%s was answered by the error %d (%s), which no manual has.\n",
		       cmd, is_dump ? " (dump)" : "", error, strerror(-error));
		return false;
	}
	__atomic_add_fetch(&tally->answers[cmd][is_dump][-error], 1, __ATOMIC_RELAXED);
	return true;
}

static uint64_t print_kind(const struct tally *tally, const char *name, uint8_t cmd, bool is_dump)
{
	const uint64_t *count = tally->answers[cmd][is_dump];
	uint32_t i;

	printf("  %-20s", name);
	for (i = 0; i < NR_KNOWN; i++)
		if (count[known[i].number])
			printf(" %s %llu", known[i].name,
			       (unsigned long long)count[known[i].number]);
	putchar('\n');
	return count[0];
}

bool tally_print(const struct tally *tally, uint64_t min)
{
	uint64_t least;
	bool is_good = true;
	int i;

	printf("%llu messages, %llu of them valid, %llu too long for the socket; %llu sockets "
	       "closed before %llu answers; %llu sockets missed notices\n",
	       (unsigned long long)tally->sent, (unsigned long long)tally->valid,
	       (unsigned long long)tally->refused, (unsigned long long)tally->closed,
	       (unsigned long long)tally->abandoned, (unsigned long long)tally->overruns);
	for (i = 0; i < NR_KINDS; i++) {
		/* Few of the sessions take tables. */
		least = kinds[i].cmd == KTRACE_CMD_UNWIND_ADD ? 1 : min;
		if (print_kind(tally, kinds[i].name, kinds[i].cmd, kinds[i].is_dump) < least) {
			printf("    that is less than %llu successes\n", (unsigned long long)least);
			is_good = false;
		}
	}
	return is_good;
}
