/* SPDX-License-Identifier: MIT */
/*
 * hits - the leak that took four weeks, small enough to read.
 *
 * In February 2024 a detector simulation grew by 2.2 MB with every event.  The
 * photons were traced on a GPU; the ones that hit a light sensor came back, about
 * 1758 per event, and were converted to the collections of the host framework.
 *
 * The first suspect was the converted hit: made with new, and nobody could see a
 * delete.  A debugger showed after a day that the framework deletes the whole
 * collection when the next event is through.  Innocent.
 *
 * Then stamps were added to the code, the resident size at each written to a file,
 * and the file read by hand: the growth lies between QSim__simulate_TAIL and
 * QSim__reset_HEAD, that is in the conversion.  From there it went on by leaving
 * lines out and measuring again.  To say where on its sensor a photon arrived, each
 * hit asks for the frame of that sensor, and four objects are made on the way:
 *
 *	U4HitGet::FromEvt_EGPU
 *	  SEvt::getLocalHit
 *	    SEvt::getPhotonFrame
 *	      CSGFoundry::getFrame
 *	        CSGTarget::getFrame
 *	          Tran<double>::Invert           1   384 bytes, forgotten at the return
 *	            Tran<double>::ConvertFrom    2    64 bytes, returned, copied, forgotten
 *	      sframe::prepare                    3   384 bytes, no destructor
 *	      sframe::prepare                    4   384 bytes, no destructor
 *
 * Two was found and thought too small to matter, as resident sizes scatter by more.
 * Three and four were found together.  One never was: the code was replaced by
 * another in the end, and called "unidentified memory leak" in a comment.
 *
 * This program is not that simulation.  It has its calls, its objects, its sizes and
 * its numbers of hits, and nothing else.  See how long it takes you:
 *
 *	seep run -- hits                   names the phase, the four lines, the driver
 *	seep run -- hits --fix 2           repairs number two; compare the reports: one
 *	                                   site and 64 bytes per hit less
 *
 * What the program tells seep are the lines that start with seep: one event_scope,
 * two stamp_scopes, three stamps and one count.  At the end it prints what it knows
 * to be true, which is more than a real program can do.
 */
#include <seep.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <getopt.h>
#include <thread>
#include <vector>

/*
 * An optimiser would inline these few short functions into one.  In the real program
 * they are spread over four libraries, and each is a frame of its own in the stack.
 */
#if defined(__has_attribute)
#if __has_attribute(noipa)
#define OWN_FRAME __attribute__((noipa))
#endif
#endif
#ifndef OWN_FRAME
#define OWN_FRAME __attribute__((noinline))
#endif

namespace {

/* What is true of this run, for the lines at the end. */
struct Site {
	const char *function;
	std::size_t size;
	int line;
	long alive;

	void born(int at)
	{
		line = at;
		alive++;
	}
	void died() { alive--; }
};

enum { INVERT = 1, QAT4, M2W, W2M, N_SITES };

bool fixed[N_SITES];

Site sites[N_SITES] = {
	{"", 0, 0, 0},
	{"Tran<double>::Invert", 384, 0, 0},
	{"Tran<double>::ConvertFrom", 64, 0, 0},
	{"sframe::prepare", 384, 0, 0},
	{"sframe::prepare", 384, 0, 0},
};

/* The same numbers on every machine: integers only. */
class Random {
public:
	explicit Random(uint64_t seed) : state(seed) {}

	uint32_t bits()
	{
		uint64_t z = state += 0x9e3779b97f4a7c15u;

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
		return uint32_t((z ^ (z >> 31)) >> 32);
	}

	float unit() { return float(bits() >> 8) / 16777216.f; }

	/* A sum of twelve has a variance of one and is normal enough. */
	long normal(long mean, double sd)
	{
		int64_t sum = -(int64_t(6) << 32);

		for (int i = 0; i < 12; i++)
			sum += bits();
		return mean + long((sum * int64_t(sd * 65536) + (int64_t(1) << 47)) >> 48);
	}

private:
	uint64_t state;
};

} /* namespace */

/* ---- geometry: transforms of the sensors ---- */

