// SPDX-License-Identifier: GPL-2.0
/* ELF files: what they are, their segments and build-id. By libelf. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>

#include "debugfile.h"
#include "elf.h"
#include "mem.h"
#include "root.h"
#include "symbols.h"

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

static const char *kind_of(mode_t mode)
{
	return S_ISDIR(mode) ? "a directory" : S_ISFIFO(mode) ? "a fifo" :
	       S_ISSOCK(mode) ? "a socket" : "a device";
}

static int open_regular(const char *path, struct err *err)
{
	struct stat st;
	int fd = root_open(ROOT_OWN, path, &st);

	if (fd < 0 && st.st_mode && !S_ISREG(st.st_mode))
		return err_set(err, "%s is %s, not a regular file; give an ELF program or library.",
			       path, kind_of(st.st_mode));
	if (fd < 0)
		return err_set(err, "%s cannot be opened: %s.", path, reason_of(errno));
	return fd;
}

static int check_len(const struct elf_file *file, struct err *err)
{
	struct stat st;

	if (fstat(file->fd, &st))
		return err_set(err, "%s cannot be read: %s.", file->path, strerror(errno));
	/* What the kernel makes up, as in /proc, has no length either. */
	if (!st.st_size)
		return err_set(err, "%s is empty, or no file of a disk; give an ELF program or library.",
			       file->path);
	return 0;
}

static int check_type(const struct elf_file *file, const GElf_Ehdr *header, struct err *err)
{
	if (header->e_machine != EM_X86_64 || header->e_ident[EI_CLASS] != ELFCLASS64)
		return err_set(err, "%s is not for x86-64 (%s-bit, ELF machine %u); only x86-64 programs can be traced.",
			       file->path,
			       header->e_ident[EI_CLASS] == ELFCLASS64 ? "64" : "32",
			       header->e_machine);
	if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
		return err_set(err, "%s is %s, which does not run as it is; give the linked program or library.",
			       file->path, header->e_type == ET_REL ? "an object file" :
			       header->e_type == ET_CORE ? "a core dump" :
			       "an ELF file of unknown type");
	return 0;
}

/* A file of debug symbols has the headers of the code that was taken out. */
static int check_code(const struct elf_file *file, struct err *err)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOBITS &&
		    (header.sh_flags & SHF_EXECINSTR))
			return err_set(err, "%s holds symbols for debuggers, no code; give the program or library itself.",
				       file->path);
	return 0;
}

/* The first bytes are looked at before libelf, which may map all of a strange file. */
static int check_magic(const struct elf_file *file, struct err *err)
{
	char magic[SELFMAG] = "";

	if (pread(file->fd, magic, SELFMAG, 0) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG))
		return 0;
	if (!memcmp(magic, "#!", 2))
		return err_set(err, "%s is a script, not ELF; trace its interpreter with the script as argument.",
			       file->path);
	return err_set(err, "%s is not an ELF file; give a program or library.", file->path);
}

static int open_elf(struct elf_file *file, struct err *err)
{
	GElf_Ehdr header;

	elf_version(EV_CURRENT);
	file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF ||
	    !gelf_getehdr(file->elf, &header))
		return err_set(err, "%s is damaged: its ELF header cannot be understood; copy or build it again.",
			       file->path);
	return check_type(file, &header, err) ? -1 : check_code(file, err);
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

static const char *interp_of(const char *raw, const GElf_Phdr *header)
{
	raw += header->p_offset;
	return !header->p_filesz || raw[header->p_filesz - 1] ? NULL : raw;
}

static int read_segment(struct elf_file *file, const GElf_Phdr *header, struct err *err)
{
	size_t len;
	const char *raw = elf_rawfile(file->elf, &len);

	if (header->p_type != PT_LOAD && header->p_type != PT_INTERP)
		return 0;
	if (!raw || header->p_offset > len || header->p_filesz > len - header->p_offset ||
	    header->p_vaddr > UINT64_MAX - header->p_filesz)
		return err_set(err, "%s is truncated or damaged: it has %zu bytes, and a segment is not in them; copy or build it again.",
			       file->path, len);
	if (header->p_type == PT_LOAD)
		add_segment(file, header);
	else
		file->interp = interp_of(raw, header);
	return 0;
}

