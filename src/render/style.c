/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/style.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_MIN 60
#define WIDTH_MAX 200

static bool wants_colour(void)
{
	const char *no_colour = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return (!no_colour || !*no_colour) && term && *term && strcmp(term, "dumb");
}

/*
 * As in the C library, the first of the three variables that is set decides; its locale need not
 * exist.
 */
static bool wants_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *locale = getenv(names[i]);

		if (locale && *locale)
			return strcasestr(locale, "UTF-8") || strcasestr(locale, "utf8");
	}
	return false;
}

struct seep_style seep_style_of(FILE *out)
{
	struct seep_style style = { SEEP_STYLE_WIDTH, false, wants_utf8() };
	struct winsize size;
	int fd = fileno(out);

	if (fd < 0 || !isatty(fd))
		return style;
	style.colour = wants_colour();
	if (!ioctl(fd, TIOCGWINSZ, &size) && size.ws_col)
		style.width = size.ws_col;
	if (style.width < WIDTH_MIN)
		style.width = WIDTH_MIN;
	if (style.width > WIDTH_MAX)
		style.width = WIDTH_MAX;
	return style;
}

const char *seep_style_on(const struct seep_style *style, enum seep_style_ink ink)
{
	static const char *const codes[] = {
		[SEEP_INK_PLAIN] = "",
		[SEEP_INK_BAD] = "\033[1;31m",
		[SEEP_INK_GOOD] = "\033[1;32m",
		[SEEP_INK_DOUBT] = "\033[1;33m",
		[SEEP_INK_QUIET] = "\033[2m",
	};

	return style->colour ? codes[ink] : "";
}

const char *seep_style_off(const struct seep_style *style, enum seep_style_ink ink)
{
	return style->colour && ink != SEEP_INK_PLAIN ? "\033[0m" : "";
}
