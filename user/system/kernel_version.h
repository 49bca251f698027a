/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KERNEL_VERSION_H
#define KERNEL_VERSION_H

/* Returns the KERNEL_VERSION() of this machine, without its third number; ~0 if it is not known. */
unsigned int kernel_version(void);

#endif
