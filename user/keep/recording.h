/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording that was opened: a folder with ktrace.jsonl, and one folder of packets per session.
 * Names come from the recording only, because files and tasks may be other ones now. Everything in
 * it may be hostile: numbers, lengths and names are checked here, and packets in packets.c.
 */
#ifndef KEPT_RECORDING_H
#define KEPT_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/client.h"
#include "report/stacks.h"
#include "session/names.h"
#include "session/unwinder.h"
#include "util/err.h"

#define RECORDING_SCHEMA "ktrace.recording/1"
#define KEPT_MAX_SESSIONS 1024
#define KEPT_NO_FILE UINT32_MAX

struct kept_file {
	char *path;		/* or NULL */
	char *build_id;		/* hex, or NULL */
};

struct kept_function {
	uint32_t file;		/* or KEPT_NO_FILE */
	uint64_t offset;	/* in the file */
};

/* Records of one reason that were lost. */
struct kept_loss {
	char *reason;
	uint64_t nr;
};

struct kept_words {
	char **words;		/* ends with NULL */
	size_t nr;
};

#define KEPT_MORE_FUNCTIONS 256	/* numbers above those with a name that are told apart */

struct kept_session {
	uint32_t nr;
	char *folder;		/* its name in the recording */
	struct ktr_session is;	/* as the module reported it: clocks, counters, flags */
	unsigned char uuid[16];	/* of its packets */
	struct kept_words command;
	struct names names;
	struct kept_function *functions;	/* [names.nr] */
	struct kept_file *files;
	size_t nr_files;
	struct stacks stacks;
	struct unwound *unwound;	/* files with code of its stacks */
	size_t nr_unwound;
	bool has_end;
	uint64_t nr_written;	/* records, as its end says; 0: not known */
	char *why;		/* it ended; or NULL */
	struct kept_loss *lost;
	size_t nr_lost;
	/* counted while packets are read: */
	uint64_t nr_records, nr_gaps, nr_missing, nr_unknown;
};

/* The event that fired a trigger. */
struct kept_trigger {
	char *condition;	/* NULL: there is none */
	char *name;		/* of the function, or NULL */
	uint64_t time;		/* ns, CLOCK_MONOTONIC */
	uint64_t duration;	/* ns */
	uint32_t tid, error;
};

struct kept_disk {
	uint32_t dev;
	char *name;
};

struct kept_inode {
	uint32_t dev;
	uint64_t ino;
	char *path;
};

struct kept_tasks;

struct recording {
	char *path;
	int fd;			/* of the folder */
	char *version, *host, *kernel, *arch;
	char *boot;		/* the ID of the boot, in the form of a UUID; or NULL */
	uint64_t abi, packet_len, nr_cpus, pid;
	struct ktrace_clocks begin;
	struct ktrace_clocks *clocks;	/* sorted by recording_settle(): differences from a time on */
	size_t nr_clocks;
	struct kept_trigger trigger;
	struct kept_words command, program;
	struct kept_session *sessions;
	size_t nr;
	struct kept_tasks *tasks;
	struct kept_disk *disks;
	size_t nr_disks;
	struct kept_inode *inodes;	/* sorted by recording_settle() */
	size_t nr_inodes;
	size_t nr_bad_lines;	/* of ktrace.jsonl */
	bool is_being_written;
	size_t nr_slots;	/* of arrays that are indexed by numbers of the recording */
	size_t nr_lines;
};

/* Opens a folder and reads its ktrace.jsonl. Returns NULL with err set. */
struct recording *recording_open(const char *path, struct err *err);
void recording_free(struct recording *recording);

/*
 * Reads one line, as recording_open() does for each. is_first: the line that names the format. Returns
 * 0, or -1 with err set if the recording cannot be read. A line that has an error is counted.
 */
int recording_take_line(struct recording *recording, const char *line, size_t len, bool is_first,
			struct err *err);
/* Called after the last line. */
void recording_settle(struct recording *recording);

/* Returns the session with this folder, or NULL. */
struct kept_session *recording_find(const struct recording *recording, const char *folder);
/* Return a name, or NULL. */
const char *recording_disk(const struct recording *recording, uint32_t dev);
const char *recording_inode(const struct recording *recording, uint32_t dev, uint64_t ino);

/* Gives a function without a name one that tells its number. func is below names.nr. */
void kept_name_function(struct kept_session *session, uint32_t func);
/* Makes room for names of functions below nr. Returns false if so many are not believed. */
bool kept_names_room(struct recording *recording, struct kept_session *session, size_t nr);

/* Returns the file of a function, or NULL. */
const struct kept_file *kept_file_of(const struct kept_session *session, uint32_t func);

/*
 * Returns the time of CLOCK_REALTIME at a time of CLOCK_MONOTONIC, as the clock was set then. arg: the
 * recording.
 */
uint64_t recording_realtime(const void *arg, uint64_t monotonic);
/* Returns when the last session ended; the begin if no end is known. */
uint64_t recording_end(const struct recording *recording);
/* Returns true if every session has an end. */
bool recording_is_ended(const struct recording *recording);

#endif
