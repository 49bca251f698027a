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

static void put(FILE *out, const char *member, const char *text)
{
	struct json_line line = { .out = out };
	char *to = json_put(line.text, member);

	json_line_flush(&line, json_put_text(&line, to, text, strlen(text)));
}

char *machine_json(const struct machine *machine, const char *session)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return mem_string("");
	put(out, ",\"session\":", session);
	put(out, ",\"host\":", machine->host);
	put(out, ",\"boot\":", machine->boot);
	fclose(out);
	return text;
}
