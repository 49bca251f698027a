/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MANUAL_H
#define MANUAL_H

/*
 * Shows the manual page of a command: man(1) takes this process's place, and its exit status
 * becomes ours. Returns if there is no man, or if it does not find the page.
 */
void manual_show(const char *command);

#endif
