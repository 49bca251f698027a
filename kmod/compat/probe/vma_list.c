/* up to 6.0; f39af05949a4 "mm: add VMA iterator" */
#include <linux/mm.h>
typeof(((struct mm_struct *)NULL)->mmap->vm_next) ask;
