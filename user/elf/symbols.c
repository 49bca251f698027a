// SPDX-License-Identifier: GPL-2.0
/* Reads symbol tables: functions, imports and their versions. */
#include <stdlib.h>
#include <string.h>

#include <gelf.h>

#include "elf/debugfile.h"
#include "elf/sections.h"
#include "elf/symbols.h"
#include "util/bound.h"
#include "util/effort.h"
#include "util/mem.h"

/* --- tables ------------------------------------------------------------- */

/*
 * Limits the total length of names, as a multiple of the length of their tables. Names may share
 * bytes of the string table; linkers rarely do this, but crafted files may do it excessively.
 */
#define LETTERS_PER_BYTE 32

struct table {
	Elf *elf;
	Elf_Data *syms;
	size_t strings;
	size_t nr;
	size_t nr_letters;	/* the remaining total length of names */
};

static bool find_table(Elf *elf, GElf_Word type, struct table *table)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_section(elf, type, &header);
	Elf_Data *strings;

	memset(table, 0, sizeof(*table));
	table->elf = elf;
	table->syms = section ? elf_getdata(section, NULL) : NULL;
	if (!table->syms || !table->syms->d_buf)
		return false;
	table->strings = header.sh_link;
	/* Count what was read, not what the header claims. */
	table->nr = table->syms->d_size / sizeof(Elf64_Sym);
	if (!elf_strings_end(elf, table->strings))
		return false;
	strings = elf_rawdata(elf_getscn(elf, table->strings), NULL);
	table->nr_letters = LETTERS_PER_BYTE * (table->syms->d_size + strings->d_size);
	return true;
}

static bool get_sym(struct table *table, size_t i, GElf_Sym *sym, const char **name)
{
	size_t len;

	if (!gelf_getsym(table->syms, i, sym))
		return false;
	*name = elf_strptr(table->elf, table->strings, sym->st_name);
	len = *name ? strnlen(*name, table->nr_letters) : 0;
	table->nr_letters -= len;
	return len && table->nr_letters;
}

/* Asks at every 4096th entry of a table. */
static bool is_too_much(size_t i)
{
	return !(i & 4095) && effort_is_spent();
}

/* --- functions ---------------------------------------------------------- */

static bool is_function(const GElf_Sym *sym)
{
	int type = GELF_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && sym->st_shndx != SHN_UNDEF &&
	       sym->st_value;
}

static void fill_sym(struct elf_sym *to, const GElf_Sym *sym, const char *name)
{
	to->name = name;
	to->source = NULL;
	to->addr = sym->st_value;
	to->size = sym->st_size;
	to->bind = GELF_ST_BIND(sym->st_info);
	to->is_ifunc = GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC;
}

/*
 * Local symbols follow the name of their source file. Compilers that optimise all files at once
 * write "<artificial>".
 */
static void take_source(struct table *table, size_t i, GElf_Sym *sym, const char **source)
{
	if (!get_sym(table, i, sym, source) || **source == '<')
		*source = NULL;
}

/* Returns how many functions were added. */
static size_t add_functions(struct elf_file *file, Elf *elf, GElf_Word type)
{
	size_t nr_before = file->nr_syms, i;
	const char *name, *source = NULL;
	struct table table;
	struct elf_sym *to;
	GElf_Sym sym;

	if (!elf || !find_table(elf, type, &table))
		return 0;
	for (i = 0; i < table.nr && !is_too_much(i); i++) {
		if (!gelf_getsym(table.syms, i, &sym))
			continue;
		if (GELF_ST_TYPE(sym.st_info) == STT_FILE)
			take_source(&table, i, &sym, &source);
		if (!is_function(&sym) || !get_sym(&table, i, &sym, &name))
			continue;
		file->syms = mem_grow(file->syms, file->nr_syms, sizeof(*file->syms));
		to = &file->syms[file->nr_syms++];
		fill_sym(to, &sym, name);
		to->source = to->bind == STB_LOCAL ? source : NULL;
	}
	if (!table.nr_letters && !file->refused)
		file->refused = mem_format("the rest of its symbols: overlapping names are more than %d times as long as its tables",
					   LETTERS_PER_BYTE);
	return file->nr_syms - nr_before;
}

/* Aliases with a lower rank are shown: global, weak, local; of these, without a leading "__". */
static int rank(const struct elf_sym *sym)
{
	int bind = sym->bind == STB_GLOBAL ? 0 : sym->bind == STB_WEAK ? 1 : 2;

	return bind * 2 + (sym->name[0] == '_' && sym->name[1] == '_');
}

static int by_address(const void *a, const void *b)
{
	const struct elf_sym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (!x->size != !y->size)
		return x->size ? -1 : 1;
	if (rank(x) != rank(y))
		return rank(x) - rank(y);
	return strcmp(x->name, y->name);
}

