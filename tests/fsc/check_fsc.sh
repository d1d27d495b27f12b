#!/usr/bin/env bash
# check_fsc.sh SOURCE QUERN BUILD: quern fsc. Bad input gets one clear sentence and the right exit status. Curves agree
# with those that numpy computes from the definition, resolutions with those of an independent script, and output files
# with each other. Checks that need numpy or reference data are skipped where these are missing.
set -u
quern=$2
. "$1/tests/support/script.sh"
cd "$work" || exit 1
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }

# volume FILE SIDE VOXEL SCENE: an MRC file written by a few lines of Python.
cat >volume.py <<'END'
import math, random, struct, sys
path, side, voxel, scene = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
header = bytearray(1024)
deep = side - 2 if scene == 'flat_box' else side
struct.pack_into('<4i', header, 0, side, side, deep, 2)
struct.pack_into('<3i6f3i', header, 28, side, side, deep, side * voxel, side * voxel, deep * voxel, 90, 90, 90, 1, 2, 3)
struct.pack_into('<i', header, 88, 1)
header[208:216] = b'MAP \x44\x44\0\0'
draw = random.Random(scene)
values = []
for i in range(side * side * deep):
    x, y, z = i % side - side // 2, i // side % side - side // 2, i // side // side - side // 2
    away = math.sqrt(x * x + y * y + z * z)
    ball = min(1, max(0, 0.5 + (side * 0.2 - away) / 2))
    noise = draw.gauss(0, 1)
    values.append({'mask': min(1, max(0, 0.5 + (side * 0.35 - away) / 4)), 'zero': 0, 'noise': noise, 'other noise': noise,
                   'twos': 2 * ball}.get(scene, ball + 0.1 * noise))
if scene == 'nan':
    values[side * side * 2 + side + 4] = math.nan
with open(path, 'wb') as file:
    file.write(header + struct.pack('<%df' % len(values), *values))
END
volume() { python3 volume.py "$@" || fail "volume $*"; }
volume one.mrc 24 2 first
volume two.mrc 24 2 second
volume mask.mrc 24 2 mask
volume small.mrc 20 2 first
volume coarse.mrc 24 2.1 first
volume box.mrc 24 2 flat_box
volume nan.mrc 24 2 nan
volume zero.mrc 24 2 zero
volume twos.mrc 24 2 twos
volume noise.mrc 24 2 noise
volume more.mrc 24 2 'other noise'
head -c 2000 one.mrc >short.mrc

refuses() { # refuses STATUS "part of the sentence" arguments…
  local expected=$1 part=$2 output status
  shift 2
  output=$("$quern" fsc "$@" 2>&1 >stdout)
  status=$?
  [ $status -eq "$expected" ] || fail "quern fsc $*: exit $status, expected $expected"
  [ "$(printf '%s\n' "$output" | grep -c .)" -eq 1 ] || fail "quern fsc $*: more or less than one sentence: $output"
  [[ "$output" == *"$part"* ]] || fail "quern fsc $*: \"$output\" lacks: $part"
  [ ! -s stdout ] || fail "quern fsc $*: something on standard output"
}
refuses 2 'HALF2 is missing' one.mrc
refuses 2 'fsc: --threshold is for masks that are made: it needs --mask auto' one.mrc two.mrc --threshold 1
refuses 2 'fsc: --extend is for masks that are made' one.mrc two.mrc --mask mask.mrc --extend 0
refuses 2 '--randomise-below is "2"' one.mrc two.mrc --randomise-below 2
refuses 1 'absent.mrc' absent.mrc two.mrc
refuses 1 'absent.mrc' one.mrc absent.mrc
refuses 1 'absent.mrc' one.mrc two.mrc --mask absent.mrc
refuses 1 'short.mrc' one.mrc short.mrc
refuses 2 'one.mrc has 24 voxels along an edge and small.mrc has 20; expected two maps of one size' one.mrc small.mrc
refuses 2 'one.mrc has 24 voxels along an edge and small.mrc has 20; expected two maps' one.mrc small.mrc --mask auto
refuses 2 'one.mrc has voxels of 2 Å and coarse.mrc of 2.1 Å; expected the same within 0.1 %' one.mrc coarse.mrc
refuses 2 'box.mrc has 24 x 24 x 22 voxels; expected a cube' box.mrc two.mrc
refuses 1 'nan.mrc: voxel 5, 2, 3 (x, y, z from 1) is nan; expected finite numbers' one.mrc nan.mrc
refuses 1 'nan.mrc: voxel 5, 2, 3 (x, y, z from 1) is nan' one.mrc nan.mrc --mask auto
refuses 1 'zero.mrc: every voxel is 0, and the Fourier shell correlation with a constant is undefined' one.mrc zero.mrc
refuses 2 'small.mrc has 20 x 20 x 20 voxels and one.mrc has 24 x 24 x 24; expected a mask of the same size' \
  one.mrc two.mrc --mask small.mrc
