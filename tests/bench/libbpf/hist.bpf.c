// SPDX-License-Identifier: GPL-2.0
/* The minimum of a function tracer in BPF: a start time per thread, and a log2 histogram. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

char _license[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 10240);
	__type(key, __u64);
	__type(value, __u64);
} starts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

static __always_inline __u32 log2_of(__u64 v)
{
	__u32 high = v >> 32, n = 0;
	__u32 low = high ? high : v;

	if (high)
		n = 32;
	if (low >= 1U << 16) {
		low >>= 16;
		n += 16;
	}
	if (low >= 1U << 8) {
		low >>= 8;
		n += 8;
	}
	if (low >= 1U << 4) {
		low >>= 4;
		n += 4;
	}
	if (low >= 1U << 2) {
		low >>= 2;
		n += 2;
	}
	return n + (low >> 1);
}

SEC("uprobe")
int enter(void *regs)
{
	__u64 id = bpf_get_current_pid_tgid(), now = bpf_ktime_get_ns();

	(void)regs;
	bpf_map_update_elem(&starts, &id, &now, BPF_ANY);
	return 0;
}

SEC("uretprobe")
int leave(void *regs)
{
	__u64 id = bpf_get_current_pid_tgid(), now = bpf_ktime_get_ns();
	__u64 *start = bpf_map_lookup_elem(&starts, &id), *count;
	__u32 slot;

	(void)regs;
	if (!start)
		return 0;
	slot = log2_of(now - *start);
	bpf_map_delete_elem(&starts, &id);
	count = bpf_map_lookup_elem(&counts, &slot);
	if (count)
		++*count;
	return 0;
}
