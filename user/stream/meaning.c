// SPDX-License-Identifier: GPL-2.0
#include "session/sidecar.h"
#include "stream/meaning.h"

/* Other commands may have added functions. */
static int read_names(struct meaning *meaning, const struct ktr_session *session)
{
	if (meaning->nr_named == session->nr_used)
		return 0;
	names_free(&meaning->names);
	sidecar_read(session->name, session->cookie, session->nr_funcs, &meaning->names);
	meaning->nr_named = session->nr_used;
	return session->provider == KTRACE_PROVIDER_USER ?
	       names_fill(&meaning->names, meaning->ktr, session->id, 0) : 0;
}

static int look(void *arg, const struct ktr_session *session)
{
	struct meaning *meaning = arg;
	int error = 0;

	if (session->provider == KTRACE_PROVIDER_USER || session->provider == KTRACE_PROVIDER_KERNEL)
		error = read_names(meaning, session);
	if (!error && (session->sinks & KTRACE_SINK_STACKS))
		error = stacks_read(&meaning->stacks, meaning->ktr, session->id, NULL);
	return error;
}

struct feed_names meaning_names(struct meaning *meaning, struct ktr *ktr)
{
	meaning->ktr = ktr;
	return (struct feed_names){
		.source = {
			.names = &meaning->names, .stacks = &meaning->stacks, .io = &meaning->io,
		},
		.look = look,
		.arg = meaning,
	};
}

void meaning_free(struct meaning *meaning)
{
	names_free(&meaning->names);
	stacks_free(&meaning->stacks);
}
