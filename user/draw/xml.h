/* SPDX-License-Identifier: GPL-2.0 */
#ifndef XML_H
#define XML_H

#include <stdio.h>

/* Puts text without control characters (plain.h), as text or as the value of an attribute of XML. */
void xml_put(FILE *out, const char *text);

#endif
