/* 6.1, f39af05949a4 "mm: add VMA iterator" */
#include <linux/mm.h>
void ask(struct mm_struct *mm)
{
	struct vm_area_struct *vma;
	VMA_ITERATOR(it, mm, 0);

	for_each_vma(it, vma)
		;
}
