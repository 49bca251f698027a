/* 4.14, f39681ed0f48 "x86/mm: Give each mm TLB flush generation a unique ID" */
#include <linux/mm.h>
s64 ask(const struct mm_struct *mm)
{
	return atomic64_read(&mm->context.tlb_gen) + mm->context.ctx_id;
}
