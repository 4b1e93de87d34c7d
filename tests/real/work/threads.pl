# SPDX-License-Identifier: GPL-3.0-or-later
# Threads, each of which is a copy of the interpreter, a queue between them, fork and pipes.
use strict;
use warnings;
use threads;
use Thread::Queue;

my $queue = Thread::Queue->new(map { {n => $_, text => "x" x $_} } 1 .. 300);
$queue->end;
my @workers = map {
	threads->create(sub {
		my $sum = 0;
		while (defined(my $item = $queue->dequeue)) {
			$sum += $item->{n} * length $item->{text};
		}
		return $sum;
	})
} 1 .. 3;
my $total = 0;
$total += $_->join for @workers;
print "$total\n";

for my $i (1 .. 5) {
	my $pid = open(my $child, '-|') // die "fork: $!";
	if (!$pid) {
		print join(',', sort map { $_ * $i } 1 .. 20), "\n";
		exit $i;
	}
	print <$child>;
	close $child;
	print 'status ', $? >> 8, "\n";
}
