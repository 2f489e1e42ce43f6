# names.pl <project root> <document>...
# Holds the names in documents to the tree: tests (Suite.Name, a shortened one ends in "..." or *), tests of ctest
# (integration.x), submissions (*h24*), files, links, targets of make, options of a program. Every complaint is one
# line; exit code 1 when there is any. Names that a user chooses are not checked: only paths below a folder of
# this repository are.
use strict;
use warnings;
use File::Find;

my $root = shift;
chdir $root or die "$root: $!\n";
my ($complaints, $checked) = (0, 0);
my (%file, %test, $cmake, $sources, %target);

sub text_of {
  open my $in, '<', $_[0] or die "$_[0]: $!\n";
  local $/;
  return <$in>;
}

my $top = join '|', map { quotemeta } grep { !/^\.|^build/ } map { s{/$}{}r } glob('*/');
find({no_chdir => 1, wanted => sub {
  my $path = $File::Find::name =~ s{^\./}{}r;
  if (-d && $path =~ m{^(?:build[^/]*|\.git|shared)$}) { $File::Find::prune = 1; return; }
  $file{$path} = 1;
  return unless -f;
  if ($path =~ /\.(?:cpp|hpp|cu|cuh|cc|py|sh|pl|in)$|(?:^|\/)Makefile$|CMakeLists\.txt$/ && $path !~ m{^tests/(?:corpus/|lint/names)}) {
    my $text = text_of($path);
    $sources .= $text;
    $cmake .= $text if $path =~ /CMakeLists\.txt$/;
    $test{$1}{$2} = 1 while $text =~ /\b(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*(\w+),\s*(\w+)\)/g;
  }
}}, '.');
my $makefile = text_of("Makefile");
$target{$1} = 1 while $makefile =~ /^([a-z][\w-]*):/mg;

# Options of other programs in commands of documents.
my %foreign = map { $_ => 1 } qw(
  --build --build-arg --clock-control --config --force --gpus-per-node --gtest_filter --handin --kernel --output-on-failure
  --nv --param --platform --prefix --runtime --set --short --submit --target --tool --ulimit --variant);
# Files that the reader writes, beside those of the exercise saxpy.
my %example = map { $_ => 1 } qw(NN_name.cu generate.cpp validate.cpp);

sub there {
  my ($page, $path) = @_;
  my $folder = $page =~ m{^(.*)/} ? "$1/" : '';
  $path =~ s{/$}{};
  $path =~ s/<[^>]*>|\.\.\.|…/*/g;
  $path =~ s{^\./}{};
  my $wanted = join '.*', map { quotemeta } split /\*/, $path, -1;
  return 1 if $example{$path} || $path =~ /saxpy/ || $path =~ /^\s*$/ || -e $path || -e "$folder$path";
  return grep { m{(?:^|/)$wanted$} } keys %file;
}

sub check {
  my ($file, $line, $kind, $name, $right) = @_;
  ++$checked;
  return if $right;
  print "$file:$line: there is no $kind '$name'\n";
  ++$complaints;
}

for my $page (@ARGV) {
  my ($number, $generated, $fenced) = (0, '', 0);
  for my $line (split /\n/, text_of($page)) {
    ++$number;
    if ($generated ne '') { $generated = '' if $line =~ m{<!-- /\Q$generated\E -->}; next; }
    if ($line =~ /^<!-- (\w+) -->$/) { $generated = $1; next; }
    $fenced = !$fenced if $line =~ /^\s*```/;
    $line =~ s/\bBoost\.\w+//g;
    while ($line =~ /(?<![\w.\/])([A-Z]\w*)\.([A-Z]\w*|\*)(\.\.\.|…|\*)?/g) {
      my ($suite, $name, $short) = ($1, $2, $3);
      my @names = keys %{$test{$suite} // {}};
      check($page, $number, 'test', "$suite.$name", scalar grep { $name eq '*' || $_ eq $name || $short && /^\Q$name\E/ } @names);
    }
    while ($line =~ /\b(?:integration|lint|slurm|package|soak)\.([a-z_]{3,})\b/g) {
      my ($name, $stem) = ($&, $1);
      next if $stem =~ /^(?:hpp|cpp|yaml|sh|md)$/;
      check($page, $number, 'test of ctest', $name, $cmake =~ /\b\Q$stem\E\b/ || ($stem =~ /_(\w+)$/ && $cmake =~ /foreach\(name[^)]*\b\Q$1\E\b/));
    }
    while ($line =~ /\*(h\d\d\w*)\*/g) {
      my $folder = $1;
      check($page, $number, 'submission', $folder, scalar grep { m{^tests/corpus/hostile(?:_gpu)?/\Q$folder\E(?:_\w+)?$} } keys %file);
    }
    while ($line =~ /\]\(([^)#:]+)(?:#[^)]*)?\)/g) { check($page, $number, 'file', $1, scalar there($page, $1)); }
    check($page, $number, 'target of make', $1, $target{$1}) while $line =~ /(?:^ {4}|`)make ([a-z][\w-]*)/g;
    my @code = $fenced || $line =~ /^ {4}\S/ ? ($line =~ s/\s#.*//r) : $line =~ /`([^`]+)`/g;
    for my $code (@code) {
      for my $word (split /[\s'"=,;()]+/, $code) {
        check($page, $number, 'file', $word, scalar there($page, $word))
          if $word =~ m{^(?:$top)/[\w.*/<>-]*$} && $word !~ m{^docs/service/} || $word =~ m{^[\w./-]+\.(?:md|hpp|cpp|cu|cuh)$};
        check($page, $number, 'option', $1, $foreign{$1} || $sources =~ /\Q$1\E(?![\w-])/) if $word =~ /^(--[a-z][\w-]*)$/;
      }
    }
  }
}
print "names: $checked names in " . @ARGV . " documents\n" if !$complaints;
exit($complaints > 0);
