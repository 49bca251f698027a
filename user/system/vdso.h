/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VDSO_H
#define VDSO_H

/*
 * Returns a descriptor of a copy of the vDSO, the code that the kernel maps into each program, in
 * an unlinked file; or -1.
 */
int vdso_open(void);

#endif
