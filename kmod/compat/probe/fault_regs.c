/* 5.9, bce617edecad "mm: do page fault accounting in handle_mm_fault" */
#include <linux/mm.h>
typeof(handle_mm_fault((struct vm_area_struct *)NULL, 0, 0, (struct pt_regs *)NULL)) ask;
