// SPDX-License-Identifier: GPL-2.0
/*
 * Reads, from the memory of another process: auxiliary vector -> program headers -> dynamic section
 * -> DT_DEBUG -> struct r_debug -> list of struct link_map. The process may change them meanwhile,
 * so all values are checked.
 */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "system/linkmap.h"
#include "util/mem.h"

#define MAX_LINKS 4096
#define MAX_DYNAMIC 1024
#define MAX_HEADERS 64

struct headers {
	uint64_t at;
	uint64_t nr;
	uint64_t loader;	/* where the loader is mapped, or 0 */
};

static bool peek(int memory, uint64_t addr, void *to, size_t len)
{
	return pread(memory, to, len, addr) == (ssize_t)len;
}

static int open_of(pid_t pid, const char *what)
{
	char *path = mem_format("/proc/%d/%s", (int)pid, what);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	free(path);
	return fd;
}

static bool read_auxv(pid_t pid, struct headers *headers)
{
	int fd = open_of(pid, "auxv");
	Elf64_auxv_t entry;

	memset(headers, 0, sizeof(*headers));
	while (fd >= 0 && read(fd, &entry, sizeof(entry)) == sizeof(entry)) {
		if (entry.a_type == AT_PHDR)
			headers->at = entry.a_un.a_val;
		if (entry.a_type == AT_PHNUM)
			headers->nr = entry.a_un.a_val;
		if (entry.a_type == AT_BASE)
			headers->loader = entry.a_un.a_val;
	}
	if (fd >= 0)
		close(fd);
	return headers->at && headers->nr <= MAX_HEADERS;
}

/*
 * Returns the address of the dynamic section, or 0. The address of the headers, compared with the
 * one in PT_PHDR, gives the load bias.
 */
static uint64_t find_dynamic(int memory, const struct headers *headers)
{
	uint64_t bias = 0, dynamic = 0, i;
	Elf64_Phdr header;

	for (i = 0; i < headers->nr; i++) {
		if (!peek(memory, headers->at + i * sizeof(header), &header, sizeof(header)))
			return 0;
		if (header.p_type == PT_PHDR)
			bias = headers->at - header.p_vaddr;
		if (header.p_type == PT_DYNAMIC)
			dynamic = header.p_vaddr;
	}
	return dynamic ? dynamic + bias : 0;
}

static bool find_debug(int memory, uint64_t dynamic, struct r_debug *debug)
{
	Elf64_Dyn entry;
	size_t i;

	for (i = 0; dynamic && i < MAX_DYNAMIC; i++) {
		if (!peek(memory, dynamic + i * sizeof(entry), &entry, sizeof(entry)) ||
		    entry.d_tag == DT_NULL)
			return false;
		if (entry.d_tag == DT_DEBUG)
			return peek(memory, entry.d_un.d_ptr, debug, sizeof(*debug));
	}
	return false;
}

static bool read_debug(int memory, pid_t pid, struct r_debug *debug)
{
	struct headers headers;

	return memory >= 0 && read_auxv(pid, &headers) &&
	       find_debug(memory, find_dynamic(memory, &headers), debug);
}

static char *read_name(int memory, uint64_t addr)
{
	char text[4097];
	ssize_t len = pread(memory, text, sizeof(text) - 1, addr);

	text[len > 0 ? len : 0] = 0;
	return mem_string(text);
}

size_t linkmap_read(pid_t pid, struct link **links)
{
	int memory = open_of(pid, "mem");
	struct r_debug debug;
	struct link_map map;
	uint64_t at = 0;
	size_t nr = 0;

	*links = NULL;
	if (read_debug(memory, pid, &debug))
		at = (uintptr_t)debug.r_map;
	for (; at && nr < MAX_LINKS && peek(memory, at, &map, sizeof(map));
	     at = (uintptr_t)map.l_next) {
		*links = mem_grow(*links, nr, sizeof(**links));
		(*links)[nr].dynamic = (uintptr_t)map.l_ld;
		(*links)[nr++].name = read_name(memory, (uintptr_t)map.l_name);
	}
	if (memory >= 0)
		close(memory);
	return nr;
}

bool linkmap_is_settled(pid_t pid)
{
	int memory = open_of(pid, "mem");
	struct r_debug debug;
	bool is_settled = !read_debug(memory, pid, &debug) || debug.r_state == RT_CONSISTENT;

	if (memory >= 0)
		close(memory);
	return is_settled;
}

uint64_t linkmap_loader(pid_t pid)
{
	struct headers headers;

	read_auxv(pid, &headers);
	return headers.loader;
}

void linkmap_free(struct link *links, size_t nr)
{
	while (nr)
		free(links[--nr].name);
	free(links);
}
