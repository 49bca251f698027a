// SPDX-License-Identifier: GPL-2.0
/*
 * onebyone DEVICE COUNT [MIB]
 * Reads COUNT blocks of 4 KiB of a disk, each when the one before is there. With MIB each is
 * submitted together with so much of /dev/zero: while that is filled in, it waits in the plug
 * of the task. Says ns=, how long that took, and wait_ns=, how long the process has waited for
 * a CPU as the kernel counts it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "victim.h"

#define BLOCK 4096
#define NR_PARTS 3	/* fewer are not held back */

static aio_context_t aio;
static int disk, zero;
static char *buffer;

FOLDED struct iocb part(int fd, void *to, unsigned long length, unsigned long long at)
{
	struct iocb one = { .aio_lio_opcode = IOCB_CMD_PREAD, .aio_fildes = fd,
			    .aio_buf = (unsigned long)to, .aio_nbytes = length, .aio_offset = at,
			    .aio_data = length };

	return one;
}

static int read_in_plug(unsigned long nr, unsigned long filled)
{
	char *rest = buffer + BLOCK;
	struct iocb parts[NR_PARTS] = { part(disk, buffer, BLOCK, nr * BLOCK),
					part(zero, rest, filled, 0), part(zero, rest, 1, 0) };
	struct iocb *pointers[NR_PARTS] = { &parts[0], &parts[1], &parts[2] };
	struct io_event events[NR_PARTS];
	int i;

	if (syscall(SYS_io_submit, aio, NR_PARTS, pointers) != NR_PARTS ||
	    syscall(SYS_io_getevents, aio, NR_PARTS, NR_PARTS, events, NULL) != NR_PARTS)
		return 0;
	for (i = 0; i < NR_PARTS; i++)
		if (events[i].res != (long long)events[i].data)
			return 0;
	return 1;
}

FOLDED unsigned long long waited_ns(void)
{
	unsigned long long ran, waited = 0;
	FILE *file = fopen("/proc/self/schedstat", "r");

	if (!file || fscanf(file, "%llu %llu", &ran, &waited) != 2)
		abort();
	fclose(file);
	return waited;
}

int main(int argc, char **argv)
{
	unsigned long count = victim_number(argc, argv, 2, 1), i;
	unsigned long filled = victim_number(argc, argv, 3, 0) << 20;
	unsigned long long begun;

	if (argc < 3)
		return VICTIM_USAGE;
	disk = open(argv[1], O_RDONLY | O_DIRECT);
	zero = open("/dev/zero", O_RDONLY);
	buffer = aligned_alloc(BLOCK, BLOCK + (filled ? filled : BLOCK));
	if (disk < 0 || zero < 0 || !buffer || syscall(SYS_io_setup, NR_PARTS, &aio))
		return 1;
	memset(buffer, 1, BLOCK + filled);
	begun = victim_ns(CLOCK_MONOTONIC);
	for (i = 0; i < count; i++)
		if (filled ? !read_in_plug(i, filled) :
			     pread(disk, buffer, BLOCK, i * BLOCK) != BLOCK)
			return 1;
	printf("ns=%llu wait_ns=%llu\n", victim_ns(CLOCK_MONOTONIC) - begun, waited_ns());
	return 0;
}
