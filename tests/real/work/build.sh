# SPDX-License-Identifier: GPL-3.0-or-later
# Builds a program of many files, in C and C++, with $CC and $CXX; runs it.  Each command behind
# $TRACK is tracked.
# shellcheck shell=sh disable=SC2086 # TRACK may be empty
for i in 1 2 3 4 5 6; do
	cat > part$i.c <<-END
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		struct node$i { struct node$i *next; char text[$((i * 8))]; };
		static int order(const void *a, const void *b)
		{
			return *(const int *)a - *(const int *)b;
		}
		int part$i(int n)
		{
			struct node$i *list = NULL;
			int sum = 0, numbers[64];
			for (int k = 0; k < n; k++) {
				struct node$i *node = calloc(1, sizeof(*node));
				snprintf(node->text, sizeof(node->text), "%d", k * $i);
				node->next = list;
				list = node;
				numbers[k % 64] = k * 7919 % 101;
			}
			qsort(numbers, n < 64 ? n : 64, sizeof(int), order);
			while (list) {
				struct node$i *next = list->next;
				sum += (int)strlen(list->text) + numbers[0];
				free(list);
				list = next;
			}
			return sum;
		}
	END
done
cat > main.cc <<-END
	#include <iostream>
	#include <map>
	#include <string>
	#include <vector>
	extern "C" { int part1(int); int part2(int); int part3(int);
		int part4(int); int part5(int); int part6(int); }
	int main()
	{
		std::map<std::string, std::vector<int>> results;
		int (*parts[])(int) = {part1, part2, part3, part4, part5, part6};
		for (int n = 10; n < 1000; n *= 3)
			for (auto *part : parts)
				results[std::to_string(n % 7)].push_back(part(n));
		for (auto &[key, values] : results)
			for (int value : values)
				std::cout << key << ' ' << value << '\n';
	}
END
for i in 1 2 3 4 5 6; do
	$TRACK "$CC" -O$((i % 4)) -Wall -c part$i.c
done
$TRACK "$CXX" -std=c++17 -O2 -c main.cc
$TRACK ar rcD libparts.a part1.o part2.o part3.o part4.o part5.o part6.o
$TRACK "$CXX" -o program main.o libparts.a
$TRACK ./program
$TRACK objdump -d program | tail -n 100
$TRACK "$CC" -c no-such-file.c || echo "status $?"
