// SPDX-License-Identifier: GPL-2.0
/*
 * C++ and Rust names, through libiberty. A symbol is chosen by whoever made the file, and libiberty
 * has no limit for its work: parts that refer to previous parts double the work with each
 * reference, both in names of 2^100 letters and in searches that print nothing. A jump therefore
 * leaves libiberty when a name becomes too long to be readable, or takes too much CPU time. This is
 * safe, because libiberty then holds nothing except its stack (see may_allocate()).
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdbool.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

/* In el7, the header is in no folder, and the compiler does not have __has_include. */
#ifdef __has_include
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif

#include "util/clock.h"
#include "util/demangle.h"
#include "util/fmt.h"
#include "util/mem.h"

#define MAX_SYMBOL 4096
#define MAX_NAME 8192

/*
 * A name has at most so many letters, so that names need no more memory than a few times their
 * file. Most names of libLLVM have less than twice the letters of their symbol, the longest 18
 * times.
 */
#define MAX_TIMES 8
#define ALWAYS_ALLOWED 1024

/* CPU time, in nanoseconds. A name of 4,000 letters usually takes less than 1 ms. */
#define MAX_NS 100000000L	/* for one name */
#define SLOW_NS 1000000L	/* a name that takes longer counts for ... */
#define MAX_SLOW_NS 1000000000L	/* ... all slow names of the command together */

/* Why libiberty was left. */
enum { TOO_LONG = 1, TOO_SLOW };

static struct {
	uint64_t slow_ns;	/* CPU time of slow names until now */
	size_t nr_given_up;
} spent;

struct name {
	char text[MAX_NAME];
	size_t len, max_len;
	sigjmp_buf give_up;
};

static void add(const char *text, size_t len, void *arg)
{
	struct name *name = arg;

	if (len >= name->max_len - name->len)
		siglongjmp(name->give_up, TOO_LONG);
	/* text may be NULL if len is 0. */
	if (len)
		memcpy(name->text + name->len, text, len);
	name->len += len;
}

typedef int demangler(const char *symbol, int options, demangle_callbackref add, void *arg);

static bool is_understood(demangler *demangle, const char *symbol, struct name *name)
{
	name->len = 0;
	if (sigsetjmp(name->give_up, 0))
		return false;
	return demangle(symbol, DMGL_PARAMS | DMGL_ANSI, add, name) && name->len;
}

/* --- limited time ---------------------------------------------------------- */

/* The name that a timer interrupts, or NULL. */
static struct name *volatile timed;

static void on_time(int number)
{
	(void)number;
	if (timed)
		siglongjmp(timed->give_up, TOO_SLOW);
}

/* What was set before: a started program inherits signals from this process. */
struct timer {
	struct sigaction action;
	sigset_t mask;
	uint64_t began_ns;
};

static void start_timer(struct timer *timer)
{
	const struct itimerval once = { .it_value.tv_usec = MAX_NS / 1000 };
	struct sigaction action = { .sa_handler = on_time };
	sigset_t set;

	sigaction(SIGVTALRM, &action, &timer->action);
	sigemptyset(&set);
	sigaddset(&set, SIGVTALRM);
	sigprocmask(SIG_UNBLOCK, &set, &timer->mask);
	timer->began_ns = clock_cpu_ns();
	setitimer(ITIMER_VIRTUAL, &once, NULL);
}

static void stop_timer(const struct timer *timer)
{
	static const struct itimerval none;
	uint64_t ns;

	setitimer(ITIMER_VIRTUAL, &none, NULL);
	ns = clock_cpu_ns() - timer->began_ns;
	if (ns > SLOW_NS)
		spent.slow_ns += ns;
	sigprocmask(SIG_SETMASK, &timer->mask, NULL);
	sigaction(SIGVTALRM, &timer->action, NULL);
}

static bool is_understood_in_time(demangler *demangle, const char *symbol, struct name *name)
{
	struct timer timer;
	int left;

	name->len = 0;
	start_timer(&timer);
	left = sigsetjmp(name->give_up, 0);
	if (!left) {
		timed = name;
		if (!demangle(symbol, DMGL_PARAMS | DMGL_ANSI, add, name))
			name->len = 0;
	}
	timed = NULL;
	stop_timer(&timer);
	if (left == TOO_SLOW)
		spent.nr_given_up++;
	return !left && name->len;
}

/* --- languages ------------------------------------------------------------- */

/*
 * These names cannot take long: each reference at most doubles the work, and the work for the rest
 * grows with the square of the length.
 */
