// SPDX-License-Identifier: GPL-2.0
/* LIMIT: limits of time, depth, memory, lifetime, cost and frequency. */
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/perf_event.h>
#include <linux/string.h>
#include <net/genetlink.h>

#include <uapi/ktrace.h>

#include "compat/genl.h"
#include "core/costs.h"
#include "core/provider.h"
#include "core/ring.h"
#include "core/session.h"
#include "core/shadow.h"
#include "netlink/attrs.h"
#include "netlink/limit.h"
#include "netlink/nest.h"

#define NODES 65536	/* the default of MAX_NODES */
#define MAX_NODES (1U << 24)
#define SUBBUFS 64	/* the default of SUBBUFS_PER_CPU */
#define FREQUENCY 99	/* the default: not in step with clocks and timers */

static const struct nla_policy policy[KTRACE_LIMIT_MAX + 1] = {
	[KTRACE_LIMIT_MIN_TIME] = { .type = NLA_U64 },
	[KTRACE_LIMIT_MAX_DEPTH] = { .type = NLA_U32 },
	[KTRACE_LIMIT_MAX_NODES] = { .type = NLA_U32 },
	[KTRACE_LIMIT_SUBBUFS_PER_CPU] = { .type = NLA_U32 },
	[KTRACE_LIMIT_LIFETIME] = { .type = NLA_U64 },
	[KTRACE_LIMIT_BUDGET] = { .type = NLA_U32 },
	[KTRACE_LIMIT_FREQUENCY] = { .type = NLA_U32 },
	[KTRACE_LIMIT_EVENT] = { .type = NLA_BINARY, .len = sizeof(struct ktrace_sample_event) },
};

static const struct kt_nest nest = { policy, KTRACE_LIMIT_MAX };

#define LIMIT(name) (1U << KTRACE_LIMIT_##name)
#define CHANGE (LIMIT(MIN_TIME) | LIMIT(MAX_DEPTH))
#define NEW (CHANGE | LIMIT(MAX_NODES) | LIMIT(SUBBUFS_PER_CPU) | LIMIT(LIFETIME) | \
	     LIMIT(BUDGET) | LIMIT(FREQUENCY) | LIMIT(EVENT))

static int limit_parse(const struct genl_info *info, u32 allowed, const struct nlattr **a)
{
	int error;

	BUILD_BUG_ON(KTRACE_LIMIT_MAX >= KT_NEST_ATTRS);
	error = kt_nest_parse(info->attrs[KTRACE_A_LIMIT], &nest, allowed, a, kt_info_extack(info));
	if (!error && a[KTRACE_LIMIT_MAX_DEPTH] && !kt_attrs_u32(a[KTRACE_LIMIT_MAX_DEPTH], 0))
		error = kt_refuse(kt_info_extack(info), -EINVAL, "MAX_DEPTH is 1 at least.");
	return error;
}

int kt_limit_get_change(const struct genl_info *info, struct kt_limit *limit)
{
	const struct nlattr *a[KT_NEST_ATTRS];
	int error = limit_parse(info, CHANGE, a);

	if (error)
		return error;
	limit->has_min_time = a[KTRACE_LIMIT_MIN_TIME];
	limit->min_time = kt_attrs_u64(a[KTRACE_LIMIT_MIN_TIME], 0);
	limit->max_depth = min_t(u32, kt_attrs_u32(a[KTRACE_LIMIT_MAX_DEPTH], 0), KT_MAX_FRAMES);
	return 0;
}

/* --- a new session ---------------------------------------------------------- */

static bool limit_goes_with_calls(const struct kt_session_config *config)
{
	return !(config->sinks & KTRACE_SINK_COUNT) && !(config->flags & KTRACE_F_ERRORS);
}

/* A budget needs COSTS, a provider that takes a budget, and histograms. */
static bool limit_is_budget_good(const struct kt_session_config *config)
{
	struct ktrace_costs costs;

	kt_costs_get(&costs);
	return config->budget && config->budget <= KTRACE_MAX_BUDGET && costs.entry &&
	       config->provider->has_budget && (config->sinks & KTRACE_SINK_HIST);
}

static int limit_check_calls(const struct genl_info *info, const struct kt_session_config *config,
			     const struct nlattr **a)
{
	const struct kt_provider *provider = config->provider;
	struct netlink_ext_ack *extack = kt_info_extack(info);

	if (a[KTRACE_LIMIT_MIN_TIME] &&
	    !(limit_goes_with_calls(config) && (config->sinks & provider->min_time_with)))
		return kt_refuse(extack, -EINVAL,
				 "The provider does not take MIN_TIME with these sinks and flags.");
	if (a[KTRACE_LIMIT_MAX_DEPTH] &&
	    !(limit_goes_with_calls(config) && (config->sinks & provider->max_depth_with)))
		return kt_refuse(extack, -EINVAL,
				 "The provider does not take MAX_DEPTH with these sinks and flags.");
	if (a[KTRACE_LIMIT_BUDGET] && !limit_is_budget_good(config))
		return kt_refuse(extack, -EINVAL,
				 "BUDGET needs user functions, histograms and COSTS that are known.");
	if (a[KTRACE_LIMIT_LIFETIME] && (!config->lifetime || config->lifetime > S64_MAX))
		return kt_refuse(extack, -EINVAL, "LIFETIME is 1 at least, and has 63 bits.");
	return 0;
}

