// SPDX-License-Identifier: GPL-2.0
/* Uses liblzma if it was present when ktrace was built. */
#include <stdlib.h>
#include <string.h>

#include "util/effort.h"
#include "util/mem.h"
#include "util/unxz.h"

#ifdef HAVE_LZMA

#include <lzma.h>

#define MAX_LEN (64UL << 20)	/* of unpacked data; a few bytes may claim any length */
#define MAX_MEMORY (256UL << 20)	/* of the decoder */
#define STEP 65536

/* Returns a reason to stop, or NULL at the end. *room is the length of *image. */
static const char *unpack(lzma_stream *stream, char **image, size_t *room, size_t *len)
{
	lzma_ret result = LZMA_OK;
	size_t more;

	while (result == LZMA_OK) {
		if (*len == *room) {
			if (effort_is_spent())
				return effort_text();
			more = *room ? *room : STEP;
			if (*room + more > MAX_LEN)
				return "it would unpack to more than 64 MiB";
			if (!effort_take(more))
				return "all such data together would unpack to more than 256 MiB";
			*room += more;
			*image = mem_resize(*image, *room);
		}
		stream->next_out = (uint8_t *)*image + *len;
		stream->avail_out = *room - *len;
		result = lzma_code(stream, LZMA_FINISH);
		*len = *room - stream->avail_out;
	}
	return result == LZMA_STREAM_END ? NULL : "it is damaged, or not packed by xz";
}

char *unxz(const void *packed, size_t packed_len, size_t *len, const char **why)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	char *image = NULL;
	size_t room = 0;

	*len = 0;
	if (lzma_stream_decoder(&stream, MAX_MEMORY, 0) != LZMA_OK) {
		*why = "liblzma is out of memory";
		return NULL;
	}
	stream.next_in = packed;
	stream.avail_in = packed_len;
	*why = unpack(&stream, &image, &room, len);
	lzma_end(&stream);
	effort_give(room - (*why ? 0 : *len));
	if (!*why)
		return mem_resize(image, *len);
	free(image);
	return NULL;
}

void unxz_free(char *image, size_t len)
{
	effort_give(len);
	free(image);
}

bool unxz_crc(const void *bytes, size_t len, uint32_t *crc)
{
	*crc = lzma_crc32(bytes, len, *crc);
	return true;
}

#else

char *unxz(const void *packed, size_t packed_len, size_t *len, const char **why)
{
	(void)packed;
	(void)packed_len;
	*len = 0;
	*why = "ktrace was built without liblzma; install liblzma-dev and build it again";
	return NULL;
}

void unxz_free(char *image, size_t len)
{
	(void)len;
	free(image);
}

bool unxz_crc(const void *bytes, size_t len, uint32_t *crc)
{
	(void)bytes;
	(void)len;
	(void)crc;
	return false;
}

#endif
