/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Healthy programs that CPython runs. */
#include "lifelike.h"

LIFE(python_flat)
{
	struct life l;

	life_start(&l, c, n, noise, LIFE_PYTHON);
	life_crowd(&l, 5e3, 5e4);
	life_is(&l, IS_FLAT);
	life_finish(&l);
}

/* Objects in cycles wait for the collector, which runs when enough of them are there. */
LIFE(python_cycles)
{
	size_t sites[4], due, e, i;
	double size, runs;
	struct life l;

	life_start(&l, c, n, noise, LIFE_PYTHON);
	life_crowd(&l, 2e3, 2e4);
	size = life_log(&l, 56, 1024);
	runs = life_between(&l, 4, 12);
	for (i = 0; i < 4; i++)
		sites[i] = life_site(&l);
	for (e = 0, due = 0; e < n; e++) {
		if (e >= due)
			due = e + 1 + (size_t)((double)n / runs * life_between(&l, .7, 1.3));
		for (i = 0; i < 4; i++)
			life_blocks(&l, sites[i], life_count(&l, 3), size, e, due);
	}
	life_is(&l, NOT_LEAK);
	life_finish(&l);
}

/* Functions are compiled at their first use; caches of the interpreter fill in the first half. */
LIFE(python_caches)
{
	size_t sites, i, e, s;
	double size, k;
	struct life l;

	life_start(&l, c, n, noise, LIFE_PYTHON);
	life_crowd(&l, 2e3, 2e4);
	sites = 5 + life_pick(&l, 20);
	for (i = 0; i < sites; i++) {
		s = life_site(&l);
		life_stack(&l, s, LIFE_BY_COMPILER);
		size = life_log(&l, 100, 2000);
		for (k = life_log(&l, 5, 200); k > 0; k--) {
			e = (size_t)(.5 * (double)n * pow(noise_uniform(noise), 3));
			life_blocks(&l, s, 1, size, e, LIFE_NEVER);
		}
	}
	life_is(&l, IS_FLAT | IS_SATURATING | IS_CACHE | IS_STEP);
	life_finish(&l);
}
