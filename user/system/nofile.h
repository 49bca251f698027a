/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NOFILE_H
#define NOFILE_H

/* Raises the limit of file descriptors to the maximum: each probed file needs one. */
void nofile_raise(void);
/* Restores the original limit. Called in a child before it executes another program. */
void nofile_restore(void);

#endif
