/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For --event fn:NAME: C++ functions of a library that is loaded later, see order_host.c. */
#include <cstdlib>

namespace order {

struct Book {
	int n;

	explicit Book(int first);
	int add(int more);
	int add(double more);
	template <class T> int count(T more);
};

__attribute__((noinline)) Book::Book(int first) : n(first)
{
	std::free(std::malloc(16));
}

__attribute__((noinline)) int Book::add(int more)
{
	char *block = static_cast<char *>(std::malloc(64));

	block[0] = static_cast<char>(more);
	n += block[0];
	std::free(block);
	return n;
}

__attribute__((noinline)) int Book::add(double more)
{
	return n + static_cast<int>(more * 2.5);
}

template <class T> __attribute__((noinline)) int Book::count(T more)
{
	return n + static_cast<int>(sizeof(more));
}

struct Note {
	int operator()(int x) const;
};

__attribute__((noinline)) int Note::operator()(int x) const
{
	std::free(std::malloc(static_cast<std::size_t>(x)));
	return x;
}

} // namespace order

/* Runs before dlopen returns. */
__attribute__((constructor)) static void begin()
{
	order::Book book(1);

	book.add(order::Note()(2));
}

extern "C" int orders_run(int i)
{
	order::Book book(i);

	return book.add(i) + book.add(0.5 * i) + book.count(i) + book.count('c');
}
