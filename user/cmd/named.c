// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>

#include "cmd/named.h"
#include "util/match.h"
#include "util/mem.h"

static int not_found(struct knl *nl, const char *name, struct err *err)
{
	struct knl_session *sessions;
	const char **names, *nearest;
	size_t nr, i;

	knl_session_list(nl, &sessions, &nr);
	names = mem_alloc((nr + 1) * sizeof(*names));
	for (i = 0; i < nr; i++)
		names[i] = sessions[i].name;
	nearest = match_nearest_word(name, names, nr);
	if (nearest)
		err_set(err, "There is no session '%s'; did you mean '%s'?", name, nearest);
	else
		err_set(err, "There is no session '%s'; see: ktrace ctl list.", name);
	free(names);
	free(sessions);
	return -1;
}

int named_find(struct knl *nl, const char *name, struct knl_session *session,
	       struct err *err)
{
	int error = knl_session_find(nl, name, session);

	if (error == -ENOENT)
		return not_found(nl, name, err);
	if (error)
		return err_set(err, "The session '%s' cannot be read from the module: %s.", name,
			       knl_reason(nl, error));
	return 0;
}
