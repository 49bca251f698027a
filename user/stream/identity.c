// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "report/digits.h"
#include "report/json_line.h"
#include "stream/identity.h"

#define NS_PER_SECOND 1000000000
#define SECONDS_PER_DAY 86400

/* --- time ----------------------------------------------------------------- */

static char *put_two(char *to, unsigned int number, char behind)
{
	to[0] = '0' + number / 10;
	to[1] = '0' + number % 10;
	to[2] = behind;
	return to + 3;
}

/*
 * Years are counted from March on, so that the leap day is the last one. An era has 400 years, and
 * 146097 days. Day 0 of the first era is 719468 days before 1970.
 */
static char *put_date(char *to, uint32_t days)
{
	uint32_t all = days + 719468, era = all / 146097, day = all % 146097;
	uint32_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
	uint32_t month;

	day -= 365 * year + year / 4 - year / 100;
	month = (5 * day + 2) / 153;
	day -= (153 * month + 2) / 5;
	year += 400 * era + (month >= 10);
	month = month < 10 ? month + 3 : month - 9;
	to = put_two(to, year / 100 % 100, 0) - 1;
	to = put_two(to, year % 100, '-');
	return put_two(put_two(to, month, '-'), day + 1, 'T');
}

#define SECOND_LEN (sizeof("1970-01-01T00:00:00.") - 1)

static void put_second(char *to, uint64_t seconds)
{
	uint32_t of_day = seconds % SECONDS_PER_DAY;

	to = put_date(to, seconds / SECONDS_PER_DAY);
	to = put_two(to, of_day / 3600, ':');
	to = put_two(to, of_day / 60 % 60, ':');
	put_two(to, of_day % 60, '.');
}

/* The time that was put last: most records are of its second, and some messages have it twice. */
static struct {
	uint64_t realtime, second;
	char text[sizeof("1970-01-01T00:00:00.000000000")];
} last = { .text = "1970-01-01T00:00:00.000000000" };

/* Not inline, and called last, so that the other records save no registers. */
static __attribute__((noinline)) char *put_in_second(char *to, uint64_t realtime, int digits)
{
	last.second = realtime / NS_PER_SECOND;
	put_second(last.text, last.second);
	return identity_put_time(to, realtime, digits);
}

char *identity_put_time(char *to, uint64_t realtime, int digits)
{
	uint32_t rest = realtime % NS_PER_SECOND;

	if (realtime != last.realtime) {
		if (realtime / NS_PER_SECOND != last.second)
			return put_in_second(to, realtime, digits);
		*digits_put_all(last.text + SECOND_LEN, rest / 10) = '0' + rest % 10;
		last.realtime = realtime;
	}
	memcpy(to, last.text, sizeof(last.text));
	to += digits ? SECOND_LEN + digits : SECOND_LEN - 1;
	*to = 'Z';
	return to + 1;
}

/* --- JSON ----------------------------------------------------------------- */

char *identity_put_json(char *to, const struct identity *identity)
{
	if (identity->id_len) {
		to = json_put(to, ",\"id\":\"");
		to = json_put(identity_put_id(to, identity), "\"");
	}
	to = (char *)memcpy(to, identity->json, identity->json_len) + identity->json_len;
	to = json_put(to, ",\"time\":\"");
	return json_put(identity_put_time(to, identity->realtime, 9), "\"");
}
