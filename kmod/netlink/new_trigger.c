// SPDX-License-Identifier: GPL-2.0
/* TRIGGER of SESSION_NEW: checks it against what the provider can tell about an event. */
#include <linux/string.h>
#include <net/genetlink.h>

#include <uapi/ktrace.h>

#include "compat/genl.h"
#include "core/provider.h"
#include "core/session.h"
#include "netlink/new_trigger.h"

static u32 new_trigger_nr_funcs(const struct kt_session_config *config)
{
	return min(config->provider->nr_trigger, config->nr_funcs);
}

static int new_trigger_check(struct netlink_ext_ack *extack, const struct kt_session_config *config)
{
	const struct kt_provider *provider = config->provider;
	const struct ktrace_trigger *trigger = &config->trigger;

	if (!provider->nr_trigger)
		return kt_refuse(extack, -EINVAL, "The provider has no events for a trigger.");
	if (!(config->sinks & KTRACE_SINK_STREAM))
		return kt_refuse(extack, -EINVAL, "A trigger needs a stream, which it freezes.");
	if (trigger->flags & ~KTRACE_TRIGGER_ERROR)
		return kt_refuse(extack, -EINVAL, "A flag of the trigger is not known.");
	if ((trigger->flags & KTRACE_TRIGGER_ERROR) && !provider->has_errors)
		return kt_refuse(extack, -EINVAL,
				 "The provider does not know which of its events failed.");
	if (trigger->func != KTRACE_TRIGGER_ANY && trigger->func >= new_trigger_nr_funcs(config))
		return kt_refuse(extack, -EINVAL, "The function of the trigger cannot exist.");
	return 0;
}

int kt_new_trigger_get(const struct genl_info *info, struct kt_session_config *config)
{
	const struct nlattr *attr = info->attrs[KTRACE_A_TRIGGER];
	struct netlink_ext_ack *extack = kt_info_extack(info);

	if (!attr)
		return 0;
	if (nla_len(attr) != sizeof(config->trigger))
		return kt_refuse(extack, -EINVAL, "TRIGGER is not one struct ktrace_trigger.");
	memcpy(&config->trigger, nla_data(attr), sizeof(config->trigger));
	config->has_trigger = true;
	return new_trigger_check(extack, config);
}
