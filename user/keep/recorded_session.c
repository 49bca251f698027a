// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keep/documents.h"
#include "keep/recorded_session.h"
#include "keep/raw_metadata.h"

/* --- metadata ------------------------------------------------------------------ */

int recorded_session_describe(struct recorded_session *kept)
{
	size_t nr = kept->source.names ? kept->source.names->nr : 0;
	int error;

	if (kept->nr_described == nr + 1)
		return 0;
	error = raw_metadata_write(kept->packets.folder, &(struct raw_trace){
		.session = &kept->session, .clocks = kept->clocks, .boot = kept->boot,
		.names = kept->source.names,
	});
	if (error)
		return error;
	kept->nr_described = nr + 1;
	kept->packets.has_new_files = true;
	return 0;
}

/* --- names ---------------------------------------------------------------------- */

static void put_functions(struct recorded_session *kept, struct facts_file *facts)
{
	const struct names *names = kept->source.names;

	for (; kept->nr_files < names->nr_files; kept->nr_files++)
		facts_file_put(facts, document_file(kept->index, kept->nr_files,
					       &names->files[kept->nr_files]));
	for (; kept->nr_funcs < names->nr; kept->nr_funcs++)
		if (names->texts[kept->nr_funcs])
			facts_file_put(facts, document_function(kept->index, kept->nr_funcs, names));
}

static void put_stacks(struct recorded_session *kept, struct facts_file *facts)
{
	const struct stacks *stacks = kept->source.stacks;

	for (; kept->nr_stacks < stacks->nr; kept->nr_stacks++)
		if (stacks_get(stacks, kept->nr_stacks))
			facts_file_put(facts, document_stack(kept->index, kept->nr_stacks,
							stacks_get(stacks, kept->nr_stacks)));
}

static void put_unwound(struct recorded_session *kept, struct facts_file *facts)
{
	const struct unwinder *unwinder = kept->source.unwinder;

	for (; kept->nr_unwound < unwinder->nr; kept->nr_unwound++)
		facts_file_put(facts, document_unwound(kept->index,
						       &unwinder->files[kept->nr_unwound]));
}

int recorded_session_look(struct recorded_session *kept, struct facts_file *facts)
{
	int error = 0;

	if (kept->source.names)
		put_functions(kept, facts);
	if (kept->source.unwinder)
		put_unwound(kept, facts);
	if (kept->source.look)
		error = kept->source.look(kept->source.arg);
	if (!error && kept->source.stacks)
		put_stacks(kept, facts);
	/* A session that was deleted has no more stacks. */
	return error == -ENOENT ? 0 : error;
}

/* --- packets -------------------------------------------------------------------- */

static int take(struct recorded_session *kept, const struct ktr_packet *packet, struct facts_file *facts)
{
	int error = packet_files_write(&kept->packets, packet);

	if (error)
		return error;
	if (!kept->leaves_packets)
		ktr_stream_ack(kept->stream, packet->cpu, packet->number + 1);
	kept->nr_records += packet->nr_records;
	kept->nr_bytes += packet->len;
	if (kept->session.provider == KTRACE_PROVIDER_BLOCK)
		requests_look(&kept->requests, packet, facts);
	return 0;
}

int recorded_session_pass(struct recorded_session *kept, struct facts_file *facts, int most,
			  bool does_flush, bool *is_unwritten)
{
	struct ktr_packet packet;
	int nr, got = 0, error;

	ktr_stream_set_flags(kept->stream, does_flush ? 0 : KTR_CLOSED_PACKETS);
	for (nr = 0; nr < most; nr++) {
		got = ktr_stream_next(kept->stream, &packet);
		if (got <= 0)
			break;
		error = take(kept, &packet, facts);
		*is_unwritten = error;
		if (error)
			return error;
	}
	if (got == -ENOENT)
		kept->is_over = true;
	return got < 0 && got != -ENOENT ? got : nr;
}

/* --- life ----------------------------------------------------------------------- */

int recorded_session_open(struct recorded_session *kept, int recording, const char **what)
{
	int error;

	kept->packets.folder = -1;
	*what = kept->name;
	if (mkdirat(recording, kept->name, 0700))
		return -errno;
	kept->packets.folder = openat(recording, kept->name,
				      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (kept->packets.folder < 0)
		return -errno;
	error = recorded_session_describe(kept);
	if (error)
		return error;
	*what = NULL;
	return ktr_stream_open(kept->ktr, kept->session.id, KTR_CLOSED_PACKETS, &kept->stream);
}

void recorded_session_close(struct recorded_session *kept)
{
	ktr_stream_close(kept->stream);
	requests_free(&kept->requests);
	packet_files_close(&kept->packets);
	if (kept->packets.folder >= 0)
		close(kept->packets.folder);
}