refuses 1 'zero.mrc: every voxel is 0; expected a mask with values above 0' one.mrc two.mrc --mask zero.mrc
refuses 1 'twos.mrc: values go from 0 to 2; expected a mask of 0 to 1' one.mrc two.mrc --mask twos.mrc
refuses 1 'the mean of noise.mrc and more.mrc: nothing stands out' noise.mrc more.mrc --mask auto
refuses 1 'nothing is above the threshold of 50' one.mrc two.mrc --mask auto --threshold 50

# Voxel sizes: none is assumed without a word.
for name in one two; do
  cp $name.mrc sizeless_$name.mrc && head -c 12 /dev/zero | dd of=sizeless_$name.mrc bs=1 seek=40 conv=notrunc status=none
done
resolution() { "$quern" fsc "$@" 2>message | grep '^FSC 0.143'; }
truth=$(resolution one.mrc two.mrc)
[ ! -s message ] || fail "one.mrc two.mrc: $(cat message)"
resolution sizeless_one.mrc sizeless_two.mrc >/dev/null
grep -q '^warning: sizeless_one.mrc and sizeless_two.mrc: neither states the size of its voxels; 1 Å is assumed' message ||
  fail "no voxel sizes: $(cat message)"
[ "$(resolution sizeless_one.mrc two.mrc)" = "$truth" ] || fail "one voxel size: another resolution"
grep -q '^warning: sizeless_one.mrc: does not state the size of its voxels; 2 Å is used, as two.mrc has' message ||
  fail "one voxel size: $(cat message)"
for name in --pixel --angpix; do
  [ "$(resolution sizeless_one.mrc sizeless_two.mrc $name 2)" = "$truth" ] || fail "$name 2: another resolution"
  [ ! -s message ] || fail "$name 2: $(cat message)"
done
resolution one.mrc coarse.mrc --pixel 2 >/dev/null
grep -q '^warning: coarse.mrc: has voxels of 2.1 Å; --pixel 2 is used instead' message || fail "--pixel: $(cat message)"
touch file
refuses 1 'file' one.mrc two.mrc -o file

# Half maps by their names: the other one of a name, and both of a folder, where RELION's unfiltered maps of the last
# iteration come first. "truth" is the resolution of one.mrc and two.mrc.
mkdir ours relion emdb many none
cp one.mrc ours/half1.mrc && cp two.mrc ours/half2.mrc
cp one.mrc relion/run_half1_class001_unfil.mrc && cp two.mrc relion/run_half2_class001_unfil.mrc
cp twos.mrc relion/run_it007_half1_class001.mrc && cp small.mrc relion/run_it007_half2_class001.mrc
cp one.mrc emdb/emd_1_half_map_1.map && cp two.mrc emdb/emd_1_half_map_2.map
cp one.mrc many/a_half1.mrc && cp two.mrc many/a_half2.mrc && cp one.mrc many/b_half1.mrc && cp two.mrc many/b_half2.mrc
cp one.mrc none/a_half1.mrc
for given in ours relion emdb relion/ ours/half1.mrc ours/half2.mrc relion/run_half1_class001_unfil.mrc "--i ours/half1.mrc" \
  "--i ours/half1.mrc --i2 ours/half2.mrc"; do
  [ "$(resolution $given)" = "$truth" ] || fail "$given: $(resolution $given), expected $truth"
