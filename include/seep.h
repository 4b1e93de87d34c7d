/* SPDX-License-Identifier: MIT */
/*
 * seep.h - tell seep where the events of your program are.
 *
 * seep judges whether a program grows per event, where, and in proportion to
 * what.  Without help it uses slices of time as events, but the program knows its
 * events better.  With this header it can mark them:
 *
 *	#include <seep.h>
 *
 *	for (i = 0; i < n; i++) {
 *		seep_event_begin(i);
 *		hits = simulate();
 *		seep_stamp("convert");              a phase starts here
 *		seep_count("hits", hits);           something the growth may follow
 *		convert();
 *		seep_event_end();
 *	}
 *
 * and then `seep run -- ./program`.  That is all: no initialisation, nothing to
 * link, no macro to define.  Without seep the same binary runs as before, and
 * each call costs one load and one branch that is not taken.
 *
 *
 * How the calls find seep
 *
 * The functions below are static inlines around seven weak symbols, seep_api_*.
 * `seep run` preloads the library that defines them; otherwise their address is
 * 0 and the calls do nothing.  They are found once, when the dynamic linker
 * starts the program or loads the shared library that uses them.  Nothing is
 * looked up per call.
 *
 *   position independent code   Works.  This is what gcc and clang produce by default
 *                               on Debian, Ubuntu, Fedora and others, and what
 *                               every shared library is made of.
 *   -no-pie on x86-64           Works too: the header loads the addresses from the
 *                               global offset table itself, as without this the
 *                               linker would fix them at 0.
 *   -no-pie elsewhere           The linker may resolve the weak symbols to 0 for
 *                               good.  Compile with -fPIE (linking with -no-pie
 *                               then does no harm), or define SEEP_LINK.
 *   -static, -static-pie        Cannot be preloaded.  Define SEEP_LINK.
 *   dlopen(..., RTLD_DEEPBIND)  Works; a definition in the library itself would
 *                               win, so do not link libseep.a into plug-ins.
 *
 * Two macros, to be defined before the header is included, or better for all
 * files of a program with -D:
 *
 *   SEEP_DISABLE   Every call compiles to nothing.  Arguments are still evaluated,
 *                  so side effects happen and no variable becomes unused.  This is
 *                  also the default if the compiler or system is not one that seep
 *                  supports (gcc or clang, ELF), so that annotations may stay in
 *                  portable code.  Files compiled with and without it may be linked
 *                  together.
 *   SEEP_LINK      The references are strong: link with -lseep, shared or static.
 *                  Do not link -lseep without this macro: weak references do not
 *                  pull a member out of an archive, and linkers that drop unneeded
 *                  libraries (--as-needed, the default on Ubuntu) drop libseep.so.
 *                  Under `seep run` the preloaded library comes first and takes
 *                  the calls.  If you implement seep_api_* yourself, define it too:
 *                  otherwise your definitions would be weak.  _open and _switch may be
 *                  left out.
 *
 *
 * Words
 *
 *   event     what the program repeats and what growth is measured against: a
 *             collision, a request, a frame, a batch, an iteration
 *   stamp     a named point in time, passed in every event; memory is measured there
 *   phase     what follows a stamp, up to the next one or the end of the event
 *   counter   a number per event that the growth may be proportional to
 *   gauge     an amount of memory that seep cannot see by itself
 *   slot      a number for an open event, by which other threads can take it over
 *
 *
 * The event clock
 *
 * There is one clock per process.  It counts the events that have begun, from 0
 * before the first, and only seep_event_begin() moves it.  Every block of memory
 * keeps the number of the event that its thread was in; a block's age is the
 * difference to the count at which it is freed.
 *
 *   - What happens before the first begin is start-up and is kept apart.
 *   - What happens between an end and the next begin belongs to the event that
 *     ended.  An end may be left out; the next begin on the same thread implies it.
 *   - Events of different threads may overlap; see "Threads, signals, fork".
 *   - Events of one thread neither nest nor overlap.  A thread that works on several
 *     in turn, as an event loop does, must call seep_event_switch() each time.  If
 *     it does not, seep cannot tell the events apart: the report says so and accuses
 *     no phase.
 *   - Growth is judged by the memory at the start of one event and at the start of
 *     the next, not at the start and end of the same event.  Always call
 *     seep_event_begin() at the same point of the loop.
 *
 *
 * Names
 *
 * A name is a string that ends with a zero.  It is read during the call and never
 * kept: a buffer on the stack is fine.  Equal letters are the same name wherever
 * they are stored; a stamp, a counter and a gauge may share one.
 *
 *   - Use letters, digits and '_'.  By custom "Class__method_HEAD" marks the start
 *     of a function and "Class__method_TAIL" its end.
 *   - ':' is not allowed, as it separates fields in SProf files; it is replaced by
 *     '_', and so are control characters.
 *   - At most 1023 bytes; the rest is cut off.
 *   - The first 4096 distinct names of a process are kept.  Calls with further
 *     ones are dropped and counted, and the report says so.  Do not build names
 *     from event numbers: that is what the index of the event is for.
 *   - NULL and "" are dropped.
 *
 *
 * Threads, signals, fork
 *
 * All calls may be made from any thread at any time.  Concurrent ones take turns;
 * none waits for anything outside seep.
 *
 * Each thread has its own event and its own phase.  A thread that begins an event is
 * in that event until it ends it.  Blocks belong to the event and the phase of the
 * thread that allocates them; so do stamps, counts and gauges, and an end ends the
 * event of its own thread.  Events of several threads may overlap in any way:
 *
 *	while ((request = take(queue))) {           on each thread of a pool
 *		seep_event_begin(request->number);
 *		answer(request);
 *		seep_event_end();
 *	}
 *
 * A thread that never had an event uses the only one that is open in the process.  So
 * if one thread marks the events, one after the other, its helpers need no calls.  If
 * several events are open, such a thread is in none of them: its blocks are shown as
 * "outside events", its stamps are dropped, and its counts belong to the latest event.
 *
 * If an event moves to another thread, or if helpers work on one of several open
 * events, hand them its slot: see seep_event_switch().  The event of a thread that ends
 * stays open only if another thread is in it or takes it over.
 *
 * A call made from a signal handler that interrupted seep itself is dropped and
 * counted.  Other calls from signal handlers are recorded.  None deadlocks.
 *
 * A child made by fork that seep follows writes a trace of its own, never into its
 * parent's.  After exec everything starts again.
 *
 * errno is left as it was.  No call allocates with malloc, throws, or fails: when
 * seep cannot record (disk full, trace at its limit) it stops, says so in the
 * trace, and the program runs on.
 *
 *
 * Cost
 *
 *   without seep          a load, a compare and a branch: below 1 ns
 *   switch                0.3 microseconds, or 5 ns to the event that the thread is in
 *   begin, end, stamp     1 to 2 microseconds, nearly all of it the kernel's: it
 *                         counts resident pages, which begins and ends skip if
 *                         events are shorter than 0.1 ms, writes the record, and
 *                         holds signals back; 80 bytes of trace
 *   count, gauge          about half of that; 32 and 40 bytes of trace
 *
 * After 4096 events, not every event is written: only one of each stride, with the
 * sums of the counters of the others.  The stride doubles as the run gets longer.  A
 * call in an event that is not written takes about 0.3 microseconds.  Ten million events with four
 * stamps and two counters make 36 MB of trace.
 *
 *
 * What is not promised
 *
 *   - that a call was recorded: a program cannot ask, and must not depend on it
 *   - that stamps, counts or gauges before the first event are used
 *   - the layout of the trace behind these calls (docs/trace-format.md is)
 *   - the seep_api_* names: they are for the header and for language bindings,
 *     and are kept, with these signatures, for as long as version 1 is
 */
