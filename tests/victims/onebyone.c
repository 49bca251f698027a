// SPDX-License-Identifier: GPL-2.0
/*
 * onebyone DEVICE COUNT [MS]
 * Reads COUNT blocks of 4 KiB of a disk, one after the other. With MS, each read is submitted
 * together with a read of /dev/zero that takes about this long, during which it waits in the
 * task's plug. Prints ns=, the time of all reads, and wait_ns=, how long the process has waited for
 * a CPU, as the kernel counts it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "victim.h"

#define BLOCK 4096
#define FILLED (1 << 20)
#define MIN_PARTS 3	/* fewer are not kept in the plug */
#define MAX_PARTS 4096

static struct iocb parts[MAX_PARTS], *pointers[MAX_PARTS];
static struct io_event events[MAX_PARTS];
static aio_context_t aio;
static unsigned long nr_parts;
static int disk, zero;
static char *buffer;

FOLDED void prepare(unsigned long nr, int fd, unsigned long length)
{
	parts[nr].aio_lio_opcode = IOCB_CMD_PREAD;
	parts[nr].aio_fildes = fd;
	parts[nr].aio_buf = (unsigned long)buffer;
	parts[nr].aio_nbytes = parts[nr].aio_data = length;
	pointers[nr] = &parts[nr];
}

/* The minimum of several times is the undisturbed time. */
static unsigned long long fill_ns(void)
{
	unsigned long long least = ~0ULL, ns;
	int i;

	for (i = 0; i < 5; i++) {
		ns = victim_ns(CLOCK_MONOTONIC);
		if (read(zero, buffer, FILLED) != FILLED)
			abort();
		ns = victim_ns(CLOCK_MONOTONIC) - ns;
		least = ns < least ? ns : least;
	}
	return least;
}

static void prepare_all(unsigned long ms)
{
	unsigned long i;

	nr_parts = 1 + ms * 1000000ULL / fill_ns();
	nr_parts = nr_parts < MIN_PARTS ? MIN_PARTS : nr_parts > MAX_PARTS ? MAX_PARTS : nr_parts;
	prepare(0, disk, BLOCK);
	for (i = 1; i < nr_parts; i++)
		prepare(i, zero, FILLED);
	if (syscall(SYS_io_setup, nr_parts, &aio))
		abort();
}

static int read_in_plug(unsigned long block)
{
	unsigned long i;

	parts[0].aio_offset = block * BLOCK;
	if (syscall(SYS_io_submit, aio, nr_parts, pointers) != (long)nr_parts ||
	    syscall(SYS_io_getevents, aio, nr_parts, nr_parts, events, NULL) != (long)nr_parts)
		return 0;
	for (i = 0; i < nr_parts; i++)
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
	unsigned long ms = victim_number(argc, argv, 3, 0);
	unsigned long long begun;

	if (argc < 3)
		return VICTIM_USAGE;
	disk = open(argv[1], O_RDONLY | O_DIRECT);
	zero = open("/dev/zero", O_RDONLY);
	buffer = aligned_alloc(BLOCK, FILLED);
	if (disk < 0 || zero < 0 || !buffer)
		return 1;
	if (ms)
		prepare_all(ms);
	begun = victim_ns(CLOCK_MONOTONIC);
	for (i = 0; i < count; i++)
		if (ms ? !read_in_plug(i) : pread(disk, buffer, BLOCK, i * BLOCK) != BLOCK)
			return 1;
	printf("ns=%llu wait_ns=%llu\n", victim_ns(CLOCK_MONOTONIC) - begun, waited_ns());
	return 0;
}
