// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/named.h"
#include "util/match.h"
#include "util/mem.h"

int named_check(const char *name, struct err *err)
{
	size_t i;

	for (i = 0; name[i]; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("._-", name[i]))
			break;
	/* Commands would take a name that begins with a dash for an option. */
	if (name[0] && !strchr(".-", name[0]) && !name[i] && i < KTRACE_NAME_LEN)
		return 0;
	return err_set(err, "'%s' cannot be a session's name; a name has up to 63 letters, digits and ._-, the first not a dot or a dash.",
		       name);
}

static int not_found(struct ktr *ktr, const char *name, struct err *err)
{
	struct ktr_session *sessions;
	const char **names, *nearest;
	size_t nr, i;

	ktr_session_list(ktr, &sessions, &nr);
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

int named_find(struct ktr *ktr, const char *name, struct ktr_session *session,
	       struct err *err)
{
	int error = ktr_session_find(ktr, name, session);

	if (error == -ENOENT)
		return not_found(ktr, name, err);
	if (error)
		return err_set(err, "The session '%s' cannot be read from the module: %s.", name,
			       ktr_reason(ktr, error));
	return 0;
}
