// SPDX-License-Identifier: GPL-2.0
/*
 * stacks NR_A NR_B US   sleeps US in nap(), NR_A times called by via_a(), NR_B times by via_b();
 *                       prints "slept_ns=", the time of the sleeps by its own clock
 * stacks spin CPU_MS    two processes on one CPU, each spins in spin_here() for CPU_MS of its time
 * stacks deep FRAMES US sleeps once, that many calls below main()
 * stacks bare NR US     sleeps NR times in each of bare_nap(), called by on_call() and through a
 *                       pointer by on_pointer(), and pushing_nap(), called by on_pushing(), which
 *                       have no frames
 * stacks strange FILE US  sleeps once in strange(), whose frame says that it was called from the
 *                       first page of the file, which is mapped as code and is never read
 * stacks read DISK      until it is killed, reads the first 4 KiB of a disk in get() called by
 *                       get_a(), and the next 4 KiB in get() called by get_b(), by direct reads
 * Built with frame pointers. The system call is made in place, because libraries may have none.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

#define FRAME __attribute__((noinline, noclone))

FRAME long nap(unsigned long us)
{
	struct timespec time = { us / 1000000, us % 1000000 * 1000 };
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "0"((long)SYS_nanosleep), "D"(&time), "S"(0L)
			 : "rcx", "r11", "memory");
	return result;
}

FRAME long via_a(unsigned long us)
{
	return nap(us) + 1;
}

FRAME long via_b(unsigned long us)
{
	return nap(us) + 2;
}

FRAME long go_down(long frames, unsigned long us)
{
	return frames ? go_down(frames - 1, us) + 1 : nap(us);
}

/* Functions without frames, as in libc; one saves registers first, as in a program with threads. */
long bare_nap(const struct timespec *time, void *left);
long pushing_nap(const struct timespec *time, void *left);
__asm__(".text\n"
	".globl bare_nap\n.type bare_nap, @function\n"
	"bare_nap:\n"
	"	mov $35, %eax\n"
	"	syscall\n"
	"	ret\n"
	".size bare_nap, . - bare_nap\n"
	".globl pushing_nap\n.type pushing_nap, @function\n"
	"pushing_nap:\n"
	"	push %r12\n"
	"	sub $24, %rsp\n"
	"	mov %rsi, 8(%rsp)\n"
	"	movq $0, (%rsp)\n"
	"	mov $35, %eax\n"
	"	syscall\n"
	"	add $24, %rsp\n"
	"	pop %r12\n"
	"	ret\n"
	".size pushing_nap, . - pushing_nap\n");

FRAME long on_call(const struct timespec *time)
{
	return bare_nap(time, NULL) + 1;
}

FRAME long on_pointer(const struct timespec *time)
{
	long (*volatile nap)(const struct timespec *, void *) = bare_nap;

	return nap(time, NULL) + 1;
}

FRAME long on_pushing(const struct timespec *time)
{
	return pushing_nap(time, NULL) + 1;
}

static int bare(long nr, unsigned long us)
{
	struct timespec time = { us / 1000000, us % 1000000 * 1000 };
	long sum = 0, i;

	for (i = 0; i < nr; i++)
		sum += on_call(&time) + on_pointer(&time) + on_pushing(&time);
	return sum != 3 * nr;
}

/* Its own frame is not used while the system call runs; below it may be a red zone. */
FRAME long strange(const struct timespec *time, const char *caller)
{
	long result;

	__asm__ volatile("lea -128(%%rsp), %%rsp\n\t"
			 "push %3\n\t"
			 "push %%rbp\n\t"
			 "mov %%rsp, %%rbp\n\t"
			 "syscall\n\t"
			 "pop %%rbp\n\t"
			 "lea 136(%%rsp), %%rsp"
			 : "=a"(result)
			 : "0"((long)SYS_nanosleep), "D"(time), "r"(caller), "S"(0L)
			 : "rcx", "r11", "memory");
	return result;
}

static int nap_below(const char *path, unsigned long us)
{
	struct timespec time = { us / 1000000, us % 1000000 * 1000 };
	int file = open(path, O_RDONLY);
	char *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);

	/* The process lives until its mappings are read. */
	return page == MAP_FAILED || strange(&time, page + 16) || nap(2000000);
}

static volatile sig_atomic_t over;

static void end(int number)
{
	over = number;
}

/* Makes no system call to read a clock, because it could be preempted in the kernel there. */
FRAME void spin_here(unsigned long ms)
{
	struct itimerval left = { .it_value = { ms / 1000, ms % 1000 * 1000 } };

	signal(SIGVTALRM, end);
	setitimer(ITIMER_VIRTUAL, &left, NULL);
	while (!over)
		;
}

static int spin(unsigned long ms)
{
	cpu_set_t first;
	pid_t child;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
	child = fork();
	spin_here(ms);
	return child && waitpid(child, NULL, 0) != child;
}

#define BLOCK 4096

FRAME long get(long fd, void *to, long at)
{
	register long from __asm__("r10") = at;
	long result;

	/* Without this, it would have no frame, because it calls no function. */
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	__asm__ volatile("syscall" : "=a"(result)
			 : "0"((long)SYS_pread64), "D"(fd), "S"(to), "d"((long)BLOCK), "r"(from)
			 : "rcx", "r11", "memory");
	return result;
}

FRAME long get_a(long fd, void *to)
{
	return get(fd, to, 0) + 1;
}

FRAME long get_b(long fd, void *to)
{
	return get(fd, to, BLOCK) + 2;
}

static int read_on(const char *disk)
{
	long fd = open(disk, O_RDONLY | O_DIRECT);
	void *to = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	while (get_a(fd, to) == BLOCK + 1 && get_b(fd, to) == BLOCK + 2)
		;
	return 1;
}

int main(int argc, char **argv)
{
	unsigned long long begun = victim_ns(CLOCK_MONOTONIC);
	long i, sum = 0;

	if (argc == 3 && !strcmp(argv[1], "spin"))
		return spin(strtoul(argv[2], NULL, 10));
	if (argc == 3 && !strcmp(argv[1], "read"))
		return read_on(argv[2]);
	if (argc != 4)
		return 2;
	if (!strcmp(argv[1], "bare"))
		return bare(atol(argv[2]), strtoul(argv[3], NULL, 10));
	if (!strcmp(argv[1], "strange"))
		return nap_below(argv[2], strtoul(argv[3], NULL, 10));
	if (!strcmp(argv[1], "deep"))
		return go_down(atol(argv[2]), strtoul(argv[3], NULL, 10)) != atol(argv[2]);
	for (i = 0; i < atol(argv[1]); i++)
		sum += via_a(strtoul(argv[3], NULL, 10));
	for (i = 0; i < atol(argv[2]); i++)
		sum += via_b(strtoul(argv[3], NULL, 10));
	printf("slept_ns=%llu\n", victim_ns(CLOCK_MONOTONIC) - begun);
	return sum != atol(argv[1]) + 2 * atol(argv[2]);
}
