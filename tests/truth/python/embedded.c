/* SPDX-License-Identifier: MIT */
/*
 * embedded LIBRARY SCRIPT: loads an interpreter after the program has started, and runs a script
 * in it.  lib_python_*.c play interpreters that are not known.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *kept[16];

static void *look_up(void *library, const char *name)
{
	void *found = dlsym(library, name);

	if (!found) {
		fprintf(stderr, "embedded: no %s\n", name);
		exit(2);
	}
	return found;
}

int main(int argc, char **argv)
{
	void (*begin)(void), (*finish)(void);
	int (*run)(const char *), status;
	void *library, *found;

	if (argc != 3)
		return 2;
	kept[0] = malloc(100);
	library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
	if (!library) {
		fprintf(stderr, "embedded: %s\n", dlerror());
		return 77;
	}
	found = look_up(library, "Py_Initialize");
	memcpy(&begin, &found, sizeof(begin));
	found = look_up(library, "PyRun_SimpleString");
	memcpy(&run, &found, sizeof(run));
	found = look_up(library, "Py_Finalize");
	memcpy(&finish, &found, sizeof(finish));
	begin();
	status = run(argv[2]);
	finish();
	return status != 0;
}
