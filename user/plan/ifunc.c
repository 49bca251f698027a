// SPDX-License-Identifier: GPL-2.0
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/ifunc.h"

static bool is_of(const struct ifunc *ifunc, const struct mapping *mapping,
		  const struct elf_file *file)
{
	char *path = maps_file(&ifunc->maps, mapping);
	bool is_same = path && elf_file_is(file, path);

	free(path);
	return is_same;
}

static bool find_bias(struct ifunc *ifunc)
{
	const struct mapping *mapping;
	uint64_t addr;

	for (mapping = ifunc->maps.all; mapping < ifunc->maps.all + ifunc->maps.nr; mapping++)
		if (mapping->is_code && is_of(ifunc, mapping, ifunc->file) &&
		    elf_file_addr(ifunc->file, mapping->offset, &addr)) {
			ifunc->bias = mapping->start - addr;
			return true;
		}
	return false;
}

/*
 * ktrace itself uses libc only. The other library of glibc with many IFUNCs is libm. A static
 * ktrace has no dlopen(): it would load another libc beside its own.
 */
static void load_libm(void)
{
	void *(*load)(const char *, int) = dlsym(RTLD_DEFAULT, "dlopen");

	if (load)
		load("libm.so.6", RTLD_LAZY | RTLD_GLOBAL);
}

void ifunc_open(struct ifunc *ifunc, const struct elf_file *file, pid_t pid)
{
	memset(ifunc, 0, sizeof(*ifunc));
	ifunc->file = file;
	ifunc->pid = pid;
	if (!pid)
		load_libm();
	maps_read(&ifunc->maps, pid ? pid : getpid());
	if (pid && find_bias(ifunc))
		ifunc->nr_slots = symbols_slots(file, &ifunc->slots);
	else if (pid)
		ifunc_close(ifunc);
}

void ifunc_close(struct ifunc *ifunc)
{
	maps_free(&ifunc->maps);
	free(ifunc->slots);
	ifunc->slots = NULL;
	ifunc->nr_slots = 0;
}

/* Converts an address of the process to an address of the library. False: it is elsewhere. */
static bool is_in(const struct ifunc *ifunc, uint64_t value, const struct elf_file *lib,
		  uint64_t *addr)
{
	const struct mapping *mapping = maps_find(&ifunc->maps, value);

	return mapping && mapping->is_code && is_of(ifunc, mapping, lib) &&
	       elf_file_addr(lib, value - mapping->start + mapping->offset, addr);
}

static bool read_word(pid_t pid, uint64_t at, uint64_t *value)
{
	char path[32];
	bool is_read;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	is_read = pread(fd, value, sizeof(*value), at) == sizeof(*value);
	close(fd);
	return is_read;
}

static uint64_t own_value(const struct elf_import *import)
{
	return (uintptr_t)(import->version ? dlvsym(RTLD_DEFAULT, import->name, import->version) :
					     dlsym(RTLD_DEFAULT, import->name));
}

/* Returns the reason if the code is in no file, else NULL. */
static const char *why_elsewhere(const struct ifunc *ifunc, uint64_t value)
{
	return value && !maps_find(&ifunc->maps, value) ?
	       "its code is in no file, but in the kernel's vDSO" : NULL;
}

bool ifunc_resolve(const struct ifunc *ifunc, const struct elf_import *import,
		   const struct elf_file *lib, uint64_t *addr, const char **why)
{
	const struct elf_slot *slot, *end = ifunc->slots + ifunc->nr_slots;
	uint64_t value;

	if (!ifunc->maps.nr)
		return false;
	if (!ifunc->pid) {
		value = own_value(import);
		*why = why_elsewhere(ifunc, value);
		return value && is_in(ifunc, value, lib, addr);
	}
	/* The slot of an import that was not called yet still leads to code of the file itself. */
	slot = symbols_slot(ifunc->slots, ifunc->nr_slots, import->name);
	for (; slot < end && !strcmp(slot->name, import->name); slot++)
		if (read_word(ifunc->pid, ifunc->bias + slot->addr, &value)) {
			if (is_in(ifunc, value, lib, addr))
				return true;
			*why = why_elsewhere(ifunc, value);
		}
	return false;
}
