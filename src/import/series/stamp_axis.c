/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the stamps that begin an event.  Stamps without names are an event each.  Otherwise it
 * tries names with event numbers, then names that repeat with a period, then the most
 * frequent name.
 *
 * A period is found by comparing the sequence of names with itself, shifted by 1, 2, 3 ...: the
 * shortest shift at which about as many names match as at the best one.
 */
#include "import/series/stamp_axis.h"

#include "base/words.h"
#include "import/quantity.h"

#include <string.h>

#define TAG_DIGITS 3             /* at least: event numbers are zero-padded to this width */
#define MATCH_LEAST 0.5          /* part of the stamps that have the same name one period later */
#define MATCH_ALIKE 0.98         /* a shorter period with this part of the best match is as good */
#define REPEATS_LEAST 3

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* "A012_name" and "012name". */
static bool split_front(const char *name, size_t n, struct seep_stamp_axis_tag *tag)
{
	const char *end = name + n, *digits = name, *at;
	bool lettered = n && is_capital(*name);

	digits += lettered;
	at = digits;
	if (seep_quantity_digits(&at, end, &tag->index) || at - digits < TAG_DIGITS || at == end)
		return false;
	if (lettered && *at++ != '_')
		return false;
	tag->letter = lettered ? (unsigned)(*name - 'A') + 1 : 0;
	tag->name = at;
	tag->n_name = (size_t)(end - at);
	return at < end;
}

/* "name_A012". */
static bool split_back(const char *name, size_t n, struct seep_stamp_axis_tag *tag)
{
	const char *end = name + n, *digits = end, *at;

	while (digits > name && is_digit(digits[-1]))
		digits--;
	if (end - digits < TAG_DIGITS || digits - name < 3 || !is_capital(digits[-1]) ||
	    digits[-2] != '_')
		return false;
	at = digits;
	if (seep_quantity_digits(&at, end, &tag->index))
		return false;
	tag->letter = (unsigned)(digits[-1] - 'A') + 1;
	tag->name = name;
	tag->n_name = (size_t)(digits - name) - 2;
	return true;
}

bool seep_stamp_axis_split(const char *name, size_t n, struct seep_stamp_axis_tag *tag)
{
	return split_front(name, n, tag) || split_back(name, n, tag);
}

bool seep_stamp_axis_pair(const char **at, const char *end, struct seep_stamp_axis_pair *pair)
{
	while (*at < end) {
		const char *key = *at, *comma = memchr(key, ',', (size_t)(end - key));
		const char *stop = comma ? comma : end;
		const char *is = memchr(key, '=', (size_t)(stop - key));

		*at = comma ? comma + 1 : end;
		while (key < stop && *key == ' ')
			key++;
		while (stop > key && stop[-1] == ' ')
			stop--;
		if (!is || is <= key || is >= stop)
			continue;
		pair->key = key;
		pair->n_key = (size_t)(is - key);
		if (seep_quantity_decimal(is + 1, (size_t)(stop - is) - 1, &pair->value))
			return true;
	}
	return false;
}

/* Statistics of one instance. */
struct instance {
	size_t stamps, events;
	int64_t largest;
};

/*
 * Of the instances with at least this many events, the one with the most stamps;
 * SEEP_STAMP_AXIS_LETTERS: none.
 */
static unsigned find_instance(const struct instance *instances, size_t events)
{
	unsigned best = SEEP_STAMP_AXIS_LETTERS;

	for (unsigned i = 0; i < SEEP_STAMP_AXIS_LETTERS; i++)
		if (instances[i].events >= events &&
		    (best == SEEP_STAMP_AXIS_LETTERS ||
		     instances[i].stamps > instances[best].stamps))
			best = i;
	return best;
}

static bool find_tagged(struct seep_stamp_axis *axis, const struct instance *instances,
			size_t events)
{
	unsigned best = find_instance(instances, events);

	if (best == SEEP_STAMP_AXIS_LETTERS)
		return false;
	axis->kind = SEEP_STAMP_AXIS_TAGGED;
	axis->letter = best;
	for (unsigned i = 0; i < SEEP_STAMP_AXIS_LETTERS; i++)
		axis->others |= i != best && instances[i].stamps;
	return true;
}

static void count_instances(struct instance *instances, const struct seep_stamp_lines_line *lines,
			    size_t n)
{
	struct seep_stamp_axis_tag tag;

	for (size_t i = 0; i < n; i++) {
		struct instance *instance;

		if (!lines[i].name || !seep_stamp_axis_split(lines[i].name, lines[i].n_name, &tag))
			continue;
		instance = &instances[tag.letter];
		if (!instance->stamps++ || tag.index > instance->largest) {
			instance->events++;
			instance->largest = tag.index;
		}
	}
}

/* By how much a stamp's number exceeds all numbers before; 0: the stamp does not start an event. */
static int64_t find_rise(const struct seep_stamp_lines_line *line, unsigned letter,
			 int64_t *largest)
{
	struct seep_stamp_axis_tag tag;
	int64_t rise;

	if (!seep_stamp_axis_split(line->name, line->n_name, &tag) || tag.letter != letter ||
	    tag.index <= *largest)
		return 0;
	rise = *largest < 0 ? 0 : tag.index - *largest;
	*largest = tag.index;
	return rise;
}

