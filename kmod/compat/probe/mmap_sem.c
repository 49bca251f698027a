/* up to 5.7; 9740ca4e95b4 "mmap locking API: initial implementation as rwsem wrappers" */
#include <linux/mm.h>
typeof(((struct mm_struct *)NULL)->mmap_sem) ask;
