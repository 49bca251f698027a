// SPDX-License-Identifier: GPL-2.0
/*
 * A 32-bit program without a C library that reads and writes its standard input beyond 4 GiB. Such
 * a position needs two registers, and vectors are smaller than those of 64 bits.
 */
#define PAGE 4096
#define RANDOM 1	/* POSIX_FADV_RANDOM */
#define APPEND 0x10	/* RWF_APPEND */

struct vector {
	char *at;
	unsigned long len;
};

static char room[3 * PAGE];

static long call(long nr, long a, const void *b, long c, long d, long e)
{
	long result;

	asm volatile("int $0x80" : "=a" (result)
		     : "a" (nr), "b" (a), "c" (b), "d" (c), "S" (d), "D" (e) : "memory");
	return result;
}

/* The sixth argument is in ebp, which the compiler may use itself. */
#define call6(nr, a, b, c, d, e, f) ({							\
	long result_;									\
	asm volatile("push %%ebp\n\tmov %[last], %%ebp\n\tint $0x80\n\tpop %%ebp"	\
		     : "=a" (result_) : "a" (nr), "b" (a), "c" (b), "d" (c), "S" (d), "D" (e),	\
		       [last] "i" (f) : "memory");					\
	result_;									\
})

void _start(void)
{
	struct vector two[] = { { room, 100 }, { room + 100, PAGE - 99 } };
	int ok;

	ok = call6(272, 0, 0, 0, 0, 0, RANDOM) == 0;				/* fadvise64_64 */
	ok = ok && call(180, 0, room, 2 * PAGE, 2 * PAGE, 1) == 2 * PAGE;	/* pread64 */
	ok = ok && call(180, 0, room, 3 * PAGE, 2 * PAGE, 1) == 3 * PAGE;
	ok = ok && call(145, 0, two, 2, 0, 0) == PAGE + 1;			/* readv */
	ok = ok && call(333, 0, two, 2, 8 * PAGE, 1) == PAGE + 1;		/* preadv */
	ok = ok && call(181, 0, room, PAGE, 2 * PAGE, 1) == PAGE;		/* pwrite64 */
	ok = ok && call6(379, 0, two, 2, 0, 0, APPEND) == PAGE + 1;		/* pwritev2 */
	call(1, !ok, 0, 0, 0, 0);
	for (;;)
		;
}
