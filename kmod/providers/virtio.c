// SPDX-License-Identifier: GPL-2.0
/*
 * Queues of virtio devices, as the drivers of this guest use them. Virtio has no tracepoints, so
 * this provider hooks kernel functions: those that drivers call to add a request, to take a used
 * request, and to take back an unused one; the interrupt handler; and the functions by which
 * transports notify a device. The locks of a driver serialize these calls for one queue, except
 * the interrupt handler and the notifications.
 *
 * A request in a queue is identified by the queue and the driver's token. A request that was added
 * before the first session, such as a receive buffer, counts when it is used, but has no time.
 */
#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/irqflags.h>
#include <linux/irqreturn.h>
#include <linux/scatterlist.h>
#include <linux/virtio.h>

#include "compat/virtio.h"
#include "core/figures.h"
#include "core/hit.h"
#include "core/provider.h"
#include "core/refill.h"
#include "core/session.h"
#include "lib/mem.h"
#include "lib/ticks.h"
#include "providers/hook.h"
#include "providers/peers.h"
#include "providers/providers.h"
#include "providers/virtio_queue.h"
#include "providers/virtio_request.h"

static KT_PEERS(virtio_peers);

struct kt_virtio {
	struct kt_virtio_queues queues;
	struct kt_hooks_account account;
};

/* --- what a session counts ---------------------------------------------------- */

/* The session has been attached. */
static struct kt_virtio *virtio_of(const struct kt_session *session)
{
	return session->source;
}

static bool virtio_is_wanted(const struct kt_session *session, const struct virtqueue *vq)
{
	const struct kt_session_config *config = &session->config;
	u32 i;

	for (i = 0; i < config->nr_devs; i++)
		if (config->devs[i] == vq->vdev->index)
			return true;
	return !config->nr_devs;
}

static u32 virtio_func_of(const struct kt_session *session, const struct virtqueue *vq, u32 what)
{
	return KTRACE_VIRTIO_FUNC(kt_virtio_queue_number(&virtio_of(session)->queues, vq), what);
}

/* An event and its queue; fn counts it in each session that traces the device. */
struct event {
	const struct virtqueue *vq;
	u64 now;	/* ticks, as added is */
	u64 added;
	u64 written;	/* bytes, as reported by the device */
	const struct add *add;
	bool has_failed;
	bool is_lost;	/* no room to note the time of the add */
	void (*fn)(struct kt_session *session, struct kt_session_cpu *cpu,
		   const struct event *event);
};

static void virtio_measure_own(struct kt_session_cpu *cpu, u64 since)
{
	if (likely(++cpu->counters.hits % KT_HIT_SAMPLE_EVERY))
		return;
	cpu->counters.run_cnt++;
	cpu->counters.run_ns += kt_ticks_to_ns(kt_ticks() - since);
}

/* RCU reader. Turns interrupts off, since an interrupt could count in the same histograms. */
static void virtio_count(const struct event *event)
{
	struct kt_session *session;
	struct kt_session_cpu *cpu;
	unsigned long flags;

	local_irq_save(flags);
	kt_peers_each(session, &virtio_peers) {
		if (!virtio_is_wanted(session, event->vq))
			continue;
		cpu = this_cpu_ptr(session->hot.cpu);
		event->fn(session, cpu, event);
		virtio_measure_own(cpu, event->now);
	}
	local_irq_restore(flags);
	kt_refill_soon();
}

static void virtio_count_one(struct kt_session *session, struct kt_session_cpu *cpu,
			     const struct event *event, u32 what)
{
	struct kt_hist *hist = kt_figures_hist(cpu, virtio_func_of(session, event->vq, what));

	if (likely(hist)) {
		hist->entries++;
		hist->errors += event->has_failed;
	}
}

/* --- requests are added --------------------------------------------------------- */

struct part {
	u64 nr;		/* pieces of memory */
	u64 bytes;
};

struct add {
	const struct virtqueue *vq;
	unsigned long token;
	struct part out, in;
};

/* Walks the driver's list, which the kernel itself is about to walk. */
static void virtio_measure(struct part *part, struct scatterlist *sg, bool is_mapped)
{
	for (; sg; sg = sg_next(sg)) {
		part->nr++;
		part->bytes += is_mapped ? sg_dma_len(sg) : sg->length;
	}
}