/* Sorts functions, and drops symbols that two tables have. */
static void sort_functions(struct elf_file *file)
{
	struct elf_sym *to = file->syms, *from;

	if (!file->nr_syms)
		return;
	qsort(file->syms, file->nr_syms, sizeof(*file->syms), by_address);
	for (from = to + 1; from < file->syms + file->nr_syms; from++)
		if (from->addr != to->addr || strcmp(from->name, to->name))
			*++to = *from;
	file->nr_syms = to + 1 - file->syms;
}

static const char *read_stripped(struct elf_file *file)
{
	size_t nr = add_functions(file, file->elf, SHT_DYNSYM);

	if (debugfile_unpack(file) && add_functions(file, file->debug.elf, SHT_SYMTAB))
		return nr ? ".dynsym and .gnu_debugdata" : ".gnu_debugdata";
	return nr ? ".dynsym" : "none";
}

/*
 * Reads .symtab of the file, or else of its debug file. A file that was stripped for MiniDebugInfo
 * has in .gnu_debugdata the functions that .dynsym lacks.
 */
static void read_functions(struct elf_file *file)
{
	const char *source = ".symtab";

	if (!add_functions(file, file->elf, SHT_SYMTAB)) {
		if (debugfile_find(file) && add_functions(file, file->debug.elf, SHT_SYMTAB))
			source = file->debug.path;
		else
			source = read_stripped(file);
	}
	file->source = mem_string(source);
	sort_functions(file);
}

/* --- versions ----------------------------------------------------------- */

#define VERSION_HIDDEN 0x8000UL	/* not the default version of its name */
#define MAX_VERSION 256		/* letters */

/* The versions of a .dynsym, by the numbers in .gnu.version. */
struct versions {
	Elf_Data *numbers;	/* or NULL */
	bool has_defined;
	const char **names;
	size_t nr_names;
};

static void name_version(struct versions *versions, size_t number, const char *name)
{
	number &= ~VERSION_HIDDEN;
	while (versions->nr_names <= number) {
		versions->names = mem_grow(versions->names, versions->nr_names,
					   sizeof(*versions->names));
		versions->nr_names++;
	}
	if (name && strnlen(name, MAX_VERSION) < MAX_VERSION)
		versions->names[number] = name;
}

/* Returns NULL if the number has no name. */
static const char *version_name(const struct versions *versions, size_t number)
{
	number &= ~VERSION_HIDDEN;
	return number < versions->nr_names ? versions->names[number] : NULL;
}

static Elf_Data *data_of(Elf *elf, GElf_Word type)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_section(elf, type, &header);

	return section ? elf_getdata(section, NULL) : NULL;
}

/*
 * Advances *at by next bytes. Returns false at the end of the list, or if that would be outside the
 * data: libelf keeps offsets in an int, which would overflow.
 */
static bool step(const Elf_Data *data, size_t *at, size_t next)
{
	if (!next || next > data->d_size - *at)
		return false;
	*at += next;
	return true;
}

/* Names the versions from one library. *nr_left limits all entries, as lists may overlap. */
static void name_needed_of(struct versions *versions, const struct table *table,
			   Elf_Data *data, size_t at, size_t *nr_left)
{
	GElf_Vernaux aux;

	while (*nr_left && gelf_getvernaux(data, at, &aux)) {
		--*nr_left;
		name_version(versions, aux.vna_other,
			     elf_strptr(table->elf, table->strings, aux.vna_name));
		if (!step(data, &at, aux.vna_next))
			break;
	}
}

static void name_needed(struct versions *versions, const struct table *table)
{
	Elf_Data *data = data_of(table->elf, SHT_GNU_verneed);
	size_t at = 0, aux_at, nr_left = data ? data->d_size / sizeof(Elf64_Vernaux) : 0;
	GElf_Verneed need;

	while (data && gelf_getverneed(data, at, &need)) {
		aux_at = at;
		if (step(data, &aux_at, need.vn_aux))
			name_needed_of(versions, table, data, aux_at, &nr_left);
		if (!step(data, &at, need.vn_next))
			break;
	}
}

static void name_defined(struct versions *versions, const struct table *table)
{
	Elf_Data *data = data_of(table->elf, SHT_GNU_verdef);
	size_t at = 0, aux_at;
	GElf_Verdef def;
	GElf_Verdaux aux;

	versions->has_defined = data;
	while (data && gelf_getverdef(data, at, &def)) {
		aux_at = at;
		if (step(data, &aux_at, def.vd_aux) && gelf_getverdaux(data, aux_at, &aux))
			name_version(versions, def.vd_ndx,
				     elf_strptr(table->elf, table->strings, aux.vda_name));
		if (!step(data, &at, def.vd_next))
			break;
	}
}

