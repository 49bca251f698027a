/* kernels that keep rsp in a per-CPU variable during system calls, like 3.10 */
#include <linux/sched.h>
typeof(((struct task_struct *)NULL)->thread.usersp) ask;
