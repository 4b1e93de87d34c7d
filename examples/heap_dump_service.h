/* SPDX-License-Identifier: MIT */
/*
 * heap_dump_service.h - heap dumps at chosen events, for an event framework.
 *
 * Gaudi has an algorithm for this, JemallocProfile, and later a service.  Here is one class
 * to copy into your own framework, with the same three properties:
 *
 *	HeapDumpService dumps;
 *	dumps.StartFromEventN = 49;
 *	dumps.StopAtEventN = 99;
 *	dumps.DumpPeriod = 10;
 *	dumps.initialize();
 *	for (...) {
 *		dumps.beginEvent();
 *		...
 *		dumps.endEvent();
 *	}
 *	dumps.finalize();
 *
 * makes seven dumps: at the end of events 49, 59, 69, 79, 89 and 99, and of 99 again, since
 * the stop dumps as well.  Events are counted from 1.  Run it with jemalloc:
 *
 *	LD_PRELOAD=libjemalloc.so.2 MALLOC_CONF=prof:true ./job
 *
 * The class also tells seep where the events are, so that the same program can be run by
 * seep without jemalloc, and without these dumps:
 *
 *	seep run -- ./job
 *	seep run --profiler jemalloc --dump-from 49 --dump-until 99 --dump-period 10 -- ./job
 *
 * The second command makes the dumps itself, whether or not the program has this class; with
 * StartFromEventN = 0 the class makes none.  Nothing has to be linked: without jemalloc or
 * seep, their symbols are 0.  (In code that is not position independent they are always 0:
 * compile with -fPIE, which is the default nearly everywhere.)
 */
#ifndef HEAP_DUMP_SERVICE_H
#define HEAP_DUMP_SERVICE_H

#include <seep.h>

#include <cstddef>
#include <cstdio>

extern "C" __attribute__((weak)) int mallctl(const char *name, void *old_value,
					     std::size_t *old_size, void *new_value,
					     std::size_t new_size);

class HeapDumpService {
public:
	/* Properties.  The values are Gaudi's. */
	long StartFromEventN = 1; /* the first event that is dumped; 0: none is */
	long StopAtEventN = 0;    /* the last; 0: there is none */
	long DumpPeriod = 100;    /* events from one dump to the next */

	/* False if dumps are wanted and cannot be made, with the reason on stderr. */
	bool initialize()
	{
		bool profiling = false;
		std::size_t size = sizeof(profiling);

		if (StartFromEventN <= 0)
			return true;
		if (DumpPeriod <= 0)
			return refuse("DumpPeriod must be 1 or more");
		if (StopAtEventN && StopAtEventN < StartFromEventN)
			return refuse("StopAtEventN lies before StartFromEventN");
		if (!mallctl)
			return refuse("jemalloc is not there; preload it");
		if (mallctl("opt.prof", &profiling, &size, nullptr, 0) || !profiling)
			return refuse("jemalloc does not profile; set MALLOC_CONF=prof:true");
		ready = true;
		return true;
	}

	void beginEvent()
	{
		event++;
		seep_event_begin(event);
	}

	void endEvent()
	{
		seep_event_end();
		if (!ready)
			return;
		if (event == StartFromEventN) {
			std::fprintf(stderr, "Starting Jemalloc profile at event %ld\n", event);
			running = true;
		}
		if (running && (event - StartFromEventN) % DumpPeriod == 0)
			dump();
		if (running && event == StopAtEventN)
			stop();
	}

	/* If the run ends before StopAtEventN, makes the last dump now. */
	void finalize()
	{
		if (running)
			stop();
	}

	long dumped() const { return dumps; }

private:
	static bool refuse(const char *why)
	{
		std::fprintf(stderr, "HeapDumpService: %s\n", why);
		return false;
	}

	void stop()
	{
		std::fprintf(stderr, "Stopping Jemalloc profile at event %ld\n", event);
		running = false;
		dump();
	}

	/* jemalloc numbers its files itself: this line says which event a file belongs to. */
	void dump()
	{
		std::fprintf(stderr, "Dumping Jemalloc profile at event %ld\n", event);
		if (mallctl("prof.dump", nullptr, nullptr, nullptr, 0))
			std::fprintf(stderr, "HeapDumpService: the dump was not written\n");
		else
			dumps++;
	}

	long event = 0, dumps = 0;
	bool ready = false, running = false;
};

#endif
