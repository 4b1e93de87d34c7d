/* SPDX-License-Identifier: MIT */
/* The environment, asked at the start and never on a hook's path. */
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

/* 0 where there is none. */
static inline uint64_t seep_env_number(const char *variable)
{
	const char *value = getenv(variable);

	return value ? strtoull(value, NULL, 10) : 0;
}

#endif
