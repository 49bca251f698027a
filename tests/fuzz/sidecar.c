// SPDX-License-Identifier: GPL-2.0
/* The file of names of a session, with any content. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

static char *text;

/* The opened file is the input. */
static int open_input(const char *path, int flags, ...)
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	(void)path;
	(void)flags;
	must(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	must(!lseek(fd, 0, SEEK_SET));
	return fd;
}

#define open open_input
#include "../../user/session/sidecar.c"
#undef open

static void read_names(void)
{
	struct names names;
	uint32_t i;

	sidecar_read("x", 0x123, 3, &names);
	for (i = 0; i < 4; i++) {
		must(names_get(&names, i));
		names_formats(&names, i);
	}
	names_free(&names);
}

static void change(void)
{
	struct sidecar *sidecar = sidecar_open("x", 0x123);
	struct elf_file file = { .path = "/bin/x", .build_id = "\1\2", .build_id_len = 2 };
	struct plan plan = { .objects = &file, .nr_objects = 1 };
	struct origin origin;
	struct document document = { .first = 3, .plan = &plan };
	FILE *out;
	uint32_t i;

	if (!sidecar)
		return;
	sidecar_origin(sidecar, &origin);
	for (i = 0; i < 4; i++)
		sidecar_name(sidecar, i);
	must(sidecar_find(sidecar, 3, &file, 0x10) < 3);
	out = fopen("/dev/null", "we");
	document.origin = member(sidecar->document, "origin");
	document.objects = both(sidecar->objects, &plan);
	document.before = sidecar->functions;
	put_document(out, &document);
	json_object_put(document.objects);
	fclose(out);
	origin_free(&origin);
	sidecar_close(sidecar);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct input input = { data, len };
	char *copy = take_text(&input);

	text = copy;
	read_names();
	change();
	free(copy);
	return 0;
}