static bool virtio_enter_sgs(const struct kt_hook *hook, const unsigned long *args, void *data)
{
	struct scatterlist **sgs = (struct scatterlist **)args[1];
	u32 nr_out = args[2], nr_in = args[3], i;
	struct add *add = data;

	*add = (struct add){ .vq = (const struct virtqueue *)args[0], .token = args[4] };
	for (i = 0; i < nr_out + nr_in; i++)
		virtio_measure(i < nr_out ? &add->out : &add->in, sgs[i], false);
	return true;
}

static void virtio_begin_add(const unsigned long *args, bool is_out, bool is_mapped,
			     struct add *add)
{
	*add = (struct add){ .vq = (const struct virtqueue *)args[0], .token = args[3] };
	virtio_measure(is_out ? &add->out : &add->in, (struct scatterlist *)args[1], is_mapped);
}

static bool virtio_enter_out(const struct kt_hook *hook, const unsigned long *args, void *data)
{
	virtio_begin_add(args, true, false, data);
	return true;
}

static bool virtio_enter_in(const struct kt_hook *hook, const unsigned long *args, void *data)
{
	virtio_begin_add(args, false, false, data);
	return true;
}

static bool virtio_enter_mapped_out(const struct kt_hook *hook, const unsigned long *args,
				    void *data)
{
	virtio_begin_add(args, true, true, data);
	return true;
}

static bool virtio_enter_mapped_in(const struct kt_hook *hook, const unsigned long *args,
				   void *data)
{
	virtio_begin_add(args, false, true, data);
	return true;
}

static void virtio_count_part(struct kt_session *session, struct kt_session_cpu *cpu,
			      const struct event *event, const struct part *part, u32 what)
{
	struct kt_hist *hist;

	if (!part->nr)
		return;
	hist = kt_figures_hist(cpu, virtio_func_of(session, event->vq, what));
	if (likely(hist)) {
		hist->entries += part->nr;
		hist->bytes += part->bytes;
	}
}

static void virtio_count_add(struct kt_session *session, struct kt_session_cpu *cpu,
			     const struct event *event)
{
	virtio_count_one(session, cpu, event, KTRACE_VIRTIO_ADD);
	if (unlikely(event->has_failed))
		return;
	cpu->counters.lost_pool += event->is_lost;
	virtio_count_part(session, cpu, event, &event->add->out, KTRACE_VIRTIO_OUT);
	virtio_count_part(session, cpu, event, &event->add->in, KTRACE_VIRTIO_IN);
}

static void virtio_leave_add(void *data, unsigned long result)
{
	const struct add *add = data;
	struct event event = {
		.vq = add->vq, .now = kt_ticks(), .add = add,
		.has_failed = (int)result < 0, .fn = virtio_count_add,
	};

	rcu_read_lock_sched();
	event.is_lost = !event.has_failed &&
			!kt_virtio_request_add(add->vq, add->token, event.now);
	virtio_count(&event);
	rcu_read_unlock_sched();
}

/* --- requests are taken ----------------------------------------------------------- */

struct get {
	const struct virtqueue *vq;
	const unsigned int *len;	/* where the driver gets the number of bytes written */
};

static bool virtio_enter_get(const struct kt_hook *hook, const unsigned long *args, void *data)
{
	struct get *get = data;

	*get = (struct get){ (const struct virtqueue *)args[0], (const unsigned int *)args[1] };
	return true;
}

static void virtio_count_used(struct kt_session *session, struct kt_session_cpu *cpu,
			      const struct event *event)
{
	struct kt_hist *hist = kt_figures_hist(cpu, virtio_func_of(session, event->vq,
								   KTRACE_VIRTIO_USED));
	u64 since = event->added;

	if (unlikely(!hist))
		return;
	hist->entries++;
	hist->bytes += event->written;
	if (since && since >= session->hot.counts_from &&
	    !kt_hist_add(hist, event->now > since ? kt_ticks_to_ns(event->now - since) : 0))
		cpu->counters.lost_pool++;
}

