/* SPDX-License-Identifier: GPL-2.0 */
/* What commands that read a recording share: their options, and what they report about it. */
#ifndef KEPT_H
#define KEPT_H

#include "cmd/opt.h"
#include "keep/filter.h"
#include "keep/merged.h"
#include "keep/recording.h"

struct measuring;

struct kept_options {
	struct match functions, no_functions, libs;
	struct opt_pids pids, threads;	/* numbers of the recording, whatever runs now */
	const char *comm;
	uint64_t from, to;	/* ns since the begin; to 0: without an end */
	uint32_t max_depth;
	uint64_t min_time;
	const char *session;
};

#define KEPT_OPTIONS(type, member)							\
	HEADING("Which calls"),								\
	{ 0, "session", "FOLDER", OPT_STRING, offsetof(type, member.session),		\
	  "only this session of the recording", NULL },					\
	{ 'f', "function", "GLOB[,GLOB...]", OPT_GLOBS, offsetof(type, member.functions),	\
	  "only these functions, as if no other had been traced", NULL },		\
	{ 0, "no-function", "GLOB[,GLOB...]", OPT_GLOBS,				\
	  offsetof(type, member.no_functions), "except these", NULL },			\
	{ 'l', "lib", "GLOB[,GLOB...]", OPT_GLOBS, offsetof(type, member.libs),		\
	  "only functions of these libraries (libc.so*) and of the program", NULL },	\
	{ 'p', "pid", "PID[,PID...]", OPT_PIDS, offsetof(type, member.pids),		\
	  "only these processes", NULL },						\
	{ 0, "thread", "TID[,TID...]", OPT_PIDS, offsetof(type, member.threads),	\
	  "only these threads", NULL },							\
	{ 0, "comm", "NAME", OPT_STRING, offsetof(type, member.comm),		\
	  "only threads with this name, which may end with *", NULL },			\
	{ 0, "from", "TIME", OPT_PERIOD, offsetof(type, member.from),			\
	  "only calls that began at least TIME (seconds, or 10ms) after the begin", NULL },	\
	{ 0, "to", "TIME", OPT_PERIOD, offsetof(type, member.to),			\
	  "only calls that ended at most TIME after the begin", NULL },			\
	{ 0, "max-depth", "N", OPT_NUMBER, offsetof(type, member.max_depth),		\
	  "calls nested up to N deep", NULL },						\
	{ 0, "min-time", "TIME", OPT_TIME, offsetof(type, member.min_time),		\
	  "only calls of at least TIME (10us, 1ms), and their callers", NULL }

/* A recording, and the part of it that was chosen. */
struct kept {
	struct recording *recording;
	struct kept_session *session;	/* the only one, or NULL: all */
	struct filter filter;
};

/* Opens the recording that the only argument names. Returns 0, or an exit code after a message. */
int kept_open(struct kept *kept, const struct kept_options *options, const char *command, int argc,
	      char **argv, int first);
void kept_close(struct kept *kept);

/* Returns what merged_each() calls to show its progress. */
merged_look *kept_progress(void);

/*
 * Reports on stderr what is missing in a recording that was read, and cuts files that end in the
 * middle of a packet. Returns CMD_INCOMPLETE if something is missing, otherwise CMD_OK.
 */
int kept_tell(const struct kept *kept, const struct merged *merged);

/* The same of calls that have no place in the tree. */
int kept_tell_calls(const struct kept *kept, const struct measuring *measuring);

/* Reports that the options chose nothing of what was recorded. */
void kept_tell_choice(const struct kept *kept, const struct measuring *measuring);

#endif
