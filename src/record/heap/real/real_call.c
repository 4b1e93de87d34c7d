/* SPDX-License-Identifier: MIT */
#include "record/heap/real/real_call.h"

#include <dlfcn.h>

struct seep_real_call seep_real_call;

#define LOOK_UP(name) *(void **)(void *)&seep_real_call.name = dlsym(RTLD_NEXT, #name);

/* dlsym takes the current version of what has several, such as pthread_cond_wait. */
void seep_real_call_look_up(void)
{
	SEEP_REAL_CALLS(LOOK_UP)
}
