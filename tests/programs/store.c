// SPDX-License-Identifier: GPL-2.0
/*
 * A service that keeps its data in LevelDB: it writes records with random keys, one after the
 * other, and knows how long its users waited.
 *
 *   store FOLDER RECORDS [BUFFER]   BUFFER: LevelDB's write_buffer_size in KiB (64)
 */
#include <leveldb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SLOW_US = 1000, VALUE = 1000 };

static double now_us(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static void check(char *error)
{
	if (!error)
		return;
	fprintf(stderr, "store: %s\n", error);
	exit(1);
}

static leveldb_t *open_store(const char *folder, size_t buffer)
{
	leveldb_options_t *options = leveldb_options_create();
	char *error = NULL;
	leveldb_t *store;

	leveldb_options_set_create_if_missing(options, 1);
	leveldb_options_set_write_buffer_size(options, buffer);
	store = leveldb_open(options, folder, &error);
	check(error);
	leveldb_options_destroy(options);
	return store;
}

/* Writes a record whose content can hardly be compressed. Returns how long it took. */
static double put_record(leveldb_t *store, const leveldb_writeoptions_t *options)
{
	char key[32], value[VALUE], *error = NULL;
	double start;
	int i;

	snprintf(key, sizeof(key), "user%08ld", random() % 100000000);
	for (i = 0; i < VALUE; i++)
		value[i] = random();
	start = now_us();
	leveldb_put(store, options, key, strlen(key), value, VALUE, &error);
	check(error);
	return now_us() - start;
}

int main(int argc, char **argv)
{
	leveldb_writeoptions_t *options = leveldb_writeoptions_create();
	double took, total = 0, longest = 0;
	int i, records, slow = 0;
	leveldb_t *store;

	if (argc < 3) {
		fprintf(stderr, "usage: store FOLDER RECORDS [BUFFER]\n");
		return 2;
	}
	records = atoi(argv[2]);
	store = open_store(argv[1], (argc > 3 ? atoi(argv[3]) : 64) * 1024);
	for (i = 0; i < records; i++) {
		took = put_record(store, options);
		total += took;
		slow += took > SLOW_US;
		longest = took > longest ? took : longest;
	}
	printf("%d records in %.0f ms; %d took more than 1 ms, the longest %.1f ms\n", records, total / 1e3,
	       slow, longest / 1e3);
	leveldb_close(store);
	leveldb_writeoptions_destroy(options);
	return 0;
}
