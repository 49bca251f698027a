/* 5.8, 9740ca4e95b4 "mmap locking API: initial implementation as rwsem wrappers" */
#include <linux/mm.h>
void ask(struct mm_struct *mm)
{
	mmap_read_lock(mm);
}
