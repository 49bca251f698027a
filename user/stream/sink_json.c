// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of JSON, to standard output or to a file. A file has each record once, also after a kill:
 * a half line at its end is cut, and what it has already is not written again.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stream/file_ids.h"
#include "stream/record_line.h"
#include "stream/sink.h"
#include "util/mem.h"

#define TAIL_LEN (64U << 10)
#define MOST_KEPT 1000	/* files */

struct file {
	struct file_ids *ids;	/* what it had when it was opened; NULL: nothing that may come */
	uint64_t size;		/* with whole lines only */
	bool is_regular;
	bool is_known;		/* ids are those of the file before this one */
};

static char *put(struct json_line *line, const struct record *record,
		 const struct identity *identity)
{
	return json_put(record_line_put(line, line->begin, record, identity), "\n");
}

static void close_file(struct link *link)
{
	struct file *file = link->own;

	if (file)
		file_ids_free(file->ids);
	free(file);
	link->own = NULL;
	if (link->fd >= 0)
		close(link->fd);
	link->fd = -1;
}

/* --- the begin -------------------------------------------------------------- */

/* Returns the length without a half line at the end. */
static uint64_t whole_of(int fd, uint64_t size)
{
	char tail[TAIL_LEN], *feed;
	uint64_t from;
	ssize_t len;

	while (size) {
		from = size > sizeof(tail) ? size - sizeof(tail) : 0;
		len = pread(fd, tail, size - from, from);
		feed = len > 0 ? memrchr(tail, '\n', len) : NULL;
		if (feed)
			return from + (feed + 1 - tail);
		if (len <= 0)
			return size;
		size = from;
	}
	return 0;
}

