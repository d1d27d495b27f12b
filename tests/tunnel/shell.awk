# awk -v models=N -v shake=ANGSTROM -f shell.awk: a PDB of atoms on a sphere of 6 Å with a round hole around z. The rim has
# 20 atoms 3.2 Å from the axis, so spheres of 1.5 Å pass. Each of several models has its atoms displaced by up to `shake`.
function put(x, y, z) {
  n++
  printf "HETATM%5d  C   SHL A%4d    %8.3f%8.3f%8.3f  1.00  0.00           C\n", n, n,
      x + shake * sin(7 * n + 3 * model), y + shake * sin(5 * n + 11 * model), z + shake * sin(3 * n + 13 * model)
}
BEGIN {
  pi = 3.14159265358979
  for (model = 1; model <= models; model++) {
    n = 0
    if (models > 1) printf "MODEL     %4d\n", model
    for (i = 0; i < 20; i++) put(3.2 * cos(2 * pi * i / 20), 3.2 * sin(2 * pi * i / 20), sqrt(36 - 3.2 * 3.2))
    for (i = 0; i < 150; i++) {
      z = 6 * (1 - (2 * i + 1) / 150)
      across = sqrt(36 - z * z)
      if (z < 0 || across > 4.1) put(across * cos(2.39996323 * i), across * sin(2.39996323 * i), z)
    }
    if (models > 1) print "ENDMDL"
  }
  print "END"
}
