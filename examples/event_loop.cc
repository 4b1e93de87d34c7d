/* SPDX-License-Identifier: MIT */
/*
 * event_loop - a job of an event framework, reduced to what matters: algorithms that run
 * in turn for each event, a store that is cleared after it, and a service that learns
 * where events begin and end.  One of the algorithms leaks.
 *
 *	seep run -- event_loop
 *	LD_PRELOAD=libjemalloc.so.2 MALLOC_CONF=prof:true \
 *		event_loop --StartFromEventN 49 --StopAtEventN 99 --DumpPeriod 10
 *
 * See heap_dump_service.h.
 */
#include "heap_dump_service.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

/* What the algorithms of one event pass to each other. */
struct Store {
	std::vector<std::string> raw;
	std::vector<double> tracks;
};

class Algorithm {
public:
	virtual ~Algorithm() = default;
	virtual const char *name() const = 0;
	virtual void execute(Store &store, long event) = 0;
};

class Reader : public Algorithm {
public:
	const char *name() const override { return "Reader"; }

	void execute(Store &store, long event) override
	{
		for (long i = 0; i < 50 + event % 7; i++)
			store.raw.push_back("cell " + std::to_string(i) + std::string(100, '.'));
	}
};

struct Covariance {
	double elements[64];
};

/* One matrix of each event is never given back. */
class Fitter : public Algorithm {
public:
	const char *name() const override { return "Fitter"; }

	__attribute__((noinline)) Covariance *invert(const Covariance &given)
	{
		Covariance *inverse = new Covariance(given);

		inverse->elements[0] = 1;
		leaked++;
		return inverse;
	}

	void execute(Store &store, long event) override
	{
		std::unique_ptr<Covariance> covariance(new Covariance());

		covariance->elements[1] = double(event);
		store.tracks.push_back(invert(*covariance)->elements[1]);
	}

	long leaked = 0;
};

struct Options {
	long events = 150;
	HeapDumpService dumps;
};

static bool parse(int argc, char **argv, Options &options)
{
	options.dumps.StartFromEventN = 0;
	for (int i = 1; i < argc; i += 2) {
		long *value = !std::strcmp(argv[i], "--events") ? &options.events
			    : !std::strcmp(argv[i], "--StartFromEventN")
				? &options.dumps.StartFromEventN
			    : !std::strcmp(argv[i], "--StopAtEventN") ? &options.dumps.StopAtEventN
			    : !std::strcmp(argv[i], "--DumpPeriod") ? &options.dumps.DumpPeriod
								     : nullptr;
		char *end = nullptr;

		if (!value || i + 1 == argc)
			return false;
		*value = std::strtol(argv[i + 1], &end, 10);
		if (end == argv[i + 1] || *end || *value < 0)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	Options options;
	Reader reader;
	Fitter fitter;
	Algorithm *algorithms[] = {&reader, &fitter};

	if (!parse(argc, argv, options)) {
		std::fprintf(stderr, "usage: event_loop [--events N] [--StartFromEventN N] "
			     "[--StopAtEventN N] [--DumpPeriod N]\n");
		return 2;
	}
	if (!options.dumps.initialize())
		return 1;
	for (long event = 1; event <= options.events; event++) {
		Store store;

		options.dumps.beginEvent();
		for (Algorithm *algorithm : algorithms) {
			seep_stamp(algorithm->name());
			algorithm->execute(store, event);
		}
		options.dumps.endEvent();
	}
	options.dumps.finalize();
	std::printf("truth site Fitter::invert objects %ld bytes %zu\n", fitter.leaked,
		    std::size_t(fitter.leaked) * sizeof(Covariance));
	std::printf("truth dumps %ld\n", options.dumps.dumped());
	return 0;
}
