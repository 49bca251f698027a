/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CTF_COPY_H
#define CTF_COPY_H

#include "keep/measured.h"

/*
 * A trace in CTF 1.8 of what a filter leaves of a recording: a folder with one folder per session. Calls
 * of functions have entries and ends, and depths as if no other function had been traced. All other
 * events are records as the module made them.
 */
struct ctf_copy;

/*
 * Creates the folder, or takes an empty one. is_forced: replaces the trace that it has. Returns NULL
 * with err set.
 */
struct ctf_copy *ctf_copy_open(const char *path, bool is_forced, struct err *err);
/*
 * Reads all records of measuring, which was opened, and counts them, too. filter is that of measuring.
 * Returns 0, or -1 with err set.
 */
int ctf_copy_write(struct ctf_copy *copy, struct measuring *measuring, const struct filter *filter,
		   merged_look *look, struct err *err);
/* Removes a folder that was created and has nothing. */
void ctf_copy_close(struct ctf_copy *copy);

#endif
