/* some 4.18 of RHEL: the member that d1e7fd6462ca made a u64 is behind a pointer */
#include <linux/sched.h>
typeof(((struct task_struct *)NULL)->task_struct_rh->self_exec_id) ask;
