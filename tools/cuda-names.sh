#!/usr/bin/env bash
# Writes the names that a CUDA toolkit's headers declare: one X(NAME, SIDES) a line. SIDES is what may
# call a function, "d" device code, "h" host code, "hd" both, or "" for types, constants and macros.
#   tools/cuda-names.sh [TOOLKIT] > grader/emulation/names/cuda_names.inc     default: /usr/local/cuda
set -euo pipefail
toolkit=${1:-/usr/local/cuda}
nvcc=$toolkit/bin/nvcc
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
headers=(cuda_runtime.h cuda_fp16.h cuda_bf16.h cuComplex.h cuda_pipeline_primitives.h cuda_profiler_api.h mma.h)
for header in "${headers[@]}"; do
  [[ -e $toolkit/include/$header ]] && echo "#include <$header>"
done > "$folder/all.cu"
"$nvcc" -arch=sm_90 -std=c++17 -E "$folder/all.cu" > "$folder/all.ii"
"$nvcc" -arch=sm_90 -std=c++17 -E -Xcompiler -dM "$folder/all.cu" > "$folder/macros"
root=$(realpath "$toolkit")
perl -e '
  my ($root, $toolkit, $text, $macros) = @ARGV;
  my $prefix = qr{cuda[A-Z]\w*|cu[A-Z][a-z]\w*|CUDA_\w+|CUDART_\w+};
  my (%sides, $own, $body);
  open(my $in, "<", $text) or die;
  while (<$in>) {
    if (/^#(?: line)? ?\d+ "([^"]*)"/) { $own = index($1, "$root/") == 0 || index($1, "$toolkit/") == 0; $own &&= $1 !~ m{/cccl/|/nccl_device}; next; }
    $body .= $_ if $own;
  }
  $body =~ s/__attribute__\(\((?!(?:host|device)\)\))[^()]*(?:\([^()]*\))?\)\)//g;
  $body =~ s/__attribute__\(\((host|device)\)\)/\@$1/g;
  my $word = qr/[A-Za-z_]\w*/;
  while ($body =~ /\b($prefix)\b/g) { $sides{$1} //= ""; }
  while ($body =~ /\btypedef\b[^;{}()]*?\b($word)\s*;/g) { $sides{$1} //= ""; }
  while ($body =~ /\}\s*($word)\s*;/g) { $sides{$1} //= ""; }
  while ($body =~ /\b(?:struct|class|enum)\s+(?:\@\w+\s+)*($word)\s*[{:]/g) { $sides{$1} //= ""; }
  my %keyword = map { $_ => 1 } qw(bool long short break return uint uint3 unsigned operator sizeof decltype alignas noexcept throw if return while for switch new delete asm volatile __asm__ defined const void int float double char);
  while ($body =~ /([;{}]|^)([^;{}()]*?)\b($word)\s*\(/g) {
    my ($before, $name) = ($2, $3);
    pos($body) = $-[3] + length $name;
    next if $keyword{$name} || $before =~ /[=,?+]|\breturn\b/ || $before !~ /\S/ || $before =~ /^\s*\w+\s*::\s*$/;
    my $side = ($before =~ /\@host/ ? "h" : "") . ($before =~ /\@device/ ? "d" : "");
    $side = "h" if $side eq "" && $name =~ /^$prefix$/;
    next if $side eq "";
    my %all = map { $_ => 1 } split //, ($sides{$name} // "") . $side;
    $sides{$name} = join "", grep { $all{$_} } qw(h d);
  }
  open($in, "<", $macros) or die;
  while (<$in>) { $sides{$1} //= "" if /^#define ($prefix)\b/; }
  my $typed = qr{^(?:$prefix|[a-z]+[1-4](?:_\d+a)?|dim3|half2?|nv_\w+|__half\w*|__nv_\w+)$};
  print "X($_, \"$sides{$_}\")\n"
    for grep { ($sides{$_} ne "" || /$typed/) && !/_H_*$|^_[a-zA-Z]|^__(?:cuda|internal|nvvm|nv_(?!bfloat))|_impl$|^__attribute__$/ && !$keyword{$_} } sort keys %sides;
' "$root" "$toolkit" "$folder/all.ii" "$folder/macros"
