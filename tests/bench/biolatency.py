#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
A histogram of a disk's requests from issue to completion, by BCC, until SIGINT. It does the same as
BCC's biolatency, which finds no function to probe in some kernels, but with tracepoints.
"""
import signal

from bcc import BPF

PROGRAM = """
struct request { u64 sector; u32 dev; u32 unused; };
BPF_HASH(start, struct request);
BPF_HISTOGRAM(ns);

TRACEPOINT_PROBE(block, block_rq_issue)
{
	struct request request = { .sector = args->sector, .dev = args->dev };
	u64 now = bpf_ktime_get_ns();

	start.update(&request, &now);
	return 0;
}

TRACEPOINT_PROBE(block, block_rq_complete)
{
	struct request request = { .sector = args->sector, .dev = args->dev };
	u64 *since = start.lookup(&request);

	if (!since)
		return 0;
	ns.increment(bpf_log2l(bpf_ktime_get_ns() - *since));
	start.delete(&request);
	return 0;
}
"""

signal.signal(signal.SIGINT, lambda *_: None)
bpf = BPF(text=PROGRAM)
print('attached', flush=True)
signal.pause()
bpf['ns'].print_log2_hist('ns')
