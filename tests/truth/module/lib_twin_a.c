/* SPDX-License-Identifier: MIT */
#define TWIN_INNER twin_a_inner
#define TWIN_PAD 1000
#include "twin.h"