static void virtio_leave_get(void *data, unsigned long result)
{
	const struct get *get = data;
	struct event event = { .vq = get->vq, .fn = virtio_count_used };

	/* Most drivers call this until no used request is left. */
	if (!result)
		return;
	rcu_read_lock_sched();
	event.now = kt_ticks();
	event.added = kt_virtio_request_take(get->vq, result);
	event.written = *get->len;
	virtio_count(&event);
	rcu_read_unlock_sched();
}

static bool virtio_enter_detach(const struct kt_hook *hook, const unsigned long *args, void *data)
{
	struct get *get = data;

	get->vq = (const struct virtqueue *)args[0];
	return true;
}

/* A request is taken back unused, for example when a device is removed. */
static void virtio_leave_detach(void *data, unsigned long result)
{
	const struct get *get = data;

	if (!result)
		return;
	rcu_read_lock_sched();
	kt_virtio_request_take(get->vq, result);
	rcu_read_unlock_sched();
}

/* --- notifications in both directions ----------------------------------------------- */

static void virtio_count_kick(struct kt_session *session, struct kt_session_cpu *cpu,
			      const struct event *event)
{
	virtio_count_one(session, cpu, event, KTRACE_VIRTIO_KICK);
}

static bool virtio_enter_notify(const struct kt_hook *hook, const unsigned long *args, void *data)
{
	const struct event event = {
		.vq = (const struct virtqueue *)args[0], .now = kt_ticks(), .fn = virtio_count_kick,
	};

	rcu_read_lock_sched();
	virtio_count(&event);
	rcu_read_unlock_sched();
	return false;
}

static bool virtio_enter_interrupt(const struct kt_hook *hook, const unsigned long *args,
				   void *data)
{
	struct get *get = data;

	get->vq = (const struct virtqueue *)args[1];
	return true;
}

static void virtio_count_interrupt(struct kt_session *session, struct kt_session_cpu *cpu,
				   const struct event *event)
{
	virtio_count_one(session, cpu, event, KTRACE_VIRTIO_INTERRUPT);
}

/* If several queues share an interrupt, the handler is called for each of them. */
static void virtio_leave_interrupt(void *data, unsigned long result)
{
	const struct get *get = data;
	const struct event event = {
		.vq = get->vq, .now = kt_ticks(), .fn = virtio_count_interrupt,
		.has_failed = (int)result == IRQ_NONE,
	};

	rcu_read_lock_sched();
	virtio_count(&event);
	rcu_read_unlock_sched();
}

/* --- sessions ------------------------------------------------------------------------ */

enum kind { ADD = 1, GET = 2, NOTIFY = 4, INTERRUPT = 8 };

/* Functions of all kernel versions, the most frequently called ones first. */
static struct kt_hook all_hooks[] = {
	{ .name = "virtqueue_get_buf_ctx", .kind = GET, .enter = virtio_enter_get,
	  .leave = virtio_leave_get },
	{ .name = "virtqueue_get_buf", .way_to = "virtqueue_get_buf_ctx", .kind = GET,
	  .enter = virtio_enter_get, .leave = virtio_leave_get },
	{ .name = "virtqueue_add_sgs", .kind = ADD, .enter = virtio_enter_sgs,
	  .leave = virtio_leave_add },
	{ .name = "virtqueue_add_outbuf", .kind = ADD, .enter = virtio_enter_out,
	  .leave = virtio_leave_add },
	{ .name = "virtqueue_add_inbuf", .kind = ADD, .enter = virtio_enter_in,
	  .leave = virtio_leave_add },
	{ .name = "virtqueue_add_inbuf_ctx", .kind = ADD, .enter = virtio_enter_in,
	  .leave = virtio_leave_add },
	{ .name = "virtqueue_add_inbuf_cache_clean", .kind = ADD, .enter = virtio_enter_in,
	  .leave = virtio_leave_add },
	{ .name = "virtqueue_add_outbuf_premapped", .kind = ADD, .enter = virtio_enter_mapped_out,
	  .leave = virtio_leave_add },
	{ .name = "virtqueue_add_inbuf_premapped", .kind = ADD, .enter = virtio_enter_mapped_in,
	  .leave = virtio_leave_add },
	{ .name = "vring_interrupt", .kind = INTERRUPT, .enter = virtio_enter_interrupt,
	  .leave = virtio_leave_interrupt },
	{ .name = "virtqueue_detach_unused_buf", .enter = virtio_enter_detach,
	  .leave = virtio_leave_detach },
	/* PCI, MMIO and vDPA. The _with_data variants also report the fill level of the queue. */
	{ .name = "vp_notify", .kind = NOTIFY, .enter = virtio_enter_notify },
	{ .name = "vp_notify_with_data", .kind = NOTIFY, .enter = virtio_enter_notify },
	{ .name = "vm_notify", .kind = NOTIFY, .enter = virtio_enter_notify },
	{ .name = "vm_notify_with_data", .kind = NOTIFY, .enter = virtio_enter_notify },
	{ .name = "virtio_vdpa_notify", .kind = NOTIFY, .enter = virtio_enter_notify },
};

