#!/usr/bin/env bash
# labels: unsanitized
# check_properties.sh SOURCE QUERN BUILD: properties of whole docking runs that hold for any input: moving both
# partners, the order of coefficient sets, sets together or alone, restraints, masks, several devices.
set -u
source=$1 quern=$2
receptor=$source/examples/1ppe/1PPE_r_u.pdb ligand=$source/examples/1ppe/1PPE_l_u_rnd.pdb
. "$1/tests/support/script.sh"
cd "$work" || exit 1
dock() { # dock NAME RECEPTOR LIGAND options…
  local name=$1
  shift
  "$quern" dock --spacing "${spacing:-2}" --keep 2000 --fft "${fft:-own}" --quiet -o "$name" "$@" ||
    fail "the run $name"
}
same() { # same A B FILE: equal in both folders
  cmp -s "$1/$3" "$2/$3" || fail "$3 differs between $1 and $2"
}
same_results() { # same_results A B [FILE]: all files are equal except FILE and those that contain times
  local file
  for file in "$1"/*; do
    file=$(basename "$file")
    case $file in run.json|report.html|journal.*|${3:-}) continue ;; esac
    [ -d "$1/$file" ] || same "$1" "$2" "$file"
  done
}

first='first  0.40 -0.40 250 1.00 4.8 4.0 125 none'
second='second 0.50 -0.20  50 0.50 3.6 3.0  90 9'
printf '%s\n%s\n' "$first" "$second" >forth.txt
printf '%s\n%s\n' "$second" "$first" >back.txt
printf '%s\n' "$first" >first.txt
printf '%s\n' "$second" >second.txt

# Moving both partners by G x + g and every rotation R to G R Gᵀ gives the same complex in another frame.
rotations() { # rotations COUNT "nine numbers of G": evenly spread rotation matrices R, as G R Gᵀ
  awk -v count="$1" -v motion="$2" '
    function part(x) { return x - int(x) }
    BEGIN {
      split(motion, g, " "); pi = atan2(0, -1)
      for (i = 1; i <= count; i++) {
        u = part(i * 0.8191725134); v = 2 * pi * part(i * 0.6710436067); w = 2 * pi * part(i * 0.5497004779)
        a = sqrt(1 - u) * sin(v); b = sqrt(1 - u) * cos(v); c = sqrt(u) * sin(w); d = sqrt(u) * cos(w)
        r[1] = 1 - 2 * (c * c + d * d); r[2] = 2 * (b * c - a * d); r[3] = 2 * (b * d + a * c)
        r[4] = 2 * (b * c + a * d); r[5] = 1 - 2 * (b * b + d * d); r[6] = 2 * (c * d - a * b)
        r[7] = 2 * (b * d - a * c); r[8] = 2 * (c * d + a * b); r[9] = 1 - 2 * (b * b + c * c)
        for (m = 0; m < 3; m++) for (n = 0; n < 3; n++) {
          sum = 0
          for (k = 0; k < 3; k++) for (l = 0; l < 3; l++) sum += g[3 * m + k + 1] * r[3 * k + l + 1] * g[3 * n + l + 1]
          printf "%.14f%s", sum, n == 2 && m == 2 ? "\n" : " "
        }
      }
    }'
}
move() { # move FILE "nine numbers of G" "three of g": the file moved
  awk -v motion="$2" -v shift="$3" '
    BEGIN { split(motion, g, " "); split(shift, s, " ") }
    /^(ATOM|HETATM)/ {
      x = substr($0, 31, 8); y = substr($0, 39, 8); z = substr($0, 47, 8)
      printf "%s%8.3f%8.3f%8.3f%s\n", substr($0, 1, 30), g[1] * x + g[2] * y + g[3] * z + s[1],
             g[4] * x + g[5] * y + g[6] * z + s[2], g[7] * x + g[8] * y + g[9] * z + s[3], substr($0, 55)
      next
    }
    { print }' "$1"
}
moved_run() { # moved_run NAME G g
  rotations 150 "$2" >"$1.rotations"
  move "$receptor" "$2" "$3" >"$1.receptor.pdb"
  move "$ligand" "$2" "$3" >"$1.ligand.pdb"
  spacing=1.5 dock "$1" "$1.receptor.pdb" "$1.ligand.pdb" --rotations-file "$1.rotations" -w first.txt \
    --no-refinement --device host
}
compare() { # compare NAME WITHIN LEAST CORRELATION: best energy of every rotation against the run "still"
  awk -F, -v name="$1" -v within="$2" -v least="$3" -v correlated="$4" '
    NR == FNR { if (FNR > 1) still[$3] = $17; next }
    FNR > 1 {
      n++; x = still[$3]; y = $17; sx += x; sy += y; xx += x * x; yy += y * y; xy += x * y
      close_ones += (x - y) ^ 2 <= (within * x) ^ 2
    }
    END {
      correlation = (xy - sx * sy / n) / sqrt((xx - sx * sx / n) * (yy - sy * sy / n))
      printf "%s: %d rotations, %d energies within %g, mean %.2f against %.2f, correlation %.4f\n", name, n, close_ones,
             within, sy / n, sx / n, correlation
      exit !(n == 150 && close_ones >= least * n && (sy / sx - 1) ^ 2 < 0.04 ^ 2 && correlation > correlated)
    }' still/poses.csv "$1/poses.csv" || fail "$1 has other energies than the run that was not moved"
}
moved_run still "1 0 0 0 1 0 0 0 1" "0 0 0"
# The axes are permuted (120° about the diagonal) and shifted by whole Å. The coordinates in the file stay exact, and
# the grid moves with them because it starts at the receptor's lowest coordinates. Only rounding in single precision may
# change, and with it the few counts of atoms whose distance equals the limit to the last bit.
moved_run turned "0 0 1 1 0 0 0 1 0" "7 -11 3"
compare turned 1e-5 0.98 0.999
# Other movements round atoms to other voxels: an atom moves by up to 0.87 · 1.5 Å, and the best energy of a rotation
# changes by some percent of the mean, about as much as best energies differ between rotations. So the checks are
# statistical: the mean changes by at most 4 % (a standard deviation of 10 % over 150 rotations gives 1 %), most
# energies stay within 15 %, and energies correlate with those of the unmoved run (rotations that do not move with the
# partners would give 0 ± 0.08). A quarter turn keeps the ligand on its voxels, so its limits are tighter. The
# correlation for the general rotation rises to 0.8 at a spacing of 0.6 Å.
moved_run quarter "0 -1 0 1 0 0 0 0 1" "-5 20 0"
compare quarter 0.15 0.85 0.75
moved_run general "0.813018687901 -0.453759135760 0.364833194540 0.511291847175 0.856168221462 -0.074542763367 \
-0.278534127417 0.247140897612 0.928084110731" "1.234 0.5 -3" # 37° about (1, 2, 3)
compare general 0.15 0.7 0.5

# --- Coefficient sets -------------------------------------------------------------------------------------------------
for order in forth back; do dock $order "$receptor" "$ligand" --rotations 150 -w $order.txt --zdock --device host; done
[ "$(ls forth)" = "$(ls back)" ] || fail "another order of the sets gives other files"
same_results forth back
for set in first second; do
  # Together or alone, in this order or another, the sets give the same poses, clusters and models.
  same_results forth/$set back/$set
  # The folder of a set is ordered by size, a single set by the model unless size is asked for.
  dock alone-$set "$receptor" "$ligand" --rotations 150 -w $set.txt --zdock --device host --ranking size
  # zdock.out counts from the grid's middle, and the grid depends on the longest reach of all sets
  same_results forth/$set alone-$set zdock.out
done
cmp -s forth/first/poses.csv forth/second/poses.csv && fail "two sets that differ give the same poses"
# A set and a copy of it with eight times the weights give the same poses at the same places of the report, although
# their energies have no common scale.
printf '%s\n%s\n' "$first" 'eightfold 3.20 -3.20 2000 8.00 4.8 4.0 125 none' >scaled.txt
dock scaled "$receptor" "$ligand" --rotations 150 -w scaled.txt --device host --no-refinement
sed -n '/Score funnel/,/<\/figure>/p' scaled/report.html | grep -o '<title>[^<]*, [^<]*</title>' | sort | uniq -c >scaled.points
awk '{ points += $1; odd += $1 % 2 } END { printf "scaled sets: %d points, %d places\n", points, NR
  exit !(points == 300 && odd == 0) }' scaled.points || fail "the report shows scaled energies in other places"

# The poses are those of the unrestrained run that satisfy the restraints, by distances computed here.
alpha() { awk -v residue="$2" '/^ATOM/ && substr($0, 13, 4) == " CA " && substr($0, 23, 4) + 0 == residue {
    print substr($0, 31, 8) + 0, substr($0, 39, 8) + 0, substr($0, 47, 8) + 0; exit }' "$1"; }
satisfying() { # satisfying REQUIRED POSES: columns from `rotation` on of the poses that satisfy REQUIRED restraints
  awk -F, -v required="$1" -v r1="$(alpha "$receptor" 175)" -v l1="$(alpha "$ligand" 5)" \
    -v r2="$(alpha "$receptor" 60)" -v l2="$(alpha "$ligand" 12)" '
    function apart(p, q,  u, v, x, i, sum) {
      split(p, u, " "); split(q, v, " "); sum = 0
      for (i = 1; i <= 3; i++) {
        x = $(3 * i + 1) * v[1] + $(3 * i + 2) * v[2] + $(3 * i + 3) * v[3] + $(12 + i)
        sum += (x - u[i]) ^ 2
      }
      return sqrt(sum)
    }
    FNR > 1 && (apart(r1, l1) <= 22) + (apart(r2, l2) <= 30) >= required { sub(/^[0-9]*,[0-9]*,/, ""); print }' "$2"
}
many="--rotations 150 --per-rotation 4 -w first.txt --no-refinement"
printf 'receptor:A:175 ligand:B:5 22\nligand:B:12 receptor:A:60 30\n' >restraints.txt
dock free "$receptor" "$ligand" $many --device host
dock both "$receptor" "$ligand" $many --device host --restraints restraints.txt
dock one "$receptor" "$ligand" $many --device host --restraints restraints.txt --restraints-required 1
for run in both one; do
  required=$([ $run = both ] && echo 2 || echo 1)
  satisfying 0 $run/poses.csv >$run.poses
  satisfying $required free/poses.csv >$run.expected
  echo "restraints: $(grep -c . $run.poses) of $(satisfying 0 free/poses.csv | grep -c .) poses satisfy $required"
  cmp -s $run.poses $run.expected || fail "the poses are not those that satisfy $required of the restraints"
  [ "$(grep -c . $run.poses)" -ge 5 ] || fail "too few poses for this check"
done
[ "$(grep -c . both.poses)" -lt "$(grep -c . one.poses)" ] || fail "restraints that do not restrain"

# --- Masks ------------------------------------------------------------------------------------------------------------
ranked() { awk -F, '$1 == "receptor" { print $6, $3 }' "$1/contacts.csv" | sort -k1,1gr -k2,2g | cut -d ' ' -f 2; }
share() { # share RUN RESIDUES: share of poses that touch a residue, averaged over RESIDUES
  awk -F, -v list="$2" 'BEGIN { n = split(list, names, ","); for (i in names) wanted[names[i]] = 1 }
    $1 == "receptor" && ($3 in wanted) { sum += $6 } END { printf "%.4f", sum / n }' "$1/contacts.csv"
}
top=$(ranked free | head -n 10 | paste -sd,)
rare=$(ranked free | sed -n '91,95p' | paste -sd,) # at the surface, but not among the preferred ones
dock blocked "$receptor" "$ligand" $many --device host --block "receptor:A:$top" --block-penalty 20
dock attracted "$receptor" "$ligand" $many --device host --attract "receptor:A:$rare" --attract-bonus 5
echo "blocked $top: $(share free "$top") of the poses, then $(share blocked "$top")"
echo "attracting $rare: $(share free "$rare") of the poses, then $(share attracted "$rare")"
for residue in ${top//,/ }; do
  ranked blocked | head -n 20 | grep -qx "$residue" && fail "residue $residue is blocked and still among the top 20"
done
awk -v a="$(share free "$top")" -v b="$(share blocked "$top")" 'BEGIN { exit !(b < 0.25 * a) }' ||
  fail "blocking residues leaves them in contact"
awk -v a="$(share free "$rare")" -v b="$(share attracted "$rare")" 'BEGIN { exit !(b > 2 * a) }' ||
  fail "attraction does not bring the ligand to the residues"

# As in check_devices.sh, rounding may choose another pose of equal energy, but the rescored energies must be the same.
if "$quern" devices 2>/dev/null | grep -q '^opencl:0 '; then
  fft=auto dock shared "$receptor" "$ligand" $many --device host,opencl:0 --batch 8
  grep -q '"identifier": "opencl:0"' shared/run.json || fail "the second device had no part"
  awk -F, '
    { key = $3 "," $13 "," $14 "," $15 }
    NR == FNR { n += FNR > 1; energy[key] = $17; next }
    FNR > 1 { if (key in energy) { same++; other += energy[key] != $17 } }
    END { printf "host and opencl:0: %d of %d poses are the same, %d of them with another energy\n", same, n, other
          exit !(n >= 550 && same >= 0.98 * n && other == 0) }' free/poses.csv shared/poses.csv ||
    fail "two devices together find poses that differ from the host's"
else
  echo "no OpenCL device: several devices together are not tested"
fi

[ $failures -eq 0 ]
