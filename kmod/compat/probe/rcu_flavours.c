/* up to 4.20: 45975c7d21a1 "rcu: Define RCU-sched API in terms of RCU for Tree RCU PREEMPT builds" */
#include <linux/rcupdate.h>
void ask(void)
{
	synchronize_sched();
}
