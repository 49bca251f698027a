// SPDX-License-Identifier: GPL-2.0
#include "session/taken_out.h"
#include "util/fmt.h"
#include "util/out.h"

#define SHOWN 10

struct telling {
	const struct knl_session *session;
	const struct names *names;
	size_t nr;
};

static void tell(void *arg, const struct knl_func *func)
{
	const struct ktrace_taken_out *out = &func->taken_out;
	struct telling *telling = arg;
	const char *name = names_get(telling->names, func->func);
	char when[FMT_LEN];

	if (!out->time || telling->nr++ >= SHOWN)
		return;
	out_put(stderr, "ktrace: %s%s is no longer probed after %s: %.0f calls a second cost %.1f %% of one CPU (--budget %.1f).\n",
		name, fmt_parentheses(name),
		fmt_plain(when, out->time - telling->session->start.monotonic),
		out->calls * 1e9 / out->moment_ns, out->cost_ns * 100.0 / out->moment_ns,
		telling->session->budget / 10.0);
}

void taken_out_tell(struct knl *nl, const struct knl_session *session, const struct names *names)
{
	struct telling telling = { session, names, 0 };

	if (!session->budget)
		return;
	knl_func_each(nl, session->id, 0, tell, &telling);
	if (telling.nr > SHOWN)
		out_put(stderr, "ktrace: %zu more functions are no longer probed.\n", telling.nr - SHOWN);
}
