# SPDX-License-Identifier: GPL-3.0-or-later
# Hashes, sorting, regular expressions with code, Storable, die and eval.  usage: text.pl [N]
use strict;
use warnings;
use Storable qw(freeze thaw);

sub nest { my $n = shift; return $n ? [nest($n - 1), "a$n"] : [] }

my %by_key;
for my $i (1 .. ($ARGV[0] // 5000)) {
	my $key = join '-', map { chr(97 + ($i * $_) % 26) } 1 .. 5;
	push @{$by_key{$key}}, {n => $i, s => "x" x ($i % 50)};
}
my $copy = thaw(freeze(\%by_key));
my ($sum, $caught) = (0, 0);
for my $key (sort { @{$copy->{$b}} <=> @{$copy->{$a}} || $a cmp $b } keys %$copy) {
	(my $text = $key) =~ s/([aeiou])-/uc($1) . "="/ge;
	$sum += length($text) * @{$copy->{$key}};
	eval { die {code => $sum} if $sum % 7 == 0; 1 } or $caught += ref($@) eq 'HASH';
	print "$text $sum\n";
}
my $deep = nest(500);
my @parts = split /,/, join ',', map { sprintf '%03d', $_ % 97 } 1 .. 3000;
my %seen;
$seen{$_}++ for @parts;
print join(' ', map { "$_=$seen{$_}" } sort keys %seen), "\n$sum $caught ", scalar(@$deep), "\n";
