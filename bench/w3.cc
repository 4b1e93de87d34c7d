/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * w3: the event loop of examples/hits.cc, ten times smaller and with work to do.
 *
 *	w3 EVENTS
 *
 * An event launches some 3000 photons into an array that grows as they come, carries
 * each from surface to surface, and converts the 175 or so that hit a sensor.  Each
 * conversion asks for the frame of its sensor and forgets objects of 384, 64, 384
 * and 384 bytes, 10 to 12 frames up to main.  The converted hits are freed one event
 * later.  Two thirds of the time go into the photons, as in the real thing most of
 * it goes into physics.
 *
 * The event, five stamps and the number of hits are told to seep.
 */
#include <seep.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#if defined(__clang__)
#define FRAME __attribute__((noinline))
#else
#define FRAME __attribute__((noipa))
#endif

namespace {

enum { SENSORS = 4000, PHOTONS = 3000, SURFACES = 8, HIT_IN = 17 };

class Random {
public:
	explicit Random(uint64_t seed) : state(seed) {}

	uint64_t bits()
	{
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		return state;
	}
	float unit() { return float(bits() >> 40) / 16777216.f; }

private:
	uint64_t state;
};

struct Quad {
	float q[4][4];
};

/* A transform, its inverse, and the transform of normals. */
struct Tran {
	double t[4][4], v[4][4], n[4][4];

	explicit Tran(const Quad &q);

	static FRAME const Quad *convert(const double (&m)[4][4]);
	static FRAME const Quad *invert(const Quad &q);
};

static_assert(sizeof(Tran) == 384 && sizeof(Quad) == 64, "the sizes of the story");

Tran::Tran(const Quad &q)
{
	for (int i = 0; i < 4; i++) {
		for (int j = 0; j < 4; j++) {
			t[i][j] = double(q.q[i][j]);
			v[i][j] = double(i < 3 && j < 3 ? q.q[j][i] : q.q[i][j]);
			n[i][j] = v[i][j];
		}
	}
	for (int j = 0; j < 3; j++) {
		v[3][j] = 0;
		for (int k = 0; k < 3; k++)
			v[3][j] -= t[3][k] * v[k][j];
	}
}

const Quad *Tran::convert(const double (&m)[4][4])
{
	Quad *q = new Quad;

	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			q->q[i][j] = float(m[i][j]);
	return q;
}

const Quad *Tran::invert(const Quad &q)
{
	Tran *tr = new Tran(q);

	return convert(tr->v);
}

struct Photon {
	float pos[3], time, mom[3], weight, pol[3], wavelength;
	unsigned sensor, flags, surface, index;
};

struct Hit {
	double global[3], local[3], direction[3], time, wavelength;
	unsigned sensor, index;
};

struct Frame {
	Quad m2w, w2m;
	const Tran *tr_m2w, *tr_w2m;

	FRAME void prepare();
};

void Frame::prepare()
{
	tr_m2w = new Tran(m2w);
	tr_w2m = new Tran(w2m);
}

struct Target {
	std::vector<Quad> sensors;

	explicit Target(Random &random);
	FRAME void frame(Frame &fr, unsigned sensor) const;
};

Target::Target(Random &random) : sensors(SENSORS)
{
	for (Quad &q : sensors) {
		float s = random.unit(), c = std::sqrt(1 - s * s);

		q = Quad{{{c, s, 0, 0}, {-s, c, 0, 0}, {0, 0, 1, 0},
			  {random.unit(), random.unit(), random.unit(), 1}}};
	}
}

void Target::frame(Frame &fr, unsigned sensor) const
{
	fr.m2w = sensors[sensor];
	fr.w2m = *Tran::invert(fr.m2w);
}

struct Geometry {
	Target target;

	FRAME void frame(Frame &fr, unsigned sensor) const
	{
		target.frame(fr, sensor);
		fr.prepare();
	}
};

class Event {
public:
	explicit Event(const Geometry &geometry) : geo(geometry) {}

