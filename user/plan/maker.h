/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MAKER_H
#define MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "elf/elf.h"
#include "plan/ifunc.h"
#include "plan/insn.h"
#include "plan/place.h"
#include "plan/plan.h"
#include "plan/value.h"
#include "util/err.h"

/* A plan that is being made; of plan.c and the plan_*.c alone. */
struct maker {
	struct plan *plan;
	const struct plan_options *options;
	struct insn *insn;
	const struct elf_sym **colds;	/* the file's cold parts, by name and address */
	size_t nr_colds;
	uint64_t own, budget;		/* bytes that may still be decoded: see plan_cold.c */
	struct ifunc ifunc;
	struct place *values;		/* of each rule of values; file is NULL: it names none */
};

/* What is asked for under one name of a function. */
struct wish {
	char *name;		/* as it will be shown; NULL: it is not asked for */
	uint8_t flags;
	bool is_bound;		/* by its very name it bounds what is shown */
	struct value_formats formats;
};

/* --- plan_func.c: one function ------------------------------------------ */

/* They add it, left out with the reason where it cannot be probed. name is taken over. */
struct plan_func *plan_add_func(struct maker *maker, unsigned int object, char *name,
				const struct elf_sym *sym);
/* An address without a function around it, or inside of one: its return is not seen. */
struct plan_func *plan_add_entry(struct maker *maker, unsigned int object, char *name,
				 uint64_t addr, uint64_t offset);

/* A function of which only returns are probed; none is added where they cannot be. */
void plan_add_returns(struct maker *maker, unsigned int object, uint64_t addr);

/* --- plan_silent.c: what is jumped to, and not asked for --------------------- */

void plan_add_silent(struct maker *maker);

/* --- plan_jumps.c: jumps that need no probe; once all functions are there ----- */

void plan_drop_jumps(struct maker *maker);

/* --- plan_cold.c: cold parts -------------------------------------------- */

/* Before functions of another file are added; it gets a new budget, too. */
void plan_index_colds(struct maker *maker, const struct elf_file *file);
bool plan_is_cold(const char *name);
/* The nearest cold part of a function, or NULL. */
const struct elf_sym *plan_cold_of(const struct maker *maker, const struct elf_sym *sym);

/* --- plan_wish.c: what is asked for ------------------------------------- */

/* Of a function, @FILE behind it where that is to be shown; to be freed. */
char *plan_shown_name(const struct maker *maker, unsigned int object, const char *plain);
struct wish plan_wish_of(const struct maker *maker, unsigned int object,
			 const struct elf_sym *sym);
void plan_take_wish(struct plan_func *func, const struct wish *wish);
/* A function that a place names: -f does, whatever its other patterns are. */
void plan_add_place(struct maker *maker, unsigned int object, const struct elf_sym *sym);
/* All that is asked for of a file's own functions. */
void plan_add_all(struct maker *maker, unsigned int object);

/* --- plan_libs.c: libraries --------------------------------------------- */

void plan_show_as(struct elf_file *file, const char *name);
int plan_open_libs(struct plan *plan, pid_t pid, struct err *err);
/* May what the file and its libraries lack be in what is loaded later? */
bool plan_may_lack(const struct plan_options *options);
int plan_add_libs(struct maker *maker, struct err *err);

/* --- plan_places.c: FILE:NAME and FILE:+0xOFFSET ------------------------ */

int plan_add_places(struct maker *maker, struct err *err);

/* What values of a function are asked for by its file, as FILE:NAME. */
void plan_parse_values(struct maker *maker);
void plan_free_values(struct maker *maker);
void plan_add_values(const struct maker *maker, unsigned int object, const char *plain,
		     struct value_formats *formats);

#endif
