// SPDX-License-Identifier: GPL-2.0
/* The ring's memory: pages of the direct map, on the node of their CPU. */
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "core/ring.h"
#include "core/ring_parts.h"
#include "lib/mem.h"

#define SUBBUF_ORDER	get_order(KTRACE_PACKET_LEN)

static void ring_alloc_subbuf_free(struct kt_ring_subbuf *s)
{
	free_pages((unsigned long)s->data, SUBBUF_ORDER);
}

static bool ring_alloc_subbuf_alloc(struct kt_ring_subbuf *s, int cpu, u64 last_nr)
{
	gfp_t flags = GFP_KERNEL | __GFP_NOWARN | __GFP_ZERO;
	struct page *page = alloc_pages_node(cpu_to_node(cpu), flags, SUBBUF_ORDER);
	u64 word = (last_nr << NR_SHIFT) & NR_MASK;

	if (!page)
		return false;
	s->data = page_address(page);
	/* The same values as after a packet of the previous round. */
	atomic64_set(&s->begin, word);
	atomic64_set(&s->end, word);
	local64_set(&s->committed, word);
	return true;
}

static void ring_alloc_cpu_free(struct kt_ring_cpu *c)
{
	u32 nr;

	if (!c)
		return;
	for (nr = 0; nr < c->nr_subbufs; nr++)
		ring_alloc_subbuf_free(&c->subbuf[nr]);
	kfree(c->subbuf);
	kfree(c);
}

static struct kt_ring_cpu *ring_alloc_cpu_alloc(const struct kt_ring *ring, int cpu)
{
	int node = cpu_to_node(cpu);
	size_t len = ring->nr_subbufs * sizeof(struct kt_ring_subbuf);
	struct kt_ring_cpu *c = kzalloc_node(sizeof(*c), GFP_KERNEL, node);

	if (!c)
		return NULL;
	c->subbuf = kzalloc_node(len, GFP_KERNEL | __GFP_NOWARN, node);
	if (!c->subbuf)
		goto free_cpu;
	c->overwrite = ring->overwrite;
	for (; c->nr_subbufs < ring->nr_subbufs; c->nr_subbufs++) {
		if (!ring_alloc_subbuf_alloc(&c->subbuf[c->nr_subbufs], cpu,
					     (u64)c->nr_subbufs - ring->nr_subbufs))
			goto free_cpu;
	}
	atomic64_set(&c->head, EMPTY);
	return c;

free_cpu:
	ring_alloc_cpu_free(c);
	return NULL;
}

size_t kt_ring_mem(u32 nr_subbufs)
{
	size_t subbuf = (PAGE_SIZE << SUBBUF_ORDER) + sizeof(struct kt_ring_subbuf);

	return sizeof(struct kt_ring) + nr_cpu_ids * sizeof(struct kt_ring_cpu *) +
	       (PAGE_SIZE << SUBBUF_ORDER) +
	       num_possible_cpus() * (sizeof(struct kt_ring_cpu) + nr_subbufs * subbuf);
}

static bool ring_alloc(struct kt_ring *ring)
{
	int cpu;

	if (ring->overwrite) {
		ring->copy = (void *)__get_free_pages(GFP_KERNEL | __GFP_NOWARN, SUBBUF_ORDER);
		if (!ring->copy)
			return false;
	}
	for_each_possible_cpu(cpu) {
		ring->cpu[cpu] = ring_alloc_cpu_alloc(ring, cpu);
		if (!ring->cpu[cpu])
			return false;
	}
	return true;
}

struct kt_ring *kt_ring_create(u32 nr_subbufs, bool overwrite, u64 session, u64 cookie)
{
	struct kt_ring *ring;

	BUILD_BUG_ON(KTRACE_PACKET_LEN / 8 > OFFSET_MASK);
	BUILD_BUG_ON(HEADER_LEN % 8);
	/* Packet numbers, and counts of held records, must not wrap in a word. */
	BUILD_BUG_ON(KT_RING_MAX_SUBBUFS >= 1ULL << (NR_BITS - 1));
	BUILD_BUG_ON((u64)KT_RING_MAX_SUBBUFS * FULL >= COUNT_MASK >> COUNT_SHIFT);

	if (!is_power_of_2(nr_subbufs) || nr_subbufs < KT_RING_MIN_SUBBUFS ||
	    nr_subbufs > KT_RING_MAX_SUBBUFS || !kt_mem_charge(kt_ring_mem(nr_subbufs)))
		return NULL;
	ring = kzalloc(sizeof(*ring) + nr_cpu_ids * sizeof(ring->cpu[0]), GFP_KERNEL);
	if (!ring)
		goto uncharge;
	ring->nr_subbufs = nr_subbufs;
	ring->overwrite = overwrite;
	ring->session = session;
	ring->cookie = cookie;
	if (ring_alloc(ring))
		return ring;
	kt_ring_put(ring);
	return NULL;

uncharge:
	kt_mem_uncharge(kt_ring_mem(nr_subbufs));
	return NULL;
}

void kt_ring_put(struct kt_ring *ring)
{
	u32 nr_subbufs;
	int cpu;

	if (!ring)
		return;
	nr_subbufs = ring->nr_subbufs;
	for_each_possible_cpu(cpu)
		ring_alloc_cpu_free(ring->cpu[cpu]);
	free_pages((unsigned long)ring->copy, SUBBUF_ORDER);
	kfree(ring);
	kt_mem_uncharge(kt_ring_mem(nr_subbufs));
}
