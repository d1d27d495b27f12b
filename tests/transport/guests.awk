# awk -v count=N -f guests.awk: an SDF of chains of two to four carbons with a chlorine at both ends, without hydrogens, in
# zigzag, named guest1, guest2 and so on.
BEGIN {
  for (guest = 1; guest <= count; guest++) {
    atoms = 4 + (guest - 1) % 3
    printf "guest%d\n  by hand\n\n%3d%3d  0  0  0  0  0  0  0  0999 V2000\n", guest, atoms, atoms - 1
    for (i = 0; i < atoms; i++) {
      end = i == 0 || i == atoms - 1
      printf "%10.4f%10.4f%10.4f %-3s 0  0  0  0  0  0  0  0  0  0  0  0\n", 1.27 * i + 0.2 * (guest % 7) * i * (i - 1) / 20,
          0.85 * (i % 2), 0.1 * i * guest / count, end ? "Cl" : "C"
    }
    for (i = 1; i < atoms; i++) printf "%3d%3d  1  0\n", i, i + 1
    print "M  END\n$$$$"
  }
}
