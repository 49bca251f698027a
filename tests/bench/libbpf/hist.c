// SPDX-License-Identifier: GPL-2.0
/*
 * hist OBJECT PROGRAM OFFSET: traces the function at a file offset until its input ends. Prints
 * "attached", then the number of calls that it counted.
 */
#include <stdio.h>
#include <stdlib.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

static int attach(struct bpf_object *object, const char *name, bool is_return,
		  const char *path, size_t offset)
{
	struct bpf_program *program = bpf_object__find_program_by_name(object, name);

	return program && bpf_program__attach_uprobe(program, is_return, -1, path, offset);
}

static unsigned long long sum(int map)
{
	int nr_cpus = libbpf_num_possible_cpus(), cpu;
	unsigned long long counts[nr_cpus], all = 0;
	unsigned int slot;

	for (slot = 0; slot < 64; slot++) {
		if (bpf_map_lookup_elem(map, &slot, counts))
			continue;
		for (cpu = 0; cpu < nr_cpus; cpu++)
			all += counts[cpu];
	}
	return all;
}

int main(int argc, char **argv)
{
	struct bpf_object *object;
	size_t offset;

	if (argc != 4)
		return 2;
	offset = strtoul(argv[3], NULL, 0);
	object = bpf_object__open_file(argv[1], NULL);
	if (!object || bpf_object__load(object) ||
	    !attach(object, "enter", false, argv[2], offset) ||
	    !attach(object, "leave", true, argv[2], offset)) {
		fputs("the program cannot be attached\n", stderr);
		return 1;
	}
	puts("attached");
	fflush(stdout);
	while (getchar() != EOF)
		;
	printf("calls %llu\n", sum(bpf_object__find_map_fd_by_name(object, "counts")));
	return 0;
}
