// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "keep/spool.h"
#include "util/mem.h"

/* The headers of el7 lack it. */
#ifndef O_TMPFILE
#define O_TMPFILE (020000000 | O_DIRECTORY)
#endif

#define BLOCK (256 << 10)	/* bytes, in memory and in the file */
#define NAME ".spool"

/*
 * A block has items, each followed by its length, so that they can be found from the end. The last word
 * of a block in the file is the number of bytes that are used.
 */
struct spool {
	int folder;
	int fd;			/* -1: there is no file so far */
	off_t size;		/* of the file: whole blocks */
	size_t used;
	int error;
	unsigned char block[BLOCK];
};

struct spool *spool_create(int folder)
{
	struct spool *spool = mem_alloc(sizeof(*spool));

	spool->folder = folder;
	spool->fd = -1;
	return spool;
}

void spool_free(struct spool *spool)
{
	if (spool && spool->fd >= 0)
		close(spool->fd);
	free(spool);
}

int spool_error(const struct spool *spool)
{
	return spool->error;
}

/* --- the file ------------------------------------------------------------------- */

/* Some file systems, and kernels before 3.11, have no files without a name. */
static int open_file(int folder)
{
	int fd = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	fd = openat(folder, NAME, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0)
		unlinkat(folder, NAME, 0);
	return fd;
}

static bool write_all(int fd, const unsigned char *data, size_t len, off_t at)
{
	ssize_t nr;

	for (; len; data += nr, len -= nr, at += nr) {
		nr = pwrite(fd, data, len, at);
		if (nr < 0 && errno == EINTR)
			nr = 0;
		else if (nr <= 0)
			return false;
	}
	return true;
}

static bool read_all(int fd, unsigned char *data, size_t len, off_t at)
{
	ssize_t nr;

	for (; len; data += nr, len -= nr, at += nr) {
		nr = pread(fd, data, len, at);
		if (nr < 0 && errno == EINTR)
			nr = 0;
		else if (nr <= 0)
			return false;
	}
	return true;
}

static bool fails(struct spool *spool)
{
	spool->error = errno ? errno : EIO;
	return false;
}

static bool write_block(struct spool *spool)
{
	uint64_t used = spool->used;

	errno = 0;
	if (spool->fd < 0)
		spool->fd = open_file(spool->folder);
	memcpy(spool->block + BLOCK - sizeof(used), &used, sizeof(used));
	if (spool->fd < 0 || !write_all(spool->fd, spool->block, BLOCK, spool->size))
		return fails(spool);
	spool->size += BLOCK;
	spool->used = 0;
	return true;
}

static bool read_block(struct spool *spool)
{
	uint64_t used;

	if (!spool->size)
		return false;
	errno = 0;
	if (!read_all(spool->fd, spool->block, BLOCK, spool->size - BLOCK))
		return fails(spool);
	spool->size -= BLOCK;
	/* Room that is not given back is no failure. */
	if (ftruncate(spool->fd, spool->size))
		errno = 0;
	memcpy(&used, spool->block + BLOCK - sizeof(used), sizeof(used));
	spool->used = used;
	return true;
}

/* --- items ---------------------------------------------------------------------- */

void spool_put(struct spool *spool, const void *item, size_t len)
{
	uint64_t word = len;

	if (spool->error)
		return;
	if (spool->used + len + 2 * sizeof(word) > BLOCK && !write_block(spool))
		return;
	memcpy(spool->block + spool->used, item, len);
	memcpy(spool->block + spool->used + len, &word, sizeof(word));
	spool->used += len + sizeof(word);
}

const void *spool_take(struct spool *spool, size_t *len)
{
	uint64_t word;

	if (spool->error || (!spool->used && !read_block(spool)))
		return NULL;
	memcpy(&word, spool->block + spool->used - sizeof(word), sizeof(word));
	spool->used -= word + sizeof(word);
	*len = word;
	return spool->block + spool->used;
}
