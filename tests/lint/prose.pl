# prose.pl <file>...
# Of the rules for prose (CONTRIBUTING.md) those that a program can hold:
#   - words of the list below are replaced, in documents, comments and messages;
#   - a page of docs/ begins with its readers: "For staff who ...";
#   - dates stand in docs/performance*.md, or in a line that begins "Measured:"; commits stand nowhere.
# Code and generated text (between <!-- x --> and <!-- /x -->) are not read. Every complaint is one line; exit code 1
# when there is any.
use strict;
use warnings;

# Words and turns that a reader had to read twice, and the plainer ones.
my %plainer = (
  'nobody|no ?one' => 'name the subject',
  'somebody|someone' => 'name the person: a student, a staff member',
  'whoever' => 'name the subject',
  'words? decides?' => 'is (not) evidence',
  'room by room' => 'module map',
  'by halves' => 'binary search',
  'its share' => 'scaled to',
  'handed over' => 'prolog wrote output',
  'elsewhere' => 'name the place',
  'comes? to be' => 'say how it is made',
  'looked at' => 'checked',
  'looks at' => 'checks',
  'tells? apart' => 'distinguishes',
  'lies? there' => 'is stored in',
  'in a moment' => 'give the time',
  'nevertheless' => 'still',
  'no number divides' => 'prime',
  'is well again' => 'works',
  'in work at once' => 'parallel',
  'needs? more of it' => 'name the quantity',
  'memory is found' => 'pre-faulted, or allocated',
  'beside a GPU' => 'with a GPU',
  'mend it' => 'fix the mistake',
  'amounts? to' => 'is, or effective',
);
my $complaints = 0;

sub complain {
  my ($file, $line, $text) = @_;
  print "$file:$line: $text\n";
  ++$complaints;
}

sub complain_turns {
  my ($file, $line, $words) = @_;
  for my $turn (sort keys %plainer) {
    complain($file, $line, "\"$1\": $plainer{$turn}") if $words =~ /\b($turn)\b/i;
  }
}

sub read_document {
  my ($file) = @_;
  open my $in, '<', $file or die "$file: $!\n";
  my $dates_allowed = $file =~ m{(?:^|/)docs/performance[^/]*\.md$};
  my ($fenced, $comment, $blank_before, $in_item) = (0, 0, 1, 0);
  my $generated = '';
  my $readers_named = $file !~ m{(?:^|/)docs/[^/]+\.md$};
  while (my $line = <$in>) {
    chomp $line;
    if (!$readers_named && $line =~ /\S/ && $line !~ /^#/) {
      complain($file, $., 'the page does not begin with its readers: "For staff who ..."') if $line !~ /^For /;
      $readers_named = 1;
    }
    if ($line =~ /^\s*```/) { $fenced = !$fenced; $blank_before = 0; next; }
    next if $fenced;
    if ($generated ne '') { $generated = '' if $line =~ m{<!-- /\Q$generated\E -->}; next; }
    if ($line =~ /^<!-- (\w+) -->$/) { $generated = $1; next; }
    complain($file, $., "date $&: outside docs/performance*.md a date stands in a line that begins \"Measured:\"")
      if !$dates_allowed && $line =~ /\b20\d\d-[01]\d-[0-3]\d\b/ && $line !~ /^Measured: /;
    complain($file, $., "$&: a commit's name belongs in a commit message")
      if $line =~ /\bcommits? [0-9a-f]{7,40}\b/;
    $comment = 1 if $line =~ /<!--/;
    if ($comment) { $comment = 0 if $line =~ /-->/; next; }
    if ($line =~ /^\s*$/) { $blank_before = 1; next; }
    next if $line =~ /^ {4}/ && ($blank_before && !$in_item || $in_item && $line =~ /^ {6}/ && $blank_before);
    (my $words = $line) =~ s/`[^`]*`//g;
    complain_turns($file, $., $words);
    $blank_before = 0;
    if ($line =~ /^\s*\||^#|^---/) { $in_item = 0; }
    elsif ($line =~ /^\s*(?:[-*]|\d+\.)\s+/) { $in_item = 1; }
    elsif ($line =~ /^\S/) { $in_item = 0; }
  }
  close $in;
}

# Texts of messages and helps: literals of at least four words.
sub check_messages {
  my ($file, $line, $code) = @_;
  return if $code =~ /^\s*#/;
  while ($code =~ /"((?:[^"\\]|\\.)*)"/g) {
    my $text = $1;
    complain_turns($file, $line, $text)
      if $text =~ /\w+ \w+ \w+ \w+/ && $text !~ /\b(?:SELECT|INSERT)\b/;
  }
}

sub read_source {
  my ($file) = @_;
  open my $in, '<', $file or die "$file: $!\n";
  while (my $line = <$in>) {
    chomp $line;
    my $comment;
    if ($line =~ m~^\s*//[/!]?(.*)$~) { $comment = $1; }
    else {
      check_messages($file, $., $line);
      $comment = $1 if $line =~ m~[;,{)]\s+///?<?\s(.*)$~;
    }
    next if !defined $comment;
    $comment =~ s/`[^`]*`//g;
    complain_turns($file, $., $comment);
  }
  close $in;
}

$_ =~ /\.md$/ ? read_document($_) : read_source($_) for @ARGV;
exit($complaints > 0);
