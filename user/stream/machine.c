// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/json_line.h"
#include "stream/machine.h"
#include "util/lines.h"
#include "util/mem.h"

struct machine *machine_find(void)
{
	struct machine *machine = mem_alloc(sizeof(*machine));

	if (gethostname(machine->host, sizeof(machine->host) - 1))
		strcpy(machine->host, "unknown");
	line_read(machine->boot, sizeof(machine->boot), "/proc/sys/kernel/random/boot_id");
	return machine;
}

void machine_free(struct machine *machine)
{
	free(machine);
}

char *machine_json(const struct machine *machine, const char *session)
{
	const char *host = machine->host, *boot = machine->boot;
	char text[2 * JSON_LINE_SLACK];
	struct json_line line = { .begin = text, .limit = text + JSON_LINE_SLACK };
	char *to = json_put(text, ",\"session\":");

	to = json_put(json_put_text(&line, to, session, strlen(session)), ",\"host\":");
	to = json_put(json_put_text(&line, to, host, strlen(host)), ",\"boot\":");
	to = json_put_text(&line, to, boot, strlen(boot));
	*to = 0;
	return mem_string(text);
}
