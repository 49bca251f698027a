/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ERRNO_NAMES_H
#define ERRNO_NAMES_H

#define ERRNO_NAME_LEN 24

/*
 * Formats an error as "ENOENT", or as "errno 4000" if it has no name. Errors that exist only inside
 * the kernel have names, too. Returns text.
 */
const char *errno_text(char text[ERRNO_NAME_LEN], int error);

#endif
