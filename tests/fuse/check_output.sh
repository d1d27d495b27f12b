#!/usr/bin/env bash
# labels: unsanitized
# parts: c opencl cuda quern
# The files that quern fuse writes: six sequences build without a warning, those of c, opencl and cuda in a folder
# without Quern, and a program in plain C gets the right results of them. Those of cuda are not run.
# Arguments: source folder, quern binary, build folder, language.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2") build=$(cd "$3" && pwd) language=$4
. "$source/tests/support/script.sh"
cd "$work" || exit 1
export QUERN_TUNING_STORE=off XDG_CACHE_HOME=$work/cache POCL_CACHE_DIR=$work/pocl
cc=${CC:-cc} strict="-std=c17 -Wall -Wextra -Werror"
with=() link=(-lm) levels=(-O1) devices=(any) own_headers=
case $language in
c) levels=(-O0 "-O3 -fopenmp") ;;
opencl)
  # a machine without OpenCL's headers gets a copy of the part that is needed
  echo '#include <CL/cl.h>' | $cc -E - >/dev/null 2>&1 || with=(-I "$source/tests/fuse/stub")
  library=$(PATH=$PATH:/sbin ldconfig -p | sed -n 's/.*libOpenCL\.so\.1 (libc6,x86-64) => //p' | head -n 1)
  [ -n "$library" ] || { echo "not run: there is no libOpenCL.so.1"; devices=(); }
  link+=("$library")
  ;;
cuda)
  # with the copy, and with the headers of this machine if it has them
  with=(-I "$source/tests/fuse/stub") devices=()
  printf '#include <cuda.h>\n#include <nvrtc.h>\n' | $cc -E - >/dev/null 2>&1 && own_headers=yes
  ;;
quern)
  for candidate in "$build" "$build/shared"; do [ -f "$candidate/libquern.so" ] && library=$candidate; done
  [ -n "${library:-}" ] || { echo "no libquern.so in $build"; exit 1; }
  with=(-I "$source/include") link+=("-L$library" -lquern) devices=(host checking:host opencl:0)
  export LD_LIBRARY_PATH="$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  ;;
esac

# build_one NAME: compile and link the files of the present folder.
build_one() {
  local file objects=()
  for file in ./*.c; do
    # shellcheck disable=SC2086
    $cc $strict $flags "${with[@]}" -c "$file" -o "${file%.c}.o" || { fail "$1: $file with $flags"; return 1; }
    # shellcheck disable=SC2086
    [ -z "$own_headers" ] || $cc $strict $flags -c "$file" -o own.o || fail "$1: $file with this machine's cuda.h"
    objects+=("${file%.c}.o")
  done
  [ ${#devices[@]} -gt 0 ] || return 0
  # shellcheck disable=SC2086
  $cc $flags "${objects[@]}" "${link[@]}" -o main || { fail "$1: does not link"; return 1; }
}

for name in bicgk axpydot gemver atax cg steps; do
  mkdir "$name"
  script=$source/examples/fuse/$name.qf
  [ -f "$script" ] || script=$source/tests/fuse/output/$name.qf
  "$quern" fuse "$script" -o "$name" --language "$language" --quiet || fail "$name: quern fuse"
  cp "$source/tests/fuse/output/${name}_main.c" "$source/tests/fuse/output/common.h" "$name"
  cp "$source/tests/fuse/output/bridge_$language.h" "$name/bridge.h"
  cd "$name" || exit 1
  for flags in "${levels[@]}"; do
    build_one "$name" || continue
    for device in "${devices[@]}"; do
      QUERN_TEST_DEVICE=$device ./main >output
      code=$?
      [ $code -ne 77 ] || { echo "$name: not run: there is no device $device"; continue; }
      [ $code -eq 0 ] || { fail "$name with $flags on $device gives wrong results"; cat output; }
    done
  done
  cd ..
done

# All other sequences compile, too.
flags=-O0 devices_kept=("${devices[@]}") devices=()
for file in "$source"/examples/fuse/*.qf; do
  name=$(basename "$file" .qf)
  [ ! -d "$name" ] || continue
  "$quern" fuse "$file" -o "$name" --language "$language" --quiet || fail "$name: quern fuse"
  cd "$name" || exit 1
  build_one "$name"
  cd ..
done
devices=("${devices_kept[@]}")
for sentence in "a size is below 1" "the step of a matrix is shorter than its lines" \
  "memory that is written overlaps that of another argument"; do
  [ ${#devices[@]} -eq 0 ] || grep -q "bicgk: $sentence" bicgk/output || fail "a code should say: $sentence"
done

# A file that is there is kept.
cp bicgk/bicgk.h before
"$quern" fuse "$source/examples/fuse/bicgk.qf" -o bicgk --language "$language" 2>error && fail "files are replaced"
grep -q "bicgk.h exists; --overwrite replaces it" error || fail "the refusal should name the file: $(cat error)"
cmp -s before bicgk/bicgk.h || fail "bicgk.h changed"
"$quern" fuse "$source/examples/fuse/bicgk.qf" -o bicgk --language "$language" --overwrite --quiet ||
  fail "--overwrite does not replace files"
[ $failures -eq 0 ]
