// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stream/file_ids.h"
#include "util/hash.h"

struct key {
	uint64_t cookie;
	uint64_t cpu;
};

struct file_ids {
	struct key key;
	uint64_t packet, index;
	UT_hash_handle hh;
};

/* Parses a number and the character behind it. Returns the text behind that, or NULL. */
static const char *take(const char *text, const char *end, int base, char behind, uint64_t *number)
{
	char digits[32];
	const char *at = memchr(text, behind, end - text);
	char *rest;

	if (!at || at == text || (size_t)(at - text) >= sizeof(digits))
		return NULL;
	memcpy(digits, text, at - text);
	digits[at - text] = 0;
	*number = strtoull(digits, &rest, base);
	return *rest ? NULL : at + 1;
}

/* The id is the first member behind schema and event, which have no other quotation marks. */
static bool parse(const char *line, size_t len, struct file_ids *id)
{
	static const char member[] = ",\"id\":\"";
	const char *end = line + (len < 256 ? len : 256);
	const char *at = memmem(line, end - line, member, sizeof(member) - 1);

	memset(&id->key, 0, sizeof(id->key));
	at = at ? take(at + sizeof(member) - 1, end, 16, '.', &id->key.cookie) : NULL;
	at = at ? take(at, end, 10, '.', &id->key.cpu) : NULL;
	at = at ? take(at, end, 10, '.', &id->packet) : NULL;
	return at && take(at, end, 10, '"', &id->index);
}

static struct file_ids *find(struct file_ids *ids, const struct file_ids *like)
{
	struct file_ids *found;

	HASH_FIND(hh, ids, &like->key, sizeof(like->key), found);
	return found;
}

static bool is_behind(const struct file_ids *id, const struct file_ids *other)
{
	return id->packet > other->packet ||
	       (id->packet == other->packet && id->index > other->index);
}

static struct file_ids *add(struct file_ids *ids, const struct file_ids *new)
{
	struct file_ids *found = find(ids, new);

	if (!found) {
		found = mem_alloc(sizeof(*found));
		*found = *new;
		HASH_ADD(hh, ids, key, sizeof(found->key), found);
	} else if (is_behind(new, found)) {
		found->packet = new->packet;
		found->index = new->index;
	}
	return ids;
}

void file_ids_free(struct file_ids *ids)
{
	struct file_ids *id, *next;

	HASH_ITER(hh, ids, id, next) {
		HASH_DEL(ids, id);
		free(id);
	}
}

struct file_ids *file_ids_read(struct file_ids *ids, int fd, uint64_t size)
{
	FILE *file = fdopen(dup(fd), "r");
	struct file_ids id;
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	if (!file)
		return ids;
	fseeko(file, size > FILE_IDS_LEN ? size - FILE_IDS_LEN : 0, SEEK_SET);
	while ((len = getline(&line, &room, file)) > 0)
		if (parse(line, len, &id))
			ids = add(ids, &id);
	free(line);
	fclose(file);
	return ids;
}

bool file_ids_have(struct file_ids **ids, const char *line, size_t len)
{
	struct file_ids id, *found;

	if (!*ids || !parse(line, len, &id))
		return false;
	found = find(*ids, &id);
	if (!found)
		return false;
	if (!is_behind(&id, found))
		return true;
	HASH_DEL(*ids, found);
	free(found);
	return false;
}