/* Returns the size of a renamed file, which may have records that come again; 0: there is none. */
static uint64_t read_former(struct file *file, const char *path, uint32_t number)
{
	char *former = mem_format("%s.%u", path, number);
	int fd = open(former, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat stat;

	free(former);
	if (fd < 0)
		return 0;
	if (fstat(fd, &stat) || !S_ISREG(stat.st_mode))
		stat.st_size = 0;
	else
		file->ids = file_ids_read(file->ids, fd, stat.st_size);
	close(fd);
	return stat.st_size;
}

/* Reads the newest files, as many bytes as a ring's records may have. */
static void read_ids(struct link *link, struct file *file)
{
	uint64_t len = file->size, one = 1;
	uint32_t number;

	file->ids = file_ids_read(file->ids, link->fd, file->size);
	for (number = 1; one && number <= MOST_KEPT && len < FILE_IDS_LEN; number++) {
		one = read_former(file, link->address, number);
		len += one;
	}
}

/* A pipe that is open for reading here would accept data without another reader. */
static int open_path(const char *path)
{
	struct stat stat_of;
	bool is_new = stat(path, &stat_of) && errno == ENOENT;

	if (is_new || S_ISREG(stat_of.st_mode))
		return open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
	return open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
}

/* Has another program renamed the file, or removed it? */
static bool is_renamed(const struct link *link)
{
	struct stat here, there;

	return fstat(link->fd, &here) || stat(link->address, &there) ||
	       here.st_ino != there.st_ino || here.st_dev != there.st_dev;
}

/* A writer that was waited for may have gone on in the next file. */
static int follow(struct link *link, struct err *err)
{
	close(link->fd);
	link->fd = open_path(link->address);
	return link->fd < 0 ? err_set(err, "%s cannot be opened: %s", link->address,
				      strerror(errno)) : 0;
}

/* Another writer would mix its lines with these. It is waited for: it may be about to end. */
static int lock(struct link *link, struct err *err)
{
	int tries;

	for (tries = 0; tries < 20; tries++) {
		if (flock(link->fd, LOCK_EX | LOCK_NB)) {
			if (errno != EWOULDBLOCK)
				return 0;	/* a file system without locks */
			link_wait(link, 0, 100);
		} else if (!is_renamed(link)) {
			return 0;
		} else if (follow(link, err)) {
			return -1;
		}
	}
	return err_set(err, "another process writes %s", link->address);
}

static int begin_file(struct link *link, struct file *file, struct err *err)
{
	struct stat stat;

	if (fstat(link->fd, &stat) || !S_ISREG(stat.st_mode))
		return 0;
	if (lock(link, err))
		return -1;
	file->is_regular = true;
	if (fstat(link->fd, &stat))
		return err_set(err, "%s cannot be read: %s", link->address, strerror(errno));
	file->size = whole_of(link->fd, stat.st_size);
	if (file->size != (uint64_t)stat.st_size && ftruncate(link->fd, file->size))
		return err_set(err, "the half line at the end of %s cannot be cut: %s",
			       link->address, strerror(errno));
	if (!file->is_known)
		read_ids(link, file);
	return 0;
}

/* A terminal, a pipe: written as it is. */
static int open_output(struct link *link, struct err *err)
{
	link->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return link->fd < 0 ? err_set(err, "standard output is closed") : 0;
}

/* former: the file before this one, whose ids are taken; or NULL. */
static int open_next(struct link *link, struct file *former, struct err *err)
{
	struct file *file;

	link->fd = open_path(link->address);
	if (link->fd < 0)
		return err_set(err, errno == ENXIO ? "nobody reads the pipe %s" :
			       "%s cannot be opened: %s", link->address, strerror(errno));
	link->own = file = mem_alloc(sizeof(*file));
	if (former) {
		file->ids = former->ids;
		file->is_known = true;
		former->ids = NULL;
	}
	if (!begin_file(link, file, err))
		return 0;
	close_file(link);
	return -1;
}

static int open_file(struct link *link, struct err *err)
{
	return *link->address ? open_next(link, NULL, err) : open_output(link, err);
}

/* --- writes ------------------------------------------------------------------ */

static bool has_message(struct file *file, const struct part *part, uint32_t message)
{
	uint32_t begin = part_begin_of(part, message);

	return file && file->ids &&
	       file_ids_have(&file->ids, part->bytes + begin, part->ends[message] - begin);
}

static uint32_t skip_written(struct link *link, struct file *file, const struct part *part)
{
	while (link->done < part->nr && has_message(file, part, link->done))
		link->done++;
	return link->done;
}

/* Returns the end of the messages from link->done on that the file has not. */
static uint32_t end_of_new(struct file *file, const struct link *link, const struct part *part)
{
	uint32_t end = link->done + 1;

	if (!file || !file->ids)
		return part->nr;
	while (end < part->nr && !has_message(file, part, end))
		end++;
	return end;
}

/*
 * Counts the messages that were written whole. What was written of the next one is cut, unless
 * another process has added something behind it.
 */
static int count_written(struct link *link, struct file *file, const struct part *part,
			 uint32_t upto, size_t written)
{
	uint32_t begin = part_begin_of(part, link->done);
	struct stat now;

	while (link->done < upto && part->ends[link->done] - begin <= written)
		link->done++;
	if (!file || !file->is_regular)
		return 0;
	file->size += part_begin_of(part, link->done) - begin;
	if (link->done == upto || fstat(link->fd, &now) ||
	    (uint64_t)now.st_size > file->size + (written - (part_begin_of(part, link->done) - begin)))
		return 0;
	return ftruncate(link->fd, file->size);
}

/* A pipe without room makes the sender wait, not the write, so that it notices the reader's end. */
static ssize_t write_part(struct link *link, const struct file *file, const char *bytes, size_t len)
{
	if (file && file->is_regular)
		return write(link->fd, bytes, len);
	link_wait(link, POLLOUT, -1);
	return write(link->fd, bytes, len < PIPE_BUF ? len : PIPE_BUF);
}

static int write_some(struct link *link, struct file *file, const struct part *part, struct err *err)
{
	uint32_t upto = end_of_new(file, link, part), begin = part_begin_of(part, link->done);
	size_t len = part->ends[upto - 1] - begin, written = 0;
	ssize_t got;

	while (written < len) {
		got = write_part(link, file, part->bytes + begin + written, len - written);
		if (got >= 0)
			written += got;
		else if (errno != EAGAIN && errno != EINTR)
			break;
	}
	if (written == len)
		return count_written(link, file, part, upto, written);
	link->is_over = !*link->address;
	err_set(err, "%s cannot be written: %s", *link->address ? link->address : "standard output",
		strerror(errno));
	count_written(link, file, part, upto, written);
	return -1;
}

/* --- renamed files ------------------------------------------------------------ */

/* FILE becomes FILE.1, which becomes FILE.2, and so on. */
static int rename_all(struct link *link, struct err *err)
{
	uint32_t keep = link->limits.keep ? link->limits.keep : LINK_KEEP, i;
	char *from, *to;
	int error = 0;

	for (i = keep < MOST_KEPT ? keep : MOST_KEPT; i && !error; i--) {
		from = i > 1 ? mem_format("%s.%u", link->address, i - 1) : mem_string(link->address);
		to = mem_format("%s.%u", link->address, i);
		error = rename(from, to) && (errno != ENOENT || i == 1);
		if (error)
			err_set(err, "%s cannot be renamed to %s: %s", from, to, strerror(errno));
		free(from);
		free(to);
	}
	return error ? -1 : 0;
}

/* The ids of the records that may come again are kept. */
static int open_again(struct link *link, struct err *err)
{
	struct file former = { .ids = ((struct file *)link->own)->ids };
	int error;

	((struct file *)link->own)->ids = NULL;
	close_file(link);
	error = open_next(link, &former, err);
	file_ids_free(former.ids);
	return error;
}

static int begin_next(struct link *link, struct err *err)
{
	return rename_all(link, err) ? -1 : open_again(link, err);
}

static bool is_elsewhere(const struct link *link, struct file *file)
{
	struct stat here;

	/* Another program may also have cut the file, or added to it. */
	if (!fstat(link->fd, &here))
		file->size = here.st_size;
	return is_renamed(link);
}

static int choose_file(struct link *link, const struct part *part, struct err *err)
{
	struct file *file = link->own;

	if (!file || !file->is_regular)
		return 0;
	if (is_elsewhere(link, file))
		return open_again(link, err);
	if (link->limits.size && file->size && file->size + part_len(part) > link->limits.size)
		return begin_next(link, err);
	return 0;
}

static int send_all(struct link *link, const struct part *part, struct err *err)
{
	struct file *file;

	if (choose_file(link, part, err))
		return -1;
	file = link->own;
	while (skip_written(link, file, part) < part->nr)
		if (write_some(link, file, part, err))
			return -1;
	if (file && file->is_regular && fdatasync(link->fd))
		return err_set(err, "%s cannot be written: %s", link->address, strerror(errno));
	return 0;
}

static const struct transport transport = {
	.open = open_file, .send = send_all, .close = close_file,
};

const struct sink_kind sink_json = {
	.name = "json",
	.address = "FILE",
	.is_confirmed = true,
	.promise = "a line is on the disk; a pipe, such as standard output, confirms nothing",
	.max_message = PART_LEN,
	.rights = SECCOMP_FILE,
	.put = put,
	.transport = &transport,
};
