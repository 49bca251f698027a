/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ERRNO_NAMES_H
#define ERRNO_NAMES_H

#define ERRNO_NAME_LEN 24

/* "ENOENT" of 2, those that only the kernel knows too, or "errno 4000"; returns text. */
const char *errno_text(char text[ERRNO_NAME_LEN], int error);

#endif
