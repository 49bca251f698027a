// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/out.h"
#include "util/plain.h"
#include "util/signals.h"

/* --- text ------------------------------------------------------------------ */

/* One conversion of a format, such as %-*.3f. */
struct conversion {
	char flags[8], length[3], type;
	int width, precision;	/* -1 if there is none */
};

static const char *copy_some(const char *at, char *to, size_t room, const char *of)
{
	size_t len = strspn(at, of), n = len < room ? len : room - 1;

	memcpy(to, at, n);
	to[n] = 0;
	return at + len;
}

static const char *take_figure(const char *at, int *figure, va_list *args)
{
	char *end;

	if (*at == '*') {
		*figure = va_arg(*args, int);
		return at + 1;
	}
	*figure = strtol(at, &end, 10);
	return end;
}

/* Parses the conversion after a %. Returns what follows the conversion. */
static const char *parse(const char *at, struct conversion *as, va_list *args)
{
	at = copy_some(at, as->flags, sizeof(as->flags), "-+ #0");
	at = take_figure(at, &as->width, args);
	as->precision = -1;
	if (*at == '.')
		at = take_figure(at + 1, &as->precision, args);
	at = copy_some(at, as->length, sizeof(as->length), "hlz");
	as->type = *at;
	return *at ? at + 1 : at;
}

static void put_text(FILE *out, const struct conversion *as, const char *text)
{
	size_t len = as->precision < 0 ? strlen(text) : strnlen(text, as->precision);
	int pad = abs(as->width) - (int)plain_columns(text, len);
	bool is_left = as->width < 0 || strchr(as->flags, '-');

	if (pad > 0 && !is_left)
		fprintf(out, "%*s", pad, "");
	plain_put(out, text, len);
	if (pad > 0 && is_left)
		fprintf(out, "%*s", pad, "");
}

static void put_character(FILE *out, const struct conversion *as, char c)
{
	struct conversion text = *as;

	text.precision = 1;
	put_text(out, &text, &c);
}

static void put_number(FILE *out, const struct conversion *as, va_list *args)
{
	char format[24];

	snprintf(format, sizeof(format), "%%%s*.*%s%c", as->flags, as->length, as->type);
	if (as->type == 'f')
		fprintf(out, format, as->width, as->precision, va_arg(*args, double));
	else if (!strcmp(as->length, "ll"))
		fprintf(out, format, as->width, as->precision, va_arg(*args, long long));
	else if (!strcmp(as->length, "l"))
		fprintf(out, format, as->width, as->precision, va_arg(*args, long));
	else if (!strcmp(as->length, "z"))
		fprintf(out, format, as->width, as->precision, va_arg(*args, size_t));
	else
		fprintf(out, format, as->width, as->precision, va_arg(*args, int));
}

static void put_one(FILE *out, const struct conversion *as, va_list *args)
{
	if (as->type == '%')
		fputc('%', out);
	else if (as->type == 's')
		put_text(out, as, va_arg(*args, const char *));
	else if (as->type == 'c')
		put_character(out, as, va_arg(*args, int));
	else
		put_number(out, as, args);
}

void out_put(FILE *out, const char *format, ...)
{
	struct conversion as;
	const char *percent;
	va_list args;

	va_start(args, format);
	while ((percent = strchr(format, '%'))) {
		fwrite(format, 1, percent - format, out);
		format = parse(percent + 1, &as, &args);
		put_one(out, &as, &args);
	}
	va_end(args);
	fputs(format, out);
}

void out_words(FILE *out, const char *text, int at, int column, int columns)
{
	int len;

	if (at >= column) {
		fputc('\n', out);
		at = 0;
	}
	for (; *text; text += len + strspn(text + len, " ")) {
		len = strcspn(text, " ");
		if (columns && at > column && at + 1 + len > columns) {
			fputc('\n', out);
			at = 0;
		}
		if (at < column) {
			out_put(out, "%*s", column - at, "");
			at = column;
		} else {
			fputc(' ', out);
			at++;
		}
		out_put(out, "%.*s", len, text);
		at += len;
	}
	fputc('\n', out);
}

#define COMMENT_BEGIN 7	/* columns before the blank and the comment on a line of its own */

void out_comments(FILE *out, const char *text, int at, int columns)
{
	const char *end;
	int len;

	for (; text && *text; text = end) {
		end = strstr(text + 1, " /*");
		len = plain_columns(text, end ? (size_t)(end - text) : strlen(text));
		if (columns && at + len > columns) {
			out_put(out, "\n%*s", COMMENT_BEGIN, "");
			at = COMMENT_BEGIN;
		}
		at += len;
		out_kept(out, text, end ? (size_t)(end - text) : strlen(text));
	}
}

void out_kept(FILE *out, const char *text, size_t len)
{
	fwrite(text, 1, len, out);
}

