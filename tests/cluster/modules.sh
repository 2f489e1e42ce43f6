#!/usr/bin/env bash
# What `module load` leaves in the environment: `opgrade doctor` names the toolkit and the compiler that it uses, how it
# found the toolkit, and each other one.
#   modules.sh BUILD SOURCE
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
toolkit() {  # toolkit FOLDER: a toolkit as far as it is looked at
  mkdir -p "$1/bin" "$1/include"
  touch "$1/include/cuda_runtime.h"
  printf '#!/bin/sh\ncase $1 in --list-gpu-code) echo sm_75 sm_90 ;; *) echo "release 12.4, V12.4.131" ;; esac\n' > "$1/bin/nvcc"
  chmod +x "$1/bin/nvcc"
}
toolkit "$work/apps/cuda/12.4"
toolkit "$work/apps/cuda/12.8"
mkdir -p "$work/apps/gcc/13/bin" "$work/wrappers"
printf '#!/bin/sh\necho "g++ (module) 13.2.0"\n' > "$work/apps/gcc/13/bin/g++"
chmod +x "$work/apps/gcc/13/bin/g++"
cp /bin/true "$work/wrappers/ccache"
for name in g++ clang++ nvcc; do ln -s ccache "$work/wrappers/$name"; done
mkdir -p "$work/wrapped/bin"
cp "$work/apps/cuda/12.4/bin/nvcc" "$work/wrapped/bin/"
# doctor VARIABLE=VALUE...: in the environment of a login without modules, and these variables.
doctor() {
  local got=0
  env -u CUDA_HOME -u CUDA_PATH "$@" "$opgrade" doctor > "$work/output" 2>&1 || got=$?
  ((got == 0 || got == 3)) || complain "doctor $*: exit code $got"
}
says() { grep -qF -- "$1" "$work/output" || complain "doctor does not say '$1'"$'\n'"$(cat "$work/output")"; }
says_not() { ! grep -qF -- "$1" "$work/output" || complain "doctor says '$1'"$'\n'"$(cat "$work/output")"; }

# module load cuda/12.4: by CUDA_HOME, by the variable of other clusters, by PATH alone.
doctor CUDA_HOME="$work/apps/cuda/12.4"
says "$work/apps/cuda/12.4, found by CUDA_HOME, builds for"
doctor CUDA_PATH="$work/apps/cuda/12.4"
says "$work/apps/cuda/12.4, found by CUDA_PATH, builds for"
doctor PATH="$work/apps/cuda/12.4/bin:$PATH"
says "$work/apps/cuda/12.4, found by PATH, builds for"
# Several: the order is documented, and each one that is not used is named once.
doctor CUDA_HOME="$work/apps/cuda/12.8" CUDA_PATH="$work/apps/cuda/12.8" PATH="$work/apps/cuda/12.4/bin:$PATH"
says "$work/apps/cuda/12.8, found by CUDA_HOME, builds for"
says "not used: $work/apps/cuda/12.4, found by PATH; CUDA_HOME chooses another toolkit"
[[ $(grep -c "$work/apps/cuda/12.8" "$work/output") == 1 ]] || complain "the toolkit in use is named twice"
# A folder without a toolkit is told, and does not hide the next one.
doctor CUDA_HOME="$work/none" PATH="$work/apps/cuda/12.4/bin:$PATH"
says "CUDA_HOME is $work/none, which has no bin/nvcc"
says "$work/apps/cuda/12.4, found by PATH"
# A compiler of a module is named, with the reason why it is not used; wrappers are no compilers.
doctor PATH="$work/apps/gcc/13/bin:$work/wrappers:$work/wrapped/bin:$PATH"
says "not used: $work/apps/gcc/13/bin/g++ of PATH, because the sandbox shows the system's compiler"
says "/usr/bin/"
says_not "$work/wrapp"
# Folders that are not the user's own choice are not searched.
mkdir -p "$work/here/bin"
toolkit "$work/here"
(cd "$work/here" && env -u CUDA_HOME -u CUDA_PATH PATH="bin:$PATH" "$opgrade" doctor > "$work/output" 2>&1 || true)
says_not "$work/here"
finish