static int limit_check_memory(const struct genl_info *info, const struct kt_session_config *config)
{
	struct netlink_ext_ack *extack = kt_info_extack(info);

	if (!config->max_nodes)
		return kt_refuse(extack, -EINVAL, "MAX_NODES is 1 at least.");
	if (!is_power_of_2(config->nr_subbufs) || config->nr_subbufs < KT_RING_MIN_SUBBUFS)
		return kt_refuse(extack, -EINVAL, "SUBBUFS_PER_CPU is a power of two, 2 at least.");
	if (config->max_nodes > MAX_NODES)
		return kt_refuse(extack, -E2BIG, "MAX_NODES is 16777216 at most.");
	if (config->nr_subbufs > KT_RING_MAX_SUBBUFS)
		return kt_refuse(extack, -E2BIG, "SUBBUFS_PER_CPU is 16384 at most.");
	return 0;
}

static int limit_check_frequency(const struct genl_info *info,
				 const struct kt_session_config *config, bool is_given)
{
	struct netlink_ext_ack *extack = kt_info_extack(info);

	if (is_given && !config->provider->has_frequency)
		return kt_refuse(extack, -EINVAL, "The provider does not take FREQUENCY.");
	if (!config->frequency || config->frequency > KTRACE_MAX_FREQUENCY)
		return kt_refuse(extack, -EINVAL, "FREQUENCY is 1 to 10000 samples per second.");
	return 0;
}

/* Events that a counter of the kernel or of the hardware may count. */
static bool limit_is_event_good(const struct ktrace_sample_event *event)
{
	switch (event->type) {
	case PERF_TYPE_HARDWARE:
		return event->config < PERF_COUNT_HW_MAX;
	case PERF_TYPE_SOFTWARE:
		return event->config == PERF_COUNT_SW_PAGE_FAULTS ||
		       event->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		       event->config == PERF_COUNT_SW_CPU_MIGRATIONS;
	default:
		return false;
	}
}

static int limit_get_event(const struct genl_info *info, struct kt_session_config *config,
			   const struct nlattr *attr)
{
	struct netlink_ext_ack *extack = kt_info_extack(info);
	struct ktrace_sample_event *event = &config->event;

	if (!attr)
		return 0;
	if (nla_len(attr) != sizeof(*event))
		return kt_refuse(extack, -ERANGE, "EVENT is not one struct ktrace_sample_event.");
	if (!config->provider->has_frequency)
		return kt_refuse(extack, -EINVAL, "The provider does not take EVENT.");
	memcpy(event, nla_data(attr), sizeof(*event));
	config->has_event = true;
	if (event->zero || !limit_is_event_good(event))
		return kt_refuse(extack, -EINVAL, "Samples cannot be taken of this EVENT.");
	if (event->period > S64_MAX)
		return kt_refuse(extack, -EINVAL, "The period of EVENT has 63 bits.");
	return 0;
}

/* FREQUENCY only limits the samples if the period is given. */
static u32 limit_usual_frequency(const struct kt_session_config *config)
{
	return config->event.period ? KTRACE_MAX_FREQUENCY : FREQUENCY;
}

int kt_limit_get_new(const struct genl_info *info, struct kt_session_config *config)
{
	const struct nlattr *a[KT_NEST_ATTRS];
	int error = limit_parse(info, NEW, a);

	if (error)
		return error;
	config->min_time = kt_attrs_u64(a[KTRACE_LIMIT_MIN_TIME], 0);
	config->max_depth = min_t(u32, kt_attrs_u32(a[KTRACE_LIMIT_MAX_DEPTH], KT_MAX_FRAMES),
				  KT_MAX_FRAMES);
	config->max_nodes = kt_attrs_u32(a[KTRACE_LIMIT_MAX_NODES], NODES);
	config->nr_subbufs = kt_attrs_u32(a[KTRACE_LIMIT_SUBBUFS_PER_CPU], SUBBUFS);
	config->lifetime = kt_attrs_u64(a[KTRACE_LIMIT_LIFETIME], 0);
	config->budget = kt_attrs_u32(a[KTRACE_LIMIT_BUDGET], 0);
	error = limit_get_event(info, config, a[KTRACE_LIMIT_EVENT]);
	config->frequency = kt_attrs_u32(a[KTRACE_LIMIT_FREQUENCY], limit_usual_frequency(config));
	if (!error)
		error = limit_check_calls(info, config, a);
	if (!error)
		error = limit_check_frequency(info, config, a[KTRACE_LIMIT_FREQUENCY]);
	return error ? error : limit_check_memory(info, config);
}
