# Small inputs for every program. Scripts that source this file have sourced script.sh, and have $source and $quern.
#
# make_inputs SIZE: make the inputs in this folder: receptor.pdb, ligand.pdb, pocket.pdb, pocket.pdbqt, library.sdf, water.tpr,
# water.xtc, shell.pdb, shell_frames.pdb, guests.sdf, way.dsd, particles.star with stack.mrcs, half1.mrc and half2.mrc, movies.star with its movies, gain.mrc, lobe.msh. SIZE, from 1,
# multiplies the numbers of molecules, frames, particles and movies.
make_inputs() {
  local i examples=$source/examples
  cp "$examples/1ppe/1PPE_r_u.pdb" receptor.pdb || return
  cp "$examples/1ppe/1PPE_l_u_rnd.pdb" ligand.pdb
  awk '/^ATOM/ { x = substr($0, 31, 8) - 15.2; y = substr($0, 39, 8) - 53.9; z = substr($0, 47, 8) - 16.9
         if (x * x + y * y + z * z < 64) print } END { print "END" }' "$examples/1iep/1iep_receptor.pdb" >pocket.pdb
  cp "$source/tests/data/potential/pocket.pdbqt" .
  bash "$source/tests/screen/make_library.sh" "$examples/1iep/kinase_inhibitors.sdf" $((10 * $1)) 7 30 >library.sdf
  cp "$examples/water/water.tpr" .
  for _ in $(seq $((10 * $1))); do cat "$examples/water/water.xtc"; done >water.xtc
  awk -v models=1 -v shake=0 -f "$source/tests/tunnel/shell.awk" >shell.pdb
  awk -v models=$((5 * $1)) -v shake=0.1 -f "$source/tests/tunnel/shell.awk" >shell_frames.pdb
  awk -v count=$((3 * $1)) -f "$source/tests/transport/guests.awk" >guests.sdf
  awk 'BEGIN { for (z = 9; z > -0.1; z -= 0.6) printf "0 0 %.1f 0 0 1 1.5\n", z }' >way.dsd
  cp "$source/examples/movie/gain.mrc" "$source/examples/deform/lobe.msh" .
  { printf 'data_optics\nloop_\n_rlnOpticsGroup\n_rlnMicrographOriginalPixelSize\n1 1.5\n\ndata_movies\nloop_\n'
    printf '_rlnMicrographMovieName\n_rlnOpticsGroup\n'; } >movies.star
  for i in $(seq "$1"); do
    cp "$source/examples/movie/movie.tif" "m$i.tif" && echo "m$i.tif 1" >>movies.star || return
  done
  bash "$source/tests/reconstruct/make_particles.sh" . 120 32
  { printf 'data_optics\nloop_\n_rlnOpticsGroup\n_rlnImagePixelSize\n1 2.0\n\ndata_particles\nloop_\n_rlnImageName\n'
    printf '_rlnOpticsGroup\n_rlnAngleRot\n_rlnAngleTilt\n_rlnAnglePsi\n_rlnOriginXAngst\n_rlnOriginYAngst\n'
    for _ in $(seq "$1"); do awk '{ printf "%06d@stack.mrcs 1 %s\n", NR, $0 }' rows; done; } >particles.star
  "$quern" reconstruct particles.star --particles 1-120 --halves --device host --tune off --quiet -o maps/ || return
  mv maps/half?.mrc . && rm -r maps
}
