/* 4.15, 03b2a320b19f "x86/virt: Add enum for hypervisors to replace x86_hyper" */
#include <linux/types.h>
#include <asm/hypervisor.h>
bool ask(void)
{
	return hypervisor_is_type(X86_HYPER_NATIVE);
}
