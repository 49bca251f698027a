// SPDX-License-Identifier: GPL-2.0
/* Opens a recording, and answers what is known of its sessions. The lines are parsed in facts.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keep/folders.h"
#include "keep/kept_tasks.h"
#include "keep/recording.h"
#include "util/bound.h"
#include "util/mem.h"

#define CHUNK (256 << 10)
#define LONGEST_LINE (8 << 20)	/* a command line has 2 MiB at most; names are shorter */

/* --- lines ---------------------------------------------------------------------- */

struct line_reader {
	int fd;
	char *text;
	size_t len, room;
	bool is_skipped;	/* the rest of a line that is too long */
};

/* Takes the whole lines that were read. A last line without a line feed is torn, and ignored. */
static int take_lines(struct recording *recording, struct line_reader *reader, struct err *err)
{
	char *line = reader->text, *end = reader->text + reader->len, *feed;
	int error = 0;

	while (!error && (feed = memchr(line, '\n', end - line))) {
		if (reader->is_skipped)
			recording->nr_bad_lines++;
		else
			error = recording_take_line(recording, line, feed - line,
						    !recording->nr_lines, err);
		recording->nr_lines++;
		reader->is_skipped = false;
		line = feed + 1;
	}
	reader->len = end - line;
	memmove(reader->text, line, reader->len);
	if (reader->len >= LONGEST_LINE) {
		reader->is_skipped = true;
		reader->len = 0;
	}
	return error;
}

static int read_lines(struct recording *recording, int fd, struct err *err)
{
	struct line_reader reader = { .fd = fd };
	ssize_t got;
	int error = 0;

	do {
		if (reader.room < reader.len + CHUNK) {
			reader.room = 2 * reader.room + CHUNK;
			reader.text = mem_resize(reader.text, reader.room);
		}
		got = read(fd, reader.text + reader.len, CHUNK);
		if (got < 0)
			error = err_set(err, "%s/" FACTS_NAME " cannot be read: %s; check the disk.",
					recording->path, strerror(errno));
		else if (got)
			reader.len += got;
		if (got > 0)
			error = take_lines(recording, &reader, err);
	} while (!error && got > 0);
	recording->nr_bad_lines += reader.len > 0;
	free(reader.text);
	if (!error && !recording->nr_lines)
		error = err_set(err, "%s/" FACTS_NAME " has no whole line: the recorder was stopped before it could write one; record again.",
				recording->path);
	return error;
}

/* --- opening -------------------------------------------------------------------- */

