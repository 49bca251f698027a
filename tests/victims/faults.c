// SPDX-License-Identifier: GPL-2.0
/*
 * faults WRITES READS [FILE MAJORS ERRORS]: causes this many page faults of each kind, in addition
 * to those of every program. Prints how many the kernel counted, as lines "write MINOR MAJOR".
 *
 * It reads MAJORS pages of FILE that are not in the page cache, and ERRORS times a page beyond its
 * end, each of which is a SIGBUS.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "victim.h"

#define PAGE 4096UL

static sigjmp_buf back;
static struct rusage before;

static void on_bus(int signal)
{
	siglongjmp(back, signal);
}

static void begin(void)
{
	getrusage(RUSAGE_SELF, &before);
}

static void end(const char *what)
{
	struct rusage after;

	getrusage(RUSAGE_SELF, &after);
	printf("%s %ld %ld\n", what, after.ru_minflt - before.ru_minflt,
	       after.ru_majflt - before.ru_majflt);
}

static volatile char *map(size_t pages, int fd)
{
	int flags = MAP_PRIVATE | (fd < 0 ? MAP_ANONYMOUS : 0);
	int protection = PROT_READ | (fd < 0 ? PROT_WRITE : 0);
	char *at = mmap(NULL, (pages + 1) * PAGE, protection, flags, fd, 0);

	if (at == MAP_FAILED || (fd < 0 && madvise(at, (pages + 1) * PAGE, MADV_NOHUGEPAGE)) ||
	    (fd >= 0 && madvise(at, (pages + 1) * PAGE, MADV_RANDOM)))
		exit(VICTIM_USAGE);
	return at;
}

static void write_to(volatile char *at, size_t pages)
{
	size_t i;

	begin();
	for (i = 0; i < pages; i++)
		at[i * PAGE] = 1;
	end("write");
}

static void read_from(const char *what, volatile char *at, size_t pages)
{
	size_t i;

	begin();
	for (i = 0; i < pages; i++)
		(void)at[i * PAGE];
	end(what);
}

/* FILE has MAJORS pages; the mapping has one more. */
static void fail_at(volatile char *at, size_t pages, volatile int times)
{
	signal(SIGBUS, on_bus);
	begin();
	while (times--)
		if (!sigsetjmp(back, 1))
			(void)at[pages * PAGE];
	end("error");
}

static void use_file(const char *path, size_t pages, int errors)
{
	int fd = open(path, O_RDONLY);
	volatile char *at;

	if (fd < 0 || fsync(fd) || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		exit(VICTIM_USAGE);
	at = map(pages, fd);
	read_from("major", at, pages);
	fail_at(at, pages, errors);
}

int main(int argc, char **argv)
{
	if (argc != 3 && argc != 6)
		return VICTIM_USAGE;
	/* After this call, the pages that printing needs are in memory. */
	begin();
	end("nothing");
	write_to(map(atol(argv[1]), -1), atol(argv[1]));
	read_from("read", map(atol(argv[2]), -1), atol(argv[2]));
	if (argc == 6)
		use_file(argv[3], atol(argv[4]), atol(argv[5]));
	return 0;
}
