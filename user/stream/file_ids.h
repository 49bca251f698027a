/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FILE_IDS_H
#define FILE_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The last record of each CPU and session that a file of JSON lines has. A streamer that was killed
 * gets again what it had written and not yet acknowledged: those records must not be written twice.
 */
struct file_ids;

void file_ids_free(struct file_ids *ids);
/* Adds the ids of the last lines of a file, of at most FILE_IDS_LEN bytes. */
#define FILE_IDS_LEN (256ULL << 20)
struct file_ids *file_ids_read(struct file_ids *ids, int fd, uint64_t size);

/*
 * Returns true if the file has this line. A CPU whose records are new is not asked for again. *ids
 * becomes NULL with the last CPU.
 */
bool file_ids_have(struct file_ids **ids, const char *line, size_t len);

#endif