static int open_folder(struct recording *recording, struct err *err)
{
	recording->fd = open(recording->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (recording->fd >= 0)
		return 0;
	if (errno == ENOTDIR)
		return err_set(err, "%s is no folder, and a recording is one: name the folder that ktrace record -o has made.",
			       recording->path);
	return err_set(err, "The recording %s cannot be opened: %s; name the folder that ktrace record -o has made.",
		       recording->path, strerror(errno));
}

/* A symbolic link or a pipe in a folder of somebody else is not followed. */
static int open_lines(struct recording *recording, struct err *err)
{
	int fd = openat(recording->fd, FACTS_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ENOENT && !faccessat(recording->fd, "0001", F_OK, 0))
		return err_set(err, "%s is no recording, but has several: name one of them, such as %s/0001.",
			       recording->path, recording->path);
	if (fd < 0 && errno == ENOENT)
		return err_set(err, "%s is no recording: it has no file " FACTS_NAME "; name the folder that ktrace record -o has made. babeltrace2 reads other traces.",
			       recording->path);
	if (fd < 0)
		return err_set(err, "%s/" FACTS_NAME " cannot be opened: %s; it must be a file that you may read.",
			       recording->path, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return err_set(err, "%s/" FACTS_NAME " is no regular file; name a folder that ktrace record -o has made.",
			       recording->path);
	}
	return fd;
}

struct recording *recording_open(const char *path, struct err *err)
{
	struct recording *recording = mem_alloc(sizeof(*recording));
	int fd = -1, error;

	recording->path = mem_string(path);
	recording->tasks = kept_tasks_create();
	error = open_folder(recording, err);
	if (!error) {
		fd = open_lines(recording, err);
		error = fd < 0 ? -1 : read_lines(recording, fd, err);
	}
	if (fd >= 0) {
		/* The recorder holds the lock as long as it writes. */
		recording->is_being_written = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
		close(fd);
	}
	recording_settle(recording);
	if (!error)
		return recording;
	recording_free(recording);
	return NULL;
}

static void free_words(struct kept_words *words)
{
	while (words->nr)
		free(words->words[--words->nr]);
	free(words->words);
}

static void free_session(struct kept_session *session)
{
	names_free(&session->names);
	stacks_free(&session->stacks);
	for (; session->nr_files; session->nr_files--) {
		free(session->files[session->nr_files - 1].path);
		free(session->files[session->nr_files - 1].build_id);
	}
	while (session->nr_unwound) {
		free(session->unwound[--session->nr_unwound].name);
		free(session->unwound[session->nr_unwound].why);
	}
	while (session->nr_lost)
		free(session->lost[--session->nr_lost].reason);
	free_words(&session->command);
	free(session->functions);
	free(session->files);
	free(session->lost);
	free(session->unwound);
	free(session->folder);
	free(session->why);
}

void recording_free(struct recording *recording)
{
	if (!recording)
		return;
	while (recording->nr)
		free_session(&recording->sessions[--recording->nr]);
	while (recording->nr_disks)
		free(recording->disks[--recording->nr_disks].name);
	while (recording->nr_inodes)
		free(recording->inodes[--recording->nr_inodes].path);
	free_words(&recording->command);
	free_words(&recording->program);
	kept_tasks_free(recording->tasks);
	free(recording->sessions);
	free(recording->disks);
	free(recording->inodes);
	free(recording->clocks);
	free(recording->version);
	free(recording->host);
	free(recording->trigger.condition);
	free(recording->trigger.name);
	free(recording->kernel);
	free(recording->arch);
	free(recording->boot);
	if (recording->fd > 0)
		close(recording->fd);
	free(recording->path);
	free(recording);
}

/* --- answers -------------------------------------------------------------------- */

struct kept_session *recording_find(const struct recording *recording, const char *folder)
{
	size_t i;

	for (i = 0; i < recording->nr; i++)
		if (!strcmp(recording->sessions[i].folder, folder))
			return &recording->sessions[i];
	return NULL;
}

const char *recording_disk(const struct recording *recording, uint32_t dev)
{
	size_t i;

	for (i = 0; i < recording->nr_disks; i++)
		if (recording->disks[i].dev == dev)
			return recording->disks[i].name;
	return NULL;
}

static int by_inode(const void *a, const void *b)
{
	const struct kept_inode *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

const char *recording_inode(const struct recording *recording, uint32_t dev, uint64_t ino)
{
	struct kept_inode wanted = { .dev = dev, .ino = ino }, *found = NULL;

	if (recording->nr_inodes)
		found = bsearch(&wanted, recording->inodes, recording->nr_inodes, sizeof(wanted),
				by_inode);
	return found ? found->path : NULL;
}

static int by_time(const void *a, const void *b)
{
	const struct ktrace_clocks *x = a, *y = b;

	return x->monotonic < y->monotonic ? -1 : x->monotonic > y->monotonic;
}

/* A session without an end lasted as long as its records tell. */
void recording_settle(struct recording *recording)
{
	struct kept_session *session = recording->sessions, *end = session + recording->nr;

	if (recording->nr_inodes)
		qsort(recording->inodes, recording->nr_inodes, sizeof(*recording->inodes), by_inode);
	if (recording->nr_clocks)
		qsort(recording->clocks, recording->nr_clocks, sizeof(*recording->clocks), by_time);
	for (; session < end; session++)
		if (session->is.now.monotonic < session->is.start.monotonic)
			session->is.now = session->is.start;
}

/*
 * Numbers come from the file: an array may not be much longer than what the file has lines for. The
 * slack is shared by all sessions.
 */
#define SLACK (1 << 18)

bool kept_names_room(struct recording *recording, struct kept_session *session, size_t nr)
{
	struct names *names = &session->names;
	size_t more = nr > names->nr ? nr - names->nr : 0, room;

	if (!more)
		return true;
	if (recording->nr_slots + more > SLACK + 2 * recording->nr_lines)
		return false;
	/* Doubled, because a line adds one. */
	room = nr + nr / 2 + 16;
	if (recording->nr_slots + room - names->nr > SLACK + 2 * recording->nr_lines)
		room = nr;
	recording->nr_slots += room - names->nr;
	names->texts = mem_resize(names->texts, room * sizeof(*names->texts));
	names->formats = mem_resize(names->formats, room * sizeof(*names->formats));
	names->are_fallible = mem_resize(names->are_fallible, room * sizeof(*names->are_fallible));
	session->functions = mem_resize(session->functions, room * sizeof(*session->functions));
	for (; names->nr < room; names->nr++) {
		names->texts[names->nr] = NULL;
		memset(&names->formats[names->nr], 0, sizeof(*names->formats));
		names->are_fallible[names->nr] = false;
		session->functions[names->nr] = (struct kept_function){ KEPT_NO_FILE, 0 };
	}
	return true;
}

void kept_name_function(struct kept_session *session, uint32_t func)
{
	if (!session->names.texts[func])
		session->names.texts[func] = mem_format("[0x%x of session %u]", func, session->nr);
}

const struct kept_file *kept_file_of(const struct kept_session *session, uint32_t func)
{
	uint32_t file = func < session->names.nr ? session->functions[func].file : KEPT_NO_FILE;

	return file < session->nr_files && session->files[file].path ? &session->files[file] : NULL;
}

uint64_t recording_realtime(const void *arg, uint64_t monotonic)
{
	const struct recording *recording = arg;
	const struct ktrace_clocks *clocks = &recording->begin;
	size_t low = 0, high = recording->nr_clocks, middle;

	/* The number of clocks that are no later. */
	while (low < high) {
		middle = (low + high) / 2;
		if (recording->clocks[middle].monotonic <= monotonic)
			low = middle + 1;
		else
			high = middle;
	}
	if (low)
		clocks = &recording->clocks[low - 1];
	return clocks->realtime + (monotonic - clocks->monotonic);
}

uint64_t recording_end(const struct recording *recording)
{
	uint64_t end = recording->begin.monotonic;
	size_t i;

	for (i = 0; i < recording->nr; i++)
		if (recording->sessions[i].is.now.monotonic > end)
			end = recording->sessions[i].is.now.monotonic;
	return end;
}

bool recording_is_ended(const struct recording *recording)
{
	size_t i;

	for (i = 0; i < recording->nr; i++)
		if (!recording->sessions[i].has_end)
			return false;
	return true;
}
