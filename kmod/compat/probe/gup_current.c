/* 4.6 to 4.8, 1e9877902dc7 "mm/gup: Introduce get_user_pages_remote()"; before it names a task */
#include <linux/mm.h>
long ask(unsigned long addr, struct page **pages, struct vm_area_struct **vmas)
{
	return get_user_pages(addr, 1, 0, 0, pages, vmas);
}
