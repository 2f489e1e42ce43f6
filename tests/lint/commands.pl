# commands.pl <project root> <document>...
# Holds the commands that documents name to what runs them: CI (.ci/run, .github/workflows), or a test. Commands are
# targets of make, scripts of the repository, programs of the build and verbs of opgrade. What CI cannot run stands
# below with the reason. Every complaint is one line; exit code 1 when there is any.
use strict;
use warnings;
use File::Find;

my $root = shift;
chdir $root or die "$root: $!\n";

# Commands that nothing runs on each change, and why.
my %excused = (
  'make test-fast' => 'a part of make test, which CI runs',
  'make test-asan' => 'CI builds and runs the same programs in its own tree',
  'make test-gpu' => 'needs a GPU',
  'make test-load' => 'keeps a machine busy for an hour',
  'tools/busy.sh' => 'keeps a machine busy',
  'make bench' => 'shows times, which no test asserts',
  'make pictures' => 'changes docs/service; integration.service_pages takes the same pictures and keeps none',
  'tests/gpu/run.sh' => 'needs a GPU',
  'tests/gpu/counts.sh' => 'needs a GPU',
  'tests/gpu/mistakes.sh' => 'needs a GPU',
  'tests/gpu/table.sh' => 'needs a GPU',
  'tests/bench/wall_times.sh' => 'shows times',
  'tests/bench/class_speed.sh' => 'shows times',
  'tests/bench/course_speed.sh' => 'shows times',
  'tests/bench/class_pages.sh' => 'shows times',
  'tests/bench/hand_ins.sh' => 'shows times',
  'tests/bench/mixed_classes.sh' => 'shows times',
  'tests/bench/emulation/run.sh' => 'shows times',
  'tests/bench/emulation/check_counts.sh' => 'needs a GPU',
  'tests/service/load.sh' => 'shows times',
  'opgrade-bench-cpu' => 'shows times',
  'make fuzz' => 'searches for long; the tests of tests/fuzz run each target for seconds',
);

sub text_of {
  open my $in, '<', $_[0] or die "$_[0]: $!\n";
  local $/;
  return <$in>;
}

# What CI starts, and what the tests are.
my $ci = join "\n", map { text_of($_) } grep { -f } '.ci/run', glob('.github/workflows/*');
my $tests = '';
find({no_chdir => 1, wanted => sub {
  return unless -f && /\.(?:sh|cpp|py)$|CMakeLists\.txt$/ && !m{^tests/(?:bench|lint/commands)};
  $tests .= text_of($_);
}}, 'tests');

# These tests run every command of the pages that they name.
my $walks = join '', map { text_of($_) } grep { -f } glob('tests/integration/*_walk.sh tests/integration/*_walk.py');

# Targets of make with what they need and do.
my (%needs, %recipe, $target);
for my $line (split /\n/, text_of('Makefile')) {
  if ($line =~ /^([a-z][\w-]*):\s*([^=]*)$/) {
    my ($name, $first) = ($1, $2);
    $target = $name;
    $needs{$name} = [$first =~ /([a-z][\w-]*)/g];
    $recipe{$name} //= '';
  }
  elsif ($line =~ /^\t/ && defined $target) { $recipe{$target} .= "$line\n"; }
  else { undef $target; }
}
# CI makes these, and so all that they need.
my (%made, @open);
@open = map { grep { exists $needs{$_} } split ' ' } $ci =~ /\bmake ([a-z][\w -]*)/g;
while (defined(my $one = shift @open)) { push @open, @{$needs{$one} // []} unless $made{$one}++; }
my $started = $ci . join '', map { $recipe{$_} // '' } keys %made;

sub is_started {
  my $name = shift;
  my $file = $name =~ s{.*/}{}r;  # tests start a script of their own folder by its name alone
  return 1 if $file ne $name && $tests =~ m{(?<![\w-])\Q$file\E};
  return $started =~ /(?<![\w-])\Q$name\E(?![\w-])/ || $tests =~ /(?<![\w-])\Q$name\E(?![\w-])/;
}

# Its script, its preset, or each of its programs is started.
sub is_made {
  my $name = shift;
  return 1 if $made{$name};
  my @parts = (($recipe{$name} // '') =~ m{((?:tools|tests)/[\w/.-]+\.sh)}g, ($recipe{$name} // '') =~ m{bin/(opgrade[\w-]*)}g,
               ($recipe{$name} // '') =~ /(--preset \w+)/g);
  return @parts > 0 && !grep { !is_started($_) } @parts;
}

# opgrade task check: as words of a shell, or as texts of a call.
sub is_verb_run {
  my ($verb, $more) = @_;
  my $words = defined $more ? qr/\Q$verb\E"?,?\s+"?\Q$more\E\b/ : qr/\Q$verb\E\b/;
  return ($tests . $started) =~ /opgrade"?\}?'?\s+$words/ || $tests =~ /"$words/ || $tests =~ /\bopgrade\S*\s+(?:\S+\s+)?$words/;
}

my ($complaints, $checked, %named) = (0, 0);
sub check {
  my ($place, $command, $runs) = @_;
  ++$checked;
  $named{$command} = 1;
  return if $runs || $excused{$command};
  print "$place: nothing runs '$command': let CI or a test do so, or say in tests/lint/commands.pl why not\n";
  ++$complaints;
}

for my $page (@ARGV) {
  my $number = 0;
  next if $walks =~ m{\Q$page\E};
  for my $line (split /\n/, text_of($page)) {
    ++$number;
    my @code = $line =~ /^    / ? ($line) : $line =~ /`([^`]+)`/g;
    for my $code (@code) {
      my $place = "$page:$number";
      if ($code =~ /(?:^|[\s;&])make ((?:[a-z][\w-]*\s*)+)/) {
        for my $one (split ' ', $1) { last unless exists $needs{$one}; check($place, "make $one", is_made($one)); }
      }
      while ($code =~ m{(?<![\w/])((?:tools|tests)/[\w/.-]+\.sh)}g) {
        my $script = $1;
        check($place, $script, is_started($script));
      }
      check($place, '.ci/run', $ci =~ m{run: \.ci/run}) if $code =~ m{(?<![\w/])\.ci/run};
      while ($code =~ m{(?:^|[\s/])(opgrade-(?:bench-cpu|ladder|soak|course|cucc|harness|bench|task-bench))(?![\w-])}g) {
        my $program = $1;
        check($place, $program, is_started($program));
      }
      while ($code =~ /(?:^|\s)opgrade ([a-z][a-z-]+)(?: ([a-z][a-z-]+))?(?=\s|$)/g) {
        my ($verb, $more) = ($1, $2);
        undef $more unless $verb =~ /^(?:course|task)$/;
        check($place, join(' ', 'opgrade', grep { defined } $verb, $more), is_verb_run($verb, $more));
      }
    }
  }
}
if (!$ENV{OPGRADE_PLANTED}) {
  for my $one (sort grep { !$named{$_} } keys %excused) {
    print "tests/lint/commands.pl: no document names '$one' any more\n";
    ++$complaints;
  }
}
print "$checked commands in ", scalar @ARGV, " documents\n" unless $complaints;
exit($complaints > 0);
