#!/usr/bin/env bash
# labels: unsanitized
# check_kills.sh SOURCE QUERN BUILD: quern movie is killed six times at different moments and resumed. No file has its
# final name before it is whole, and in the end the bytes are those of a run without a kill.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
. "$source/tests/support/script.sh"
export LC_ALL=C QUERN_TUNE=off XDG_CACHE_HOME=${XDG_CACHE_HOME:-$work/cache}

mkdir "$work/whole" "$work/killed" && cd "$work/killed" || exit 1
movies=()
for name in a b c d e f g h i j; do
  cp "$source/examples/movie/movie.tif" ../$name.tif || exit 1
  movies+=(../$name.tif)
done
command=("$quern" movie "${movies[@]}" --pixel 1.5 --dose 1.5 --gain "$source/examples/movie/gain.mrc" --even-odd)
command+=(--device host --threads 2 --quiet -o out)
(cd ../whole && "${command[@]}") || fail "a run without a kill"

# Files that do not depend on times.
results() { find out -type f ! -name 'journal.*' ! -name '*.partial*' ! -name run.json ! -name report.html | sort; }
# No file has a final name but those of movies that are whole; a movie's STAR file comes after its images.
check_killed() { # check_killed KILL
  local file
  for file in $(results); do
    cmp -s "$file" "../whole/$file" || fail "kill $1: $file is not that of a run without a kill"
  done
  for file in out/?.star; do
    [ ! -e "$file" ] || [ "$(ls "${file%.star}"{,_noDW,_EVN,_ODD,_PS}.mrc | wc -l)" -eq 5 ] || fail "kill $1: $file is early"
  done
  for file in run.json report.html movies.csv corrected_micrographs.star; do
    [ ! -e out/$file ] || [ "$(ls out/?.star | wc -l)" -eq 10 ] || fail "kill $1: $file is early"
  done
}

kills=0
for attempt in $(seq 40); do
  [ $kills -lt 6 ] || break
  recorded=$(stat -c %s out/journal.0 2>/dev/null || echo 0)
  "${command[@]}" --resume 2>message &
  running=$!
  # until the first record, and some files more
  while kill -0 $running 2>/dev/null && [ "$(stat -c %s out/journal.0 2>/dev/null || echo 0)" -le "$recorded" ]; do sleep 0.001; done
  sleep 0.0$((attempt * 7 % 10))
  kill -KILL $running 2>/dev/null
  wait $running 2>/dev/null
  [ $? -eq 137 ] || { rm -rf out; continue; } # it was over before
  kills=$((kills + 1))
  check_killed $kills
done
[ $kills -eq 6 ] || fail "the run was killed $kills times only"
"${command[@]}" --resume 2>message || fail "--resume after six kills: $(cat message)"
[ "$(results)" = "$(cd ../whole && results)" ] || fail "other files: $(results)"
for file in $(results); do cmp -s "$file" "../whole/$file" || fail "after six kills $file differs"; done
[ -z "$(find out -name '*.partial*')" ] || fail "left $(find out -name '*.partial*')"
[ $failures -eq 0 ]
