/* SPDX-License-Identifier: GPL-2.0 */
/* All formats that --format may name. */
#ifndef FORMATS_H
#define FORMATS_H

struct output_format;

/* Returns the format with this name for this kind of results (FORMATS_OF_*), or NULL. */
const struct output_format *format_find(const char *name, const char *kind);
/* Returns the names for this kind, separated by bars, or in words for a help. The caller frees it. */
char *format_names(const char *kind);
char *format_help(const char *kind);

#endif
