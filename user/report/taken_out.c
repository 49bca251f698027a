// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "report/taken_out.h"
#include "util/fmt.h"
#include "util/mem.h"
#include "util/out.h"

#define SHOWN 10

static void take(void *arg, const struct ktr_func *func)
{
	struct taken_out *out = arg;

	if (!func->taken_out.time)
		return;
	out->funcs = mem_grow(out->funcs, out->nr, sizeof(*out->funcs));
	out->funcs[out->nr++] = *func;
}

void taken_out_read(struct taken_out *out, struct ktr *ktr, const struct ktr_session *session)
{
	out->funcs = NULL;
	out->nr = 0;
	if (session->budget)
		ktr_func_each(ktr, session->id, 0, take, out);
}

void taken_out_free(struct taken_out *out)
{
	free(out->funcs);
}

void taken_out_print(FILE *to, const char *before, const struct taken_out *out,
		     const struct ktr_session *session, const struct names *names)
{
	const struct ktrace_taken_out *note;
	char when[FMT_LEN];
	const char *name;
	size_t i;
	int len;

	for (i = 0; i < out->nr && i < SHOWN; i++) {
		note = &out->funcs[i].taken_out;
		name = names_get(names, out->funcs[i].func);
		len = fmt_name_len(name);
		out_put(to, "%s%.*s%s%s is no longer probed after %s: %.0f calls a second cost %.1f %% of one CPU (--budget %.1f).\n",
			before, len, name, fmt_parentheses(name), name + len,
			fmt_plain(when, note->time - session->start.monotonic),
			note->calls * 1e9 / note->moment_ns, note->cost_ns * 100.0 / note->moment_ns,
			session->budget / 10.0);
	}
	if (out->nr > SHOWN)
		out_put(to, "%s%zu more function%s no longer probed.\n", before, out->nr - SHOWN,
			out->nr == SHOWN + 1 ? " is" : "s are");
}

void taken_out_tell(FILE *to, struct ktr *ktr, const struct ktr_session *session,
		    const struct names *names)
{
	struct taken_out out;

	taken_out_read(&out, ktr, session);
	taken_out_print(to, "ktrace: ", &out, session, names);
	taken_out_free(&out);
}