#ifndef SEEP_H
#define SEEP_H

#include <stdint.h>

#define SEEP_VERSION 1

#if defined(SEEP_DISABLE) || !defined(__GNUC__) || !defined(__ELF__)
#define SEEP_OFF_
#endif

#ifdef SEEP_LINK
#define SEEP_API_ __attribute__((visibility("default")))
#else
#define SEEP_API_ __attribute__((weak, visibility("default")))
#endif
#define SEEP_WEAK_API_ __attribute__((weak, visibility("default")))

/*
 * Sets the pointer `call` to the address of a seep_api function, or to 0.
 *
 * Code that is not position independent takes an address from the linker, which
 * must decide at once and does not know seep.  The global offset table is filled when
 * the program starts, so such code reads that.  Other code does so by itself.
 */
#if defined(__x86_64__) && defined(__LP64__) && !defined(__PIC__) && !defined(__PIE__)
#define SEEP_FIND_WEAK_(call, name) \
	__asm__(".weak " #name "\n\t" \
		"{movq " #name "@GOTPCREL(%%rip), %0" \
		"|mov %0, QWORD PTR " #name "@GOTPCREL[rip]}" : "=r"(call))
#else
#define SEEP_FIND_WEAK_(call, name) ((call) = (name))
#endif

#ifdef SEEP_LINK
#define SEEP_FIND_(call, name) ((call) = (name))
#else
#define SEEP_FIND_(call, name) SEEP_FIND_WEAK_(call, name)
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifndef SEEP_OFF_
SEEP_API_ void seep_api_event_begin(int64_t index);
SEEP_API_ void seep_api_event_end(void);
SEEP_API_ void seep_api_stamp(const char *name);
SEEP_API_ void seep_api_count(const char *name, double value);
SEEP_API_ void seep_api_gauge(const char *name, int64_t bytes);

/* Not in all versions of seep. */
SEEP_WEAK_API_ int seep_api_event_open(int64_t index);
SEEP_WEAK_API_ int seep_api_event_switch(int slot);
#endif

/*
 * An event begins.
 *
 * index is the program's own number for it: the event number, the request id.  It is
 * shown in reports and otherwise not used; it need not start at 0, be without
 * gaps, ascend or be unique.  seep numbers events in the order in which they
 * begin.  If the previous event of this thread was not ended, it ends here.
 *
 * Returns the slot of the event, for seep_event_switch(); without seep 0.
 */
static __inline__ int seep_event_begin(int64_t index)
{
#ifdef SEEP_OFF_
	(void)index;
#else
	void (*call)(int64_t);
	int (*open)(int64_t);

	SEEP_FIND_(call, seep_api_event_begin);
	if (call) {
		SEEP_FIND_WEAK_(open, seep_api_event_open);
		if (open)
			return open(index);
		call(index);
	}
#endif
	return 0;
}

/*
 * The event of this thread ends.
 *
 * Optional.  It lets seep separate the event's own work from what happens between
 * events, and time it.  A second end, or one before any begin, has no effect.
 */
static __inline__ void seep_event_end(void)
{
#ifndef SEEP_OFF_
	void (*call)(void);

	SEEP_FIND_(call, seep_api_event_end);
	if (call)
		call();
#endif
}

/*
 * From here on this thread works on the event with this slot, or, with 0, on none.
 *
 * The event that it was in before stays open: any thread may switch to it, or end it.
 * Several threads may be in one event.  The phase is a property of the event, so a
 * stamp begins a new one for all of them.
 *
 *	void resume(struct request *request)        in an event loop
 *	{
 *		int before = seep_event_switch(request->slot);
 *
 *		request->step(request);             may begin, stamp, end
 *		seep_event_switch(before);
 *	}
 *
 * Returns the slot of the event that the thread was in, or 0.  If the event has ended,
 * the thread is between events.  At most 4095 can be open at once; the slot of any
 * further one is 0.
 */
static __inline__ int seep_event_switch(int slot)
{
#ifdef SEEP_OFF_
	(void)slot;
#else
	int (*call)(int);

	SEEP_FIND_WEAK_(call, seep_api_event_switch);
	if (call)
		return call(slot);
#endif
	return 0;
}

/*
 * Marks a named point of the event: one phase ends and the next begins.
 *
 * seep notes the time, the resident size and the live heap.  Reports give growth
 * per pair of successive stamps, so pass the same stamps in the same order in
 * every event if you can.  If an event lacks some stamps, or has one twice, seep
 * uses what is there.
 */
static __inline__ void seep_stamp(const char *name)
{
#ifdef SEEP_OFF_
	(void)name;
#else
	void (*call)(const char *);

	SEEP_FIND_(call, seep_api_stamp);
	if (call)
		call(name);
#endif
}

/*
 * How many of something the event had: hits, rows, bytes read.
 *
 * seep checks whether growth is proportional to it, and says how many bytes one
 * of them costs.  value belongs to the current event.  Several calls in
 * one event add up; an event without a call counts as 0.  value should be finite
 * and not depend on memory itself.
 */
static __inline__ void seep_count(const char *name, double value)
{
#ifdef SEEP_OFF_
	(void)name;
	(void)value;
#else
	void (*call)(const char *, double);

	SEEP_FIND_(call, seep_api_count);
	if (call)
		call(name, value);
#endif
}

/*
 * The amount of memory in use now that seep cannot see by itself: on a GPU, in the
 * program's own pool, in a cache whose size you want in the report.
 *
 * bytes is the amount, not the change.  The last value in an event counts.
 * A gauge is a separate series; nothing is added to or subtracted from what seep
 * measures itself.
 */
static __inline__ void seep_gauge(const char *name, int64_t bytes)
{
#ifdef SEEP_OFF_
	(void)name;
	(void)bytes;
#else
	void (*call)(const char *, int64_t);

	SEEP_FIND_(call, seep_api_gauge);
	if (call)
		call(name, bytes);
#endif
}

/*
 * Whether seep is in this process: 1 or 0, which does not change while it runs.
 *
 * For counts that are expensive to find out.  1 does not mean that seep is still
 * recording.
 */
static __inline__ int seep_active(void)
{
#ifdef SEEP_OFF_
	return 0;
#else
	void (*call)(void);

	SEEP_FIND_(call, seep_api_event_end);
	return call != 0;
#endif
}

#ifdef __cplusplus
} /* extern "C" */

