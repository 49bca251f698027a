/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHOW_H
#define SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "client/client.h"
#include "report/taken_out.h"
#include "session/names.h"

/* What a session costs now. */
struct show_now {
	bool is_known;
	double hits_per_s;
	double percent;			/* of one CPU */
	double percent_of_processes;	/* of the CPU time of the traced processes; 0: not known */
	size_t nr_processes;
};

struct show {
	const struct ktr_session *session;
	const struct ktrace_costs *costs;
	struct show_now now;
	struct taken_out out;
	struct names names;
	uint32_t nr_named;		/* functions that have a name; 0: not known */
};

/* ktrace ctl show: both have the same content. */
void show_print(FILE *out, const struct show *show);
struct json_object *show_document(const struct show *show);

#endif
