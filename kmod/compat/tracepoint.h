/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes of tracepoints, found by name: most are not exported. A kernel calls them with what
 * the event has, and nothing checks that at run time. So each is listed by KT_TRACEPOINT(), which
 * compares it with the event's own declaration, in a header of trace/events that its file includes.
 */
#ifndef KT_COMPAT_TRACEPOINT_H
#define KT_COMPAT_TRACEPOINT_H

#include <linux/stringify.h>
#include <linux/types.h>

struct tracepoint;

/* fn takes a void * that is NULL, then the arguments of the event. */
struct kt_tracepoint {
	const char *name;
	void *fn;
	struct tracepoint *tracepoint;	/* once found */
};

/*
 * Of an event and its probe. An event with other arguments than the probe has is a build error that
 * names it: what probe/ answers chooses among the prototypes that are known, and this proves it.
 */
#define KT_TRACEPOINT(event, probe) KT_TRACEPOINT_OF(event, probe)
#define KT_TRACEPOINT_OF(event, probe) \
	{ .name = __stringify(event), .fn = (void *)(probe) + KT_CHECK_PROBE(event, probe) }

/* 0. Declared with each event is check_trace_callback_type_<event>(), which takes its probes. */
#define KT_CHECK_PROBE(event, probe)						\
	(0 * sizeof(struct {							\
		unsigned int ktrace_##event##_has_other_arguments_in_this_kernel : \
		__builtin_types_compatible_p(					\
			typeof(check_trace_callback_type_##event),		\
			void (typeof(probe) *)) ? 1 : -1;			\
	}))

/* Process context, sleep. All or none; -ENOENT: this kernel has no such event. */
int kt_tracepoints_attach(struct kt_tracepoint *probes, size_t nr);
/* Returns when none of them runs. */
void kt_tracepoints_detach(struct kt_tracepoint *probes, size_t nr);

#endif