/* A different name if calls are off, so that the linker never mixes the two kinds. */
#ifdef SEEP_OFF_
#define SEEP_SCOPES_ scopes_off
#else
#define SEEP_SCOPES_ scopes_on
#endif

namespace seep {
namespace SEEP_SCOPES_ {

/*
 * An event for as long as the object lives:
 *
 *	for (int i = 0; i < n; i++) {
 *		seep::event_scope event(i);
 *		...
 *	}
 *
 * The event also ends on break, continue, return or an exception.  What is destroyed
 * after the object still belongs to the event (see the clock).
 *
 * The object may be destroyed by another thread, or while its thread is in another
 * event.  It ends its own event in any case.  slot() is for seep_event_switch().
 */
class event_scope {
public:
	explicit event_scope(int64_t index) : slot_(seep_event_begin(index)) {}

	~event_scope()
	{
		int before = slot_ ? seep_event_switch(slot_) : 0;

		seep_event_end();
		if (before != slot_)
			seep_event_switch(before);
	}

	int slot() const { return slot_; }
private:
	event_scope(const event_scope &);
	event_scope &operator=(const event_scope &);
	int slot_;
};

/*
 * Stamps "<name>_HEAD" now and "<name>_TAIL" when the scope is left:
 *
 *	double QSim::simulate(int event)
 *	{
 *		seep::stamp_scope stamps("QSim__simulate");
 *		...
 *	}
 *
 * The name is copied into the object, which therefore takes 1 KiB and belongs
 * on the stack; nothing is allocated.  Names are cut to 1018 bytes, so that
 * the ending fits.  Locals declared after the object are destroyed before
 * the TAIL, those declared before it after the TAIL.
 */
class stamp_scope {
public:
	explicit stamp_scope(const char *name) : length_(0)
	{
		if (!seep_active() || !name)
			return;
		while (length_ < sizeof name_ - sizeof "_HEAD" && name[length_]) {
			name_[length_] = name[length_];
			length_++;
		}
		stamp("_HEAD");
	}

	~stamp_scope() { stamp("_TAIL"); }

private:
	stamp_scope(const stamp_scope &);
	stamp_scope &operator=(const stamp_scope &);

	void stamp(const char *ending)
	{
		if (length_ == 0)
			return;
		for (unsigned i = 0; i < sizeof "_HEAD"; i++)
			name_[length_ + i] = ending[i];
		seep_stamp(name_);
	}

	unsigned length_;
	char name_[1024];
};

} /* namespace SEEP_SCOPES_ */

using SEEP_SCOPES_::event_scope;
using SEEP_SCOPES_::stamp_scope;

} /* namespace seep */

#undef SEEP_SCOPES_
#endif

#undef SEEP_API_
#undef SEEP_WEAK_API_
#undef SEEP_FIND_
#undef SEEP_FIND_WEAK_
#undef SEEP_OFF_

#endif