	FRAME void simulate(Random &random);
	FRAME void convert(std::vector<Hit *> &into) const;
	std::size_t hits() const { return hit.size(); }

private:
	FRAME Hit *make_hit(const Photon &p) const;
	FRAME void make_local(Hit &h, const Photon &p) const;
	FRAME void photon_frame(Frame &fr, const Photon &p) const;

	const Geometry &geo;
	std::vector<Photon> hit;
};

/* From surface to surface: what makes an event cost time. */
static void carry(Photon &p, Random &random)
{
	for (p.surface = 0; p.surface < SURFACES; p.surface++) {
		float step = -std::log(1 - random.unit()), norm = 0;

		for (int j = 0; j < 3; j++) {
			p.pos[j] += step * p.mom[j];
			p.mom[j] += 0.2f * (random.unit() - 0.5f);
			norm += p.mom[j] * p.mom[j];
		}
		norm = 1 / std::sqrt(norm);
		for (int j = 0; j < 3; j++)
			p.mom[j] *= norm;
		p.time += step / 200;
	}
}

void Event::simulate(Random &random)
{
	seep::stamp_scope stamps("simulate");
	std::vector<Photon> photons;
	std::size_t n = PHOTONS - 200 + random.bits() % 400;

	for (std::size_t i = 0; i < n; i++) {
		Photon p = Photon();

		p.mom[i % 3] = 1;
		p.wavelength = 300 + 300 * random.unit();
		p.index = unsigned(i);
		photons.push_back(p);
	}
	for (Photon &p : photons)
		carry(p, random);
	seep_stamp("gather");
	for (Photon &p : photons) {
		p.sensor = unsigned(random.bits() >> 32);
		if (p.sensor % HIT_IN == 0)
			hit.push_back(p);
	}
}

void Event::photon_frame(Frame &fr, const Photon &p) const
{
	geo.frame(fr, p.sensor % SENSORS);
	__asm__ volatile("" ::: "memory"); /* no tail call */
}

void Event::make_local(Hit &h, const Photon &p) const
{
	Frame fr;

	photon_frame(fr, p);
	for (int j = 0; j < 3; j++) {
		h.local[j] = fr.tr_w2m->t[3][j];
		h.direction[j] = 0;
		for (int k = 0; k < 3; k++) {
			h.local[j] += double(p.pos[k]) * fr.tr_w2m->t[k][j];
			h.direction[j] += double(p.mom[k]) * fr.tr_m2w->n[k][j];
		}
	}
}

Hit *Event::make_hit(const Photon &p) const
{
	Hit *h = new Hit();

	for (int j = 0; j < 3; j++)
		h->global[j] = double(p.pos[j]);
	h->time = double(p.time);
	h->wavelength = double(p.wavelength);
	h->sensor = p.sensor;
	h->index = p.index;
	make_local(*h, p);
	return h;
}

void Event::convert(std::vector<Hit *> &into) const
{
	for (const Photon &p : hit)
		into.push_back(make_hit(p));
}

class Run {
public:
	explicit Run(const Geometry &geometry) : geo(geometry), random(88172645463325252u) {}

	FRAME void event(long index);

private:
	FRAME void reset(Event &event);

	const Geometry &geo;
	Random random;
	std::vector<Hit *> previous;
};

/* Keeps the hits of an event until the next one is through. */
void Run::reset(Event &event)
{
	seep::stamp_scope stamps("reset");
	std::vector<Hit *> hits;

	event.convert(hits);
	hits.swap(previous);
	for (Hit *h : hits)
		delete h;
}

void Run::event(long index)
{
	seep::event_scope scope(index);
	Event event(geo);

	event.simulate(random);
	seep_count("hits", double(event.hits()));
	reset(event);
}

} /* namespace */

int main(int argc, char **argv)
{
	long events = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 1000;
	Random random(1);
	Geometry geometry{Target(random)};
	Run run(geometry);

	for (long i = 0; i < events; i++)
		run.event(i);
	return 0;
}
