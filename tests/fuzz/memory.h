/* SPDX-License-Identifier: GPL-2.0 */
/* How much memory an input takes. Freed memory does not count, though ASan keeps it for a while. */
#ifndef FUZZ_MEMORY_H
#define FUZZ_MEMORY_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* Of sanitizer/allocator_interface.h, which gcc does not have. */
int __sanitizer_install_malloc_and_free_hooks(void (*on_alloc)(const volatile void *at, size_t len),
					      void (*on_free)(const volatile void *at));
size_t __sanitizer_get_allocated_size(const volatile void *at);

static struct memory {
	long live, peak;	/* bytes; below 0 after what was there before */
	long base;		/* live when memory_begin() was called */
	size_t most;		/* of all inputs: bytes beyond the length of the input */
} memory;

static void memory_on_alloc(const volatile void *at, size_t len)
{
	(void)at;
	memory.live += (long)len;
	if (memory.live > memory.peak)
		memory.peak = memory.live;
}

static void memory_on_free(const volatile void *at)
{
	if (at)
		memory.live -= (long)__sanitizer_get_allocated_size(at);
}

/* run.sh shows this line. */
static void memory_tell(void)
{
	fprintf(stderr, "most memory beyond an input: %zu KiB\n", memory.most >> 10);
}

/* Counts from now on. */
static inline void memory_begin(void)
{
	static int has_hooks;

	if (!has_hooks) {
		__sanitizer_install_malloc_and_free_hooks(memory_on_alloc, memory_on_free);
		atexit(memory_tell);
		has_hooks = 1;
	}
	memory.base = memory.peak = memory.live;
}

/* Returns how many bytes were in use at most since memory_begin(), beyond len. */
static inline size_t memory_beyond(size_t len)
{
	size_t used = memory.peak - memory.base, beyond = used > len ? used - len : 0;

	if (beyond > memory.most)
		memory.most = beyond;
	return beyond;
}

#endif
