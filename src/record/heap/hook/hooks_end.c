/* SPDX-License-Identifier: MIT */
/* Ends: of the program by _exit, and of a library. */
#include "record/heap/hook/hooks.h"

#include "record/heap/python/python.h"
#include "record/heap/stack/unwind.h"
#include "record/heap/start.h"

#include "record/recording.h"

HOOK void _exit(int status) __attribute__((noreturn));
HOOK void _Exit(int status) __attribute__((noreturn));
HOOK int dlclose(void *object);

void _exit(int status)
{
	seep_start_finish();
	seep_recording_exited(status);
	if (seep_real_ready())
		seep_real.exit_now(status);
	__builtin_trap();
}

void _Exit(int status)
{
	_exit(status);
}

/* Other code may be loaded at the same place later: the unwind rules must be forgotten. */
int dlclose(void *object)
{
	bool tracked = seep_start_is_on();
	int result;

	if (!seep_real_ready())
		return -1;
	if (tracked)
		seep_unwind_begin_unload();
	result = seep_real.dlclose(object);
	if (tracked) {
		seep_python_unloaded();
		seep_unwind_end_unload();
	}
	return result;
}
