/* 4.3, 932b18e0aec6 "userfaultfd: linux/userfaultfd_k.h" */
#include <linux/mm.h>
#include <linux/userfaultfd_k.h>
bool ask(struct vm_area_struct *vma)
{
	return userfaultfd_armed(vma);
}
