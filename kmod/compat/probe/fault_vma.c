/* 4.8 to 5.8, dcddffd41d3f "mm: do not pass mm_struct into handle_mm_fault" */
#include <linux/mm.h>
typeof(handle_mm_fault((struct vm_area_struct *)NULL, 0, 0)) ask;
