/* Before 4.8, dcddffd41d3f "mm: do not pass mm_struct into handle_mm_fault" */
#include <linux/mm.h>
int handle_mm_fault(struct mm_struct *mm, struct vm_area_struct *vma, unsigned long address,
		    unsigned int flags);
