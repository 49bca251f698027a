/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HWCAPS_H
#define HWCAPS_H

/* Returns the highest level of this machine, 1 to 4 for x86-64-v1 to x86-64-v4. */
int hwcaps_level(void);

/* Returns the level of a folder of glibc-hwcaps, 2 to 4, or 0 for another machine's folder. */
int hwcaps_level_of(const char *folder);

/* Returns the value that glibc uses for $PLATFORM. */
const char *hwcaps_platform(void);

#endif