struct qat4 {
	float q[4][4];
};

template <typename T> struct mat4 {
	T m[4][4];
};

/* A transform, its inverse, and the transform of normals. */
template <typename T> struct Tran {
	mat4<T> t, v, n;

	explicit Tran(const qat4 &q);

	static OWN_FRAME const qat4 *Invert(const qat4 *q);
	static OWN_FRAME const qat4 *ConvertFrom(const mat4<T> &m);
};

/* Rotation and translation, translation in the last row. */
template <typename T> Tran<T>::Tran(const qat4 &q)
{
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			t.m[i][j] = q.q[i][j];
	v = t;
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			v.m[i][j] = t.m[j][i];
	n = v;
	for (int j = 0; j < 3; j++) {
		v.m[3][j] = 0;
		for (int k = 0; k < 3; k++)
			v.m[3][j] -= t.m[3][k] * v.m[k][j];
		n.m[3][j] = 0;
	}
}

template <typename T> const qat4 *Tran<T>::ConvertFrom(const mat4<T> &m)
{
	sites[QAT4].born(__LINE__ + 1);
	qat4 *q = new qat4;

	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			q->q[i][j] = float(m.m[i][j]);
	return q;
}

template <typename T> const qat4 *Tran<T>::Invert(const qat4 *q)
{
	sites[INVERT].born(__LINE__ + 1);
	Tran<T> *tr = new Tran<T>(*q);
	const qat4 *v = ConvertFrom(tr->v);

	if (fixed[INVERT]) {
		sites[INVERT].died();
		delete tr;
	}
	return v;
}

static_assert(sizeof(Tran<double>) == 384 && sizeof(qat4) == 64, "the sizes of the story");

/* ---- the event: photons, and those that hit a sensor ---- */

struct sphoton {
	float pos[3], time;
	float mom[3], weight;
	float pol[3], wavelength;
	unsigned iindex, index, flagmask, boundary;
};

struct sphit {
	unsigned iindex, sensor_identifier, sensor_index;
};

/* The frame of one sensor: to its own coordinates and back. */
struct sframe {
	qat4 m2w, w2m;
	unsigned inst = 0;
	unsigned index = 0;
	const Tran<double> *tr_m2w = nullptr;
	const Tran<double> *tr_w2m = nullptr;

	sframe() = default;
	sframe(const sframe &) = delete;
	sframe &operator=(const sframe &) = delete;
	~sframe();

	OWN_FRAME void prepare();
	void transform_w2m(sphoton &p) const;
};

void sframe::prepare()
{
	sites[M2W].born(__LINE__ + 2);
	sites[W2M].born(__LINE__ + 2);
	tr_m2w = new Tran<double>(m2w);
	tr_w2m = new Tran<double>(w2m);
	index = inst + 1;
}

/* The original had none: a frame is copied about, and then who owns the pointers? */
sframe::~sframe()
{
	if (fixed[M2W] && tr_m2w) {
		sites[M2W].died();
		delete tr_m2w;
	}
	if (fixed[W2M] && tr_w2m) {
		sites[W2M].died();
		delete tr_w2m;
	}
}

void sframe::transform_w2m(sphoton &p) const
{
	float pos[3], mom[3];

	for (int j = 0; j < 3; j++) {
		pos[j] = float(tr_w2m->t.m[3][j]);
		mom[j] = 0;
		for (int k = 0; k < 3; k++) {
			pos[j] += p.pos[k] * float(tr_w2m->t.m[k][j]);
			mom[j] += p.mom[k] * float(tr_m2w->n.m[k][j]);
		}
	}
	for (int j = 0; j < 3; j++) {
		p.pos[j] = pos[j];
		p.mom[j] = mom[j];
	}
}

struct CSGFoundry;

struct CSGTarget {
	const CSGFoundry *foundry;

	OWN_FRAME void getFrame(sframe &fr, unsigned inst) const;
};

/* The geometry as loaded at the start: one transform per sensor. */
struct CSGFoundry {
	std::vector<qat4> inst;
	CSGTarget target;

	CSGFoundry(unsigned sensors, Random &random);
	CSGFoundry(const CSGFoundry &) = delete;
	CSGFoundry &operator=(const CSGFoundry &) = delete;

