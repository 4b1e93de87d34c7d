/* SPDX-License-Identifier: MIT */
#include "os/tool/descendants.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t read_children(const char *path, pid_t *pids, size_t room)
{
	FILE *file = fopen(path, "re");
	size_t n = 0;
	long pid;

	while (file && n < room && fscanf(file, "%ld", &pid) == 1)
		pids[n++] = (pid_t)pid;
	if (file)
		fclose(file);
	return n;
}

/* Children belong to the thread that made them. */
size_t seep_descendants_children(pid_t parent, pid_t *pids, size_t room)
{
	char path[64 + NAME_MAX];
	struct dirent *entry;
	size_t n = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%ld/task", (long)parent);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%ld/task/%s/children", (long)parent,
			 entry->d_name);
		n += read_children(path, pids + n, room - n);
	}
	if (tasks)
		closedir(tasks);
	return n;
}

size_t seep_descendants_find(pid_t ancestor, pid_t *pids, size_t room)
{
	size_t n = seep_descendants_children(ancestor, pids, room);

	for (size_t i = 0; i < n; i++)
		n += seep_descendants_children(pids[i], pids + n, room - n);
	return n;
}

static bool read_link(pid_t pid, const char *what, char *text, size_t room)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, what);
	n = readlink(path, text, room - 1);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

static bool has_mapped(pid_t pid, const char *library)
{
	char path[64], *line = NULL;
	size_t room = 0;
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%ld/maps", (long)pid);
	maps = fopen(path, "re");
	while (maps && !found && getline(&line, &room, maps) > 0)
		found = strstr(line, library);
	free(line);
	if (maps)
		fclose(maps);
	return found;
}

bool seep_descendants_look(struct seep_descendants *kin, pid_t pid, const char *library)
{
	const char *slash = strrchr(library, '/');
	char path[64], root[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%ld", (long)pid);
	if (stat(path, &st) || !read_link(pid, "exe", kin->exe, sizeof(kin->exe)))
		return false;
	snprintf(kin->open, sizeof(kin->open), "/proc/%ld/exe", (long)pid);
	kin->other_user = st.st_uid != geteuid();
	kin->other_root = read_link(pid, "root", root, sizeof(root)) && strcmp(root, "/") != 0;
	kin->has_library = has_mapped(pid, slash ? slash : library);
	return true;
}
