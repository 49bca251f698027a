// SPDX-License-Identifier: GPL-2.0
/* The virtio devices, and the names of the disks, network interfaces etc. that they are. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "system/virtio_devs.h"
#include "util/lines.h"
#include "util/mem.h"
#include "util/number.h"

#define FOLDER "/sys/bus/virtio/devices"

/* --- reading ------------------------------------------------------------------ */

/* Reads the last component of the path that a link leads to. */
static void read_link(const char *path, char *text, size_t len)
{
	char *place = realpath(path, NULL);

	snprintf(text, len, "%s", place ? strrchr(place, '/') + 1 : "");
	free(place);
}

/* Reads the name of the first entry of a folder that begins with prefix. */
static void read_entry(const char *path, const char *prefix, char *text, size_t len)
{
	DIR *folder = opendir(path);
	struct dirent *entry;

	while (folder && !*text && (entry = readdir(folder)))
		if (entry->d_name[0] != '.' && !strncmp(entry->d_name, prefix, strlen(prefix)))
			snprintf(text, len, "%.*s", (int)len - 1, entry->d_name);
	if (folder)
		closedir(folder);
}

static void read_is(const char *place, struct virtio_dev *dev)
{
	char *block = mem_format("%s/block", place), *net = mem_format("%s/net", place);

	read_entry(block, "", dev->is, sizeof(dev->is));
	if (!*dev->is)
		read_entry(net, "", dev->is, sizeof(dev->is));
	if (!*dev->is)
		line_read(dev->is, sizeof(dev->is), "%s/mount_tag", place);
	if (!*dev->is)
		read_entry(place, "host", dev->is, sizeof(dev->is));
	free(block);
	free(net);
}

static void read_dev(struct virtio_dev *dev, const char *name, uint32_t index)
{
	char *place = mem_format(FOLDER "/%s", name), *driver = mem_format("%s/driver", place);
	char *parent = mem_format("%s/..", place);

	dev->index = index;
	if (!access(driver, F_OK))
		read_link(driver, dev->driver, sizeof(dev->driver));
	read_link(parent, dev->at, sizeof(dev->at));
	read_is(place, dev);
	free(place);
	free(driver);
	free(parent);
}

static int compare(const void *a, const void *b)
{
	const struct virtio_dev *x = a, *y = b;

	return x->index == y->index ? 0 : x->index < y->index ? -1 : 1;
}

int virtio_devs_read(struct virtio_devs *devs, struct err *err)
{
	DIR *folder = opendir(FOLDER);
	struct dirent *entry;
	uint64_t index;

	memset(devs, 0, sizeof(*devs));
	while (folder && (entry = readdir(folder))) {
		if (strncmp(entry->d_name, "virtio", strlen("virtio")) ||
		    !number_parse(entry->d_name + strlen("virtio"), UINT32_MAX, &index))
			continue;
		devs->devs = mem_grow(devs->devs, devs->nr, sizeof(*devs->devs));
		read_dev(&devs->devs[devs->nr++], entry->d_name, index);
	}
	if (folder)
		closedir(folder);
	if (!devs->nr)
		return err_set(err, "This machine has no virtio devices (%s), or no module drives their bus; try: modprobe virtio_pci.",
			       folder ? FOLDER " is empty" : "there is no " FOLDER);
	qsort(devs->devs, devs->nr, sizeof(*devs->devs), compare);
	return 0;
}

void virtio_devs_free(struct virtio_devs *devs)
{
	free(devs->devs);
	memset(devs, 0, sizeof(*devs));
}

/* --- finding ------------------------------------------------------------------ */

const struct virtio_dev *virtio_devs_get(const struct virtio_devs *devs, uint32_t index)
{
	size_t i;

	for (i = 0; i < devs->nr; i++)
		if (devs->devs[i].index == index)
			return &devs->devs[i];
	return NULL;
}

static int is_called(const struct virtio_dev *dev, const char *name)
{
	char number[32];

	snprintf(number, sizeof(number), "virtio%u", dev->index);
	return !strcmp(name, number) || !strcmp(name, dev->is) || !strcmp(name, dev->at);
}

static void explain_none(const struct virtio_devs *devs, const char *name, struct err *err)
{
	char *list = mem_string(""), *longer;
	const struct virtio_dev *dev;

	for (dev = devs->devs; dev < devs->devs + devs->nr; dev++) {
		longer = mem_format("%s%svirtio%u (%s)", list, *list ? ", " : "", dev->index,
				    *dev->is ? dev->is : *dev->driver ? dev->driver : dev->at);
		free(list);
		list = longer;
	}
	err_set(err, "There is no virtio device '%s'; use one of %s.", name, list);
	free(list);
}

const struct virtio_dev *virtio_devs_find(const struct virtio_devs *devs, const char *name,
					  struct err *err)
{
	const char *base = strncmp(name, "/dev/", 5) ? name : name + 5;
	size_t i;

	for (i = 0; i < devs->nr && *base; i++)
		if (is_called(&devs->devs[i], base))
			return &devs->devs[i];
	explain_none(devs, name, err);
	return NULL;
}
