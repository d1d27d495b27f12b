# A curved strip of 0.1 × 0.01 × 0.002 m, `height` above its ends in the middle, in CELLS cells of six tetrahedra each, as
# Gmsh's text. Nodes 1 to 4 are its end at x = 0, the last four its other end.
#     awk -v cells=24 -v height=0.03 -f arch.awk
function node(i, j, k) { return 4 * i + 2 * j + k + 1 }
BEGIN {
  printf "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", 4 * (cells + 1)
  for (i = 0; i <= cells; i++)
    for (j = 0; j < 2; j++)
      for (k = 0; k < 2; k++) {
        s = sin(3.14159265358979 * i / cells)
        printf "%d %.9f %.9f %.9f\n", node(i, j, k), 0.1 * i / cells, 0.01 * j, 0.002 * k + height * s * s
      }
  printf "$EndNodes\n$Elements\n%d\n", 6 * cells
  for (i = 0; i < cells; i++) { # ways from corner 0 to corner 7, in turns that make volumes positive
    from = node(i, 0, 0); to = node(i + 1, 1, 1)
    split(node(i + 1, 0, 0) " " node(i + 1, 1, 0) " " node(i, 1, 0) " " node(i, 1, 1) " " node(i, 0, 1) " " node(i + 1, 0, 1), ring, " ")
    for (t = 1; t <= 6; t++) printf "%d 4 0 %d %d %d %d\n", ++count, from, ring[t], ring[t % 6 + 1], to
  }
  print "$EndElements"
}
