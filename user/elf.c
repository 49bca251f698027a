// SPDX-License-Identifier: GPL-2.0
/* ELF files: segments, functions, imports, build-id. By libelf. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>

#include "elf.h"
#include "mem.h"

/* --- opening ------------------------------------------------------------ */

static const char *reason_of(int error)
{
	switch (error) {
	case ENOENT:
		return "there is no such file; check the path";
	case EACCES:
		return "its permissions forbid reading it; try as root";
	default:
		return strerror(error);
	}
}

static int open_regular(struct elf_file *file, const char *path, struct err *err)
{
	struct stat st;

	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file->fd < 0)
		return err_set(err, "%s cannot be opened: %s.", path, reason_of(errno));
	if (fstat(file->fd, &st) || !S_ISREG(st.st_mode))
		return err_set(err, "%s is not a regular file; give an ELF program or library.",
			       path);
	return 0;
}

static int check_kind(struct elf_file *file, struct err *err)
{
	GElf_Ehdr header;
	char magic[2] = "";

	if (elf_kind(file->elf) != ELF_K_ELF || !gelf_getehdr(file->elf, &header)) {
		if (pread(file->fd, magic, 2, 0) == 2 && !memcmp(magic, "#!", 2))
			return err_set(err, "%s is a script, not ELF; trace its interpreter with the script as argument.",
				       file->path);
		return err_set(err, "%s is not an ELF file; give a program or library.",
			       file->path);
	}
	if (header.e_machine != EM_X86_64 || header.e_ident[EI_CLASS] != ELFCLASS64)
		return err_set(err, "%s is not for x86-64 (ELF machine %u); only x86-64 programs can be traced.",
			       file->path, header.e_machine);
	return 0;
}

/* --- segments ----------------------------------------------------------- */

static void add_segment(struct elf_file *file, const GElf_Phdr *header)
{
	struct elf_segment *segment;

	file->segments = mem_grow(file->segments, file->nr_segments, sizeof(*segment));
	segment = &file->segments[file->nr_segments++];
	segment->addr = header->p_vaddr;
	segment->offset = header->p_offset;
	segment->len = header->p_filesz;
	segment->is_code = header->p_flags & PF_X;
}

static const char *interp_of(struct elf_file *file, const GElf_Phdr *header)
{
	size_t len;
	const char *raw = elf_rawfile(file->elf, &len);

	if (!raw || !header->p_filesz || header->p_offset > len ||
	    header->p_filesz > len - header->p_offset)
		return NULL;
	raw += header->p_offset;
	return raw[header->p_filesz - 1] ? NULL : raw;
}

static void read_segments(struct elf_file *file)
{
	GElf_Phdr header;
	size_t nr = 0, i;

	elf_getphdrnum(file->elf, &nr);
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(file->elf, i, &header))
			continue;
		if (header.p_type == PT_LOAD)
			add_segment(file, &header);
		if (header.p_type == PT_INTERP)
			file->interp = interp_of(file, &header);
	}
}

static const struct elf_segment *segment_of(const struct elf_file *file, uint64_t addr)
{
	const struct elf_segment *segment;

	for (segment = file->segments; segment < file->segments + file->nr_segments; segment++)
		if (addr - segment->addr < segment->len)
			return segment;
	return NULL;
}

const uint8_t *elf_file_bytes(const struct elf_file *file, uint64_t addr, size_t len)
{
	const struct elf_segment *segment = segment_of(file, addr);
	size_t file_len;
	const char *raw = elf_rawfile(file->elf, &file_len);
	uint64_t offset;

	if (!segment || !raw || len > segment->len - (addr - segment->addr))
		return NULL;
	offset = segment->offset + (addr - segment->addr);
	if (offset > file_len || len > file_len - offset)
		return NULL;
	return (const uint8_t *)raw + offset;
}

bool elf_file_offset(const struct elf_file *file, uint64_t addr, uint64_t *offset)
{
	const struct elf_segment *segment = segment_of(file, addr);

	if (!segment || !segment->is_code)
		return false;
	*offset = segment->offset + (addr - segment->addr);
	return true;
}

/* --- sections ----------------------------------------------------------- */

