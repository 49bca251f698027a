// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "session/remarks.h"

void remarks_add(struct remarks *remarks, char *text)
{
	char **place = &remarks->texts[remarks->nr++ % REMARKS_KEPT];

	free(*place);
	*place = text;
}

const char *remarks_get(const struct remarks *remarks, size_t nr)
{
	if (nr >= remarks->nr || remarks->nr - nr > REMARKS_KEPT)
		return NULL;
	return remarks->texts[nr % REMARKS_KEPT];
}

void remarks_free(struct remarks *remarks)
{
	size_t i;

	for (i = 0; i < REMARKS_KEPT; i++)
		free(remarks->texts[i]);
	memset(remarks, 0, sizeof(*remarks));
}
