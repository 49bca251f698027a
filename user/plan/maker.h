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

/* A plan that is being made. For plan.c and plan_*.c only. */
struct maker {
	struct plan *plan;
	const struct plan_options *options;
	struct insn *insn;
	const struct elf_sym **colds;	/* the file's cold parts, by name and address */
	size_t nr_colds;
	uint64_t own, budget;		/* bytes that may still be decoded: see plan_cold.c */
	struct ifunc ifunc;
	struct place *values;		/* per value rule; file is NULL if the rule has no FILE: */
};

/* What the options request for one name of a function. */
struct wish {
	char *name;		/* the name to show; NULL: the options do not select the function */
	uint8_t flags;		/* KTRACE_FUNC_* */
	bool is_named;		/* --function has its exact name, not a pattern */
	bool is_bound;		/* --below or --not-below has its exact name, not a pattern */
	struct value_formats formats;
};

/* --- plan_names.c: names to show ----------------------------------------- */

/* Sets the path that is shown for a file. */
void plan_show_as(struct elf_file *file, const char *name);
/* Returns the name to show, with @FILE if the options ask for it. The caller frees it. */
char *plan_shown_name(const struct maker *maker, unsigned int object, const char *plain);
/* Makes names of functions differ. Called last, because it changes names. */
void plan_tell_apart(struct plan *plan);

/* --- plan_func.c: one function ------------------------------------------ */

/*
 * Both add a function to the plan and take ownership of name. plan_add_func() sets left_out if the
 * function cannot be probed.
 */
struct plan_func *plan_add_func(struct maker *maker, unsigned int object, char *name,
				const struct elf_sym *sym);
/* Adds an address that is not the start of a known function. Its return is not seen. */
struct plan_func *plan_add_entry(struct maker *maker, unsigned int object, char *name,
				 uint64_t addr, uint64_t offset);

/* Adds a function to probe its returns only. Adds nothing if they cannot be probed. */
void plan_add_returns(struct maker *maker, unsigned int object, uint64_t addr);

/* --- plan_silent.c: targets of tail jumps that the options do not select -- */

void plan_add_silent(struct maker *maker);

/* --- plan_jumps.c: jumps that need no probe ------------------------------ */

/* Called when the plan has all its functions. */
void plan_drop_jumps(struct maker *maker);

/* --- plan_cold.c: cold parts -------------------------------------------- */

/* Call this before you add functions of another file. It sets a new budget, too. */
void plan_index_colds(struct maker *maker, const struct elf_file *file);
bool plan_is_cold(const char *name);
/* Returns the nearest cold part of a function, or NULL. */
const struct elf_sym *plan_cold_of(const struct maker *maker, const struct elf_sym *sym);

/* --- plan_wish.c: what the options request -------------------------------- */

/* Parses the value rules for functions of a certain file, FILE:NAME. */
void plan_parse_values(struct maker *maker);
void plan_free_values(struct maker *maker);
/* With is_place, a place in -f names the function: no pattern has to match it. */
struct wish plan_wish_of(const struct maker *maker, unsigned int object,
			 const struct elf_sym *sym, bool is_place);
void plan_take_wish(struct plan_func *func, const struct wish *wish);
/* Adds a function that a place in -f names, even if no other pattern of -f matches it. */
void plan_add_place(struct maker *maker, unsigned int object, const struct elf_sym *sym,
		    bool is_named);
/* Adds all functions inside a file that the options select. */
void plan_add_all(struct maker *maker, unsigned int object);

static inline void plan_set_stepped(struct plan_func *func, bool is_stepped)
{
	func->desc.traits &= ~KTRACE_TRAIT_STEPPED;
	func->desc.traits |= is_stepped ? KTRACE_TRAIT_STEPPED : 0;
}

/* --- plan_libs.c: libraries --------------------------------------------- */

int plan_open_libs(struct plan *plan, pid_t pid, struct err *err);
/* Returns true if files loaded later may have what the file and its libraries lack. */
bool plan_may_lack(const struct plan_options *options);
int plan_add_libs(struct maker *maker, struct err *err);

/* --- plan_places.c: FILE:NAME and FILE:+0xOFFSET ------------------------ */

int plan_add_places(struct maker *maker, struct err *err);

#endif
