/* up to 5.13; 2f064a59a11f "sched: Change task_struct::state" */
#include <linux/sched.h>
typeof(((struct task_struct *)NULL)->state) ask;