/* --- files ----------------------------------------------------------------- */

/* --- where to ----------------------------------------------------------- */

bool out_is_apart(const struct output *output)
{
	return output->path && !strcmp(output->path, "-");
}

/* Called before ktrace opens files of its own, which could get the same number. */
static int check_fd(uint32_t fd, struct err *err)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY)
		return 0;
	return err_set(err, "Descriptor %u cannot be written: %s; open it in the shell with %u>FILE.",
		       fd, flags < 0 ? strerror(errno) : "it was opened for reading", fd);
}

int out_check(const struct output *output, struct err *err)
{
	if (output->path && output->fd)
		return err_set(err, "-o and --output-fd cannot be combined; give one of them.");
	return output->fd ? check_fd(output->fd, err) : 0;
}

bool out_is_shared(const struct output *output)
{
	return !output->path && (!output->fd || output->fd == STDOUT_FILENO);
}

static int write_error;	/* errno of the last write that failed */
static int old_file = -1;	/* a file of -o with contents that were there before */

/* If the command fails before it has data, the file stays as it was. */
static void begin_file(int fd)
{
	if (fd != old_file)
		return;
	old_file = -1;
	/* A device or a fifo has nothing to cut. */
	if (ftruncate(fd, 0))
		return;
}

static ssize_t write_some(void *cookie, const char *data, size_t len)
{
	size_t done = 0;
	ssize_t written;

	begin_file((intptr_t)cookie);
	while (done < len) {
		written = signals_write((intptr_t)cookie, data + done, len - done);
		if (written < 0) {
			/* The error of a result is explained when its stream is flushed. */
			if ((intptr_t)cookie != STDERR_FILENO)
				write_error = errno;
			return 0;	/* this is how a cookie reports an error */
		}
		done += written;
	}
	return len;
}

static int close_fd(void *cookie)
{
	return close((intptr_t)cookie);
}

/*
 * Returns a stream whose writes can be interrupted by signals. Takes ownership of fd, even on
 * failure.
 */
static FILE *stream_of(int fd)
{
	const cookie_io_functions_t calls = { .write = write_some, .close = close_fd };
	FILE *out = fd < 0 ? NULL : fopencookie((void *)(intptr_t)fd, "w", calls);

	if (fd >= 0 && !out)
		close(fd);
	if (out && isatty(fd))
		setvbuf(out, NULL, _IOLBF, 0);
	return out;
}

void out_init(void)
{
	FILE *out = stream_of(STDOUT_FILENO), *words = stream_of(STDERR_FILENO);

	if (out)
		stdout = out;
	if (!words)
		return;
	setvbuf(words, NULL, _IONBF, 0);
	stderr = words;
}

/* Opens a copy of the descriptor, which is closed at the end. The program gets neither. */
static FILE *open_fd(uint32_t fd, struct err *err)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	FILE *out = stream_of(copy);

	if (!out)
		err_set(err, "Descriptor %u cannot be written: %s.", fd, strerror(errno));
	else if (fd > STDERR_FILENO)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	return out;
}

int out_fd(const struct output *output)
{
	if (output && output->fd)
		return output->fd;
	return !output || !output->path || out_is_apart(output) ? STDOUT_FILENO : -1;
}

FILE *out_open(const struct output *output, struct err *err)
{
	FILE *out;
	int fd;

	if (output && output->fd)
		return open_fd(output->fd, err);
	if (!output || !output->path || out_is_apart(output))
		return stdout;
	/* The data is that of other users, too. An existing file keeps its mode. */
	fd = open(output->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	out = stream_of(fd);
	if (out)
		old_file = fd;
	else
		err_set(err, "%s cannot be written: %s; choose another file with -o.",
			output->path, strerror(errno));
	return out;
}

/* --- what fails --------------------------------------------------------- */

/* A file that is named by its path has no reader that could close it. */
static int explain(int error, const struct output *output, struct err *err)
{
	const char *path = output && !out_is_apart(output) ? output->path : NULL;

	if (!path && error == EPIPE)
		err_set(err, "%s was closed by its reader; the rest is not shown.",
			output && output->fd ? "The output" : "Standard output");
	else
		err_set(err, "Writing to %s failed: %s; the output is incomplete.",
			path ? path : output && output->fd ? "the descriptor" : "standard output",
			strerror(error));
	return -error;
}

int out_flush(FILE *out, const struct output *output, struct err *err)
{
	bool has_failed = fflush(out) || ferror(out);

	return has_failed ? explain(write_error ? write_error : EIO, output, err) : 0;
}

int out_close(FILE *out, const struct output *output, struct err *err)
{
	int result = out_flush(out, output, err);

	/* No data at all is a result as well. */
	if (out != stdout && old_file >= 0)
		begin_file(old_file);
	if (out != stdout && fclose(out) && !result)
		result = explain(errno, output, err);
	return result;
}