struct table {
	Elf_Data *syms;
	Elf_Data *versions;	/* .gnu.version, or NULL */
	Elf_Scn *needs;		/* .gnu.version_r */
	Elf_Scn *defs;		/* .gnu.version_d */
	size_t strings;
	size_t nr;
};

static Elf_Scn *section_of(const struct elf_file *file, GElf_Word type, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, header) && header->sh_type == type)
			return section;
	return NULL;
}

static bool find_table(const struct elf_file *file, GElf_Word type, struct table *table)
{
	GElf_Shdr header, other;
	Elf_Scn *section = section_of(file, type, &header);

	memset(table, 0, sizeof(*table));
	if (!section || !header.sh_entsize)
		return false;
	table->syms = elf_getdata(section, NULL);
	table->strings = header.sh_link;
	table->nr = header.sh_size / header.sh_entsize;
	if (type == SHT_DYNSYM) {
		section = section_of(file, SHT_GNU_versym, &other);
		table->versions = section ? elf_getdata(section, NULL) : NULL;
		table->needs = section_of(file, SHT_GNU_verneed, &other);
		table->defs = section_of(file, SHT_GNU_verdef, &other);
	}
	return table->syms;
}

static bool get_sym(const struct elf_file *file, const struct table *table, size_t i,
		    GElf_Sym *sym, const char **name)
{
	if (!gelf_getsym(table->syms, i, sym))
		return false;
	*name = elf_strptr(file->elf, table->strings, sym->st_name);
	return *name && **name;
}

/* --- functions ---------------------------------------------------------- */

static bool is_function(const GElf_Sym *sym)
{
	int type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF && sym->st_value &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC);
}

static void fill_sym(struct elf_sym *to, const GElf_Sym *sym, const char *name)
{
	to->name = name;
	to->addr = sym->st_value;
	to->size = sym->st_size;
	to->bind = GELF_ST_BIND(sym->st_info);
	to->is_ifunc = GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC;
}

static void read_functions(struct elf_file *file, const struct table *table)
{
	GElf_Sym sym;
	const char *name;
	size_t i;

	for (i = 0; i < table->nr; i++) {
		if (!get_sym(file, table, i, &sym, &name) || !is_function(&sym))
			continue;
		file->syms = mem_grow(file->syms, file->nr_syms, sizeof(*file->syms));
		fill_sym(&file->syms[file->nr_syms++], &sym, name);
	}
}

/* Of aliases the one to be shown comes first: global, then weak, then local, then short. */
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

/* --- imports and versions ----------------------------------------------- */

static const char *needed_version(const struct elf_file *file, const struct table *table,
				  size_t index)
{
	Elf_Data *data = table->needs ? elf_getdata(table->needs, NULL) : NULL;
	size_t at = 0, aux_at;
	GElf_Verneed need;
	GElf_Vernaux aux;
	int i;

	while (data && gelf_getverneed(data, at, &need)) {
		aux_at = at + need.vn_aux;
		for (i = 0; i < need.vn_cnt && gelf_getvernaux(data, aux_at, &aux); i++) {
			if (aux.vna_other == index)
				return elf_strptr(file->elf, table->strings, aux.vna_name);
			aux_at += aux.vna_next;
		}
		if (!need.vn_next)
			break;
		at += need.vn_next;
	}
	return NULL;
}

static const char *defined_version(const struct elf_file *file, const struct table *table,
				   size_t index)
{
	Elf_Data *data = table->defs ? elf_getdata(table->defs, NULL) : NULL;
	size_t at = 0;
	GElf_Verdef def;
	GElf_Verdaux aux;

	while (data && gelf_getverdef(data, at, &def)) {
		if (def.vd_ndx == index && gelf_getverdaux(data, at + def.vd_aux, &aux))
			return elf_strptr(file->elf, table->strings, aux.vda_name);
		if (!def.vd_next)
			break;
		at += def.vd_next;
	}
	return NULL;
}

#define VERSION_HIDDEN 0x8000	/* not the default version of its name */

static size_t version_index(const struct table *table, size_t i)
{
	GElf_Versym version;

	if (!table->versions || !gelf_getversym(table->versions, i, &version))
		return 1;
	return version;
}

