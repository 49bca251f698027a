// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/ktypes.h"
#include "util/mem.h"

/* The format is described in the kernel's Documentation/bpf/btf.rst. */
#define MAGIC 0xeb9f
enum { VOID, INT, PTR, ARRAY, STRUCT, UNION, ENUM, FWD, TYPEDEF, VOLATILE, CONST, RESTRICT, FUNC,
       FUNC_PROTO, VAR, DATASEC, FLOAT, DECL_TAG, TYPE_TAG, ENUM64, NR_KINDS };

struct header {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t len;
	uint32_t types, types_len;	/* offsets are from the header's end */
	uint32_t strings, strings_len;
};

struct ktypes_type {
	uint32_t name;
	uint32_t info;
	uint32_t size;		/* or the number of another type, depending on the kind */
	uint32_t more[];
};

struct ktypes_func {
	const char *name;
	const struct ktypes_type *type;
};

static unsigned int kind_of(const struct ktypes_type *type)
{
	return type->info >> 24 & 0x1f;
}

/* Returns how many words follow the first three of a type. The kind must be below NR_KINDS. */
static size_t more_of(const struct ktypes_type *type)
{
	static const struct { uint8_t fixed, each; } words[NR_KINDS] = {
		[INT] = { 1, 0 }, [ARRAY] = { 3, 0 }, [STRUCT] = { 0, 3 }, [UNION] = { 0, 3 },
		[ENUM] = { 0, 2 }, [FUNC_PROTO] = { 0, 2 }, [VAR] = { 1, 0 }, [DATASEC] = { 0, 3 },
		[DECL_TAG] = { 1, 0 }, [ENUM64] = { 0, 3 },
	};

	return words[kind_of(type)].fixed + words[kind_of(type)].each * (type->info & 0xffff);
}

/* --- reading ---------------------------------------------------------------- */

static char *read_all(const char *folder, const char *name, size_t *len)
{
	char *path = mem_format("%s/%s", folder, name), *data = NULL;
	FILE *file = fopen(path, "r");
	size_t room = 0, nr = 1;

	free(path);
	*len = 0;
	while (file && nr) {
		room = 2 * room + 65536;
		data = mem_resize(data, room);
		nr = fread(data + *len, 1, room - *len, file);
		*len += nr;
	}
	if (file)
		fclose(file);
	return data;
}

/* The string offsets of a module follow the kernel's. */
static const char *string_of(const struct ktypes *types, const struct ktypes_part *part,
			     uint32_t at)
{
	if (part != &types->kernel) {
		if (at < types->kernel.strings_len)
			return types->kernel.strings + at;
		at -= types->kernel.strings_len;
	}
	return at < part->strings_len ? part->strings + at : "";
}

static void take(const struct ktypes *types, struct ktypes_part *part,
		 const struct ktypes_type *type)
{
	part->types = mem_grow(part->types, part->nr, sizeof(*part->types));
	part->types[part->nr++] = type;
	if (kind_of(type) != FUNC)
		return;
	part->funcs = mem_grow(part->funcs, part->nr_funcs, sizeof(*part->funcs));
	part->funcs[part->nr_funcs].name = string_of(types, part, type->name);
	part->funcs[part->nr_funcs++].type = type;
}

static void take_all(const struct ktypes *types, struct ktypes_part *part, const char *from,
		     size_t len)
{
	const struct ktypes_type *type;
	size_t needed;

	while (len >= sizeof(*type)) {
		type = (const void *)from;
		if (kind_of(type) >= NR_KINDS)
			return;
		needed = sizeof(*type) + more_of(type) * sizeof(type->more[0]);
		if (needed > len)
			return;
		take(types, part, type);
		from += needed;
		len -= needed;
	}
	part->is_whole = true;
}

