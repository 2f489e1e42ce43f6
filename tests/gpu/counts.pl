#!/usr/bin/perl
# counts.pl FOLDER: the table of agreement between FOLDER/NAME.counts and FOLDER/NAME.csv, see counts.sh.
# Exit status 1 where a program differs by more than 1 %.
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

# The memory instructions of a kernel's SASS, which show merged loads.
sub instructions {
  my ($file, $kernel) = @_;
  my ($inside, %of) = (0);
  for (lines($file)) {
    $inside = /\d\Q$kernel\E[A-Z]/ if /Function :/;
    ++$of{$1} if $inside && /\b((?:LDG|STG|LDS|STS)[.\w]*)/;
  }
  return join ', ', map { "$of{$_} $_" } sort keys %of;
}

my ($folder) = @ARGV;
my ($agree, $programs) = (0, 0);
for my $name ('patterns', map { "0$_" } 1 .. 9) {
  my %emulated = emulated("$folder/$name.counts");
  my %measured = measured("$folder/$name.csv");
  my %wrong;
  for my $kernel (sort keys %emulated) {
    my ($short) = split ' ', $kernel;
    my $unit = $name eq 'patterns' ? $short : "rung $name";
    $wrong{$unit} += 0;
    if (!$measured{$kernel}) {
      print "$unit: $kernel was not launched on the GPU\n";
      ++$wrong{$unit};
      next;
    }
    my $of_kernel = 0;
    for my $metric ('launches', map { $_->[0] } @metrics) {
      my ($e, $m) = ($emulated{$kernel}{$metric}, $measured{$kernel}{$metric});
      next if abs($e - $m) <= 0.01 * $m;
      printf "%-16s %-36s %-22s emulated %12d  GPU %12d  %+.1f %%\n", $unit, $kernel, $metric, $e, $m,
        $m > 0 ? 100 * ($e - $m) / $m : 100;
      ++$of_kernel;
    }
    $wrong{$unit} += $of_kernel;
    print "                 SASS: ", instructions("$folder/$name.sass", $short), "\n" if $of_kernel;
  }
  $programs += keys %wrong;
  $agree += grep { $wrong{$_} == 0 } keys %wrong;
}
print "$agree of $programs agree within 1 %\n";
exit($agree == $programs ? 0 : 1);
