// SPDX-License-Identifier: GPL-2.0
/*
 * Programs whose stacks test_unwound compares, built without frame pointers in several ways. It is
 * the library of itself, too (-DLIBRARY): calls then alternate between the program and the library.
 *   MODE: deep, handler, clock, lazy, unusual, library PATH
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEEP 166

typedef unsigned int (*call)(unsigned int depth, unsigned int sum, void *other);

/* Several shapes of frames: aligned more than the stack is, of a size known at run time only. */
static __attribute__((noinline)) unsigned int leaf(unsigned int sum)
{
	volatile unsigned int i;

	for (i = 0; i < 100; i++)
		sum = sum * 31 + i;
	return sum;
}

static __attribute__((noinline)) unsigned int aligned(unsigned int sum)
{
	unsigned int words[64] __attribute__((aligned(128)));
	unsigned int i;

	for (i = 0; i < 64; i++)
		words[i] = leaf(sum + i);
	return words[sum % 64];
}

static __attribute__((noinline)) unsigned int sized(unsigned int sum)
{
	unsigned int nr = sum % 100 + 1, i;
	volatile unsigned int words[nr];

	for (i = 0; i < nr; i++)
		words[i] = aligned(sum + i);
	return words[nr - 1];
}

static int by_value(const void *a, const void *b)
{
	return leaf(*(const int *)a) % 256 - leaf(*(const int *)b) % 256;
}

static __attribute__((noinline)) unsigned int sorted(unsigned int sum)
{
	int numbers[64];
	int i;

	for (i = 0; i < 64; i++)
		numbers[i] = sum * i % 61;
	qsort(numbers, 64, sizeof(*numbers), by_value);
	return numbers[0] + sized(sum);
}

__attribute__((noinline)) unsigned int descend(unsigned int depth, unsigned int sum, void *other)
{
	call next = other ? *(call *)other : descend;
	volatile char room[24 + 8];

	room[depth % 8] = sum;
	if (!depth)
		return sorted(sum) + room[0];
	return next(depth - 1, sum + room[depth % 8], other) + room[0];
}

#ifndef LIBRARY
static volatile sig_atomic_t is_inside;

static void handle(int nr)
{
	(void)nr;
	is_inside = 1;
	descend(8, 3, NULL);
	is_inside = 0;
}

/* A signal arrives at any instruction of the program, and is handled on another stack. */
static void handler(void)
{
	static char stack[65536];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK };
	struct timespec tick = { .tv_nsec = 300000 };
	struct itimerspec ticks = { .it_value = tick, .it_interval = tick };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	timer_t timer;

	sigaltstack(&alternate, NULL);
	sigaction(SIGALRM, &action, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &ticks, NULL))
		exit(2);
	for (;;)
		descend(20, 1, NULL);
}

static void clock_loop(void)
{
	struct timespec now;

	for (;;)
		clock_gettime(CLOCK_MONOTONIC, &now);
}

/* The loader looks up functions of other libraries when they are called first. */
static void lazy(void)
{
	char text[64] = "";

	__asm__ volatile("int3");
	snprintf(text, sizeof(text), "%d", getpid());
	if (strtol(text, NULL, 10) == getppid() || strchr(text, 'x'))
		exit(2);
}

/*
 * As assemblers for cryptography write: the return address is in a register for a while, then the
 * CFA is in a word behind an array, and then in a register, also while a function is called.
 */
unsigned int unusual_frame(void);
__asm__(".text\n.type unusual_frame, @function\nunusual_frame:\n.cfi_startproc\n"
	"pop %rdi\n.cfi_def_cfa_offset 0\n.cfi_register 16, 5\nnop\n"
	"push %rdi\n.cfi_def_cfa_offset 8\n.cfi_offset 16, -8\n"
	"mov %rsp, %rax\nsub $64, %rsp\n.cfi_def_cfa_offset 72\n"
	"mov $3, %r9d\nmov %rax, 40(%rsp)\n"
	".cfi_escape 0x0f, 10, 0x77, 16, 0x79, 0, 0x38, 0x1e, 0x22, 0x06, 0x23, 8\nxor %ecx, %ecx\n"
	"nop\n.cfi_def_cfa 0, 8\ncall unusual_leaf\nmov %rax, %rsp\n.cfi_def_cfa 7, 8\nret\n.cfi_endproc\n"
	".size unusual_frame, . - unusual_frame\n"
	".type unusual_leaf, @function\nunusual_leaf:\n.cfi_startproc\nnop\nret\n.cfi_endproc\n"
	".size unusual_leaf, . - unusual_leaf\n");

/* Arguments on the stack of a frame that is aligned more than the stack is. */
static __attribute__((noinline)) unsigned int realigned(long a, long b, long c, long d, long e,
							long f, unsigned int sum)
{
	volatile unsigned int words[8] __attribute__((aligned(128)));

	words[sum % 8] = a + b + c + d + e + f;
	return unusual_frame() + words[sum % 8] + sum;
}

static void vfork_once(void)
{
	pid_t child = vfork();

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

static void unusual(void)
{
	volatile long some = 3;

	vfork_once(); /* its functions are looked up */
	__asm__ volatile("int3");
	realigned(some, some, some, some, some, some, some);
	vfork_once();
}

/* Behind the call, which does not return, is another function: it has another rule. */
static __attribute__((noinline, noreturn)) void descend_for_ever(void)
{
	for (;;)
		descend(DEEP, 1, NULL);
}

static __attribute__((noinline, noreturn)) void descend_below(int nr)
{
	volatile char room[72];

	room[nr] = nr;
	descend_for_ever();
}

/* The library's function calls this one, which calls the library's. */
static call there;

static unsigned int back(unsigned int depth, unsigned int sum, void *other)
{
	return depth ? there(depth - 1, sum, other) : leaf(sum);
}

static void library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	call here = back;

	there = library ? (call)dlsym(library, "descend") : NULL;
	if (!there)
		exit(2);
	for (;;)
		there(30, 1, &here);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "handler"))
		handler();
	if (argc > 1 && !strcmp(argv[1], "clock"))
		clock_loop();
	if (argc > 2 && !strcmp(argv[1], "library"))
		library(argv[2]);
	if (argc > 1 && !strcmp(argv[1], "lazy"))
		lazy();
	if (argc > 1 && !strcmp(argv[1], "unusual"))
		unusual();
	descend_below(argc);
}
#endif
