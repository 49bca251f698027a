/* 6.5, 54d020692b34 "mm/gup: remove unused vmas parameter from get_user_pages()" */
#include <linux/mm.h>
long ask(unsigned long addr, unsigned int flags, struct page **pages)
{
	return get_user_pages(addr, 1, flags, pages);
}
