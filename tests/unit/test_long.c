// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of a long run: as much after a million lives as after a hundred thousand. The module
 * and /proc are simulated; the code that parses and keeps data is the command's own.
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../include/uapi/ktrace_record.h"
#include "../../user/system/maps.h"
#include "../../user/util/mem.h"
#include "../../user/session/merge.h"
#include "../../user/session/remarks.h"
#include "../../user/report/spaces.h"
#include "../../user/report/tree.h"

#define FIRST_TID 0x10000000U	/* above all real ones */
#define FEW 100000U
#define MANY 1000000U
#define AT_A_TIME 1000U
#define MOST_MORE (1UL << 20)

static size_t resident(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*u %lu", &pages), 1);
	fclose(file);
	return pages * sysconf(_SC_PAGESIZE);
}

/* live() starts and ends one thread or process, by number. */
static void check_flat(void (*live)(void *arg, uint32_t nr), void *arg)
{
	size_t before;
	uint32_t nr;

	for (nr = 0; nr < FEW; nr++)
		live(arg, nr);
	before = resident();
	for (; nr < MANY; nr++)
		live(arg, nr);
	print_message("[          ] %zu KiB after %u lives, %zu KiB after %u\n", before >> 10, FEW,
		      resident() >> 10, MANY);
	assert_true(resident() <= before + MOST_MORE);
}

/* --- calls as they come ------------------------------------------------------- */

struct calls {
	struct merge *merge;
	struct tree *tree;
	uint64_t time;
	uint64_t nr_lost;
	bool has_lost_ends;
};

struct packet {
	struct ktrace_packet head;
	uint8_t data[512];
};

static void put(struct packet *packet, const struct ktrace_record *rec, const void *payload,
		size_t len)
{
	uint8_t *at = (uint8_t *)packet + packet->head.content_bits / 8;

	memcpy(at, rec, sizeof(*rec));
	memcpy(at + sizeof(*rec), payload, len);
	packet->head.content_bits += (sizeof(*rec) + len) * 8;
	packet->head.packet_bits = packet->head.content_bits;
}

static void to_tree(void *arg, const struct ktr_record *event)
{
	tree_event(arg, event);
}

/* Calls one function in another, starts a process, and ends in a call; some ends are lost. */
static void call(void *arg, uint32_t nr)
{
	struct calls *calls = arg;
	uint64_t duration = 10, child[2] = { FIRST_TID + nr + 1, FIRST_TID + nr + 1 };
	struct ktrace_record rec = { .tid = FIRST_TID + nr };
	struct packet packet = {
		.head = { .magic = KTRACE_CTF_MAGIC, .content_bits = sizeof(packet.head) * 8,
			  .time_begin = calls->time, .cpu_id = nr % 2 },
	};

	rec.time = calls->time += 10;
	rec.id = KTRACE_REC_EXEC;
	rec.nr_payload = 2;
	put(&packet, &rec, "program\0\0\0\0\0\0\0\0", 16);
	rec.nr_payload = 0;
	rec.id = KTRACE_REC_ENTRY;
	put(&packet, &rec, NULL, 0);
	rec.depth = 1;
	put(&packet, &rec, NULL, 0);
	rec.id = KTRACE_REC_EXIT;
	put(&packet, &rec, &duration, sizeof(duration));
	rec.id = KTRACE_REC_FORK;
	rec.nr_payload = 2;
	put(&packet, &rec, child, sizeof(child));
	rec.nr_payload = 0;
	rec.depth = 0;
	rec.id = KTRACE_REC_TASK_EXIT;
	if (calls->has_lost_ends && nr % 4 == 0)
		calls->nr_lost++;
	else
		put(&packet, &rec, NULL, 0);
	packet.head.events_discarded = calls->nr_lost;
	merge_packet(calls->merge, &(struct ktr_packet){
		.cpu = nr % 2, .begin = packet.head.time_begin, .discarded = calls->nr_lost, .data = &packet,
		.len = packet.head.content_bits / 8,
	});
	merge_clock(calls->merge, !(nr % 2), calls->time);
	merge_drain(calls->merge, to_tree, calls->tree);
}

static void check_calls(bool has_lost_ends)
{
	char *texts[] = { (char *)"work" };
	struct names names = { .texts = texts, .nr = 1 };
	struct tree_options options = { .with_timestamp = true };
	struct calls calls = { .merge = merge_create(2), .has_lost_ends = has_lost_ends };
	FILE *out = fopen("/dev/null", "we");

	assert_non_null(out);
	calls.tree = tree_create(out, &names, &options);
	check_flat(call, &calls);
	tree_free(calls.tree);
	merge_free(calls.merge);
	fclose(out);
}

static void test_trees_of_calls(void **state)
{
	(void)state;
	check_calls(false);
}

