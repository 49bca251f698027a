/* 5.8, 42fc541404f2 "mmap locking API: add mmap_assert_locked() and mmap_assert_write_locked()" */
#include <linux/mm.h>
void ask(struct mm_struct *mm)
{
	mmap_assert_locked(mm);
}
