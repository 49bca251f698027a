/* 3.16, f98bafa06a28 "memcg: kill CONFIG_MM_OWNER": only with memory cgroups */
#include <linux/mm_types.h>
struct task_struct *ask(struct mm_struct *mm);
struct task_struct *ask(struct mm_struct *mm)
{
	return mm->owner;
}
