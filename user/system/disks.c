// SPDX-License-Identifier: GPL-2.0
/* Names and numbers of disks, from sysfs. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "system/disks.h"
#include "util/lines.h"
#include "util/match.h"
#include "util/mem.h"
#include "util/number.h"

#define MINOR_BITS 20
#define MAX_MINOR ((1U << MINOR_BITS) - 1)
#define MAX_MAJOR ((1U << (32 - MINOR_BITS)) - 1)

static uint32_t dev_of(unsigned int major, unsigned int minor)
{
	return major << MINOR_BITS | minor;
}

const char *disk_number(char text[DISK_NAME_LEN], uint32_t dev)
{
	snprintf(text, DISK_NAME_LEN, "%u:%u", dev >> MINOR_BITS, dev & MAX_MINOR);
	return text;
}

/* Returns the folder of a block device in sysfs, or NULL. The caller frees it. */
static char *place_of(uint32_t dev)
{
	char number[DISK_NAME_LEN], *link, *place;

	link = mem_format("/sys/dev/block/%s", disk_number(number, dev));
	place = realpath(link, NULL);
	free(link);
	return place;
}

const char *disk_name(char text[DISK_NAME_LEN], uint32_t dev)
{
	char *place = place_of(dev);

	if (place)
		snprintf(text, DISK_NAME_LEN, "%s", strrchr(place, '/') + 1);
	else
		disk_number(text, dev);
	free(place);
	return text;
}

/* --- finding ---------------------------------------------------------------- */

struct names {
	char **names;
	size_t nr;
};

static void read_names(struct names *names)
{
	DIR *folder = opendir("/sys/block");
	struct dirent *entry;

	memset(names, 0, sizeof(*names));
	while (folder && (entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		names->names = mem_grow(names->names, names->nr, sizeof(*names->names));
		names->names[names->nr++] = mem_string(entry->d_name);
	}
	if (folder)
		closedir(folder);
}

static int explain_none(const char *name, struct err *err)
{
	const char *nearest;
	struct names names;

	read_names(&names);
	nearest = match_nearest_word(name, (const char *const *)names.names, names.nr);
	if (nearest)
		err_set(err, "There is no disk '%s'; did you mean '%s'?", name, nearest);
	else
		err_set(err, "There is no disk '%s'; list them with: ls /sys/block.",
			name);
	while (names.nr)
		free(names.names[--names.nr]);
	free(names.names);
	return -1;
}

/* Parses "8:0". */
static bool parse_dev(const char *text, uint32_t *dev)
{
	char *copy = mem_string(text), *minors = copy, *majors = strsep(&minors, ":");
	uint64_t major, minor;
	bool is_number = minors && number_parse(majors, MAX_MAJOR, &major) &&
			 number_parse(minors, MAX_MINOR, &minor);

	if (is_number)
		*dev = dev_of(major, minor);
	free(copy);
	return is_number;
}

/*
 * A disk without requests passes bios on to other disks (dm, md), or does each bio at once (brd,
 * zram, pmem). The disk of NVMe's own multipath is such a disk too, but requests of its paths count
 * for it. A disk has requests if it has queues of the block layer, or a scheduler of kernels before
 * 5.0, of which one is chosen: "noop [deadline]".
 */
static bool has_requests(const char *place)
{
	char *path = mem_format("%s/mq", place), scheduler[256];
	bool has = !access(path, F_OK) || !strncmp(strrchr(place, '/'), "/nvme", 5) ||
		   (line_read(scheduler, sizeof(scheduler), "%s/queue/scheduler", place) &&
		    strchr(scheduler, '['));

	free(path);
	return has;
}

/* Writes "sda,sdb": the disks to which a disk passes its bios. A partition counts as its disk. */
static void list_disks_below(char *text, size_t room, const char *place)
{
	char *path = mem_format("%s/slaves", place), *name = NULL, *below;
	DIR *folder = opendir(path);
	struct dirent *entry;
	size_t len = 0;

	text[0] = '\0';
	while (folder && (entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		below = mem_format("%s/%s", path, entry->d_name);
		name = realpath(below, NULL);
		free(below);
		below = mem_format("%s/partition", name ? name : "");
		if (name && !access(below, F_OK))
			*strrchr(name, '/') = '\0';
		free(below);
		if (name && len < room)
			len += snprintf(text + len, room - len, "%s%s", len ? "," : "",
					strrchr(name, '/') + 1);
		free(name);
	}
	if (folder)
		closedir(folder);
	free(path);
}

static int check_requests(const char *name, const char *place, struct err *err)
{
	char below[256];

	if (has_requests(place))
		return 0;
	list_disks_below(below, sizeof(below), place);
	if (*below)
		return err_set(err, "%s has no requests of its own, because it passes its I/O on to other disks; use --dev %s.",
			       name, below);
	return err_set(err, "%s has no requests, because its driver (such as brd, zram or pmem) does all I/O at once; the layers syscall and fs show it: omit --dev.",
		       name);
}

/* Fails for a partition, because requests are counted per whole disk, and without requests. */
static int check_whole(const char *name, uint32_t dev, struct err *err)
{
	char *place = place_of(dev), *path, *parent;
	int error = 0;

	if (!place)
		return explain_none(name, err);
	path = mem_format("%s/partition", place);
	if (!access(path, F_OK)) {
		*strrchr(place, '/') = '\0';
		parent = strrchr(place, '/') + 1;
		error = err_set(err, "%s is a partition, and requests are counted per whole disk; use --dev %s.",
				name, parent);
	} else {
		error = check_requests(name, place, err);
	}
	free(path);
	free(place);
	return error;
}

/* Finds a block device by name in /sys/class/block, where '!' replaces each '/' of the name. */
static bool find_by_name(const char *name, uint32_t *dev)
{
	char *file = mem_string(name), *at = file, number[DISK_NAME_LEN];
	bool is_found;

	while ((at = strchr(at, '/')))
		*at = '!';
	is_found = line_read(number, sizeof(number), "/sys/class/block/%s/dev", file) &&
		   parse_dev(number, dev);
	free(file);
	return is_found;
}

int disk_find(const char *name, uint32_t *dev, struct err *err)
{
	struct stat file;

	if (name[0] == '/') {
		if (stat(name, &file) || !S_ISBLK(file.st_mode))
			return explain_none(strrchr(name, '/') + 1, err);
		*dev = dev_of(major(file.st_rdev), minor(file.st_rdev));
	} else if (!*name || (!parse_dev(name, dev) && !find_by_name(name, dev))) {
		return explain_none(name, err);
	}
	return check_whole(name, *dev, err);
}
