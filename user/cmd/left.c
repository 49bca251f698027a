// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>

#include "cmd/left.h"
#include "system/procs.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/signals.h"

static bool find(const struct left *left, struct ktr_session *session)
{
	return !ktr_session_get(left->ktr, left->session, session) && session->nr_left;
}

/* Returns "2 processes that were started meanwhile still run: sleep (12) and sh (13)". */
static char *describe(const struct ktr_session *session)
{
	size_t nr = session->nr_left;
	char *names = procs_describe(session->pids, session->nr_pids);
	char *text = mem_format("%zu process%s that %s started meanwhile still run%s: %s", nr,
				nr == 1 ? "" : "es", nr == 1 ? "was" : "were", nr == 1 ? "s" : "",
				names);

	free(names);
	return text;
}

static void tell_wait(struct left *left, const struct ktr_session *session)
{
	uint64_t now = clock_now_ns();
	char *text;

	left->since = left->since ? left->since : now;
	if (left->is_told || now - left->since < CLOCK_SECOND)
		return;
	text = describe(session);
	out_put(stderr, "ktrace: %s. ktrace waits for them; Ctrl-C ends the wait, --no-wait omits it.\n",
		text);
	free(text);
	left->is_told = true;
}

bool left_waits(struct left *left)
{
	struct ktr_session session;

	if (left->has_no_wait || signals_nr_ends || !find(left, &session))
		return false;
	tell_wait(left, &session);
	return true;
}

void left_tell(const struct left *left)
{
	struct ktr_session session;
	char *text;

	if (!find(left, &session))
		return;
	text = describe(&session);
	out_put(stderr, "ktrace: %s. What they do from now on is not traced.\n", text);
	free(text);
}