/* The caller frees versions->names. */
static void read_versions(struct versions *versions, const struct table *table)
{
	memset(versions, 0, sizeof(*versions));
	versions->numbers = data_of(table->elf, SHT_GNU_versym);
	name_needed(versions, table);
	name_defined(versions, table);
}

static size_t version_of(const struct versions *versions, size_t i)
{
	GElf_Versym version;

	if (!versions->numbers || !gelf_getversym(versions->numbers, i, &version))
		return 1;
	return version;
}

/* --- imports ------------------------------------------------------------ */

static int by_import_name(const void *a, const void *b)
{
	return strcmp(((const struct elf_import *)a)->name,
		      ((const struct elf_import *)b)->name);
}

static void read_imports(struct elf_file *file)
{
	struct elf_import *import;
	struct versions versions;
	struct table table;
	const char *name;
	GElf_Sym sym;
	size_t i;

	if (!find_table(file->elf, SHT_DYNSYM, &table))
		return;
	read_versions(&versions, &table);
	for (i = 0; i < table.nr && !is_too_much(i); i++) {
		if (!get_sym(&table, i, &sym, &name) || sym.st_shndx != SHN_UNDEF ||
		    GELF_ST_BIND(sym.st_info) == STB_LOCAL)
			continue;
		file->imports = mem_grow(file->imports, file->nr_imports, sizeof(*import));
		import = &file->imports[file->nr_imports++];
		import->name = name;
		import->version = version_name(&versions, version_of(&versions, i));
	}
	free(versions.names);
	if (file->nr_imports)
		qsort(file->imports, file->nr_imports, sizeof(*import), by_import_name);
}

static bool is_version(const struct versions *versions, size_t i, const char *wanted)
{
	size_t number = version_of(versions, i);
	const char *version;

	if (!wanted || !versions->has_defined)
		return !(number & VERSION_HIDDEN);
	version = version_name(versions, number);
	return version && !strcmp(version, wanted);
}

void symbols_resolve(const struct elf_file *file, const struct elf_file *user,
		     struct elf_sym *found)
{
	struct elf_import key, *import;
	struct versions versions;
	struct table table;
	GElf_Sym sym;
	size_t i, k;

	if (!user->nr_imports || !find_table(file->elf, SHT_DYNSYM, &table))
		return;
	read_versions(&versions, &table);
	for (i = 0; i < table.nr && !is_too_much(i); i++) {
		if (!get_sym(&table, i, &sym, &key.name) || !is_function(&sym))
			continue;
		import = bsearch(&key, user->imports, user->nr_imports, sizeof(key),
				 by_import_name);
		if (!import)
			continue;
		k = import - user->imports;
		if (!found[k].name && is_version(&versions, i, import->version))
			fill_sym(&found[k], &sym, key.name);
	}
	free(versions.names);
}

/* --- slots -------------------------------------------------------------- */

static int by_slot_name(const void *a, const void *b)
{
	const struct elf_slot *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->addr < y->addr ? -1 : x->addr > y->addr;
}

static bool get_slot(struct table *table, const GElf_Rela *rela, struct elf_slot *slot)
{
	int type = GELF_R_TYPE(rela->r_info);
	GElf_Sym sym;

	slot->addr = rela->r_offset;
	return (type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT) &&
	       get_sym(table, GELF_R_SYM(rela->r_info), &sym, &slot->name);
}

size_t symbols_slots(const struct elf_file *file, struct elf_slot **slots)
{
	Elf_Scn *section = NULL;
	struct elf_slot slot;
	struct table table;
	GElf_Shdr header;
	GElf_Rela rela;
	Elf_Data *data;
	size_t nr = 0;
	int i;

	*slots = NULL;
	if (!find_table(file->elf, SHT_DYNSYM, &table))
		return 0;
	while ((section = elf_nextscn(file->elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA)
			continue;
		data = elf_getdata(section, NULL);
		for (i = 0; data && !is_too_much(i) && gelf_getrela(data, i, &rela); i++) {
			if (!get_slot(&table, &rela, &slot))
				continue;
			*slots = mem_grow(*slots, nr, sizeof(**slots));
			(*slots)[nr++] = slot;
		}
	}
	if (nr)
		qsort(*slots, nr, sizeof(**slots), by_slot_name);
	return nr;
}

const struct elf_slot *symbols_slot(const struct elf_slot *slots, size_t nr, const char *name)
{
	return slots + BOUND(nr, i, strcmp(slots[i].name, name) < 0);
}

/* --- reading ------------------------------------------------------------ */

void symbols_read(struct elf_file *file)
{
	read_functions(file);
	read_imports(file);
}
