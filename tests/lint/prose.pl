# prose.pl <file>...
# Holds documents to plain technical English (CONTRIBUTING.md):
#   - a sentence has at most 25 words and does not open with What, Who, Whoever, Whose, Those, Of, Whether;
#   - words of the list below are replaced;
#   - a page of docs/ begins with its readers: "For staff who ...";
#   - dates stand in docs/performance*.md, or in a line that begins "Measured:"; commits stand nowhere.
# Sentences of tables, headings, code and generated text (between <!-- x --> and <!-- /x -->) are not
# counted. Of a source file, comments are read, and literals for words of the list and headless openings. Every complaint is one line; exit code 1 when there is any.
use strict;
use warnings;

my $longest_sentence = 25;  # words
my $banned_opening = qr/^(?:What|Who|Whoever|Whose|Those|Of|Whether)\b/;
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

sub check_sentence {
  my ($file, $line, $sentence) = @_;
  my @words = grep { /\w/ } split ' ', $sentence;
  my $start = join ' ', @words[0 .. ($#words < 5 ? $#words : 5)];
  complain($file, $line, sprintf('"%s ..." has %d words, allowed %d: split it', $start,
    scalar @words, $longest_sentence)) if @words > $longest_sentence;
  (my $bare = $sentence) =~ s/^[\s*_(]+//;
  complain($file, $line, "\"$start ...\" opens with a headless \"$&\": begin with the noun")
    if $bare =~ $banned_opening;
}

# A paragraph or list item, joined to one line. Code spans count as one word and hide their full stops.
sub check_paragraph {
  my ($file, $line, $text) = @_;
  return if $text !~ /\S/;
  $text =~ s/`[^`]*`/`code`/g;
  $text =~ s/\]\([^)]*\)/]/g;
  $text =~ s/\b(?:e\.g|i\.e|vs|approx|no)\.\s/$& =~ s{\.}{}r/ge;
  for my $sentence (split /(?<=[.!?])[)*_"]*\s+(?=[A-Z0-9`"*_(]|opgrade\b)/, $text) {
    check_sentence($file, $line, $sentence);
  }
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
  my ($fenced, $comment, $blank_before, $in_item, $paragraph, $start) = (0, 0, 1, 0, '', 0);
  my $generated = '';
  my $readers_named = $file !~ m{(?:^|/)docs/[^/]+\.md$};
  my $flush = sub { check_paragraph($file, $start, $paragraph); $paragraph = ''; };
  while (my $line = <$in>) {
    chomp $line;
    if (!$readers_named && $line =~ /\S/ && $line !~ /^#/) {
      complain($file, $., 'the page does not begin with its readers: "For staff who ..."') if $line !~ /^For /;
      $readers_named = 1;
    }
    if ($line =~ /^\s*```/) { $flush->(); $fenced = !$fenced; $blank_before = 0; next; }
    next if $fenced;
    if ($generated ne '') { $generated = '' if $line =~ m{<!-- /\Q$generated\E -->}; next; }
    if ($line =~ /^<!-- (\w+) -->$/) { $flush->(); $generated = $1; next; }
    complain($file, $., "date $&: outside docs/performance*.md a date stands in a line that begins \"Measured:\"")
      if !$dates_allowed && $line =~ /\b20\d\d-[01]\d-[0-3]\d\b/ && $line !~ /^Measured: /;
    complain($file, $., "$&: a commit's name belongs in a commit message")
      if $line =~ /\bcommits? [0-9a-f]{7,40}\b/;
    $comment = 1 if $line =~ /<!--/;
    if ($comment) { $flush->(); $comment = 0 if $line =~ /-->/; next; }
    if ($line =~ /^\s*$/) { $flush->(); $blank_before = 1; next; }
    my $is_code = $line =~ /^ {4}/ && ($blank_before && !$in_item || $in_item && $line =~ /^ {6}/ && $blank_before);
    if ($is_code) { $flush->(); next; }
    (my $words = $line) =~ s/`[^`]*`//g;
    complain_turns($file, $., $words);
    $blank_before = 0;
    if ($line =~ /^\s*\||^#|^---/) { $flush->(); $in_item = 0; next; }
    if ($line =~ /^\s*(?:[-*]|\d+\.)\s+/) { $flush->(); $in_item = 1; $line = $'; }
    elsif ($line =~ /^\S/ && $paragraph eq '') { $in_item = 0; }
    $start = $. if $paragraph eq '';
    $paragraph .= ($paragraph eq '' ? '' : ' ') . $line;
  }
  $flush->();
  close $in;
}

# Texts of messages and helps: literals of at least four words.
sub check_messages {
  my ($file, $line, $code) = @_;
  return if $code =~ /^\s*#/;
  while ($code =~ /"((?:[^"\\]|\\.)*)"/g) {
    my $text = $1;
    next if $text !~ /\w+ \w+ \w+ \w+/ || $text =~ /\b(?:SELECT|INSERT)\b/;
    complain_turns($file, $line, $text);
    complain($file, $line, "\"$text\" opens with a headless \"$&\": begin with the noun")
      if $text =~ $banned_opening;
  }
}

# Comments of lines by themselves, joined while they follow each other, and those behind code.
sub read_source {
  my ($file) = @_;
  open my $in, '<', $file or die "$file: $!\n";
  my ($paragraph, $start) = ('', 0);
  my $flush = sub { check_paragraph($file, $start, $paragraph); $paragraph = ''; };
  while (my $line = <$in>) {
    chomp $line;
    if ($line !~ m~^\s*//[/!]?(.*)$~) {
      $flush->();
      check_messages($file, $., $line);
      if ($line =~ m~[;,{)]\s+///?<?\s(.*)$~) {
        my $text = $+;
        check_paragraph($file, $., $text);
        (my $words = $text) =~ s{`[^`]*`}{}g;
        complain_turns($file, $., $words);
      }
      next;
    }
    my $text = $1;
    (my $words = $text) =~ s/`[^`]*`//g;
    complain_turns($file, $., $words);
    if ($text =~ /^\s*$/ || $text =~ /^ {4}/ || $text =~ /^ ?[|]/) { $flush->(); next; }
    $flush->() if $text =~ s/^\s*-\s+//;
    $start = $. if $paragraph eq '';
    $paragraph .= " $text";
  }
  $flush->();
  close $in;
}

$_ =~ /\.md$/ ? read_document($_) : read_source($_) for @ARGV;
exit($complaints > 0);
