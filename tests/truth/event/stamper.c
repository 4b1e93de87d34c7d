/* SPDX-License-Identifier: MIT */
/* Stamps for ever; after each one it writes its number to stdout, unbuffered. */
#include "seep.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
	char line[32];
	long n;

	for (n = 1;; n++) {
		seep_stamp("here");
		snprintf(line, sizeof(line), "%ld\n", n);
		if (write(STDOUT_FILENO, line, strlen(line)) < 0)
			return 1;
	}
}
