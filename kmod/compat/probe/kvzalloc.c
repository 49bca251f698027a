/* 4.12, a7c3e901a46f "mm: introduce kv[mz]alloc helpers" */
#include <linux/mm.h>
#include <linux/slab.h>
void *ask(size_t len)
{
	return kvzalloc(len, GFP_KERNEL);
}
