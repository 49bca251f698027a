// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <json-c/json.h>

#include "keep/facts_file.h"
#include "keep/folders.h"
#include "report/json_write.h"
#include "util/own_folder.h"

#define ROOM (64 << 10)	/* for the lines at the end */

static void begin_lines(struct facts_file *facts)
{
	facts->out = open_memstream(&facts->text, &facts->text_len);
}

static void drop_lines(struct facts_file *facts)
{
	if (facts->out)
		fclose(facts->out);
	free(facts->text);
	facts->out = NULL;
	facts->text = NULL;
}

int facts_file_create(struct facts_file *facts, int folder)
{
	facts->len = 0;
	facts->fd = own_folder_create(folder, FACTS_NAME);
	if (facts->fd < 0)
		return -errno;
	/* Without the lock, a reader would take what is being written for torn, and cut it. */
	if (flock(facts->fd, LOCK_EX | LOCK_NB))
		return -errno;
	begin_lines(facts);
	return facts->out ? 0 : -ENOMEM;
}

/* Gives the room back that was kept for lines. */
void facts_file_close(struct facts_file *facts)
{
	if (facts->fd < 0)
		return;
	drop_lines(facts);
	if (!ftruncate(facts->fd, facts->len) && facts->is_unsynced)
		facts_file_sync(facts);
	close(facts->fd);
	facts->fd = -1;
}

void facts_file_put(struct facts_file *facts, struct json_object *document)
{
	json_write(facts->out, document, JSON_C_TO_STRING_PLAIN);
}

/* Reserves blocks behind the end of the file, for the lines and for those at the end. */
static int reserve(struct facts_file *facts)
{
	if (!fallocate(facts->fd, FALLOC_FL_KEEP_SIZE, facts->len, facts->text_len + ROOM))
		return 0;
	/* Some file systems cannot reserve anything. */
	return errno == ENOSPC || errno == EDQUOT ? -errno : 0;
}

/* Lines that had no room leave the room for the last ones as it was. */
static int append(struct facts_file *facts, bool is_last)
{
	int error = is_last ? 0 : reserve(facts);

	if (error)
		return error;
	facts->is_unsynced = true;
	error = own_folder_append(facts->fd, facts->len, facts->text, facts->text_len);
	facts->len += error ? 0 : facts->text_len;
	return error;
}

int facts_file_write(struct facts_file *facts, bool is_last)
{
	int error;

	fflush(facts->out);
	error = facts->text_len ? append(facts, is_last) : 0;
	drop_lines(facts);
	begin_lines(facts);
	return error;
}

int facts_file_sync(struct facts_file *facts)
{
	if (!facts->is_unsynced)
		return 0;
	if (fdatasync(facts->fd) && errno != EINVAL)
		return -errno;
	facts->is_unsynced = false;
	return 0;
}
