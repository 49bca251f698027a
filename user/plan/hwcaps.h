/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HWCAPS_H
#define HWCAPS_H

/* Which of the levels x86-64-v1 to v4 this machine has. */
int hwcaps_level(void);

/* The level that a folder of glibc-hwcaps is for; 0: another machine's. */
int hwcaps_level_of(const char *folder);

/* What glibc takes $PLATFORM for. */
const char *hwcaps_platform(void);

#endif
