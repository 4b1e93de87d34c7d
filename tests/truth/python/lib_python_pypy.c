/* SPDX-License-Identifier: MIT */
/* Exports what PyPy exports, and allocates. */
#include <stdlib.h>

static void *volatile kept;

void rpython_startup_code(void);
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

void rpython_startup_code(void)
{
}
