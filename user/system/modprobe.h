/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MODPROBE_H
#define MODPROBE_H

#include <stdbool.h>

/* Loads a kernel module with the program that the kernel itself uses for this. */
bool modprobe(const char *module);

#endif
