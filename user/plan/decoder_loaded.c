// SPDX-License-Identifier: GPL-2.0
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "plan/decoder.h"

/* The layout of instructions is that of the version whose header was compiled. */
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define LIBRARY "libcapstone.so." TEXT(CS_API_MAJOR)
#define PACKAGE "libcapstone" TEXT(CS_API_MAJOR)

struct decoder decoder;

#define LOADED(name) { #name, offsetof(struct decoder, name) },
static const struct {
	const char *name;
	size_t offset;
} functions[] = { DECODER_FUNCTIONS(LOADED) };

static int explain(struct err *err)
{
	return err_set(err, "The functions of programs cannot be decoded, because the Capstone library is missing or damaged (%s); install " PACKAGE " (apt) or capstone (yum, dnf; from EPEL).",
		       dlerror());
}

int decoder_open(struct err *err)
{
	static void *library;
	void *function;
	size_t i;

	if (library)
		return 0;
	library = dlopen(LIBRARY, RTLD_LAZY);
	if (!library)
		return explain(err);
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		function = dlsym(library, functions[i].name);
		if (!function) {
			explain(err);
			dlclose(library);
			library = NULL;
			return -1;
		}
		memcpy((char *)&decoder + functions[i].offset, &function, sizeof(function));
	}
	return 0;
}
