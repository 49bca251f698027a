// SPDX-License-Identifier: GPL-2.0
/*
 * Packets of a CTF trace. Packets of the module contain values that only ktrace can decode, and
 * identify threads by number only. Each event is therefore written again, with its values as fields
 * and with the name of its thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/ctf_packet.h"
#include "util/mem.h"

#define FULL 65536

void ctf_packet_init(struct ctf_packet *packet, unsigned int cpu, uint64_t session,
		     uint64_t cookie)
{
	memset(packet, 0, sizeof(*packet));
	packet->head.magic = KTRACE_CTF_MAGIC;
	packet->head.cpu_id = cpu;
	memcpy(packet->head.uuid, &session, sizeof(session));
	memcpy(packet->head.uuid + sizeof(session), &cookie, sizeof(cookie));
	packet->len = sizeof(packet->head);
}

void ctf_packet_free(struct ctf_packet *packet)
{
	free(packet->bytes);
}

/* --- fields ------------------------------------------------------------- */

static void make_room(struct ctf_packet *packet, size_t len)
{
	if (packet->len + len <= packet->room)
		return;
	packet->room = 2 * packet->room + len + 4096;
	packet->bytes = mem_resize(packet->bytes, packet->room);
}

static void put(struct ctf_packet *packet, const void *field, size_t len)
{
	make_room(packet, len);
	memcpy(packet->bytes + packet->len, field, len);
	packet->len += len;
}

static void put_u32(struct ctf_packet *packet, uint32_t number)
{
	put(packet, &number, sizeof(number));
}

static void put_u64(struct ctf_packet *packet, uint64_t number)
{
	put(packet, &number, sizeof(number));
}

static void put_string(struct ctf_packet *packet, const char *text)
{
	put(packet, text, strlen(text) + 1);
}

static void put_value(struct ctf_packet *packet, const struct value *value)
{
	size_t len = value->len;
	char *text;

	if (value->kind != KTRACE_VALUE_STRING) {
		put_u64(packet, value->number);
		return;
	}
	put(packet, &value->state, sizeof(value->state));
	text = value_utf8(value->text, &len);
	put_string(packet, text);
	free(text);
}

/* --- classes ------------------------------------------------------------ */

static uint32_t id_of(struct ctf_classes *classes, const struct ctf_class *class)
{
	size_t i;

	for (i = 0; i < classes->nr; i++)
		if (!memcmp(&classes->classes[i], class, sizeof(*class)))
			return CTF_VALUES + i;
	classes->classes = mem_grow(classes->classes, classes->nr, sizeof(*class));
	classes->classes[classes->nr] = *class;
	return CTF_VALUES + classes->nr++;
}

static char format_of(const struct value *value)
{
	if (value->kind == KTRACE_VALUE_STRING)
		return 0;
	return value->format == 'x' || value->format == 'u' ? value->format : 'd';
}

/* Returns the id of the event class with these values. */
static uint32_t put_values(struct ctf_packet *packet, const struct ktr_record *event,
			   const struct value_formats *formats, struct ctf_classes *classes)
{
	struct value_place place = { 0, 0 };
	struct ctf_class class;
	struct value value;

	memset(&class, 0, sizeof(class));
	class.is_exit = event->id == EVENT_EXIT;
	while (value_next(event, formats, &place, &value)) {
		put_value(packet, &value);
		class.values[place.nr - 1].kind = value.kind;
		class.values[place.nr - 1].format = format_of(&value);
	}
	return id_of(classes, &class);
}

/* --- events ------------------------------------------------------------- */

/* Returns the id of the event. */
static uint32_t put_fields(struct ctf_packet *packet, const struct record *record,
			   struct ctf_classes *classes)
{
	const struct field *field = record->kind->fields, *end = field + record->kind->nr;
	const struct ktr_record *event = &record->event;
	const char *text;
	size_t len;

	for (; field < end; field++) {
		if (field->is_head)
			continue;
		if (field->kind == FIELD_CHARS) {
			text = field_text(field, record, &len);
			put(packet, text, len);
			put(packet, "", 1);
		} else if (field->kind == FIELD_UNSIGNED || field->kind == FIELD_FLAGS ||
			   field->kind == FIELD_FUNCTION) {
			put(packet, (const char *)record + field->offset, field->width);
		}
	}
	if (event->id <= EVENT_EXIT && event->nr_payload)
		return put_values(packet, event, record->formats, classes);
	if (event->id != EVENT_ENTRY || !(event->flags & KTRACE_REC_F_LATE))
		return event->id;
	put_u64(packet, event->time);
	return CTF_LATE_ENTRY;
}

void ctf_packet_add(struct ctf_packet *packet, const struct record *record,
		    const struct task *task, struct ctf_classes *classes)
{
	const struct ktr_record *event = &record->event;
	struct ktrace_packet *head = &packet->head;
	size_t id_at;
	uint32_t id = 0;

	if (event->written > head->time_end)
		head->time_end = event->written;
	if (!head->nr_records++)
		head->time_begin = head->time_end;
	put_u64(packet, head->time_end);
	id_at = packet->len;
	put_u32(packet, id);
	put_u32(packet, event->tid);
	put_u32(packet, task->pid);
	put_string(packet, task->comm);
	id = put_fields(packet, record, classes);
	memcpy(packet->bytes + id_at, &id, sizeof(id));
}

void ctf_packet_add_gap(struct ctf_packet *packet, uint64_t nr_missing)
{
	packet->head.events_discarded += nr_missing;
}

/* --- packets ------------------------------------------------------------ */

bool ctf_packet_is_full(const struct ctf_packet *packet)
{
	return packet->len >= FULL;
}

bool ctf_packet_is_empty(const struct ctf_packet *packet)
{
	return !packet->head.nr_records && packet->head.events_discarded == packet->discarded;
}

/* One call writes the whole packet, unless the disk is full or a signal kills the process. */
static bool write_whole(int fd, const char *data, size_t len)
{
	ssize_t nr;

	for (; len; data += nr, len -= nr) {
		nr = write(fd, data, len);
		if (nr < 0 && errno == EINTR)
			nr = 0;
		else if (nr <= 0)
			return false;
	}
	return true;
}

bool ctf_packet_write(struct ctf_packet *packet, int fd)
{
	struct ktrace_packet *head = &packet->head;
	bool is_written;

	head->content_bits = head->packet_bits = 8 * packet->len;
	make_room(packet, 0);
	memcpy(packet->bytes, head, sizeof(*head));
	is_written = write_whole(fd, packet->bytes, packet->len);
	packet->discarded = head->events_discarded;
	head->time_begin = head->time_end;
	head->packet_seq++;
	head->nr_records = 0;
	packet->len = sizeof(*head);
	return is_written;
}