static int read_segments(struct elf_file *file, struct err *err)
{
	bool has_code = false;
	GElf_Phdr header;
	size_t nr = 0, i;

	elf_getphdrnum(file->elf, &nr);
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(file->elf, i, &header))
			return err_set(err, "%s is truncated or damaged: its program headers are not in it; copy or build it again.",
				       file->path);
		if (read_segment(file, &header, err))
			return -1;
	}
	for (i = 0; i < file->nr_segments; i++)
		has_code |= file->segments[i].is_code && file->segments[i].len;
	if (!has_code)
		return err_set(err, "%s holds no code; give a program or library.",
			       file->path);
	return 0;
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

	if (!segment || !raw || len > segment->len - (addr - segment->addr))
		return NULL;
	return (const uint8_t *)raw + segment->offset + (addr - segment->addr);
}

bool elf_file_offset(const struct elf_file *file, uint64_t addr, uint64_t *offset)
{
	const struct elf_segment *segment = segment_of(file, addr);

	if (!segment || !segment->is_code)
		return false;
	*offset = segment->offset + (addr - segment->addr);
	return true;
}

bool elf_file_addr(const struct elf_file *file, uint64_t offset, uint64_t *addr)
{
	const struct elf_segment *segment;

	for (segment = file->segments; segment < file->segments + file->nr_segments; segment++)
		if (segment->is_code && offset - segment->offset < segment->len) {
			*addr = segment->addr + (offset - segment->offset);
			return true;
		}
	return false;
}

/* --- functions ---------------------------------------------------------- */

#define MAX_INSIDE 16

const struct elf_sym *elf_file_sym_at(const struct elf_file *file, uint64_t addr)
{
	size_t low = 0, high = file->nr_syms, mid;
	const struct elf_sym *sym;

	while (low < high) {
		mid = (low + high) / 2;
		if (file->syms[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	/* Others may begin inside of it, labels without a size among them. */
	for (mid = low; mid && low - mid < MAX_INSIDE; mid--) {
		sym = &file->syms[mid - 1];
		if (addr - sym->addr >= sym->size)
			continue;
		while (sym > file->syms && sym[-1].addr == sym->addr)
			sym--;
		return sym;
	}
	return NULL;
}

/* --- build-id ----------------------------------------------------------- */

static size_t id_of_notes(Elf_Data *data, unsigned char *id)
{
	size_t at = 0, next, name, desc;
	GElf_Nhdr note;

	for (; (next = gelf_getnote(data, at, &note, &name, &desc)); at = next) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    memcmp((char *)data->d_buf + name, "GNU", 4) || note.n_descsz > 20)
			continue;
		memcpy(id, (char *)data->d_buf + desc, note.n_descsz);
		return note.n_descsz;
	}
	return 0;
}

size_t elf_build_id(Elf *elf, unsigned char *id)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf_Data *data;
	size_t len = 0;

	while (!len && (section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE)
			continue;
		data = elf_getdata(section, NULL);
		if (data)
			len = id_of_notes(data, id);
	}
	return len;
}

static bool has_section(Elf *elf, const char *wanted)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	const char *name;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		name = gelf_getshdr(section, &header) ?
		       elf_strptr(elf, names, header.sh_name) : NULL;
		if (name && !strcmp(name, wanted))
			return true;
	}
	return false;
}

/* --- a file ------------------------------------------------------------- */

int elf_file_open(struct elf_file *file, const char *path, struct err *err)
{
	int fd = open_regular(path, err);

	if (fd >= 0)
		return elf_file_take(file, fd, path, err);
	memset(file, 0, sizeof(*file));
	file->fd = -1;
	file->debug.fd = -1;
	return -1;
}

int elf_file_take(struct elf_file *file, int fd, const char *path, struct err *err)
{
	memset(file, 0, sizeof(*file));
	file->fd = fd;
	file->debug.fd = -1;
	file->path = mem_string(path);
	if (check_len(file, err) || check_magic(file, err) || open_elf(file, err) ||
	    read_segments(file, err)) {
		elf_file_close(file);
		return -1;
	}
	file->build_id_len = elf_build_id(file->elf, file->build_id);
	file->is_go = has_section(file->elf, ".go.buildinfo");
	symbols_read(file);
	return 0;
}

bool elf_file_is(const struct elf_file *file, const char *path)
{
	struct stat its, own;

	return !stat(path, &its) && !fstat(file->fd, &own) && its.st_dev == own.st_dev &&
	       its.st_ino == own.st_ino;
}

void elf_file_close(struct elf_file *file)
{
	debugfile_close(&file->debug);
	if (file->elf)
		elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	free(file->segments);
	free(file->imports);
	free(file->syms);
	free(file->source);
	free(file->refused);
	free(file->path);
	memset(file, 0, sizeof(*file));
	file->fd = -1;
	file->debug.fd = -1;
}
