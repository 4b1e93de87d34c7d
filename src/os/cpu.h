/* SPDX-License-Identifier: MIT */
/*
 * What the stack walk must know about the processor: one header per architecture,
 * all with the same names.
 */
#ifndef SEEP_OS_CPU_H
#define SEEP_OS_CPU_H

#include <stdint.h>

/* The registers that a walk carries from frame to frame. */
struct seep_cpu_frame {
	uintptr_t pc;            /* return address into this frame */
	uintptr_t sp;            /* stack pointer there, after the return */
	uintptr_t bp;            /* frame pointer register there */
};

#if defined(__x86_64__)
#include "os/cpu_x86_64.h"
#else
#error "seep tracks heaps on x86-64 only so far"
#endif

#endif