static struct kt_hooks hooks = { .hooks = all_hooks, .nr = ARRAY_SIZE(all_hooks) };

/* Histograms in the pool for new queues. The pool is refilled as queues appear. */
#define NR_READY 256

static int virtio_begin_hooks(void)
{
	int error;

	BUILD_BUG_ON(ARRAY_SIZE(all_hooks) > KT_HOOKS);
	BUILD_BUG_ON(sizeof(struct add) > KT_HOOK_DATA);
	if (!kt_peers_are_none(&virtio_peers))
		return 0;
	if (!kt_virtio_requests_create())
		return -ENOMEM;
	kt_hist_want(NR_READY);
	kt_refill_all(GFP_KERNEL);
	error = kt_hooks_attach(&hooks);
	if (!error)
		return 0;
	kt_hist_want(-NR_READY);
	kt_virtio_requests_free();
	return error;
}

static int virtio_begin_session(struct kt_session *session)
{
	struct kt_virtio *virtio;
	int error;

	if (!session->source)
		session->source = kt_mem_alloc(sizeof(*virtio));
	virtio = session->source;
	if (!virtio)
		return -ENOMEM;
	error = virtio_begin_hooks();
	if (!error)
		kt_hooks_account_begin(&virtio->account, &hooks);
	return error;
}

static void virtio_end_session(struct kt_session *session)
{
	kt_hooks_account_end(&virtio_of(session)->account, &hooks);
	if (!kt_peers_are_none(&virtio_peers))
		return;
	kt_hooks_detach(&hooks);
	kt_hist_want(-NR_READY);
	kt_virtio_requests_free();
}

static u64 virtio_missed(struct kt_session *session)
{
	const struct kt_virtio *virtio;
	u64 nr = 0;

	mutex_lock(&virtio_peers.lock);
	virtio = virtio_of(session);
	if (virtio)
		nr = kt_hooks_account_get(&virtio->account, &hooks, !list_empty(&session->peers));
	mutex_unlock(&virtio_peers.lock);
	return nr;
}

static void virtio_put(struct kt_session *session)
{
	kt_mem_free(session->source, sizeof(struct kt_virtio));
}

static const char *virtio_own_of(const struct kt_session *session, u32 func, u64 *keys)
{
	struct kt_virtio *virtio = READ_ONCE(session->source);
	const char *name = NULL;

	keys[0] = ~0ULL;
	keys[1] = ~0ULL;
	keys[2] = KTRACE_VIRTIO_WHAT(func);
	if (virtio)
		kt_virtio_queue_get(&virtio->queues, KTRACE_VIRTIO_QUEUE(func), keys, &name);
	return name;
}

static const struct kt_columns virtio_columns = {
	.own = { KTRACE_KEY_DEVICE, KTRACE_KEY_QUEUE, KTRACE_KEY_OPERATION },
	.own_of = virtio_own_of,
	.values = KT_FIGURES_OF_CALLS | 1ULL << KTRACE_FIGURE_ENTRIES |
		  1ULL << KTRACE_FIGURE_ERRORS | 1ULL << KTRACE_FIGURE_BYTES,
};

const struct kt_provider kt_virtio_provider = {
	.number = KTRACE_PROVIDER_VIRTIO,
	.sinks = KTRACE_SINK_HIST,
	.columns = &virtio_columns,
	.nr_funcs = KTRACE_NR_VIRTIO,
	.has_devs = true,
	.has_no_task = true,
	.missed = virtio_missed,
	.peers = &virtio_peers,
	.attach = virtio_begin_session,
	.detach = virtio_end_session,
	.put = virtio_put,
};
