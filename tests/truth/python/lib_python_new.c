/* SPDX-License-Identifier: MIT */
/* Exports what a CPython of a later version exports, and allocates. */
#include <stdlib.h>

char _PyRuntime[4096];
const unsigned long Py_Version = 0x030f00f0;
static void *volatile kept;

void Py_Initialize(void);
int PyRun_SimpleString(const char *script);
void Py_Finalize(void);

void Py_Initialize(void)
{
}

int PyRun_SimpleString(const char *script)
{
	kept = malloc(1000);
	return !script || !kept;
}

void Py_Finalize(void)
{
}
