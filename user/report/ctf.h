/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CTF_H
#define CTF_H

#include "nl/nl.h"
#include "session/event.h"
#include "session/names.h"
#include "uapi/ktrace.h"
#include "util/err.h"

/* A trace on disk: a folder with one file a CPU, and a text that describes them. */
struct ctf;

/*
 * Makes the folder, or takes an empty one of this user that nobody else may write to; not through
 * a symbolic link. Only this user may read what is written. NULL with err set.
 */
struct ctf *ctf_create(const char *folder, const struct knl_session *session,
		       const struct names *names, struct err *err);

/* A process whose events may come after its end. */
void ctf_name_process(struct ctf *ctf, uint32_t pid, const char *program);

/* The next event, in order of time. */
void ctf_event(struct ctf *ctf, const struct event *event);

/*
 * Writes what there is, and waits until it is on the disk. Returns 0, or -1 with errno of the first
 * failure, after which nothing more is written.
 */
int ctf_flush(struct ctf *ctf);

/*
 * Writes the description, waits until all is on the disk, and closes. Returns 0, or -1 with err
 * set: the first failure, and its file.
 */
int ctf_finish(struct ctf *ctf, const struct ktrace_clocks *clocks, struct err *err);

#endif
