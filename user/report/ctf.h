/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CTF_H
#define CTF_H

#include "client/client.h"
#include "session/event.h"
#include "session/names.h"
#include "uapi/ktrace.h"
#include "util/err.h"

/*
 * A trace on disk: a folder with one file per CPU and one file, metadata, that describes them. At
 * every moment metadata describes all packets on the disk, and the files contain whole packets.
 */
struct ctf;

/*
 * Creates the folder, or takes an empty folder that belongs to this user and that no other user may
 * write to. The last component of the path must not be a symbolic link. Only this user may read the
 * files. Returns NULL with err set.
 */
struct ctf *ctf_create(const char *folder, const struct ktr_session *session,
		       const struct names *names, struct err *err);

/*
 * The events are those of a recording, which may come from another machine: threads have the names of
 * ctf_name_thread() and of events only. boot: traces with the same ID have the same clock; or NULL.
 * has_one_stream: the CPUs of some events are not known, and there is one file. Before the first event.
 */
void ctf_set_recorded(struct ctf *ctf, const struct ktrace_clocks *clocks, const char *boot,
		      bool has_one_stream);

/* Names a thread. pid may be 0, and comm empty, if they are not known. */
void ctf_name_thread(struct ctf *ctf, uint32_t tid, uint32_t pid, const char *comm);

/* Takes an event that is not written, but tells about a thread. */
void ctf_see(struct ctf *ctf, const struct ktr_record *event);

/* Names a process whose events may arrive after it has ended. */
void ctf_name_process(struct ctf *ctf, uint32_t pid, const char *program);

/* Takes the next event. Events must come in order of time. */
void ctf_event(struct ctf *ctf, const struct ktr_record *event);

/*
 * Writes all packets and waits until they are on the disk. Returns 0, or -1 with errno of the first
 * failure, after which nothing more is written.
 */
int ctf_flush(struct ctf *ctf);

/*
 * Writes the rest, waits until all files are on the disk, and closes them. Returns 0, or -1 with err
 * set to the first failure and its file. Frees ctf.
 */
int ctf_finish(struct ctf *ctf, struct err *err);

#endif
