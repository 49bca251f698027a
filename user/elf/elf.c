// SPDX-License-Identifier: GPL-2.0
/* Opens ELF files with libelf, and checks their type. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>

#include "elf/debugfile.h"
#include "elf/elf.h"
#include "elf/elf_open.h"
#include "elf/sections.h"
#include "elf/segments.h"
#include "elf/symbols.h"
#include "util/bound.h"
#include "util/effort.h"
#include "util/mem.h"
#include "util/root.h"

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
	int fd = root_open_path(path, &st);

	if (fd < 0 && st.st_mode && !S_ISREG(st.st_mode))
		return err_set(err, "%s is %s, not a regular file; give an ELF program or library.",
			       path, kind_of(st.st_mode));
	if (fd < 0)
		return err_set(err, "%s cannot be opened: %s.", path, reason_of(errno));
	return fd;
}

static int check_len(struct elf_file *file, struct err *err)
{
	struct stat st;

	if (fstat(file->fd, &st))
		return err_set(err, "%s cannot be read: %s.", file->path, strerror(errno));
	/* Files that the kernel generates, for example in /proc, have no length, either. */
	if (!st.st_size)
		return err_set(err, "%s is empty, or not a file on a disk; give an ELF program or library.",
			       file->path);
	file->len = st.st_size;
	return 0;
}

/* The start of the ELF header, which has the same layout in every class. */
struct head {
	unsigned char ident[EI_NIDENT];
	uint16_t type;
	uint16_t machine;
};

static uint16_t number(const struct head *head, uint16_t raw)
{
	return head->ident[EI_DATA] == ELFDATA2MSB ? be16toh(raw) : le16toh(raw);
}

static int check_type(const struct elf_file *file, const struct head *head, struct err *err)
{
	uint16_t type = number(head, head->type), machine = number(head, head->machine);

	if (head->ident[EI_CLASS] != ELFCLASS32 && head->ident[EI_CLASS] != ELFCLASS64)
		return err_set(err, "%s is damaged: its ELF header is invalid; copy or build it again.",
			       file->path);
	if (machine != EM_X86_64 || head->ident[EI_CLASS] != ELFCLASS64)
		return err_set(err, "%s is not for x86-64 (%s-bit, ELF machine %u); only x86-64 programs can be traced.",
			       file->path, head->ident[EI_CLASS] == ELFCLASS64 ? "64" : "32",
			       machine);
	if (type != ET_EXEC && type != ET_DYN)
		return err_set(err, "%s is %s, which cannot run; give the linked program or library.",
			       file->path, type == ET_REL ? "an object file" :
			       type == ET_CORE ? "a core dump" : "an ELF file of unknown type");
	return 0;
}

/* Refuses a debug file: its code sections have headers, but no contents. */
static int check_code(const struct elf_file *file, struct err *err)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOBITS &&
		    (header.sh_flags & SHF_EXECINSTR))
			return err_set(err, "%s has symbols for debuggers, but no code; give the program or library itself.",
				       file->path);
	return 0;
}

static int check_head(const struct elf_file *file, struct err *err)
{
	struct head head = { .type = 0 };
	ssize_t len = pread(file->fd, &head, sizeof(head), 0);

	if (len == sizeof(head) && !memcmp(head.ident, ELFMAG, SELFMAG))
		return check_type(file, &head, err);
	if (len > 1 && !memcmp(head.ident, "#!", 2))
		return err_set(err, "%s is a script, not ELF; trace its interpreter with the script as argument.",
			       file->path);
	return err_set(err, "%s is not an ELF file; give a program or library.", file->path);
}

static int open_elf(struct elf_file *file, struct err *err)
{
	const char *why;

	file->elf = elf_open(file->fd, &why);
	if (!file->elf)
		return err_set(err, "%s is damaged: %s; copy or build it again.", file->path, why);
	return check_code(file, err);
}

/* --- functions ---------------------------------------------------------- */

#define MAX_INSIDE 16

const struct elf_sym *elf_file_sym_behind(const struct elf_file *file, uint64_t addr)
{
	return file->syms + BOUND(file->nr_syms, i, file->syms[i].addr <= addr);
}

const struct elf_sym *elf_file_sym_at(const struct elf_file *file, uint64_t addr)
{
	const struct elf_sym *behind = elf_file_sym_behind(file, addr), *sym;

	/* Other symbols may begin inside the function, for example labels without a size. */
	for (sym = behind; sym > file->syms && behind - sym < MAX_INSIDE;) {
		sym--;
		/* Aliases are not walked over: a file may have very many. */
		if (addr - sym->addr < sym->size)
			return elf_file_sym_behind(file, sym->addr - 1);
	}
	return NULL;
}

/* --- a file ------------------------------------------------------------- */

static void find_tsan(struct elf_file *file)
{
	static const char start[] = "__tsan_init";
	size_t i;

	for (i = 0; i < file->nr_imports && !file->is_tsan; i++)
		file->is_tsan = !strcmp(file->imports[i].name, start);
	for (i = 0; i < file->nr_syms && !file->has_tsan; i++)
		file->has_tsan = !strcmp(file->syms[i].name, start);
}

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

static int check_effort(const struct elf_file *file, struct err *err)
{
	return effort_is_spent() ? err_set(err, "%s is not read: %s.", file->path, effort_text()) :
				   0;
}

static int take(struct elf_file *file, int fd, const char *path, bool has_symbols, struct err *err)
{
	int error;

	memset(file, 0, sizeof(*file));
	file->fd = fd;
	file->debug.fd = -1;
	file->path = mem_string(path);
	effort_begin();
	error = check_effort(file, err) || check_len(file, err) || check_head(file, err) ||
		open_elf(file, err) || segments_read(file, err);
	if (!error && has_symbols) {
		file->build_id_len = elf_build_id(file->elf, file->build_id);
		file->is_go = elf_section_named(file->elf, ".go.buildinfo");
		symbols_read(file);
		find_tsan(file);
	}
	effort_end();
	if (!error)
		return 0;
	elf_file_close(file);
	return -1;
}

int elf_file_take(struct elf_file *file, int fd, const char *path, struct err *err)
{
	return take(file, fd, path, true, err);
}

int elf_file_take_code(struct elf_file *file, int fd, const char *path, struct err *err)
{
	return take(file, fd, path, false, err);
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
	segments_free(file);
	free(file->imports);
	free(file->syms);
	free(file->interp);
	free(file->source);
	free(file->refused);
	free(file->path);
	memset(file, 0, sizeof(*file));
	file->fd = -1;
	file->debug.fd = -1;
}
