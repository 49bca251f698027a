// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "system/emulated.h"

#define HYPERVISOR 0x40000000	/* the CPUID leaf with the hypervisor's name */

bool is_emulated(void)
{
#ifdef __x86_64__
	unsigned int max, name[3];

	__cpuid(HYPERVISOR, max, name[0], name[1], name[2]);
	return max >= HYPERVISOR && !memcmp(name, "TCGTCGTCGTCG", sizeof(name));
#else
	return false;
#endif
}
