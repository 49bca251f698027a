// SPDX-License-Identifier: GPL-2.0
/* Trees of calls: each path, from the outermost function on, is a row. */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "keep/compare_parts.h"
#include "util/hash.h"
#include "util/mem.h"

#define MOST_LABEL 4096	/* bytes of a path, of which the inner functions are kept */

struct place {
	uint64_t node;	/* in the document */
	size_t path;	/* in the comparison */
	UT_hash_handle hh;
};

/* Sets *path to that of a node's parent. */
static int parent_of(struct reading *reading, struct place *places, struct json_object *from,
		     size_t *path)
{
	struct place *place;
	uint64_t parent;
	int found = compare_read_number(reading, from, "parent", &parent);

	*path = PATHS_ROOT;
	if (found <= 0)
		return found;
	HASH_FIND(hh, places, &parent, sizeof(parent), place);
	if (!place)
		return err_set(reading->err, "%s cannot be compared: the parent of node %zu is not before it.",
			       reading->path, reading->nr);
	*path = place->path;
	return 0;
}

static void place_node(struct place **places, uint64_t node, size_t path)
{
	struct place *place;

	HASH_FIND(hh, *places, &node, sizeof(node), place);
	if (!place) {
		place = mem_alloc(sizeof(*place));
		place->node = node;
		HASH_ADD(hh, *places, node, sizeof(node), place);
	}
	place->path = path;
}

static struct compare_row *row_at(struct comparison *comparison, size_t path, bool *is_new)
{
	char key[24];

	snprintf(key, sizeof(key), "%zu", path);
	return compare_row(comparison, key, is_new);
}

/* Returns the names of a path, with semicolons between. */
static char *label_of(struct comparison *comparison, size_t parent, const char *name)
{
	const char *before;
	size_t len;

	if (parent == PATHS_ROOT)
		return mem_string(name);
	before = row_at(comparison, parent, NULL)->label;
	len = strlen(before);
	if (len <= MOST_LABEL)
		return mem_format("%s;%s", before, name);
	return mem_format("...%s;%s", before + len - MOST_LABEL, name);
}

struct compare_row *compare_path_row(struct comparison *comparison, size_t parent, size_t path,
				     const char *name)
{
	bool is_new;
	struct compare_row *row = row_at(comparison, path, &is_new);

	if (is_new) {
		row->label = label_of(comparison, parent, name);
		row->name = mem_string(name);
	}
	return row;
}

/* Sums of all runs, of which the means are made later. */
static void count_path(struct reading *reading, const struct compare_row *row, size_t path)
{
	uint64_t calls = compare_value(row, reading->side, reading->run, COMPARE_CALLS);
	uint64_t self = compare_value(row, reading->side, reading->run, COMPARE_SELF);
	struct paths *paths = &reading->comparison->paths;

	if (reading->side == SIDE_B)
		paths_count(paths, path, calls, self);
	else
		paths_count_before(paths, path, calls, self);
}

/* Nodes of one path count together. */
static int read_node(struct reading *reading, struct place **places, struct json_object *from,
		     const char *name)
{
	struct comparison *comparison = reading->comparison;
	struct compare_row *row, of_node = { .key = NULL };
	size_t parent, path;
	uint64_t node;

	if (compare_read_number(reading, from, "node", &node) < 0 ||
	    parent_of(reading, *places, from, &parent))
		return -1;
	if (compare_count_row(reading, &of_node, from)) {
		compare_drop_values(&of_node);
		return -1;
	}
	path = paths_child(&comparison->paths, parent, name);
	row = compare_path_row(comparison, parent, path, name);
	place_node(places, node, path);
	count_path(reading, &of_node, path);
	compare_drop_values(&of_node);
	return compare_count_row(reading, row, from);
}

static int read_nodes(struct reading *reading, struct place **places, struct json_object *tree)
{
	size_t nr = json_object_array_length(tree);
	struct json_object *from, *name;

	reading->list = "node";
	for (reading->nr = 0; reading->nr < nr; reading->nr++) {
		from = json_object_array_get_idx(tree, reading->nr);
		if (!json_object_is_type(from, json_type_object) ||
		    !json_object_object_get_ex(from, "name", &name) ||
		    !json_object_is_type(name, json_type_string))
			return err_set(reading->err, "%s cannot be compared: node %zu has no name.",
				       reading->path, reading->nr);
		if (read_node(reading, places, from, json_object_get_string(name)))
			return -1;
	}
	return 0;
}

int compare_read_tree(struct reading *reading, struct json_object *tree)
{
	struct place *places = NULL, *place, *next;
	int error = read_nodes(reading, &places, tree);

	HASH_ITER(hh, places, place, next) {
		HASH_DEL(places, place);
		free(place);
	}
	return error;
}
