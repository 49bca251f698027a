/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The Trace Event Format, in JSON, which chrome://tracing and Perfetto read. The file is written while
 * a recording is read, so its size is known after a first pass that only counts.
 */
#ifndef CHROME_H
#define CHROME_H

#include <stdint.h>
#include <stdio.h>

#define CHROME_MAX_SIZE (200ULL << 20)	/* chrome://tracing cannot read more than 256 MB */

struct chrome;

/* An event with a begin and an end. Events of a thread must nest. */
struct chrome_event {
	const char *name;
	const char *category;	/* "syscalls" */
	uint32_t pid, tid;
	uint64_t begin, end;	/* ns */
	const char *note;	/* shown with the event; or NULL */
	const char *path;	/* the same; or NULL */
	uint64_t id;		/* not 0: it belongs to no thread, and may overlap others */
};

/* What does not fit. */
struct chrome_cut {
	uint64_t nr, all_nr;	/* events */
	uint64_t shortest_ns;	/* of those that were kept */
};

/* max_size: bytes; start_ns: the time of 0. out is written to in the second pass only. */
struct chrome *chrome_create(FILE *out, uint64_t max_size, uint64_t start_ns);
/* Takes an event, in both passes. */
void chrome_event(struct chrome *chrome, const struct chrome_event *event);
/*
 * Ends the first pass: from now on, events are written, except those that are shorter than the
 * shortest that fit.
 */
void chrome_begin(struct chrome *chrome);
/* Names a process or, with a tid, a thread. In the second pass. */
void chrome_name(struct chrome *chrome, uint32_t pid, uint32_t tid, const char *name);
/* Ends the file, and frees chrome. */
void chrome_end(struct chrome *chrome, struct chrome_cut *cut);

#endif
