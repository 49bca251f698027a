/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A target is one file: fuzz_one() passes the bytes of libFuzzer to a parser. An error ends the
 * program: by a sanitizer, by a time limit, or by must().
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
size_t LLVMFuzzerMutate(uint8_t *data, size_t len, size_t max_len);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t max_len, unsigned int seed);

#define must(claim)								\
	do {									\
		if (!(claim)) {							\
			fprintf(stderr, "It must be that %s (%s:%d).\n", #claim,	\
				__FILE__, __LINE__);				\
			abort();						\
		}								\
	} while (0)

/* The bytes that are left. */
struct input {
	const uint8_t *at;
	size_t left;
};

static inline uint64_t take(struct input *input, size_t len)
{
	uint64_t number = 0;

	len = len < input->left ? len : input->left;
	memcpy(&number, input->at, len);
	input->at += len;
	input->left -= len;
	return number;
}

/* Takes a part, which begins with its length, in memory that ends with the part; to be freed. */
static inline uint8_t *take_part(struct input *input, size_t *len)
{
	uint8_t *part;

	*len = take(input, 2);
	*len = *len < input->left ? *len : input->left;
	part = malloc(*len ? *len : 1);
	memcpy(part, input->at, *len);
	input->at += *len;
	input->left -= *len;
	return part;
}

/* Takes everything that is left, as text; to be freed. */
static inline char *take_text(struct input *input)
{
	char *text = malloc(input->left + 1);

	memcpy(text, input->at, input->left);
	text[input->left] = 0;
	input->left = 0;
	return text;
}

/* Output is discarded, but it must not move the cursor of a terminal. */
static inline ssize_t check_text(void *arg, const char *text, size_t len)
{
	size_t i;

	(void)arg;
	for (i = 0; i < len; i++)
		must(text[i] == '\n' || text[i] == '\t' || (text[i] & 0xe0) || text[i] < 0);
	return len;
}

static inline FILE *open_checked(void)
{
	cookie_io_functions_t functions = { .write = check_text };

	return fopencookie(NULL, "w", functions);
}

#endif