done
"$quern" fsc relion 2>message >/dev/null
grep -qx 'half maps: relion/run_half1_class001_unfil.mrc and relion/run_half2_class001_unfil.mrc' message || fail "relion: $(cat message)"
refuses 2 'many: has more than two half maps' many
refuses 2 'none: has no half maps' none
refuses 2 'HALF2 is missing, and the name one.mrc has none of half1' one.mrc

# Warnings about doubtful resolutions, which are not failures.
warns() { # warns "part" arguments…
  local part=$1
  shift
  "$quern" fsc "$@" >stdout 2>stderr || fail "quern fsc $*: $(cat stderr)"
  grep -qF "$part" stderr || fail "quern fsc $*: no warning that $part: $(cat stderr)"
}
warns 'warning: the maps are the same' one.mrc one.mrc
warns 'warning: the correlation is below 0.143 from the first shell on' noise.mrc more.mrc --seed 1
python3 - <<'END' && warns 'warning: voxel.mrc has voxels of 3 Å and one.mrc of 2 Å' one.mrc two.mrc --mask voxel.mrc
import struct
data = bytearray(open('mask.mrc', 'rb').read())
struct.pack_into('<3f', data, 40, 72, 72, 72)
open('voxel.mrc', 'wb').write(data)
END

# A successful run: every file exists, is named in the manual, and agrees with the others.
"$quern" fsc one.mrc two.mrc --mask auto --low-pass 12 --seed 7 -o out >table 2>err || fail "a run: $(cat err)"
[ ! -s err ] || fail "a successful run wrote to standard error: $(cat err)"
[ "$(ls out | tr '\n' ' ')" = "fsc.csv fsc.star mask.mrc report.html run.json " ] || fail "files: $(ls out)"
for name in out/*; do
  grep -qF "\`${name#out/}\`" "$1/docs/commands/fsc.md" || fail "docs/commands/fsc.md does not name ${name#out/}"
done
for column in $(head -n 1 out/fsc.csv | tr , ' '); do
  grep -qF "\`$column\`" "$1/docs/commands/fsc.md" || fail "docs/commands/fsc.md does not name the column $column"
done
[ "$(wc -l <out/fsc.csv)" -eq 14 ] || fail "fsc.csv has $(wc -l <out/fsc.csv) lines, expected 14"
grep -q '^FSC 0.143 ' table && grep -q 'Report in out/report.html$' table || fail "the table: $(cat table)"
"$quern" fsc one.mrc two.mrc --mask out/mask.mrc --seed 7 -o again --threads 1 --quiet >table 2>err || fail "again: $(cat err)"
[ ! -s table ] && [ ! -s err ] || fail "--quiet prints: $(cat table err)"
cmp -s out/fsc.csv again/fsc.csv && cmp -s out/fsc.star again/fsc.star || fail "the mask that was written gives different curves"
"$quern" fsc one.mrc two.mrc --mask out/mask.mrc --seed 8 -o other -q
cmp -s out/fsc.csv other/fsc.csv && fail "another seed gives the same curves"

# Files of two runs are not mixed, and foreign files stay untouched.
cp -r out before
refuses 1 'out: holds a finished run; --overwrite replaces it' one.mrc two.mrc -o out
cmp -s out/run.json before/run.json && [ -e out/mask.mrc ] || fail "a run that was refused changed out"
mkdir letters && touch letters/one
refuses 1 'letters: the output folder holds one, which is not of a run of quern fsc' one.mrc two.mrc -o letters
[ "$(ls letters)" = one ] || fail "files among those of others: $(ls letters)"
refuses 1 'nothing stands out' noise.mrc more.mrc --mask auto -o failed
[ ! -e failed ] || fail "a run that failed left a folder"
python3 - <<'END' || fail "run.json, fsc.star and fsc.csv disagree"
import csv, json
run = json.load(open('out/run.json'))
rows = list(csv.DictReader(open('out/fsc.csv')))
at = run['at_0_143']
curve = [float(row['fsc_corrected']) for row in rows]
assert all(value >= 0.143 for value in curve[1:at['shell']]) and curve[at['shell']] < 0.143
assert abs(at['shell_angstrom'] - float(rows[at['shell']]['resolution_angstrom'])) < 1e-3
assert run['resolution_angstrom'] == at['crossing_angstrom'] and run['mask']['made'] and run['options']['seed'] == 7
assert 0 < run['mask']['share'] < 1 and run['mask']['low_pass_angstrom'] == 12
assert run['randomised_from_shell'] > 0 and run['program'] == 'fsc'
assert [entry['role'] for entry in run['inputs']] == ['half map', 'half map']
assert all(len(entry['sha256']) == 64 for entry in run['inputs'])
assert run['files'] == ['fsc.csv', 'fsc.star', 'mask.mrc', 'report.html', 'run.json']
star = open('out/fsc.star').read()
assert abs(float(star.split('_rlnFinalResolution')[1].split()[0]) - run['resolution_angstrom']) < 1e-5
table = [line.split() for line in star.split('data_fsc')[1].splitlines() if line[:1] == ' ']
assert [row[3] for row in table] == [row['fsc_corrected'] for row in rows]
END

# Compare with numpy: halves of real maps with noise of known seeds, even and odd sides.
python=/usr/bin/python3
data=${QUERN_REFERENCE_DATA:-$1/../shared/data}
maps=$data/cryoem/maps
if ! "$python" -c 'import numpy' 2>/dev/null || [ ! -d "$maps" ]; then
  echo "curves of real maps are left out: numpy or $maps is missing"
  [ $failures -eq 0 ]
  exit
fi
cat >judge.py <<'END'
"""judge.py make MAP SIDE NOISE SEED | judge.py compare RUN MASK: halves a.mrc, b.mrc; the FSC by its definition."""
import csv, json, sys
import numpy as np
def read(path):
    data = open(path, 'rb').read()
    header = np.frombuffer(data[:1024], '<i4')
    kind = {0: np.int8, 1: np.int16, 2: np.float32}[int(header[3])]
    x, y, z = (int(n) for n in header[:3])
    return np.frombuffer(data, kind, x * y * z, 1024 + int(header[23])).reshape(z, y, x).astype(float)
def write(path, values, voxel):
    header = np.zeros(256, '<i4')
    side = values.shape[0]
    header[[0, 1, 2, 3, 7, 8, 9, 22, 53]] = [side] * 3 + [2] + [side] * 3 + [1, 0x4444]
    header[10:13] = np.full(3, side * voxel, '<f4').view('<i4')
    header[13:16] = np.full(3, 90, '<f4').view('<i4')
    header[16:19] = [1, 2, 3]
    header[52] = int.from_bytes(b'MAP ', 'little')
    open(path, 'wb').write(header.tobytes() + values.astype('<f4').tobytes())
def curve(a, b):
    side = a.shape[0]
    k = np.fft.fftfreq(side) * side
    shell = np.rint(np.sqrt(k[:, None, None]**2 + k[None, :, None]**2 + k[None, None]**2)).astype(int).ravel()
    total = lambda values: np.bincount(shell, values.ravel(), minlength=side)[:side // 2 + 1]
    f, g = np.fft.fftn(a), np.fft.fftn(b)
    return total((f * g.conj()).real) / np.sqrt(total(abs(f)**2) * total(abs(g)**2))
if sys.argv[1] == 'make':
    signal = read(sys.argv[2])
    side, noise = int(sys.argv[3]), float(sys.argv[4])
    signal = signal[:side, :side, :side]
    draw = np.random.default_rng(int(sys.argv[5]))
    k = np.fft.fftfreq(side)
    fade = np.exp(-12 * (k[:, None, None]**2 + k[None, :, None]**2 + k[None, None]**2))
    signal = np.fft.ifftn(np.fft.fftn(signal) * fade).real
    for path in 'a.mrc', 'b.mrc':
        write(path, signal + noise * signal.std() * draw.standard_normal(signal.shape), 2.5)
else:
    a, b, mask = read('a.mrc'), read('b.mrc'), read(sys.argv[3])
    rows = list(csv.DictReader(open(sys.argv[2] + '/fsc.csv')))
    run = json.load(open(sys.argv[2] + '/run.json'))
    column = lambda name: np.array([float(row[name]) for row in rows])
    worst = max(abs(column('fsc_unmasked') - curve(a, b)).max(), abs(column('fsc_masked') - curve(a * mask, b * mask)).max())
    # the mask's own contribution with numpy's random phases: it may differ by chance
    from_shell = run['randomised_from_shell']
    side, draw = a.shape[0], np.random.default_rng(3)
    k = np.fft.fftfreq(side) * side
    beyond = np.rint(np.sqrt(k[:, None, None]**2 + k[None, :, None]**2 + k[None, None]**2)) >= from_shell
    def randomised(values):
        phases = np.angle(np.fft.fftn(draw.standard_normal(values.shape)))
        f = np.fft.fftn(values)
        return np.fft.ifftn(np.where(beyond, abs(f) * np.exp(1j * phases), f)).real
    random = curve(randomised(a) * mask, randomised(b) * mask)
    by_chance = abs(column('fsc_randomised') - random)[1:].max()
    print('largest difference %.1e; of randomised maps %.3f; resolution %.2f A' % (worst, by_chance, run['resolution_angstrom']))
    sys.exit(int(worst > 5e-6 or by_chance > 0.25))
END
judge() { # judge MAP SIDE NOISE SEED
  "$python" judge.py make "$maps/$1" "$2" "$3" "$4" || { fail "halves of $1"; return; }
  rm -rf judged plain
  "$quern" fsc a.mrc b.mrc --mask auto --seed 5 -o judged -q || { fail "fsc of $1"; return; }
  "$python" judge.py compare judged judged/mask.mrc || fail "curves of $1, side $2, differ from the definition"
  # The independent script counts voxels of the plane x = 0 twice: its curve differs by at most 0.02, its shells are the
  # same.
  [ -x "$data/../tools/fsc-reference" ] || return
  "$quern" fsc a.mrc b.mrc -o plain -q
  "$python" "$data/../tools/fsc-reference" a.mrc b.mrc | sed -n 's/^FSC<0.\([0-9]*\) at shell \([0-9]*\).*/\1 \2/p' >shells
  "$python" - <<'END' || fail "first shells below the thresholds of $1, side $2: $(cat shells), and plain/run.json"
import json
run = json.load(open('plain/run.json'))
for line in open('shells'):
    threshold, shell = line.split()
    assert run['at_0_5' if threshold == '500' else 'at_0_143']['shell'] == int(shell), (threshold, shell)
END
}
judge clean70SRibosome_vol_65p.mrc 65 0.6 11
judge clean70SRibosome_vol_65p.mrc 64 0.6 12
judge hand-vol.mrc 64 1 13
judge hand-vol.mrc 63 2 14
judge toymodel_small_nocenter.mrc 30 0.5 15
[ $failures -eq 0 ]