static int by_name(const void *a, const void *b)
{
	const struct ktypes_func *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static bool is_inside(const struct header *header, size_t at, size_t len, size_t all)
{
	return header->len <= all && at <= all - header->len && len <= all - header->len - at;
}

static void read_part(const struct ktypes *types, struct ktypes_part *part, const char *name)
{
	struct header header;
	size_t len;

	part->data = read_all(types->folder, name, &len);
	if (len < sizeof(header))
		return;
	memcpy(&header, part->data, sizeof(header));
	if (header.magic != MAGIC || (header.len | header.types) % 4 ||
	    !is_inside(&header, header.types, header.types_len, len) ||
	    !is_inside(&header, header.strings, header.strings_len, len) ||
	    !header.strings_len ||
	    part->data[header.len + header.strings + header.strings_len - 1])
		return;
	part->strings = part->data + header.len + header.strings;
	part->strings_len = header.strings_len;
	take_all(types, part, part->data + header.len + header.types, header.types_len);
	if (part->nr_funcs)
		qsort(part->funcs, part->nr_funcs, sizeof(*part->funcs), by_name);
}

static void drop_part(struct ktypes_part *part)
{
	free(part->data);
	free(part->types);
	free(part->funcs);
	memset(part, 0, sizeof(*part));
}

void ktypes_open(struct ktypes *types, const char *folder)
{
	memset(types, 0, sizeof(*types));
	types->folder = folder;
	read_part(types, &types->kernel, "vmlinux");
}

void ktypes_close(struct ktypes *types)
{
	drop_part(&types->kernel);
	drop_part(&types->module);
	free(types->module_name);
}

static void look_at_module(struct ktypes *types, const char *symbol, size_t len)
{
	if (types->module_name && strlen(types->module_name) == len &&
	    !memcmp(types->module_name, symbol, len))
		return;
	drop_part(&types->module);
	free(types->module_name);
	types->module_name = mem_format("%.*s", (int)len, symbol);
	/* The module's numbers begin where the kernel's end, so all the kernel's must be known. */
	if (types->kernel.is_whole)
		read_part(types, &types->module, types->module_name);
}

/* --- looking up ------------------------------------------------------------- */

/* Returns NULL for void (number 0) or an unknown type. */
static const struct ktypes_type *type_of(const struct ktypes *types, uint32_t number)
{
	size_t i = (size_t)number - 1;

	if (!number)
		return NULL;
	if (i < types->kernel.nr)
		return types->kernel.types[i];
	i -= types->kernel.nr;
	return i < types->module.nr ? types->module.types[i] : NULL;
}

static bool is_other_name(const struct ktypes_type *type)
{
	unsigned int kind = kind_of(type);

	return (kind >= TYPEDEF && kind <= RESTRICT) || kind == TYPE_TAG;
}

#define IS_BOOL (4U << 24)	/* in the word of an INT */

enum result { UNKNOWN, NOTHING, FLAG, NUMBER, OTHER };

static enum result result_of_type(const struct ktypes *types, uint32_t number)
{
	const struct ktypes_type *type = type_of(types, number);
	int most = 64;

	/* The limit is for a malformed file, whose typedefs may form a circle. */
	while (type && is_other_name(type) && most--) {
		number = type->size;
		type = type_of(types, number);
	}
	if (!type)
		return number ? UNKNOWN : NOTHING;
	switch (kind_of(type)) {
	case INT:
		return type->size < 4 || (type->more[0] & IS_BOOL) ? FLAG : NUMBER;
	case ENUM:
	case ENUM64:
		return NUMBER;
	default:
		return OTHER;
	}
}

/* Looks up "name" for "name.isra.0", which is another version of the same function. */
static const struct ktypes_func *find(const struct ktypes_part *part, const char *symbol)
{
	struct ktypes_func key, *found = NULL;
	char *name = mem_string(symbol);

	key.name = name;
	name[strcspn(name, ".")] = 0;
	if (part->nr_funcs)
		found = bsearch(&key, part->funcs, part->nr_funcs, sizeof(key), by_name);
	free(name);
	return found;
}

static enum result result_of(struct ktypes *types, const char *symbol)
{
	const char *colon = strchr(symbol, ':');
	const struct ktypes_part *part = colon ? &types->module : &types->kernel;
	const struct ktypes_func *func;
	const struct ktypes_type *type;

	if (colon)
		look_at_module(types, symbol, colon - symbol);
	func = find(part, colon ? colon + 1 : symbol);
	type = func ? type_of(types, func->type->size) : NULL;
	return type && kind_of(type) == FUNC_PROTO ? result_of_type(types, type->size) : UNKNOWN;
}

bool ktypes_cannot_fail(struct ktypes *types, const char *symbol)
{
	enum result result = result_of(types, symbol);

	return result == NOTHING || result == FLAG;
}

bool ktypes_returns_number(struct ktypes *types, const char *symbol)
{
	return result_of(types, symbol) == NUMBER;
}
