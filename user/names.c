// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "names.h"

const char *names_get(const struct names *names, uint32_t func)
{
	return func < names->nr ? names->texts[func] : "[unknown]";
}

void names_free(struct names *names)
{
	while (names->nr)
		free(names->texts[--names->nr]);
	free(names->texts);
	names->texts = NULL;
}
