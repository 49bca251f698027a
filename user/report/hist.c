// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "report/hist.h"
#include "util/bound.h"
#include "util/fmt.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/style.h"

#define PARTS (1U << KTRACE_BUCKET_BITS)
#define NR_BUCKETS (KTRACE_NR_OCTAVES * PARTS)
#define BAR_LEN 40

uint32_t hist_index(uint64_t value)
{
	uint32_t e, last = NR_BUCKETS - 1, index;

	if (value < PARTS)
		return value;
	e = 63 - __builtin_clzll(value);
	index = ((e - KTRACE_BUCKET_BITS + 1) * PARTS) |
		((value >> (e - KTRACE_BUCKET_BITS)) & (PARTS - 1));
	return index < last ? index : last;
}

static void add_count(struct hist *hist, uint32_t index, uint64_t count)
{
	size_t low = BOUND(hist->nr, i, hist->buckets[i].index < index);

	if (low == hist->nr || hist->buckets[low].index != index) {
		hist->buckets = mem_grow(hist->buckets, hist->nr, sizeof(*hist->buckets));
		memmove(&hist->buckets[low + 1], &hist->buckets[low],
			(hist->nr - low) * sizeof(*hist->buckets));
		memset(&hist->buckets[low], 0, sizeof(*hist->buckets));
		hist->buckets[low].index = index;
		hist->nr++;
	}
	hist->buckets[low].count += count;
}

void hist_read(struct hist *hist, const struct ktrace_bucket *buckets, size_t nr)
{
	hist->buckets = NULL;
	for (hist->nr = 0; hist->nr < nr; hist->nr++) {
		hist->buckets = mem_grow(hist->buckets, hist->nr, sizeof(*buckets));
		memcpy(&hist->buckets[hist->nr], (const void *)&buckets[hist->nr],
		       sizeof(*buckets));
	}
}

void hist_add(struct hist *hist, uint64_t value)
{
	add_count(hist, hist_index(value), 1);
}

void hist_merge(struct hist *hist, const struct hist *from)
{
	size_t i;

	for (i = 0; i < from->nr; i++)
		add_count(hist, from->buckets[i].index, from->buckets[i].count);
}

void hist_free(struct hist *hist)
{
	free(hist->buckets);
	hist->buckets = NULL;
	hist->nr = 0;
}

static uint64_t count_of(const struct hist *hist)
{
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < hist->nr; i++)
		count += hist->buckets[i].count;
	return count;
}

uint64_t hist_percentile(const struct hist *hist, unsigned int permille)
{
	uint64_t count = count_of(hist), rank, seen = 0;
	size_t i;

	rank = count / 1000 * permille + (count % 1000 * permille + 999) / 1000;
	for (i = 0; i < hist->nr; i++) {
		seen += hist->buckets[i].count;
		if (seen >= rank)
			break;
	}
	if (i == hist->nr)
		return 0;
	return (ktr_bucket_low(hist->buckets[i].index) + ktr_bucket_high(hist->buckets[i].index)) / 2;
}

uint64_t hist_percentile_within(const struct hist *hist, unsigned int permille, uint64_t min,
				uint64_t max)
{
	uint64_t value = hist_percentile(hist, permille);

	value = value > max ? max : value;
	return value < min ? min : value;
}

/* --- bars --------------------------------------------------------------- */

static unsigned int power_of(uint32_t index)
{
	uint64_t low = ktr_bucket_low(index);

	return low ? 64 - __builtin_clzll(low) : 0;	/* power n: [2^(n-1), 2^n); 0: zero */
}

static void print_bar(FILE *out, unsigned int power, uint64_t count, uint64_t most)
{
	int len = most ? (count * BAR_LEN + most / 2) / most : 0;
	uint64_t low = power ? 1ULL << (power - 1) : 0;
	uint64_t high = power ? (low << 1) - 1 : 0;
	char from[FMT_LEN], to[FMT_LEN];
	int width;

	width = style_get()->is_raw ? 15 : 8;
	out_put(out, "%*s -> %-*s : %-10llu |%.*s%*s|\n", width, fmt_duration(from, low), width,
		fmt_duration(to, high), (unsigned long long)count, len,
		"****************************************", BAR_LEN - len, "");
}

void hist_print(FILE *out, const struct hist *hist)
{
	uint64_t counts[65] = { 0 }, most = 0;
	unsigned int first = 64, last = 0, power;
	size_t i;

	for (i = 0; i < hist->nr; i++) {
		power = power_of(hist->buckets[i].index);
		counts[power] += hist->buckets[i].count;
		first = power < first ? power : first;
		last = power > last ? power : last;
		most = counts[power] > most ? counts[power] : most;
	}
	if (style_get()->is_raw)
		out_put(out, "%15s    %-15s : %-10s distribution\n", "", "nsecs", "count");
	else
		out_put(out, "%8s    %-8s : %-10s distribution\n", "", "time", "count");
	for (power = first; hist->nr && power <= last; power++)
		print_bar(out, power, counts[power], most);
}
