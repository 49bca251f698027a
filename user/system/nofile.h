/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NOFILE_H
#define NOFILE_H

/* All file descriptors that this process may have: each file that is probed takes one. */
void nofile_raise(void);
/* As many as there were, for another program; in a child, before its exec. */
void nofile_restore(void);

#endif