	OWN_FRAME void getFrame(sframe &fr, unsigned iindex) const;
};

CSGFoundry::CSGFoundry(unsigned sensors, Random &random) : inst(sensors), target{this}
{
	for (qat4 &q : inst) {
		float s = random.unit(), c = std::sqrt(1 - s * s);

		q = qat4{{{c, s, 0, 0}, {-s, c, 0, 0}, {0, 0, 1, 0},
			  {random.unit(), random.unit(), random.unit(), 1}}};
	}
}

void CSGTarget::getFrame(sframe &fr, unsigned inst) const
{
	const qat4 *t = &foundry->inst[inst];
	const qat4 *v = Tran<double>::Invert(t);

	fr.m2w = *t;
	fr.w2m = *v;
	if (fixed[QAT4]) {
		sites[QAT4].died();
		delete v;
	}
}

void CSGFoundry::getFrame(sframe &fr, unsigned iindex) const
{
	target.getFrame(fr, iindex);
	fr.inst = iindex;
}

struct SEvt {
	const CSGFoundry *cf;
	std::vector<sphoton> hit;

	void getHit(sphoton &p, unsigned idx) const { p = hit[idx]; }
	OWN_FRAME void getPhotonFrame(sframe &fr, const sphoton &p) const;
	OWN_FRAME void getLocalHit(sphit &ht, sphoton &lp, unsigned idx) const;
};

void SEvt::getPhotonFrame(sframe &fr, const sphoton &p) const
{
	cf->getFrame(fr, p.iindex);
	fr.prepare();
	fr.index += p.boundary;
}

void SEvt::getLocalHit(sphit &ht, sphoton &lp, unsigned idx) const
{
	sframe fr;

	getHit(lp, idx);
	getPhotonFrame(fr, lp);
	fr.transform_w2m(lp);
	ht.iindex = fr.inst;
	ht.sensor_identifier = fr.inst;
	ht.sensor_index = fr.index;
}

struct U4Hit {
	double global_position[3], local_position[3], local_direction[3];
	double time, wavelength;
	unsigned sensor_identifier, sensor_index;
};

struct U4HitGet {
	static OWN_FRAME void FromEvt_EGPU(U4Hit &hit, const SEvt &sev, unsigned idx);
};

void U4HitGet::FromEvt_EGPU(U4Hit &hit, const SEvt &sev, unsigned idx)
{
	sphoton global, local;
	sphit ht;

	sev.getHit(global, idx);
	sev.getLocalHit(ht, local, idx);
	for (int j = 0; j < 3; j++) {
		hit.global_position[j] = global.pos[j];
		hit.local_position[j] = local.pos[j];
		hit.local_direction[j] = local.mom[j];
	}
	hit.time = global.time;
	hit.wavelength = global.wavelength;
	hit.sensor_identifier = ht.sensor_identifier;
	hit.sensor_index = ht.sensor_index;
}

/* ---- the host framework: hits in collections, freed one event later ---- */

/* The wrong suspect. */
struct junoHit_PMT {
	static long alive;

	U4Hit hit;
	unsigned count;

	explicit junoHit_PMT(const U4Hit &from) : hit(from), count(1) { alive++; }
	~junoHit_PMT() { alive--; }
	junoHit_PMT(const junoHit_PMT &) = delete;
	junoHit_PMT &operator=(const junoHit_PMT &) = delete;
};

long junoHit_PMT::alive;

class G4HCofThisEvent {
public:
	G4HCofThisEvent() = default;
	G4HCofThisEvent(const G4HCofThisEvent &) = delete;
	G4HCofThisEvent &operator=(const G4HCofThisEvent &) = delete;
	OWN_FRAME ~G4HCofThisEvent();

	void insert(junoHit_PMT *hit) { collection.push_back(hit); }

private:
	std::vector<junoHit_PMT *> collection;
};

G4HCofThisEvent::~G4HCofThisEvent()
{
	for (junoHit_PMT *hit : collection)
		delete hit;
}

