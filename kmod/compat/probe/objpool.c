/* 6.7, "lib: objpool added: ring-array based lockless MPMC" */
#include <linux/objpool.h>
int ask(void)
{
	return sizeof(struct objpool_head);
}
