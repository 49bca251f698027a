/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MANUAL_H
#define MANUAL_H

/*
 * Shows the manual page of a command: man(1) replaces this process. Returns if man is not
 * installed, or if it does not find the page.
 */
void manual_show(const char *command);

#endif
