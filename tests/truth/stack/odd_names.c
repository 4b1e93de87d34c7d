/* SPDX-License-Identifier: MIT */
/*
 * Stamps, counters and a gauge whose names have in them all that means something to some
 * format.  Prints what it counted: "event INDEX hits N".
 */
#include "truth.h"
#include "seep.h"

#include <stdlib.h>
#include <string.h>

#define EVENTS 40

static const char *const names[] = {
	"plain_HEAD",
	"quote\" apostrophe' back\\slash",
	"new\nline\r\ttab \x1b[31m red \x7f",
	"gr\xc3\xbc\xc3\x9f\x65 \xe6\xb3\xa2 \xf0\x9f\x92\xa7",
	"not utf-8: \xff\xfe \xc3",
	"\xe2\x80\xae reversed \xe2\x80\xa8 line",
	"</script><!-- ]]> & {brace} %s%n",
	"=1+1,x;y # no=comment:1700000000000000,1,1",
	"_ # EOF",
	" A000_led by a blank",
};

static void *kept[EVENTS];

SITE static void keep(int i)
{
	kept[i] = malloc(5000);
	KEEP_FRAME();
}

int main(void)
{
	char longest[3000];
	size_t j;
	int i;

	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	seep_stamp("before: the first event");
	for (i = 0; i < EVENTS; i++) {
		seep_event_begin(998 + 2 * i);
		for (j = 0; j < sizeof(names) / sizeof(names[0]); j++)
			seep_stamp(names[j]);
		seep_stamp(longest);
		keep(i);
		seep_count("hits", 100 + i * i);
		seep_count(names[1], 0.1 * i);
		seep_count(names[7], i);
		seep_count(longest, 1e300);
		seep_gauge(names[3], (int64_t)1000 * i);
		if (i != EVENTS / 2)
			seep_event_end();
		printf("event %d hits %d\n", 998 + 2 * i, 100 + i * i);
	}
	truth_site("keep", EVENTS, 5000 * EVENTS);
	return kept[0] == NULL;
}
