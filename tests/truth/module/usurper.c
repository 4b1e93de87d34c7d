/* SPDX-License-Identifier: MIT */
/*
 * Closes every descriptor, those of the tracker as well, and gets their numbers for files of its
 * own: numbers, then a line that looks like statm.  Then it closes everything time and again.
 */
#define _GNU_SOURCE
#include "truth.h"
#include "seep.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOW 3
#define HIGH 1100
#define EVENTS 60

static void *kept[3 * EVENTS];

SITE static void *remember(int i)
{
	void *block = malloc(50);

	kept[i] = block;
	KEEP_FRAME();
	return block;
}

static void occupy(const char *name, const char *text)
{
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600), i;

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		_exit(3);
	for (i = LOW; i < HIGH; i++)
		if (i != fd && dup2(fd, i) != i)
			_exit(4);
}

/* Whether all that was put there still is, and reads as it was written. */
static int is_intact(const char *text)
{
	char read_back[64];
	int i;

	for (i = LOW; i < HIGH; i++)
		if (pread(i, read_back, sizeof(read_back), 0) != (ssize_t)strlen(text) ||
		    memcmp(read_back, text, strlen(text)))
			return 0;
	return 1;
}

int main(void)
{
	static const char numbers[] = "999999 777777 5 5\n";
	static const char other[] = "999999 777777 5 5 0 5 0\n";
	int intact = 1, i;

	for (i = 0; i < 3 * EVENTS; i++) {
		if (i == 10)
			occupy("numbers.txt", numbers);
		if (i == EVENTS)
			intact &= is_intact(numbers);
		if (i == EVENTS)
			occupy("other.txt", other);
		if (i == 2 * EVENTS)
			intact &= is_intact(other);
		if (i >= 2 * EVENTS && i % 2)
			close_range(LOW, ~0u, 0);
		KEEPS_ERRNO(seep_event_begin(i));
		KEEPS_ERRNO(remember(i));
		KEEPS_ERRNO(seep_stamp("here"));
		KEEPS_ERRNO(seep_event_end());
	}
	truth_site("remember", 3 * EVENTS, 3 * EVENTS * 50);
	return !intact || truth_errno_changes;
}
