/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KFUNC_BY_H
#define KFUNC_BY_H

#include "nl/nl.h"
#include "report/table.h"
#include "session/comms.h"
#include "session/names.h"
#include "session/threads.h"

/* Calls of one function in one process, thread or CPU, or in all tasks of a name. */
struct kfunc_by {
	struct table table;	/* by time, the longest first; its flag is that of KTRACE_F_BY */
	struct comms comms;
};

/* Of a session with one of KTRACE_F_BY. Returns 0 or a negative errno. */
int kfunc_by_read(struct kfunc_by *by, struct knl *nl, const struct knl_session *session,
		  uint32_t read_flags, const struct names *names, const struct threads *threads);
void kfunc_by_free(struct kfunc_by *by);

void kfunc_by_print(FILE *out, const struct kfunc_by *by);
struct json_object *kfunc_by_json(const struct kfunc_by *by);

#endif