/* Keeps an event until the next one is through, and the last one until the exit. */
class G4RunManager {
public:
	OWN_FRAME void StackPreviousEvent(G4HCofThisEvent *event);

private:
	G4HCofThisEvent *previous = nullptr;
};

void G4RunManager::StackPreviousEvent(G4HCofThisEvent *event)
{
	delete previous;
	previous = event;
}

static G4RunManager run_manager;

/* ---- the simulation ---- */

class QSim {
public:
	QSim(SEvt &event, uint64_t seed, long mean_hits)
		: sev(event), counts(seed), random(~seed), mean(mean_hits)
	{
	}

	OWN_FRAME void simulate();
	OWN_FRAME void reset(G4HCofThisEvent *collections);

private:
	std::vector<sphoton> launch(std::size_t photons);
	void gather(const std::vector<sphoton> &photons, std::size_t hits);

	SEvt &sev;
	Random counts, random; /* two, so that the counts do not depend on the photons */
	long mean;
};

std::vector<sphoton> QSim::launch(std::size_t photons)
{
	std::vector<sphoton> all(photons);

	for (sphoton &p : all) {
		p = sphoton{};
		for (int j = 0; j < 3; j++) {
			p.pos[j] = random.unit();
			p.mom[j] = random.unit();
		}
		p.time = 100 * random.unit();
		p.wavelength = 300 + 300 * random.unit();
		p.iindex = unsigned(random.bits() % sev.cf->inst.size());
	}
	return all;
}

/* Every fourth photon has hit a sensor. */
void QSim::gather(const std::vector<sphoton> &photons, std::size_t hits)
{
	for (std::size_t i = 0; i < hits; i++)
		sev.hit.push_back(photons[4 * i]);
}

void QSim::simulate()
{
	seep::stamp_scope stamps("QSim__simulate");
	long hits = counts.normal(mean, 0.93 * std::sqrt(double(mean)));
	std::size_t n = hits > 0 ? std::size_t(hits) : 0;
	std::vector<float> gensteps(24 * (n / 20 + 1), 1.f);

	seep_stamp("QSim__simulate_PREL");
	std::vector<sphoton> photons = launch(4 * n);

	seep_stamp("QSim__simulate_POST");
	gather(photons, n);
	seep_stamp("QSim__simulate_DOWN");
}

/* The hits of this event are no longer needed, nor are the collections of the last. */
void QSim::reset(G4HCofThisEvent *collections)
{
	seep::stamp_scope stamps("QSim__reset");

	std::vector<sphoton>().swap(sev.hit);
	run_manager.StackPreviousEvent(collections);
}

/* ---- user code: between simulate and reset it takes the hits over ---- */

class junoSD_PMT_v2_Opticks {
public:
	OWN_FRAME std::size_t EndOfEvent_Simulate(QSim &qs, const SEvt &sev);

private:
	OWN_FRAME junoHit_PMT *convertHit(const U4Hit &hit) const;
};

junoHit_PMT *junoSD_PMT_v2_Opticks::convertHit(const U4Hit &hit) const
{
	return new junoHit_PMT(hit);
}

std::size_t junoSD_PMT_v2_Opticks::EndOfEvent_Simulate(QSim &qs, const SEvt &sev)
{
	qs.simulate();

	std::size_t hits = sev.hit.size();
	G4HCofThisEvent *collections = new G4HCofThisEvent;
	U4Hit hit;

	seep_count("numHit", double(hits));
	for (unsigned idx = 0; idx < hits; idx++) {
		U4HitGet::FromEvt_EGPU(hit, sev, idx);
		collections->insert(convertHit(hit));
	}
	qs.reset(collections);
	return hits;
}

/* ---- the program ---- */

struct Options {
	long events = 200;
	long seed = 1;
	long hits = 1758;
	long sleep_us = 0;
};

static const char usage[] =
	"usage: hits [--events N] [--fix K]... [--seed S] [--hits MEAN] [--sleep-us U]\n"
	"  --events N    number of events (200)\n"
	"  --fix K       repair one of the four sites; may be repeated\n"
	"                1 Tran<double>::Invert, 2 the qat4 of Tran<double>::ConvertFrom,\n"
	"                3 and 4 tr_m2w and tr_w2m of sframe::prepare\n"
	"  --seed S      of the random numbers (1)\n"
	"  --hits MEAN   mean number of hits per event (1758)\n"
	"  --sleep-us U  pause after each event (0)\n";

