/* 4.9, 768ae309a961 "mm: replace get_user_pages() write/force parameters with gup_flags" */
#include <linux/mm.h>
long ask(unsigned long addr, unsigned int flags, struct page **pages,
	 struct vm_area_struct **vmas)
{
	return get_user_pages(addr, 1, flags, pages, vmas);
}
