// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <sys/utsname.h>

#include <linux/version.h>

#include "system/kernel_version.h"

unsigned int kernel_version(void)
{
	struct utsname machine;
	unsigned int major, minor;

	return !uname(&machine) && sscanf(machine.release, "%u.%u", &major, &minor) == 2 ?
	       KERNEL_VERSION(major, minor, 0) : ~0U;
}
