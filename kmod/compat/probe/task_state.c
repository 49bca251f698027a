/* 5.14, 2f064a59a11f "sched: Change task_struct::state" */
#include <linux/sched.h>
typeof(((struct task_struct *)NULL)->__state) ask;
