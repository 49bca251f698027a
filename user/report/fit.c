// SPDX-License-Identifier: GPL-2.0
#include "report/fit.h"
#include "report/format.h"
#include "report/paths.h"

/* --- sizes -------------------------------------------------------------------- */

static ssize_t count(void *size, const char *data, size_t len)
{
	(void)data;
	*(uint64_t *)size += len;
	return len;
}

static uint64_t size_of(const struct output_format *format, const struct paths *paths)
{
	const cookie_io_functions_t calls = { .write = count };
	uint64_t size = 0;
	FILE *out = fopencookie(&size, "w", calls);

	if (!out)
		return 0;
	format->paths(out, paths);
	fclose(out);
	return size;
}

static uint64_t size_of_some(const struct output_format *format, const struct paths *paths,
			     size_t nr)
{
	struct paths some;
	uint64_t size;

	paths_take_largest(&some, paths, nr);
	size = size_of(format, &some);
	paths_free(&some);
	return size;
}

/* Returns how many paths fit. */
static size_t fitting(const struct output_format *format, const struct paths *paths, uint64_t max)
{
	size_t fits = 0, not = paths->nr, nr;

	while (fits + 1 < not) {
		nr = fits + (not - fits) / 2;
		if (size_of_some(format, paths, nr) <= max)
			fits = nr;
		else
			not = nr;
	}
	return fits;
}

void fit_put(FILE *out, const struct output_format *format, const struct paths *paths, uint64_t max,
	     struct fit *fit)
{
	struct paths some;

	*fit = (struct fit){ .all_nr = paths->nr, .all_ns = paths->total_ns };
	if (!max || size_of(format, paths) <= max) {
		format->paths(out, paths);
		return;
	}
	paths_take_largest(&some, paths, fitting(format, paths, max));
	format->paths(out, &some);
	fit->nr = paths->nr - some.nr;
	fit->ns = paths->total_ns - some.total_ns;
	paths_free(&some);
}
