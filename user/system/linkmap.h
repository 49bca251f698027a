/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LINKMAP_H
#define LINKMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What the loader of a process has loaded, by the list that it keeps for debuggers. */
struct link {
	uint64_t dynamic;	/* an address inside of it */
	char *name;		/* as it was found; "" of the program */
};

/*
 * In the order in which symbols are searched. Returns how many: none when the
 * process is gone, is static, or its loader has not run. linkmap_free() in any case.
 */
size_t linkmap_read(pid_t pid, struct link **links);
/* Is the loader through with what it was loading? Yes, too, where there is none. */
bool linkmap_is_settled(pid_t pid);
/* An address inside of the loader itself; 0: there is none, or the process is gone. */
uint64_t linkmap_loader(pid_t pid);
void linkmap_free(struct link *links, size_t nr);

#endif
