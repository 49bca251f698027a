// SPDX-License-Identifier: GPL-2.0
#include <math.h>

#include "ktrace.h"
#include "stream/native.h"

/* 2^(i/16) / 2: where the buckets of one octave end. */
static const double ends[1 << NATIVE_SCALE] = {
	0.5, 0.5221368912137069, 0.5452538663326288, 0.5693943173783458,
	0.5946035575013605, 0.620928906036742, 0.6484197773255048, 0.6771277734684463,
	0.7071067811865476, 0.7384130729697497, 0.7711054127039704, 0.8052451659746271,
	0.8408964152537145, 0.8781260801866497, 0.9170040432046712, 0.9576032806985737,
};

int native_index(uint32_t index)
{
	double middle = (ktr_bucket_low(index) + (ktr_bucket_high(index) - 1)) / 2.0;
	int exponent, i = 0;
	double fraction = frexp(middle / 1e9, &exponent);

	while (i < 1 << NATIVE_SCALE && fraction > ends[i])
		i++;
	return (exponent - 1) * (1 << NATIVE_SCALE) + i;
}
