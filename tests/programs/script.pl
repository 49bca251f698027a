# Strings, hashes, sorting, regular expressions, closures, objects, exceptions.
use strict;
package Counter;
sub new { my ($class, $n) = @_; return bless { n => $n }, $class }
sub add { my ($self, $n) = @_; $self->{n} += $n; return $self }
package main;
my $text = "the quick brown fox jumps over the lazy dog and the fox is quick";
my %seen;
$seen{$_}++ for split / /, $text;
print join(",", map { "$_=$seen{$_}" } sort { $seen{$b} <=> $seen{$a} || $a cmp $b } keys %seen), "\n";
sub fibonacci { my $n = shift; return $n < 2 ? $n : fibonacci($n - 1) + fibonacci($n - 2) }
print fibonacci(8), "\n";
my $counter = Counter->new(3);
$counter->add($_) for 1 .. 20;
print $counter->{n}, "\n";
(my $copy = $text) =~ s/(\w+) (\w+)/$2-\u$1/g;
print "$copy\n";
eval { die { code => 42 } };
print "died of $@->{code}\n";
my @closures = map { my $n = $_; sub { $n * shift } } 1 .. 5;
print join(" ", map { $_->(7) } @closures), "\n";
printf "%s %05.2f %x\n", scalar reverse("abc"), 3.14159, 48879;
print length(pack("NnC*", 1, 2, 3 .. 9)), " ", unpack("%32C*", $text), "\n";
