// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/comms.h"
#include "util/mem.h"

/* Numbers come in order, without a gap; whatever else says so is not believed. */
static void take(void *arg, const struct knl_stack *stack)
{
	struct comms *comms = arg;

	if (stack->nr != comms->nr)
		return;
	comms->all = mem_grow(comms->all, comms->nr, sizeof(*comms->all));
	snprintf(comms->all[comms->nr], sizeof(*comms->all), "%s",
		 stack->comm);
	comms->nr++;
}

int comms_read(struct comms *comms, struct knl *nl, uint64_t session)
{
	return knl_stack_each(nl, session, comms->nr, take, comms);
}

void comms_free(struct comms *comms)
{
	free(comms->all);
	memset(comms, 0, sizeof(*comms));
}

const char *comms_get(const struct comms *comms, uint32_t nr)
{
	return nr < comms->nr ? comms->all[nr] : NULL;
}
