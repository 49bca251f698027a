// SPDX-License-Identifier: GPL-2.0
/*
 * The purpose of the barriers in kmod/core/ring.c. model_ring.c runs the source itself, on memory
 * in which all CPUs see a store at once. Here, memory is as weak as in the kernel's model:
 *
 *   stores of a CPU arrive in any order, except for smp_wmb() between them; cmpxchg of the kernel
 *   waits for all stores before it; local cmpxchg is a store like others
 *   loads of a CPU are done in any order, except for smp_rmb() between them
 *
 * A writer puts one record, of two words, into each packet; packets use two sub-buffers in turn. A
 * reader on another CPU takes complete packets. It must never see a record, or the time of a
 * packet, that belongs to another packet.
 *
 * -DOVERWRITE: a writer that finds both sub-buffers in use takes the older one. Each of the other
 * definitions removes a barrier, which must be found: NO_WMB_COMMIT NO_WMB_CLOSE NO_RMB_GET
 * NO_RMB_INTACT (when overwriting) RELAXED_RETIRE.
 */
#define PACKETS		4
#define SUB(nr)		((nr) & 1)
#define NONE		255

/* Locations of a sub-buffer. */
#define BEGIN(nr)	(SUB(nr) * 6 + 0)
#define END(nr)		(SUB(nr) * 6 + 1)
#define COMMITTED(nr)	(SUB(nr) * 6 + 2)
#define TIME(nr)	(SUB(nr) * 6 + 3)
#define FIRST(nr)	(SUB(nr) * 6 + 4)
#define SECOND(nr)	(SUB(nr) * 6 + 5)
#define LOCATIONS	12

byte memory[LOCATIONS] = NONE;
byte head, tail;		/* packets with records; changed only by the kernel's cmpxchg */
bool is_closed;			/* part of head: the last of these packets has been closed */

/* Stores of the writer's CPU that others do not see yet; a smaller age is older. */
byte store[LOCATIONS] = NONE;
byte age[LOCATIONS];
byte now;
byte nr_waiting;

inline put(at, value)
{
	atomic {
		store[at] == NONE ->
		store[at] = value;
		age[at] = now;
		nr_waiting++
	}
}

inline wmb()
{
	now++
}

inline full_barrier()
{
	atomic {
		nr_waiting == 0 -> now = 0
	}
}

/* One store arrives, of those that no smp_wmb() holds back. */
active proctype bus()
{
	byte at, other, oldest;
end:
	do
	:: atomic {
		nr_waiting > 0 ->
		oldest = NONE;
		other = 0;
		do
		:: other < LOCATIONS ->
			if
			:: store[other] != NONE && age[other] < oldest -> oldest = age[other]
			:: else
			fi;
			other++
		:: else -> break
		od;
		select (at : 0 .. LOCATIONS - 1);
		if
		:: store[at] != NONE && age[at] == oldest ->
			memory[at] = store[at];
			store[at] = NONE;
			nr_waiting--
		:: else
		fi;
		at = 0;
		other = 0;
		oldest = 0
	}
	od
}

/* kt_ring_reserve() and kt_ring_commit(). */
active proctype writer()
{
	byte nr, seen;
	bool is_switch;

	do
	:: nr < PACKETS ->
		seen = tail;			/* has_room() */
		if
		:: nr - seen < 2
		:: else ->
#ifdef OVERWRITE
			/* packet_retire(): waits for a flush that is closing the packet. */
			full_barrier();
			atomic {
				memory[END(seen)] == seen;
				if
				:: tail == seen -> tail++
				:: else
				fi
			}
#else
			atomic { nr - tail < 2 -> skip }
#endif
		fi;
		full_barrier();
		atomic {
			is_switch = nr > 0 && !is_closed;
			is_closed = false;
			head = nr + 1
		}
		put(BEGIN(nr), nr);		/* packet_open() */
		if
		:: is_switch ->
			put(TIME(nr - 1), nr - 1);	/* packet_close() */
#ifndef NO_WMB_CLOSE
			wmb();
#endif
			put(END(nr - 1), nr - 1)
		:: else
		fi;
		put(FIRST(nr), nr);
		put(SECOND(nr), nr);
#ifndef NO_WMB_COMMIT
		wmb();
#endif
		put(COMMITTED(nr), nr);
		nr++
	:: else -> break
	od
}

#define HAS_GOT(what)	(got & (1 << (what)))
#define HAS_WORDS	((got & 7) == 7)
#define HAS_ALL		((got & 63) == 63)

#define LOAD(what, at)	atomic { !HAS_GOT(what) -> value[what] = memory[at]; got = got | (1 << (what)) }
#define DATA(what, at)	atomic { !HAS_GOT(what) && MAY_READ -> value[what] = memory[at]; got = got | (1 << (what)) }

#ifdef NO_RMB_GET
#define MAY_READ	true
#else
#define MAY_READ	HAS_WORDS
#endif
#ifdef NO_RMB_INTACT
#define MAY_LOOK	true
#elif defined(RELAXED_RETIRE)
#define MAY_LOOK	HAS_WORDS
#else
#define MAY_LOOK	HAS_ALL
#endif
#ifdef RELAXED_RETIRE
#define MAY_RETIRE	(HAS_WORDS && HAS_GOT(6))
#else
#define MAY_RETIRE	(HAS_ALL && HAS_GOT(6))
#endif
#define IS_COMPLETE	(value[0] == nr && value[1] == nr && value[2] == nr)

/* flush_head(): this CPU sees its own stores, and for others their order does not matter. */
inline flush()
{
	atomic {
		flushed = NONE;
		if
		:: head > 0 && !is_closed ->
			is_closed = true;
			flushed = head - 1
		:: else
		fi
	}
	if
	:: flushed != NONE ->
		memory[TIME(flushed)] = flushed;
		memory[END(flushed)] = flushed;
		flushed = NONE
	:: else
	fi
}

/* kt_ring_flush(), kt_ring_packet(), then kt_ring_acknowledge(). */
active proctype reader()
{
	byte nr, seen_head, value[7], got, flushed;
	bool is_retired;

	do
	:: nr < PACKETS ->
		if
		:: flush()
		:: true
		fi;
		atomic {
			seen_head = (is_closed -> head : (head > 0 -> head - 1 : 0));
			if
			:: tail > nr -> nr = tail
			:: else
			fi
		}
		if
		:: nr >= seen_head -> goto again
		:: else
		fi;
		do
		:: LOAD(0, BEGIN(nr))
		:: LOAD(1, END(nr))
		:: LOAD(2, COMMITTED(nr))
		:: DATA(3, TIME(nr))
		:: DATA(4, FIRST(nr))
		:: DATA(5, SECOND(nr))
		:: atomic { !HAS_GOT(6) && MAY_LOOK -> value[6] = tail; got = got | 64 }
		:: atomic {
			!is_retired && MAY_RETIRE && HAS_WORDS && IS_COMPLETE ->
			is_retired = true;
			if
			:: tail == nr -> tail++
			:: else
			fi
		}
		:: HAS_ALL && HAS_GOT(6) && (is_retired || !IS_COMPLETE) -> break
		od;
		if
		:: IS_COMPLETE && value[6] <= nr ->
			assert(value[3] == nr && value[4] == nr && value[5] == nr);
			nr++
		:: else
		fi;
again:
		atomic {
			got = 0;
			is_retired = false;
			seen_head = 0;
			value[0] = 0; value[1] = 0; value[2] = 0; value[3] = 0;
			value[4] = 0; value[5] = 0; value[6] = 0
		}
	:: else -> break
	:: break	/* it may give up at any time */
	od
}