static void read_imports(struct elf_file *file, const struct table *table)
{
	struct elf_import *import;
	const char *name;
	GElf_Sym sym;
	size_t i;

	for (i = 0; i < table->nr; i++) {
		if (!get_sym(file, table, i, &sym, &name) || sym.st_shndx != SHN_UNDEF ||
		    GELF_ST_BIND(sym.st_info) == STB_LOCAL)
			continue;
		file->imports = mem_grow(file->imports, file->nr_imports, sizeof(*import));
		import = &file->imports[file->nr_imports++];
		import->name = name;
		import->version = needed_version(file, table,
						 version_index(table, i) & ~VERSION_HIDDEN);
	}
}

static bool is_version_of(const struct elf_file *file, const struct table *table, size_t i,
			  const char *wanted)
{
	size_t index = version_index(table, i);
	const char *version;

	if (!wanted || !table->defs)
		return !(index & VERSION_HIDDEN);
	version = defined_version(file, table, index & ~VERSION_HIDDEN);
	return version && !strcmp(version, wanted);
}

static int by_import_name(const void *a, const void *b)
{
	return strcmp(((const struct elf_import *)a)->name,
		      ((const struct elf_import *)b)->name);
}

void elf_file_resolve(const struct elf_file *file, const struct elf_file *user,
		      struct elf_sym *found)
{
	struct elf_import key, *import;
	struct table table;
	GElf_Sym sym;
	size_t i, k;

	if (!find_table(file, SHT_DYNSYM, &table))
		return;
	for (i = 0; i < table.nr; i++) {
		if (!get_sym(file, &table, i, &sym, &key.name) || !is_function(&sym))
			continue;
		import = bsearch(&key, user->imports, user->nr_imports, sizeof(key),
				 by_import_name);
		if (!import)
			continue;
		k = import - user->imports;
		if (!found[k].name && is_version_of(file, &table, i, import->version))
			fill_sym(&found[k], &sym, key.name);
	}
}

/* --- build-id ----------------------------------------------------------- */

static bool read_note(struct elf_file *file, Elf_Data *data)
{
	size_t at = 0, next, name, desc;
	GElf_Nhdr note;

	for (; (next = gelf_getnote(data, at, &note, &name, &desc)); at = next) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    memcmp((char *)data->d_buf + name, "GNU", 4) ||
		    note.n_descsz > sizeof(file->build_id))
			continue;
		file->build_id_len = note.n_descsz;
		memcpy(file->build_id, (char *)data->d_buf + desc, note.n_descsz);
		return true;
	}
	return false;
}

static void read_build_id(struct elf_file *file)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf_Data *data;

	while ((section = elf_nextscn(file->elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE)
			continue;
		data = elf_getdata(section, NULL);
		if (data && read_note(file, data))
			return;
	}
}

/* --- a file ------------------------------------------------------------- */

static void read_symbols(struct elf_file *file)
{
	struct table table;

	file->is_stripped = !find_table(file, SHT_SYMTAB, &table);
	if (!file->is_stripped)
		read_functions(file, &table);
	if (!find_table(file, SHT_DYNSYM, &table))
		return;
	if (file->is_stripped)
		read_functions(file, &table);
	read_imports(file, &table);
}

int elf_file_open(struct elf_file *file, const char *path, struct err *err)
{
	memset(file, 0, sizeof(*file));
	file->path = mem_string(path);
	if (open_regular(file, path, err))
		goto close;
	elf_version(EV_CURRENT);
	file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
	if (!file->elf) {
		err_set(err, "%s cannot be read: %s.", path, elf_errmsg(-1));
		goto close;
	}
	if (check_kind(file, err))
		goto close;
	read_segments(file);
	read_symbols(file);
	read_build_id(file);
	if (file->nr_syms)
		qsort(file->syms, file->nr_syms, sizeof(*file->syms), by_address);
	if (file->nr_imports)
		qsort(file->imports, file->nr_imports, sizeof(*file->imports),
		      by_import_name);
	return 0;
close:
	elf_file_close(file);
	return -1;
}

void elf_file_close(struct elf_file *file)
{
	if (file->elf)
		elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	free(file->segments);
	free(file->imports);
	free(file->syms);
	free(file->path);
	memset(file, 0, sizeof(*file));
	file->fd = -1;
}
