/* 3.13, 5c173eb8bcb9 "rcu: Consistent rcu_is_watching() naming" */
#include <linux/rcupdate.h>
bool ask(void)
{
	return rcu_is_watching();
}
