/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/plot/letters.h"

#include "render/safe.h"

#include <string.h>

#define FIRST ' '
#define LAST '~'
#define OTHER 1000               /* hardly any letter is wider than it is high */

/* Thousandths of the size, from FIRST to LAST; plain, bold. */
static const short widths[2][LAST - FIRST + 1] = {
	{
		318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
		636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
		1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
		603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
		500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
		635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
	},
	{
		348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365,
		696, 696, 696, 696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 580,
		1000, 774, 762, 734, 830, 683, 683, 821, 837, 372, 372, 775, 637, 995, 837, 850,
		733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838, 500,
		500, 675, 716, 593, 716, 678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687,
		716, 716, 493, 595, 478, 712, 652, 924, 645, 652, 582, 712, 365, 712, 838,
	},
};

double seep_letters_width(const char *text, bool bold)
{
	size_t n = strlen(text), length;
	double sum = 0;

	for (size_t at = 0; at < n; at += length) {
		uint32_t code = 0;

		length = seep_safe_decode((const unsigned char *)text + at, n - at, &code);
		length = length ? length : 1;
		sum += code >= FIRST && code <= LAST ? widths[bold][code - FIRST] : OTHER;
	}
	return sum / 1000;
}
