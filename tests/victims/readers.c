// SPDX-License-Identifier: GPL-2.0
/*
 * readers DEVICE THREADS COUNT direct|buffered sequential|random
 * Each thread reads COUNT blocks of 4 KiB, sequential or random ones of its part of the device.
 * ns_per_read= is the time of all reads divided by their number.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <linux/fs.h>
#include <unistd.h>

#include "victim.h"

#define BLOCK 4096

static int fd, is_random;
static unsigned long count, nr_blocks;

static void *reads(void *first)
{
	unsigned long i, at = 0, from = (unsigned long)first;
	void *buffer = aligned_alloc(BLOCK, BLOCK);

	for (i = 0; buffer && i < count; i++) {
		/* This generator has the full period, because nr_blocks is a power of two. */
		at = is_random ? (5 * at + 12345) % nr_blocks : i % nr_blocks;
		if (pread(fd, buffer, BLOCK, (from + at) * BLOCK) != BLOCK)
			abort();
	}
	free(buffer);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long i, threads = victim_number(argc, argv, 2, 1);
	unsigned long long size, begun;
	pthread_t ids[64];

	count = victim_number(argc, argv, 3, 100);
	if (argc < 6 || threads > 64)
		return VICTIM_USAGE;
	is_random = !strcmp(argv[5], "random");
	fd = open(argv[1], O_RDONLY | (strcmp(argv[4], "direct") ? 0 : O_DIRECT));
	if (fd < 0 || ioctl(fd, BLKGETSIZE64, &size))
		return 1;
	for (nr_blocks = 1; nr_blocks * 2 * threads * BLOCK <= size; nr_blocks *= 2)
		;
	begun = victim_ns(CLOCK_MONOTONIC);
	for (i = 0; i < threads; i++)
		if (pthread_create(&ids[i], NULL, reads, (void *)(i * nr_blocks)))
			abort();
	for (i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	printf("ns_per_read=%.1f\n", (double)(victim_ns(CLOCK_MONOTONIC) - begun) / threads / count);
	return 0;
}