/* The increment that more than half of all events have; 1 if there is none. */
static int64_t find_step(const struct seep_stamp_lines_line *lines, size_t n, unsigned letter)
{
	int64_t largest = -1, step = 1;
	size_t votes = 0, same = 0, all = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t rise = find_rise(&lines[i], letter, &largest);

		if (!rise)
			continue;
		if (!votes)
			step = rise;
		votes += rise == step ? 1 : (size_t)-1;
	}
	largest = -1;
	for (size_t i = 0; i < n; i++) {
		int64_t rise = find_rise(&lines[i], letter, &largest);

		all += rise > 0;
		same += rise == step;
	}
	return 2 * same > all ? step : 1;
}

static size_t count_matches(const uint32_t *names, size_t n, size_t period)
{
	size_t matches = 0;

	for (size_t i = 0; i + period < n; i++)
		matches += names[i] == names[i + period];
	return matches;
}

/* The shortest period at which names repeat about as well as at any other; 0: none. */
static size_t find_period(const uint32_t *names, size_t n, struct seep_arena *scratch)
{
	double *match = seep_arena_array(scratch, n / 2 + 1, sizeof(*match)), best = MATCH_LEAST;
	size_t period;

	for (period = 1; period <= n / 2; period++) {
		match[period] = (double)count_matches(names, n, period) / (double)(n - period);
		if (match[period] > best)
			best = match[period];
	}
	for (period = 1; period <= n / 2; period++)
		if (match[period] >= best * MATCH_ALIKE)
			return period;
	return 0;
}

/* The first index from which a whole period of names repeats. */
static size_t find_cycle(const uint32_t *names, size_t n, size_t period)
{
	for (size_t i = 0; i + 2 * period <= n; i++)
		if (!memcmp(names + i, names + i + period, period * sizeof(*names)))
			return i;
	return 0;
}

static size_t count_name(const uint32_t *names, size_t n, uint32_t name)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += names[i] == name;
	return count;
}

/* The names that occur more than once, and their lines. */
struct repeats {
	uint32_t *names;
	size_t *lines;
	size_t n;
	const size_t *counts;    /* by name */
};

static void find_repeats(struct repeats *repeats, const struct seep_stamp_lines_line *lines,
			 size_t n, struct seep_arena *scratch)
{
	uint32_t *names = seep_arena_array(scratch, n, sizeof(*names));
	size_t *counts = seep_arena_array(scratch, n + 1, sizeof(*counts));
	struct seep_words words;
	bool is_new;

	seep_words_init(&words, scratch);
	for (size_t i = 0; i < n; i++) {
		names[i] = seep_words_put(&words, lines[i].name, lines[i].n_name, &is_new);
		counts[names[i]]++;
	}
	repeats->names = seep_arena_array(scratch, n, sizeof(*names));
	repeats->lines = seep_arena_array(scratch, n, sizeof(size_t));
	repeats->counts = counts;
	for (size_t i = 0; i < n; i++) {
		if (counts[names[i]] < 2)
			continue;
		repeats->lines[repeats->n] = i;
		repeats->names[repeats->n++] = names[i];
	}
}

static size_t most_frequent(const struct repeats *repeats)
{
	size_t best = 0;

	for (size_t i = 1; i < repeats->n; i++)
		if (repeats->counts[repeats->names[i]] > repeats->counts[repeats->names[best]])
			best = i;
	return best;
}

/* A period begins with the name that comes first in the file. */
static size_t find_first(const struct repeats *repeats, struct seep_stamp_axis *axis)
{
	const uint32_t *cycle = repeats->names +
				find_cycle(repeats->names, repeats->n, axis->period);
	size_t i = 0;

	while (!(axis->times = count_name(cycle, axis->period, repeats->names[i])))
		i++;
	return i;
}

static void find_named(struct seep_stamp_axis *axis, const struct seep_stamp_lines_line *lines,
		       size_t n, struct seep_arena *scratch)
{
	struct repeats repeats = { 0 };
	size_t start;

	find_repeats(&repeats, lines, n, scratch);
	if (!repeats.n)
		return;
	axis->period = find_period(repeats.names, repeats.n, scratch);
	axis->times = 1;
	start = axis->period ? find_first(&repeats, axis) : most_frequent(&repeats);
	if (!axis->period && repeats.counts[repeats.names[start]] < REPEATS_LEAST)
		return;
	axis->kind = SEEP_STAMP_AXIS_NAMED;
	axis->name = lines[repeats.lines[start]].name;
	axis->n_name = lines[repeats.lines[start]].n_name;
}

static bool all_are_named(const struct seep_stamp_lines_line *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!lines[i].name)
			return false;
	return true;
}

void seep_stamp_axis_find(struct seep_stamp_axis *axis, const struct seep_stamp_lines_line *lines,
			  size_t n, struct seep_arena *scratch)
{
	struct instance instances[SEEP_STAMP_AXIS_LETTERS] = { 0 };

	*axis = (struct seep_stamp_axis){ .kind = SEEP_STAMP_AXIS_NONE };
	if (!all_are_named(lines, n)) {
		axis->kind = SEEP_STAMP_AXIS_ROWS;
		return;
	}
	count_instances(instances, lines, n);
	if (find_tagged(axis, instances, 2)) {
		axis->step = find_step(lines, n, axis->letter);
		return;
	}
	find_named(axis, lines, n, scratch);
	if (axis->kind == SEEP_STAMP_AXIS_NONE)
		find_tagged(axis, instances, 1);
}
