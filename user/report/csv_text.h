/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CSV_TEXT_H
#define CSV_TEXT_H

#include <stdio.h>

/* Prints a cell as in RFC 4180: quoted if it has a comma or a quotation mark. */
void csv_text_put(FILE *out, const char *text);

#endif
