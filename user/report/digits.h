/* SPDX-License-Identifier: GPL-2.0 */
/* Decimal digits, eight at once. Functions put something at `to`, and return the end. */
#ifndef DIGITS_H
#define DIGITS_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#define DIGITS_EIGHT 100000000	/* the first number of more than eight digits */

/* Returns the rests of a division, each with its quotient some bits above. */
static inline uint64_t digits_split(uint64_t all, uint64_t quotients, uint64_t by, int bits)
{
	return all + quotients * ((1ULL << bits) - by);
}

/*
 * Returns the eight digits of a number, one per byte, the first one in the highest byte: splits the
 * number into numbers of four, two and one digits. The numbers of a step are divided at once, by a
 * multiplication with the inverse of the divisor.
 */
static inline uint64_t digits_of(uint32_t number)
{
	uint64_t all = digits_split(number, number / 10000, 10000, 32);

	all = digits_split(all, all * 5243 >> 19 & 0x7f0000007f, 100, 16);
	return digits_split(all, all * 103 >> 10 & 0x000f000f000f000f, 10, 8);
}

/* Puts digits from a place in the word on, which is the end of the first one. Writes eight bytes. */
static inline char *digits_put(char *to, uint64_t digits, unsigned int first)
{
	digits = htobe64((digits | 0x3030303030303030) << (56 - first));
	memcpy(to, &digits, sizeof(digits));
	return to + first / 8 + 1;
}

/* Puts a number below DIGITS_EIGHT with zeros in front of it. */
static inline char *digits_put_all(char *to, uint32_t number)
{
	return digits_put(to, digits_of(number), 56);
}

/* Puts a number below DIGITS_EIGHT and above 0. */
static inline char *digits_put_short(char *to, uint32_t number)
{
	uint64_t digits = digits_of(number);

	return digits_put(to, digits, (63 - __builtin_clzll(digits)) & 56);
}

#endif
