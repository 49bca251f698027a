// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "draw/chrome.h"
#include "draw/draw.h"
#include "draw/quoted.h"
#include "report/hist.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/plain.h"

/* Events are cut by duration: all that are shorter than a limit of the module's buckets. */
#define NR_BUCKETS (KTRACE_NR_OCTAVES << KTRACE_BUCKET_BITS)
#define ROOM_FOR_NAMES (1 << 20)	/* of processes and threads, and the frame of the file */

struct chrome {
	FILE *out;
	uint64_t max_size, start;
	uint64_t sizes[NR_BUCKETS], numbers[NR_BUCKETS];	/* by duration, of the first pass */
	uint64_t shortest;
	struct chrome_cut cut;
	char *text;		/* the current event */
	size_t len;
	FILE *memory;
	bool is_writing, has_event;
};

struct chrome *chrome_create(FILE *out, uint64_t max_size, uint64_t start_ns)
{
	struct chrome *chrome = mem_alloc(sizeof(*chrome));

	chrome->out = out;
	chrome->max_size = max_size ? max_size : CHROME_MAX_SIZE;
	chrome->start = start_ns;
	chrome->memory = open_memstream(&chrome->text, &chrome->len);
	return chrome;
}

/* Microseconds, exact to the ns. */
static void put_us(FILE *out, const char *key, uint64_t ns)
{
	out_put(out, ",\"%s\":%llu.%03u", key, (unsigned long long)ns / 1000,
		(unsigned int)(ns % 1000));
}

static void put_text(FILE *out, const char *text)
{
	char *plain = plain_text(text);

	fputc('"', out);
	quoted_put(out, plain);
	fputc('"', out);
	free(plain);
}

static void put_args(FILE *out, const struct chrome_event *event)
{
	if (!event->note && !event->path)
		return;
	fputs(",\"args\":{", out);
	if (event->note) {
		fputs("\"note\":", out);
		put_text(out, event->note);
	}
	if (event->path) {
		fputs(event->note ? ",\"path\":" : "\"path\":", out);
		put_text(out, event->path);
	}
	fputc('}', out);
}

static void put_head(FILE *out, const struct chrome_event *event, char phase, uint64_t ns)
{
	fputs(",\n{\"name\":", out);
	put_text(out, event->name);
	out_put(out, ",\"cat\":\"%s\",\"ph\":\"%c\",\"pid\":%u,\"tid\":%u", event->category, phase,
		event->pid, event->tid);
	put_us(out, "ts", ns);
}

static void put_event(FILE *out, const struct chrome_event *event, uint64_t start)
{
	uint64_t begin = event->begin > start ? event->begin - start : 0;
	uint64_t end = event->end > start ? event->end - start : 0;

	put_head(out, event, event->id ? 'b' : 'X', begin);
	if (event->id)
		out_put(out, ",\"id\":\"0x%llx\"", (unsigned long long)event->id);
	else
		put_us(out, "dur", end - begin);
	put_args(out, event);
	fputc('}', out);
	if (!event->id)
		return;
	put_head(out, event, 'e', end);
	out_put(out, ",\"id\":\"0x%llx\"}", (unsigned long long)event->id);
}

/* Texts have different lengths, so an event is written to memory first. */
void chrome_event(struct chrome *chrome, const struct chrome_event *event)
{
	uint64_t ns = event->end > event->begin ? event->end - event->begin : 0;
	uint32_t bucket = hist_index(ns);

	if (chrome->is_writing && ns < chrome->shortest)
		return;
	if (chrome->is_writing) {
		put_event(chrome->out, event, chrome->start);
		return;
	}
	rewind(chrome->memory);
	put_event(chrome->memory, event, chrome->start);
	chrome->sizes[bucket] += ftell(chrome->memory);
	chrome->numbers[bucket]++;
}

void chrome_begin(struct chrome *chrome)
{
	uint64_t room = chrome->max_size > 2 * ROOM_FOR_NAMES ? chrome->max_size - ROOM_FOR_NAMES :
							       chrome->max_size / 2;
	uint64_t size = 0;
	int bucket = NR_BUCKETS;

	while (bucket && size + chrome->sizes[bucket - 1] <= room)
		size += chrome->sizes[--bucket];
	chrome->shortest = bucket ? ktr_bucket_low(bucket) : 0;
	chrome->cut.shortest_ns = chrome->shortest;
	while (bucket)
		chrome->cut.nr += chrome->numbers[--bucket];
	for (bucket = 0; bucket < NR_BUCKETS; bucket++)
		chrome->cut.all_nr += chrome->numbers[bucket];
	chrome->is_writing = true;
	/* A first event that has no comma before it. */
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
	      "{\"name\":\"ktrace\",\"cat\":\"ktrace\",\"ph\":\"i\",\"s\":\"g\",\"pid\":0,\"tid\":0,\"ts\":0.000}",
	      chrome->out);
}

void chrome_name(struct chrome *chrome, uint32_t pid, uint32_t tid, const char *name)
{
	out_put(chrome->out, ",\n{\"name\":\"%s\",\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":",
		tid ? "thread_name" : "process_name", pid, tid);
	put_text(chrome->out, name);
	fputs("}}", chrome->out);
}

void chrome_end(struct chrome *chrome, struct chrome_cut *cut)
{
	if (chrome->is_writing)
		fputs("\n]}\n", chrome->out);
	*cut = chrome->cut;
	fclose(chrome->memory);
	free(chrome->text);
	free(chrome);
}

const struct output_format format_chrome = {
	.name = "chrome",
	.kinds = FORMATS_OF_RECORDINGS,
	.is_data = true,
};
