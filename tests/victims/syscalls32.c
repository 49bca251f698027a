// SPDX-License-Identifier: GPL-2.0
/* A 32-bit program without a C library: 7 getpid, 3 failing writes, 5 writes of 3 bytes. */

static long call(long nr, long a, const void *b, long c)
{
	long result;

	asm volatile("int $0x80" : "=a" (result) : "a" (nr), "b" (a), "c" (b), "d" (c) : "memory");
	return result;
}

void _start(void)
{
	int i;

	for (i = 0; i < 7; i++)
		call(20, 0, 0, 0);
	for (i = 0; i < 3; i++)
		call(4, -1, "abc", 3);
	for (i = 0; i < 5; i++)
		call(4, 1, "abc", 3);
	call(1, 9, 0, 0);
	for (;;)
		;
}
