/* SPDX-License-Identifier: GPL-2.0 */
/* Names of the events that can be sampled. */
#ifndef SAMPLE_EVENT_H
#define SAMPLE_EVENT_H

#include "client/client.h"

#define SAMPLE_EVENTS								\
	"cycles|instructions|branches|branch-misses|cache-references|cache-misses|"	\
	"page-faults|context-switches|cpu-migrations"

/* Sets type and config for a name of SAMPLE_EVENTS. */
void sample_event_set(struct ktrace_sample_event *event, const char *name);
const char *sample_event_name(const struct ktrace_sample_event *event);

#endif
