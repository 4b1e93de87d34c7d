/* SPDX-License-Identifier: MIT */
/* Environment variables.  They are read at the start, never on a hook's path. */
#ifndef SEEP_RECORD_ENV_INIT_H
#define SEEP_RECORD_ENV_INIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A switch such as SEEP_DISABLE: set, and neither empty nor 0. */
static inline bool seep_env_is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value && strcmp(value, "0") != 0;
}

/* 0 if the variable is not set. */
static inline uint64_t seep_env_number(const char *variable)
{
	const char *value = getenv(variable);

	return value ? strtoull(value, NULL, 10) : 0;
}

#endif