#define SHORT_SYMBOL 256
#define FEW_REFERENCES 6

/* Counts what may be a reference of C++ (S_, S1_, St, T_, T0_): too many rather than too few. */
static size_t count_references(const char *symbol)
{
	size_t nr = 0;

	for (; *symbol; symbol++)
		nr += *symbol == 'S' || *symbol == 'T';
	return nr;
}

static bool is_cplus(const char *symbol, struct name *name)
{
	demangler *demangle = cplus_demangle_v3_callback;

	if (strlen(symbol) < SHORT_SYMBOL && count_references(symbol) <= FEW_REFERENCES)
		return is_understood(demangle, symbol, name);
	if (spent.slow_ns > MAX_SLOW_NS) {
		spent.nr_given_up++;
		return false;
	}
	return is_understood_in_time(demangle, symbol, name);
}

#ifdef NO_RUST_DEMANGLE
static bool is_rust(const char *symbol, struct name *name)
{
	(void)symbol;
	(void)name;
	return false;
}
#else
#define BASE_62 "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/*
 * Rust names do no work without printing, except where a type declares lifetimes: G, their number
 * in base 62, _. A number of one digit is harmless.
 */
static bool may_declare_many(const char *symbol)
{
	size_t len;

	while ((symbol = strchr(symbol, 'G'))) {
		len = strspn(++symbol, BASE_62);
		if (len > 1 && symbol[len] == '_')
			return true;
	}
	return false;
}

/* Memory is allocated only for identifiers with letters beyond ASCII: u, their length. */
static bool may_allocate(const char *symbol)
{
	while ((symbol = strchr(symbol, 'u')))
		if (strspn(++symbol, "0123456789"))
			return true;
	return false;
}

/* Older Rust names look like C++ names that end with a hash of 17 characters. */
static bool is_rust(const char *symbol, struct name *name)
{
	demangler *demangle = rust_demangle_callback;

	if (symbol[1] != 'R')
		return strstr(symbol, "17h") && is_understood(demangle, symbol, name);
	if (!may_declare_many(symbol))
		return is_understood(demangle, symbol, name);
	if (may_allocate(symbol) || spent.slow_ns > MAX_SLOW_NS) {
		spent.nr_given_up++;
		return false;
	}
	return is_understood_in_time(demangle, symbol, name);
}
#endif

static size_t max_len_of(size_t symbol_len)
{
	size_t len = MAX_TIMES * symbol_len + ALWAYS_ALLOWED;

	return len < MAX_NAME ? len : MAX_NAME;
}

char *demangle(const char *symbol)
{
	size_t len = strnlen(symbol, MAX_SYMBOL);
	struct name name;

	name.max_len = max_len_of(len);
	if (symbol[0] == '_' && len < MAX_SYMBOL &&
	    (is_rust(symbol, &name) || is_cplus(symbol, &name)))
		return mem_format("%.*s", (int)name.len, name.text);
	return mem_string(symbol);
}

size_t demangle_nr_given_up(void)
{
	return spent.nr_given_up;
}

/* --- parts of names -------------------------------------------------------- */

/*
 * The parameters are the last group of parentheses at nesting depth 0. The part in front of them
 * may contain other parentheses: "operator()(int)", "(anonymous namespace)::f()".
 */
size_t demangle_base_len(const char *name)
{
	const char *at = strrchr(name, ')');
	int depth = 0;

	for (; at && at > name; at--) {
		if (*at == ')' || *at == '>')
			depth++;
		else if (*at == '(' || *at == '<')
			depth--;
		if (!depth)
			break;
	}
	return at && at > name && *at == '(' ? (size_t)(at - name) : (size_t)fmt_name_len(name);
}

char *demangle_base(const char *name)
{
	char *base = mem_string(name);

	base[demangle_base_len(name)] = 0;
	return base;
}

size_t demangle_operator_len(const char *name, const char *at)
{
	static const char word[] = "operator";
	/* Longer ones come first. */
	static const char *const signs[] = {
		"<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()", "[]", "<", ">", ",",
	};
	size_t len = sizeof(word) - 1, i;

	if (strncmp(at, word, len) || isalnum((unsigned char)at[len]) || at[len] == '_' ||
	    (at > name && (isalnum((unsigned char)at[-1]) || at[-1] == '_')))
		return 0;
	for (i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (!strncmp(at + len, signs[i], strlen(signs[i])))
			return len + strlen(signs[i]);
	return at[len] == ' ' ? len + 1 : len;
}