static long parse_number(const char *option, const char *text, long low, long high)
{
	char *end;
	long value;

	errno = 0;
	value = std::strtol(text, &end, 10);
	if (errno || end == text || *end || value < low || value > high) {
		std::fprintf(stderr, "hits: --%s wants a number from %ld to %ld, not '%s'\n",
			     option, low, high, text);
		std::exit(2);
	}
	return value;
}

static Options parse_options(int argc, char **argv)
{
	static const option known[] = {
		{"events", required_argument, nullptr, 'e'},
		{"fix", required_argument, nullptr, 'f'},
		{"seed", required_argument, nullptr, 's'},
		{"hits", required_argument, nullptr, 'n'},
		{"sleep-us", required_argument, nullptr, 'u'},
		{"help", no_argument, nullptr, 'h'},
		{nullptr, 0, nullptr, 0},
	};
	Options opt;
	int c;

	while ((c = getopt_long(argc, argv, "", known, nullptr)) != -1) {
		if (c == 'e') {
			opt.events = parse_number("events", optarg, 1, 1000000000);
		} else if (c == 'f') {
			fixed[parse_number("fix", optarg, 1, 4)] = true;
		} else if (c == 's') {
			opt.seed = parse_number("seed", optarg, 0, INT32_MAX);
		} else if (c == 'n') {
			opt.hits = parse_number("hits", optarg, 0, 1000000);
		} else if (c == 'u') {
			opt.sleep_us = parse_number("sleep-us", optarg, 0, 1000000000);
		} else if (c == 'h') {
			std::fputs(usage, stdout);
			std::exit(0);
		} else {
			std::fputs(usage, stderr);
			std::exit(2);
		}
	}
	if (optind < argc) {
		std::fprintf(stderr, "hits: what is '%s'?\n%s", argv[optind], usage);
		std::exit(2);
	}
	return opt;
}

/* One line per fact, for people and for tests. */
static void print_truth(const Options &opt, long hits)
{
	std::size_t per_hit = 0, lost = 0;

	for (int k = 1; k < N_SITES; k++) {
		per_hit += fixed[k] ? 0 : sites[k].size;
		lost += std::size_t(sites[k].alive) * sites[k].size;
	}
	std::printf("truth seed %ld\n", opt.seed);
	std::printf("truth events %ld\n", opt.events);
	std::printf("truth hits_total %ld\n", hits);
	std::printf("truth hits_mean %.3f\n", double(hits) / double(opt.events));
	std::printf("truth bytes_per_hit %zu\n", per_hit);
	std::printf("truth rate_bytes_per_event %.1f\n", double(lost) / double(opt.events));
	for (int k = 1; k < N_SITES; k++) {
		const Site &s = sites[k];

		if (s.alive)
			std::printf("truth site %s objects %ld bytes %zu line %d\n", s.function,
				    s.alive, std::size_t(s.alive) * s.size, s.line);
	}
	std::printf("truth junoHit_PMT alive %ld bytes %zu\n", junoHit_PMT::alive,
		    std::size_t(junoHit_PMT::alive) * sizeof(junoHit_PMT));
}

int main(int argc, char **argv)
{
	Options opt = parse_options(argc, argv);
	Random geometry(20240201);
	CSGFoundry foundry(4000, geometry);
	SEvt sev{&foundry, {}};
	QSim qs(sev, uint64_t(opt.seed), opt.hits);
	junoSD_PMT_v2_Opticks sd;
	long hits = 0;

	for (long i = 0; i < opt.events; i++) {
		seep::event_scope event(i);

		hits += long(sd.EndOfEvent_Simulate(qs, sev));
		if (opt.sleep_us)
			std::this_thread::sleep_for(std::chrono::microseconds(opt.sleep_us));
	}
	print_truth(opt, hits);
	return std::fflush(stdout) == 0 ? 0 : 1;
}
