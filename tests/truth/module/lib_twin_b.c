/* SPDX-License-Identifier: MIT */
#define TWIN_INNER twin_b_inner
#define TWIN_PAD 4000
#include "twin.h"
