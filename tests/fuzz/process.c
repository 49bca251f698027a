// SPDX-License-Identifier: GPL-2.0
/*
 * Data that other processes control: lines of /proc/PID/maps, and the list that a loader keeps.
 */
#include "fuzz.h"

#include <sys/types.h>
#include <unistd.h>

/* Memory of a process: the input, at BASE. */
#define BASE 0x10000
static const uint8_t *memory;
static size_t memory_len, auxv_at;

static ssize_t read_memory(int fd, void *to, size_t len, uint64_t addr)
{
	(void)fd;
	if (addr < BASE || addr - BASE >= memory_len)
		return -1;
	len = len < memory_len - (addr - BASE) ? len : memory_len - (addr - BASE);
	memcpy(to, memory + (addr - BASE), len);
	return len;
}

/* The input begins with the auxiliary vector. */
static ssize_t read_auxiliary(int fd, void *to, size_t len)
{
	ssize_t nr = auxv_at < 64 ? read_memory(fd, to, len, BASE + auxv_at) : 0;

	auxv_at += nr > 0 ? nr : 0;
	return nr;
}

#define pread read_memory
#define read read_auxiliary
#include "../../user/system/linkmap.c"
#undef pread
#undef read
#define open_of maps_open_of
#include "../../user/system/maps.c"

static void read_links(void)
{
	struct link *links;
	size_t nr, i;

	auxv_at = 0;
	nr = linkmap_read(getpid(), &links);
	must(nr <= MAX_LINKS);
	for (i = 0; i < nr; i++)
		must(strlen(links[i].name) <= 4096);
	linkmap_free(links, nr);
	auxv_at = 0;
	linkmap_is_settled(getpid());
}

static void read_lines(FILE *file)
{
	struct lines lines = { .file = file };
	struct maps maps = { .pid = getpid() };
	size_t i;

	while (lines_next(&lines))
		add_line(&maps, lines.text);
	for (i = 0; i < maps.nr; i++) {
		maps_find(&maps, maps.all[i].start);
		must(maps.all[i].path[0] == '/');
		must(!strchr(maps.all[i].path, '\n'));
	}
	maps_free(&maps);
	lines_close(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct input input = { data, len };
	unsigned int which = take(&input, 1);
	FILE *file;

	memory = input.at;
	memory_len = input.left;
	if (which % 2 == 0)
		read_links();
	else if (input.left && (file = fmemopen((void *)input.at, input.left, "r")))
		read_lines(file);
	return 0;
}
