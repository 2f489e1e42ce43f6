#!/usr/bin/perl
# counts.pl FOLDER: the table of agreement between FOLDER/NAME.counts and FOLDER/NAME.csv, see counts.sh.
# A line for each program, then the verdict: exit status 1 where one differs by more than 1 % and its SASS does not show why.
use strict;
use warnings;

my @metrics = (
  ['global load requests', 'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum'],
  ['global store requests', 'l1tex__t_requests_pipe_lsu_mem_global_op_st.sum'],
  ['global load sectors', 'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum'],
  ['global store sectors', 'l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum'],
  ['shared load requests', 'smsp__inst_executed_op_shared_ld.sum'],
  ['shared store requests', 'smsp__inst_executed_op_shared_st.sum'],
  ['fadd', 'smsp__sass_thread_inst_executed_op_fadd_pred_on.sum'],
  ['fmul', 'smsp__sass_thread_inst_executed_op_fmul_pred_on.sum'],
  ['ffma', 'smsp__sass_thread_inst_executed_op_ffma_pred_on.sum'],
);

sub lines { my ($file) = @_; open my $in, '<', $file or return; my @all = <$in>; s{[\r\n]+$}{} for @all; return @all }

# By "kernel GXxGYxGZ BXxBYxBZ": launches and a number for each metric.
sub emulated {
  my (%all, $now);
  for (lines($_[0])) {
    my @f = split;
    if ($f[0] eq 'count') {
      $now = "$f[12] $f[4]x$f[5]x$f[6] $f[7]x$f[8]x$f[9]";
      $all{$now}{launches} += $f[1];
      $all{$now}{$_->[0]} += 0 for @metrics;
    } elsif ($f[0] eq 'did') {
      @{$all{$now}}{qw(fadd fmul ffma)} =
        map { $all{$now}{$_->[0]} + $_->[1] } (['fadd', $f[1]], ['fmul', $f[2]], ['ffma', $f[3]]);
    } elsif ($f[0] eq 'access') {
      $all{$now}{"$f[1] $f[2] requests"} += $f[5];
      $all{$now}{"$f[1] $f[2] sectors"} += $f[8];
    }
  }
  return %all;
}

sub fields { my ($line) = @_; my @f; push @f, defined $1 ? $1 : $2 while $line =~ /\G(?:"([^"]*)"|([^,]*))(?:,|$)/g; return @f }

sub measured {
  my (%all, %at);
  for (lines($_[0])) {
    my @f = fields($_);
    if (!%at) { @at{@f} = 0 .. $#f if grep { $_ eq 'Kernel Name' } @f; next }
    my $name = $f[$at{'Kernel Name'}];
    next if !defined $name || $name eq '';    # the line of units
    $name =~ s/[<(].*//;
    $name =~ s/.*(?:::|\s)//;
    my ($grid, $block) = map { my $s = $f[$at{$_}]; $s =~ s/[() ]//g; $s =~ s/,/x/g; $s } 'Grid Size', 'Block Size';
    my $now = "$name $grid $block";
    ++$all{$now}{launches};
    for my $metric (@metrics) {
      my $value = defined $at{$metric->[1]} ? $f[$at{$metric->[1]}] : 'nan';
      $value =~ s/,//g;
      $all{$now}{$metric->[0]} += $value;
    }
  }
  return %all;
}

# The memory instructions of a kernel's SASS, which show merged and predicated loads.
sub instructions {
  my ($file, $kernel) = @_;
  my ($inside, %of) = (0);
  for (lines($file)) {
    $inside = /\d\Q$kernel\E[A-Z]/ if /Function :/;
    ++$of{($1 ? 'predicated ' : '') . $2} if $inside && /(@!?U?P\d\s+)?\b((?:LDG|STG|LDS|STS)[.\w]*)/;
  }
  return join ', ', map { "$of{$_} $_" } sort keys %of;
}

my ($folder) = @ARGV;
my (%units, @order);
for my $name ('patterns', map { "0$_" } 1 .. 9) {
  my %emulated = emulated("$folder/$name.counts");
  my %measured = measured("$folder/$name.csv");
  for my $kernel (sort keys %emulated) {
    my ($short) = split ' ', $kernel;
    my $unit = $name eq 'patterns' ? $short : "rung $name";
    push @order, $unit if !$units{$unit};
    my $of = $units{$unit} ||= {differs => [], explained => 0};
    if (!$measured{$kernel}) {
      push @{$of->{differs}}, "$kernel was not launched on the GPU";
      next;
    }
    my $sass = instructions("$folder/$name.sass", $short);
    for my $metric ('launches', map { $_->[0] } @metrics) {
      my ($e, $m) = ($emulated{$kernel}{$metric}, $measured{$kernel}{$metric});
      next if abs($e - $m) <= 0.01 * $m;
      # Fewer requests on the GPU, whose code has loads or stores of 8 or 16 bytes.
      my $merged = $metric =~ /requests/ && $m < $e && $sass =~ /(?:LDG|STG|LDS|STS)\S*\.(?:64|128)/;
      # More: a load behind a condition is an instruction also for warps without a lane that makes it,
      # and has no neighbours to merge with.
      my $predicated = $metric =~ /^shared .* requests/ && $m > $e && $sass =~ /predicated (?:LDS|STS)/;
      $of->{explained} += $merged || $predicated ? 1 : 0;
      push @{$of->{differs}}, sprintf('%s: emulated %d, GPU %d (%+.1f %%)%s', $metric, $e, $m,
        $m > 0 ? 100 * ($e - $m) / $m : 100, $merged ? ", merged: $sass" : $predicated ? ", predicated: $sass" : '');
    }
  }
}
my ($agree, $explained) = (0, 0);
for my $unit (@order) {
  my $of = $units{$unit};
  my $differs = @{$of->{differs}};
  my $state = $differs == 0 ? 'agrees' : $differs == $of->{explained} ? 'explained' : 'DIFFERS';
  ++$agree if $state eq 'agrees';
  ++$explained if $state eq 'explained';
  printf "%-16s %s\n", $unit, $state;
  print "                 $_\n" for @{$of->{differs}};
}
my $programs = @order;
my $good = $agree + $explained == $programs && $explained <= 3;
printf "%s: %d of %d agree within 1 %%, %d explained by merged or predicated accesses (at most 3)\n", $good ? 'ok' : 'FAILED', $agree,
  $programs, $explained;
exit($good ? 0 : 1);
