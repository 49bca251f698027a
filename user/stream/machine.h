/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MACHINE_H
#define MACHINE_H

/* The machine, as collectors are told: its name, and the ID of its boot. */
struct machine {
	char host[256];
	char boot[64];
};

/* The caller calls machine_free(). */
struct machine *machine_find(void);
void machine_free(struct machine *machine);

/* Returns members in JSON, each with a comma in front, which the caller frees. */
char *machine_json(const struct machine *machine, const char *session);

#endif
