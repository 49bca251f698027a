/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LINKMAP_H
#define LINKMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A file that the loader of a process has loaded, from the list that it keeps for debuggers. */
struct link {
	uint64_t dynamic;	/* the address of its dynamic section */
	char *name;		/* the path by which the loader found it; "" for the program */
};

/*
 * Reads the list in the order in which symbols are searched. Returns its length, which is 0 if the
 * process is gone or static, or its loader has not run. The caller calls linkmap_free() in any
 * case.
 */
size_t linkmap_read(pid_t pid, struct link **links);
/* Returns false while the loader changes the list. Returns true if there is no loader. */
bool linkmap_is_settled(pid_t pid);
/* Returns an address inside the loader, or 0 if the process has no loader or is gone. */
uint64_t linkmap_loader(pid_t pid);
void linkmap_free(struct link *links, size_t nr);

#endif
