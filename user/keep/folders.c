// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "keep/folders.h"
#include "uapi/ktrace.h"
#include "util/number.h"

static const struct {
	uint32_t provider;
	const char *name;
} folders[] = {
	{ KTRACE_PROVIDER_USER, "functions" },
	{ KTRACE_PROVIDER_SYSCALLS, "syscalls" },
	{ KTRACE_PROVIDER_KERNEL, "kernel" },
	{ KTRACE_PROVIDER_SCHED, "scheduler" },
	{ KTRACE_PROVIDER_BLOCK, "block" },
	{ KTRACE_PROVIDER_FAULT, "faults" },
	{ KTRACE_PROVIDER_PROFILE, "samples" },
};

#define STREAM "stream_"
#define NR_FOLDERS (sizeof(folders) / sizeof(*folders))

const char *folder_of_provider(uint32_t provider)
{
	size_t i;

	for (i = 0; i < NR_FOLDERS; i++)
		if (folders[i].provider == provider)
			return folders[i].name;
	return "records";
}

/* Is this the name, or the name with the number of a later session? */
static bool is_called(const char *name, const char *folder)
{
	size_t len = strlen(folder);

	if (strncmp(name, folder, len))
		return false;
	name += len;
	return !*name || (*name == '-' && name[1] && !name[1 + strspn(name + 1, "0123456789")]);
}

bool folder_is_of_session(const char *name)
{
	size_t i;

	for (i = 0; i < NR_FOLDERS; i++)
		if (is_called(name, folders[i].name))
			return true;
	return is_called(name, "records");
}

/* stream_01 would be the same CPU as stream_1. */
bool folder_is_stream(const char *name, uint32_t *cpu)
{
	size_t len = strlen(STREAM);
	char again[sizeof(STREAM) + 10];
	uint64_t number;

	if (strncmp(name, STREAM, len) || !number_parse(name + len, UINT32_MAX, &number))
		return false;
	*cpu = number;
	snprintf(again, sizeof(again), STREAM "%u", *cpu);
	return !strcmp(name, again);
}
