/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ERRNO_NAMES_H
#define ERRNO_NAMES_H

#define ERRNO_NAME_LEN 24

/*
 * Writes a name such as "ENOENT", or "errno 4000" if there is none, to text, and returns text.
 * Knows errors that exist only inside the kernel.
 */
const char *errno_text(char text[ERRNO_NAME_LEN], int error);

#endif
