#!/usr/bin/env bash
# make_particles.sh FOLDER COUNT SIDE [MODE]: projections of a few Gaussian blobs that no symmetry maps onto each other,
# as FOLDER/stack.mrcs (MRC mode 2, floats, or 1, 16-bit numbers), their orientations as FOLDER/rows (rot, tilt, psi in
# degrees, origin x and y in Å, one line an image), and the blobs as FOLDER/blobs (x, y, z in pixels from the centre,
# height). Pixels are 2 Å. The same arguments always give the same bytes.
set -eu
folder=$1 count=$2 side=$3 mode=${4:-2}
export LC_ALL=C # for tools that handle bytes

cat >"$folder/blobs" <<BLOBS
-0.22 -0.10 0.05 1.0
0.20 0.03 -0.15 0.8
0.02 0.24 0.10 1.2
-0.06 -0.18 -0.22 0.6
0.12 -0.12 0.20 0.9
BLOBS
awk -v side="$side" '{ print $1 * side, $2 * side, $3 * side, $4 }' "$folder/blobs" >"$folder/blobs.made"
mv "$folder/blobs.made" "$folder/blobs"

awk -v count="$count" -v side="$side" 'BEGIN {
  pi = 4 * atan2(1, 1); seed = 12345
  for (i = 0; i < count; i++) {
    z = 1 - 2 * (i + 0.5) / count # evenly over the sphere
    tilt = atan2(sqrt(1 - z * z), z) * 180 / pi
    rot = i * 137.50776405 % 360
    for (k = 0; k < 3; k++) { seed = (seed * 16807) % 2147483647; draw[k] = seed / 2147483647 }
    printf "%.4f %.4f %.4f %.4f %.4f\n", rot, tilt, 360 * draw[0], 6 * draw[1] - 3, 6 * draw[2] - 3
  } }' >"$folder/rows"

awk -v count="$count" -v side="$side" -v mode="$mode" '
function put(value, bytes) { # little endian
  for (; bytes > 0; bytes--) { printf "%c", value % 256; value = int(value / 256) }
}
function put_float(value,   exponent) { # not negative
  if (value < 1e-30) { put(0, 4); return } # too small for the exponent below: 0
  for (exponent = 127; value >= 2; exponent++) value /= 2
  for (; value < 1; exponent--) value *= 2
  value = int((value - 1) * 8388608 + 0.5)
  if (value == 8388608) { value = 0; exponent++ }
  put(exponent * 8388608 + value, 4)
}
function put_header(   i) {
  put(side, 4); put(side, 4); put(count, 4); put(mode, 4)
  put(0, 12); put(side, 4); put(side, 4); put(count, 4)
  put_float(2 * side); put_float(2 * side); put_float(2 * count)
  for (i = 0; i < 3; i++) put_float(90)
  for (i = 1; i < 4; i++) put(i, 4)
  for (i = 76; i < 208; i++) put(0, 1)
  printf "MAP DD"; put(0, 2)
  for (i = 216; i < 1024; i++) put(0, 1)
}
BEGIN { pi = 4 * atan2(1, 1); put_header() }
FILENAME == ARGV[1] { bx[n] = $1; by[n] = $2; bz[n] = $3; height[n++] = $4; next }
{ # image = A volume, A = Rz(psi) Ry(tilt) Rz(rot), passive; the content is displaced by -origin
  ca = cos($1 * pi / 180); sa = sin($1 * pi / 180); cb = cos($2 * pi / 180); sb = sin($2 * pi / 180)
  cg = cos($3 * pi / 180); sg = sin($3 * pi / 180)
  for (k = 0; k < n; k++) {
    x1 = ca * bx[k] + sa * by[k]; y1 = ca * by[k] - sa * bx[k] # about z
    x2 = cb * x1 - sb * bz[k]                                  # about y
    px = cg * x2 + sg * y1 - $4 / 2; py = cg * y1 - sg * x2 - $5 / 2
    for (i = 0; i < side; i++) {
      dx = i - int(side / 2) - px; dy = i - int(side / 2) - py
      gx[k, i] = exp(-dx * dx / 4.5); gy[k, i] = height[k] * exp(-dy * dy / 4.5) # sigma 1.5 pixels
    }
  }
  for (y = 0; y < side; y++)
    for (x = 0; x < side; x++) {
      sum = 0
      for (k = 0; k < n; k++) sum += gx[k, x] * gy[k, y]
      if (mode == 1) put(int(10000 * sum + 0.5), 2); else put_float(sum)
    }
}' "$folder/blobs" "$folder/rows" >"$folder/stack.mrcs"
