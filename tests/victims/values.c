// SPDX-License-Identifier: GPL-2.0
/*
 * Known arguments and results. Some strings end where the memory ends, some are not in memory, and
 * some have a side effect if they are touched.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "victim.h"

#define PAGE 4096

PROBED long ints(long a, int b, unsigned long c, unsigned long d, long e, long f)
{
	return a + b + e + f + (long)(c & d);
}

PROBED const char *text(const char *string)
{
	return string;
}

PROBED long jumps(int n)
{
	return ints(n, 1, 2, 3, 4, 5);
}

PROBED unsigned long factorial(unsigned long n)
{
	unsigned long less = n > 1 ? factorial(n - 1) : 1;

	/* otherwise the compiler makes a loop of it */
	__asm__ volatile("" : "+r" (less));
	return n * less;
}

PROBED void nothing(void)
{
	__asm__ volatile("");
}

/* Returns memory that has not been touched, or that ends: nr pages. */
FOLDED char *pages(int nr, int protection)
{
	char *at = mmap(NULL, (nr + 1) * PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(VICTIM_USAGE);
	munmap(at + nr * PAGE, PAGE);
	return at;
}

FOLDED unsigned long stack_start(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start = 0;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "[stack]"))
			start = strtoul(line, NULL, 16);
	if (maps)
		fclose(maps);
	return start;
}

/* Returns a page on which an access waits for a userfaultfd handler, which does not exist. */
FOLDED char *waiting_page(void)
{
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };
	char *at = pages(1, PROT_READ | PROT_WRITE);
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	range.range.start = (unsigned long)at;
	range.range.len = PAGE;
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range))
		exit(VICTIM_USAGE);
	return at;
}

FOLDED void at_the_end(void)
{
	char *at = pages(2, PROT_READ | PROT_WRITE);

	memset(at, 'x', 2 * PAGE);
	memcpy(at + 2 * PAGE - 4, "end", 4);
	text(at + 2 * PAGE - 4);
	at[2 * PAGE - 1] = 'x';
	text(at + 2 * PAGE - 4);
	/* across a boundary, to a page that is not in memory yet */
	at = pages(2, PROT_READ | PROT_WRITE);
	memcpy(at + PAGE - 5, "cross", 5);
	text(at + PAGE - 5);
}

FOLDED void not_there(void)
{
	unsigned long start = stack_start();
	char *file;
	int fd;

	text(NULL);
	text((const char *)8);
	text((const char *)0xffff800000000000UL);
	text(pages(1, PROT_NONE));
	text(pages(1, PROT_READ));
	text((const char *)start - 3 * PAGE);
	text(waiting_page());
	if (stack_start() != start)
		printf("the stack has grown\n");
	/* a page of shared memory that is not in memory yet */
	fd = syscall(SYS_memfd_create, "shared", 0);
	if (write(fd, "shared", 7) != 7)
		exit(VICTIM_USAGE);
	file = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	text(file);
	close(fd);
}

int main(int argc, char **argv)
{
	char digits[80];
	int i;

	if (victim_mode(&argc, &argv) != VICTIM_RUN)
		return VICTIM_USAGE;
	for (i = 0; i < 79; i++)
		digits[i] = '0' + i % 10;
	digits[79] = 0;
	printf("%ld\n", ints(-1, -2, ~0UL, 0x7f, 1L << 40, -(1L << 40)));
	text("plain");
	text("");
	text("\"q\" \\ \t\n\033[31m \303\251 \377");
	text(digits + 79 - 63);
	text(digits + 79 - 64);
	at_the_end();
	not_there();
	printf("%ld %lu\n", jumps(7), factorial(4));
	nothing();
	fflush(stdout);
	return write(STDOUT_FILENO, "bye\n", 4) == 4 ? 19 : 1;
}
