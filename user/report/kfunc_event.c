// SPDX-License-Identifier: GPL-2.0
/* Single calls of kernel functions. */
#include <string.h>

#include "report/errno_names.h"
#include "report/kfunc_event.h"
#include "util/fmt.h"
#include "util/out.h"
#include "util/style.h"

#define MAX_ERRNO 4095

void kfunc_event_parse(struct kfunc_event *to, const struct event *event, const struct kplan *plan)
{
	size_t len = event->nr_payload * sizeof(*event->payload);
	struct ktrace_call_record call = { 0 };

	memset(to, 0, sizeof(*to));
	memcpy(&call, event->payload, len < sizeof(call) ? len : sizeof(call));
	memcpy(to->comm, call.comm, sizeof(call.comm));
	to->name = names_get(&plan->names, event->func);
	to->has_result = event->func < plan->nr && !plan->funcs[event->func].is_infallible &&
			 call.ret >= -MAX_ERRNO;
	if (!to->has_result)
		return;
	to->ret = call.ret;
	to->error = call.ret < 0 ? -call.ret : 0;
}

void kfunc_event_print(FILE *out, const struct event *event, const struct kplan *plan,
		       uint64_t start_ns)
{
	char moment[STYLE_MOMENT_LEN], duration[FMT_LEN], name[ERRNO_NAME_LEN];
	struct kfunc_event call;

	kfunc_event_parse(&call, event, plan);
	out_put(out, "%*s %7u %-15s %8s  %s", style_moment_width(6),
		style_moment(moment, event->time, start_ns, 6), event->tid, call.comm, fmt_duration(duration, event->duration), call.name);
	if (call.error)
		out_put(out, " = -%s", errno_text(name, call.error));
	else if (call.has_result)
		out_put(out, " = %lld", (long long)call.ret);
	fputc('\n', out);
}
