// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "keep/compare_load.h"
#include "keep/measured.h"
#include "report/head.h"
#include "util/clock.h"
#include "util/mem.h"

static bool is_blank(const char *text, size_t len)
{
	while (len && isspace((unsigned char)*text)) {
		text++;
		len--;
	}
	return !len;
}

static int refuse(const char *path, struct json_tokener *tokener, bool is_whole, struct err *err)
{
	enum json_tokener_error error = json_tokener_get_error(tokener);

	if (error == json_tokener_continue)
		return err_set(err, "%s ends in the middle of a document: was it written to its end?", path);
	if (error == json_tokener_error_depth)
		return err_set(err, "%s is not a document of ktrace: its objects and lists are too deep inside of each other.",
			       path);
	if (error == json_tokener_success && !is_whole)
		return err_set(err, "%s is not a document of ktrace: it is null.", path);
	if (is_whole)
		return err_set(err, "%s has more than one document: --interval and --slow write several; give a file with one.",
			       path);
	return err_set(err, "%s is not JSON: %s at byte %d; write it with --format json -o FILE.", path,
		       json_tokener_error_desc(error), tokener->char_offset);
}

struct json_object *compare_parse(const char *path, const char *text, size_t len, struct err *err)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *document;
	bool is_whole;
	size_t end;

	if (is_blank(text, len)) {
		json_tokener_free(tokener);
		err_set(err, "%s is empty; write it with --format json -o FILE.", path);
		return NULL;
	}
	document = json_tokener_parse_ex(tokener, text, (int)len);
	is_whole = document;
	end = tokener->char_offset;
	if (!document || end > len || !is_blank(text + end, len - end)) {
		refuse(path, tokener, is_whole, err);
		json_object_put(document);
		document = NULL;
	}
	json_tokener_free(tokener);
	return document;
}

/* Pipes are read, too: <(command). Returns NULL with errno set. */
static char *read_all(int fd, size_t *len)
{
	size_t room = 1 << 16;
	char *text = mem_alloc(room);
	ssize_t got;

	*len = 0;
	while ((got = read(fd, text + *len, room - *len)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		*len += got < 0 ? 0 : got;
		if (got < 0 || *len > COMPARE_LOAD_MOST) {
			errno = got < 0 ? errno : EFBIG;
			free(text);
			return NULL;
		}
		if (*len == room)
			text = mem_resize(text, room *= 2);
	}
	return text;
}

static struct json_object *load_file(const char *path, int fd, struct err *err)
{
	struct json_object *document;
	size_t len;
	char *text = read_all(fd, &len);

	if (!text && errno == EFBIG)
		err_set(err, "%s is larger than %lu MiB: leave out functions with -f, or histograms.", path,
			COMPARE_LOAD_MOST >> 20);
	else if (!text)
		err_set(err, "%s cannot be read: %s.", path, strerror(errno));
	if (!text)
		return NULL;
	document = compare_parse(path, text, len, err);
	free(text);
	return document;
}

/* The document that the recorded command would have written. */
static struct json_object *load_recording(const char *path, const char *session, bool *is_part,
					  struct err *err)
{
	static const struct head_origin here = { .host = NULL };
	const char *command = head_command();
	struct json_object *document = recording_document(path, session, is_part, err);

	/* What is shown next is of this command. */
	head_set_command(command);
	head_set_origin(&here);
	clock_set_realtime(NULL, NULL);
	head_set_window(0, 0);
	return document;
}

struct json_object *compare_load(const char *path, const char *session, bool *is_part,
				 struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct json_object *document;
	struct stat st;

	*is_part = false;
	if (fd < 0 || fstat(fd, &st)) {
		err_set(err, "%s cannot be opened: %s.", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	if (S_ISDIR(st.st_mode))
		document = load_recording(path, session, is_part, err);
	else
		document = load_file(path, fd, err);
	close(fd);
	return document;
}
