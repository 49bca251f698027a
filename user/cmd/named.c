// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/named.h"
#include "util/match.h"
#include "util/mem.h"

struct list {
	const char **names;
	size_t nr;
};

static void take(void *arg, const struct knl_session *session)
{
	struct list *list = arg;

	if (!session->name[0])
		return;
	list->names = mem_grow(list->names, list->nr, sizeof(*list->names));
	list->names[list->nr++] = mem_string(session->name);
}

static int not_found(struct knl *nl, const char *name, struct err *err)
{
	struct list list = { NULL, 0 };
	const char *nearest;

	knl_session_each(nl, take, &list);
	nearest = match_nearest_word(name, list.names, list.nr);
	if (nearest)
		err_set(err, "There is no session '%s'; did you mean '%s'?", name, nearest);
	else
		err_set(err, "There is no session '%s'; see: ktrace ctl list.", name);
	while (list.nr)
		free((char *)list.names[--list.nr]);
	free(list.names);
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