static void test_ends_that_are_lost(void **state)
{
	(void)state;
	check_calls(true);
}

int ktr_func_each(struct ktr *ktr, uint64_t id, uint32_t flags, ktr_func_fn fn, void *arg)
{
	(void)ktr, (void)id, (void)flags, (void)fn, (void)arg;
	return 0;
}

/* --- maps of processes ------------------------------------------------------------ */

static pid_t living;	/* this process and the one before exist */

bool maps_has_memory(pid_t pid)
{
	return pid == living || pid == living - 1;
}

/* Its own file, and a file that exists on two disks with the same path and number. */
void maps_read(struct maps *maps, pid_t pid)
{
	struct mapping own = { .end = 1 << 20, .dev = 1, .inode = pid, .is_code = true };
	struct mapping other = { .end = 1 << 20, .dev = 1 + pid % 2, .inode = 1, .is_code = true };

	memset(maps, 0, sizeof(*maps));
	maps->pid = pid;
	if (!maps_has_memory(pid))
		return;
	other.start = own.end;
	other.end = other.start + (1UL << 30);
	own.path = mem_format("/program-%d", (int)pid);
	other.path = mem_string("/library");
	maps->all = mem_alloc(2 * sizeof(own));
	maps->all[maps->nr++] = own;
	maps->all[maps->nr++] = other;
}

void maps_free(struct maps *maps)
{
	while (maps->nr)
		free(maps->all[--maps->nr].path);
	free(maps->all);
	maps->all = NULL;
}

const struct mapping *maps_find(const struct maps *maps, uint64_t addr)
{
	return maps->nr ? &maps->all[addr >= maps->all[0].end] : NULL;
}

const struct made_code *maps_find_made(const struct maps *maps, uint64_t addr)
{
	(void)maps, (void)addr;
	return NULL;
}

/* On the second disk, this file is the test itself. */
char *maps_file(const struct maps *maps, const struct mapping *mapping)
{
	(void)maps;
	return mem_string(mapping->dev == 2 ? "/proc/self/exe" : "/not/there");
}

bool maps_is_of(const struct mapping *mapping, int fd)
{
	(void)mapping, (void)fd;
	return false;
}

/* Returns the address of a function in the file, whose mapping begins at the second mapping. */
static uint64_t address_of(void (*function)(void **state))
{
	Dl_info info;

	assert_true(dladdr((void *)(uintptr_t)function, &info));
	return (uintptr_t)function - (uintptr_t)info.dli_fbase + (1 << 20);
}

void test_maps_of_processes(void **state);

static void check_name(struct spaces *spaces, pid_t pid, const char *begin)
{
	const struct code code = {
		.pid = pid, .addr = address_of(test_maps_of_processes),
		.place.offset = KTRACE_PLACE_UNKNOWN,
	};
	char *text = spaces_name(spaces, &code);

	assert_memory_equal(text, begin, strlen(begin));
	free(text);
}

/* A process that has ended before its maps are read again still has its names. */
static void run(void *arg, uint32_t nr)
{
	const struct code nowhere = {
		.pid = FIRST_TID + nr, .addr = 1, .place.offset = KTRACE_PLACE_UNKNOWN,
	};
	struct spaces *spaces = arg;

	living = FIRST_TID + nr;
	spaces_begin(spaces);
	spaces_look(spaces, living);
	check_name(spaces, living, living % 2 ? "test_maps_of_processes" : "library+0x");
	free(spaces_name(spaces, &nowhere));
	if (nr)
		check_name(spaces, living - 1, living % 2 ? "library+0x" : "test_maps_of_processes");
	spaces_end(spaces);
}

void test_maps_of_processes(void **state)
{
	struct spaces spaces;

	(void)state;
	memset(&spaces, 0, sizeof(spaces));
	check_flat(run, &spaces);
	check_name(&spaces, FIRST_TID, "[gone]");
	spaces_free(&spaces);
}

/* --- remarks ------------------------------------------------------------------------ */

static void remark(void *arg, uint32_t nr)
{
	remarks_add(arg, mem_format("file %u is not probed", nr));
}

static void test_remarks(void **state)
{
	struct remarks remarks = { .nr = 0 };

	(void)state;
	assert_null(remarks_get(&remarks, remarks.nr - 1));
	check_flat(remark, &remarks);
	assert_int_equal(remarks.nr, MANY);
	assert_string_equal(remarks_get(&remarks, MANY - 1), "file 999999 is not probed");
	assert_non_null(remarks_get(&remarks, MANY - REMARKS_KEPT));
	assert_null(remarks_get(&remarks, MANY - REMARKS_KEPT - 1));
	remarks_free(&remarks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trees_of_calls),
		cmocka_unit_test(test_ends_that_are_lost),
		cmocka_unit_test(test_maps_of_processes),
		cmocka_unit_test(test_remarks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
