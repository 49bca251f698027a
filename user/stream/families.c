// SPDX-License-Identifier: GPL-2.0
#include "stream/metrics.h"

#define COUNTED(as, member) .type = FAMILY_##as, .of = FAMILY_OF_COUNTERS,		\
	.counter = offsetof(struct ktrace_counters, member)
#define RECORDS(state, member) { "ktrace_records_total",				\
	"Records of events: produced = acknowledged + dropped + ktrace_records_held.",	\
	"{record}", COUNTED(COUNTER, member), .sinks = KTRACE_SINK_STREAM,		\
	.label = "state", .value = (state) }

#define DELIVERY(as, member) .type = FAMILY_##as, .of = FAMILY_OF_DELIVERIES,		\
	.counter = offsetof(struct metrics_delivery, member)
#define STREAMED(result, member) { "ktrace_stream_records_total",			\
	"Records that were read from the ring, by what became of them at a sink.",	\
	"{record}", DELIVERY(COUNTER, member), .label = "result", .value = (result) }

#define OF(provider) (1U << KTRACE_PROVIDER_##provider)
#define ROWS(by, from) .of = FAMILY_OF_ROWS, .providers = (by), .figure = FIG_##from
#define TIMES(by) .unit = "s", .type = FAMILY_HISTOGRAM, .is_time = true, ROWS(by, SUM)
#define SECONDS(by, from) .unit = "s", .type = FAMILY_COUNTER, .is_time = true, ROWS(by, from)
#define TOTAL(by, from) .unit = UNIT_##from, .type = FAMILY_COUNTER, ROWS(by, from)
#define UNIT_ERRORS "{error}"
#define UNIT_BYTES "By"
#define UNIT_ENTRIES "{call}"

#define CALLS (OF(USER) | OF(KERNEL))
/* Errors and bytes of a request count at its whole, not at its stages. */
#define WHOLE .part_key = KTRACE_KEY_STAGE, .part = KTRACE_BLOCK_Q2C
#define VIRTIO(what) .part_key = KTRACE_KEY_OPERATION, .part = KTRACE_VIRTIO_##what
#define VIRTIO_BYTES(to, what) { "ktrace_virtio_request_bytes_total",			\
	"Bytes of requests that the device was given (out), and that it wrote (in).",	\
	TOTAL(OF(VIRTIO), BYTES), VIRTIO(what), .label = "direction", .value = (to) }

const struct family families[] = {
	{ "ktrace_build_info", "The version of the ktrace module.", .of = FAMILY_OF_MODULE },
	{ "ktrace_session_info", "A session of the module, its provider and its state.",
	  .of = FAMILY_OF_SESSION },
	{ "ktrace_hits_total", "Hits of probes by traced tasks.", "{hit}", COUNTED(COUNTER, hits) },
	{ "ktrace_probe_measured_hits_total", "Hits whose own cost was measured, a sample of all.",
	  "{hit}", COUNTED(COUNTER, run_cnt) },
	{ "ktrace_probe_seconds_total", "What the measured hits cost, without the trap.",
	  "s", COUNTED(COUNTER, run_ns), .is_time = true },
	RECORDS("produced", produced), RECORDS("acknowledged", acknowledged),
	RECORDS("dropped", dropped),
	{ "ktrace_records_held", "Records that wait in the ring for a reader.", "{record}",
	  COUNTED(GAUGE, held), .sinks = KTRACE_SINK_STREAM },
	{ "ktrace_lost_total", "Calls, records, stacks and other events that were lost, by reason.",
	  "{event}", .type = FAMILY_COUNTER, .of = FAMILY_OF_LOSSES },

	STREAMED("delivered", delivered), STREAMED("refused", refused),
	STREAMED("skipped", skipped),
	{ "ktrace_stream_is_down", "1 while the sink takes no records, otherwise 0.",
	  DELIVERY(GAUGE, is_down) },
	{ "ktrace_stream_last_delivery_timestamp_seconds",
	  "When the sink last took records, since 1970; 0: never.", "s",
	  DELIVERY(GAUGE, delivered_at), .is_time = true },

	{ "ktrace_call_duration_seconds",
	  "Durations of calls of functions whose return was seen.", TIMES(CALLS) },
	{ "ktrace_call_self_seconds_total", "Time in functions without their traced callees.",
	  SECONDS(CALLS, SELF) },
	{ "ktrace_call_errors_total", "Calls that returned an error.", TOTAL(CALLS, ERRORS) },
	{ "ktrace_calls_total", "Calls that began, if entries are counted.",
	  TOTAL(CALLS, ENTRIES), .is_rare = true },

	{ "ktrace_syscall_duration_seconds", "Durations of system calls.",
	  TIMES(OF(SYSCALLS)) },
	{ "ktrace_syscall_self_seconds_total", "CPU time of system calls.",
	  SECONDS(OF(SYSCALLS), SELF) },
	{ "ktrace_syscall_errors_total", "System calls that returned an error.",
	  TOTAL(OF(SYSCALLS), ERRORS) },
	{ "ktrace_syscall_bytes_total",
	  "Bytes returned by system calls that read, write, send or receive.",
	  TOTAL(OF(SYSCALLS), BYTES) },

	{ "ktrace_sched_period_seconds",
	  "Periods that tasks spent on a CPU, runnable, or blocked.", TIMES(OF(SCHED)) },

	{ "ktrace_block_request_duration_seconds",
	  "Durations of disk requests (stage q2c), and of their stages.", TIMES(OF(BLOCK)),
	  .label = "stage", .value = "q2c", .unless = KTRACE_KEY_STAGE },
	{ "ktrace_block_request_errors_total", "Disk requests that failed.",
	  TOTAL(OF(BLOCK), ERRORS), WHOLE },
	{ "ktrace_block_request_bytes_total", "Bytes of disk requests.",
	  TOTAL(OF(BLOCK), BYTES), WHOLE },

	{ "ktrace_fault_duration_seconds", "Durations of page faults of programs.",
	  TIMES(OF(FAULT)) },
	{ "ktrace_fault_errors_total", "Page faults that ended in a signal.",
	  TOTAL(OF(FAULT), ERRORS) },

	{ "ktrace_virtio_request_duration_seconds",
	  "Times from the add of a request to a virtio queue until it is used.",
	  TIMES(OF(VIRTIO)), VIRTIO(USED) },
	{ "ktrace_virtio_request_errors_total", "Requests that a virtio queue refused.",
	  TOTAL(OF(VIRTIO), ERRORS), VIRTIO(ADD) },
	VIRTIO_BYTES("out", OUT), VIRTIO_BYTES("in", USED),
};

const size_t nr_families = sizeof(families) / sizeof(families[0]);

_Static_assert(sizeof(families) / sizeof(families[0]) < 256, "the key of a series has one byte");

uint64_t family_count(uint64_t counts[FAMILY_NR_BOUNDS], const struct hist *hist)
{
	uint64_t count = 0;
	unsigned int i;
	size_t at = 0;

	for (i = 0; i < FAMILY_NR_BOUNDS; i++) {
		while (at < hist->nr && ktr_bucket_low(hist->buckets[at].index) <= family_bound(i))
			count += hist->buckets[at++].count;
		counts[i] = count;
	}
	while (at < hist->nr)
		count += hist->buckets[at++].count;
	return count;
}
