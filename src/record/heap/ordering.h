/* SPDX-License-Identifier: MIT */
/* Sorts numbers in place, without a call into the program's libraries. */
#ifndef SEEP_RECORD_HEAP_ORDERING_H
#define SEEP_RECORD_HEAP_ORDERING_H

#include <stdbool.h>
#include <stdint.h>

void seep_ordering_sort(uint32_t *numbers, uint32_t n, bool (*comes_before)(uint32_t, uint32_t));

#endif
