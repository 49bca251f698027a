/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes of tracepoints. Tracepoints are found by name, since most are not exported. The kernel
 * calls a probe with the arguments of the event, and nothing checks them at run time. So each probe
 * is listed with KT_TRACEPOINT(), which compares it with the declaration of the event, in a header
 * of trace/events that the file includes.
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
 * An event and its probe. If the event has other arguments than the probe, the build fails with an
 * error that names the event. The answers of probe/ select one of the known prototypes, and this
 * macro proves that it is right.
 */
#define KT_TRACEPOINT(event, probe) KT_TRACEPOINT_OF(event, probe)
#define KT_TRACEPOINT_OF(event, probe) \
	{ .name = __stringify(event), .fn = (void *)(probe) + KT_CHECK_PROBE(event, probe) }

/* 0. Each event declares check_trace_callback_type_<event>(), which takes a probe of the event. */
#define KT_CHECK_PROBE(event, probe)						\
	(0 * sizeof(struct {							\
		unsigned int ktrace_##event##_has_other_arguments_in_this_kernel : \
		__builtin_types_compatible_p(					\
			typeof(check_trace_callback_type_##event),		\
			void (typeof(probe) *)) ? 1 : -1;			\
	}))

/*
 * Attaches all probes or none. Returns 0 or a negative errno: -ENOENT if this kernel does not have
 * an event. Process context, sleeps.
 */
int kt_tracepoints_attach(struct kt_tracepoint *probes, size_t nr);
/* Detaches all probes, and waits until none runs. Process context, sleeps. */
void kt_tracepoints_detach(struct kt_tracepoint *probes, size_t nr);

#endif
