#!/usr/bin/env bash
# labels: unsanitized
# Installs into a scratch folder, moves it, and builds and runs the C example from elsewhere, once with find_package and
# once with pkg-config; then runs the command where OpenCL, CUDA and FFTW are absent.
# Arguments: source folder, quern binary, build folder.
set -u
source=$(cd "$1" && pwd)
build=$(cd "$3" && pwd)
grep -q '^QUERN_SANITIZE:STRING=.' "$build/CMakeCache.txt" && { echo "not run under sanitizers"; exit 77; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
prefix="$scratch/the prefix"
cd "$scratch" || exit 1

fail() {
    echo "failed: $1"
    [ -z "${2:-}" ] || tail -n 25 "$2"
    exit 1
}

cmake --install "$build" --prefix "$scratch/first" >install.log 2>&1 || fail "install" install.log
mv "$scratch/first" "$prefix" # nothing may depend on the folder that it was installed to
library=$(dirname "$(find "$prefix" -name 'libquern.*' | head -n 1)")
for file in bin/quern include/quern/dock.h; do [ -f "$prefix/$file" ] || fail "$file is not installed"; done
find "$prefix" -name '*.h' | grep -v '/include/quern/' && fail "a header outside include/quern is installed"
grep -rlF "$source" "$prefix/include" "$library/cmake" "$library/pkgconfig" && fail "the source folder is named above"
"$prefix/bin/quern" --version >/dev/null || fail "quern --version"
share=$prefix/share
for file in bash-completion/completions/quern zsh/site-functions/_quern fish/vendor_completions.d/quern.fish \
    doc/quern/LICENSE doc/quern/NOTICE doc/quern/LICENSE.piper_atoms.txt; do
    [ -s "$share/$file" ] || fail "share/$file is not installed"
done
for command in $("$prefix/bin/quern" -h | sed -n '/^Commands:$/,/^$/s/^  \([a-z-]*\) .*/quern-\1/p') quern; do
    [ -s "$share/man/man1/$command.1" ] || fail "no man page of $command"
done
if command -v groff >/dev/null; then
    groff -Kutf8 -Tutf8 -man -ww "$share/man/man1/"*.1 >pages.txt 2>groff.log || fail "groff" groff.log
    [ ! -s groff.log ] || fail "groff warns of the man pages" groff.log
    tr -s ' \n' ' ' <pages.txt | grep -q 'of tetrahedra with 4 or 10 nodes' || fail "a page lacks the meaning of an option"
fi

# The module for MPI is found where it is installed.
if command -v mpirun >/dev/null && [ -f "$build/libquern_mpi.so" ]; then
    mpirun --oversubscribe --allow-run-as-root -n 2 "$prefix/bin/quern" dock "$source/examples/1ppe/1PPE_r_u.pdb" \
        "$source/examples/1ppe/1PPE_l_u_rnd.pdb" --rotations 10 --spacing 3 --device host --quiet -o ranks >mpi.log 2>&1 ||
        fail "two processes of the installed command" mpi.log
    grep -q '"ranks": 2' ranks/run.json || fail "the two processes do not work together" ranks/run.json
fi

# Uninstalling removes the installed files; files of others stay.
cmake --install "$build" --prefix "$scratch/second" >>install.log 2>&1 || fail "install" install.log
echo mine >"$scratch/second/share/doc/quern/mine"
cmake -DMANIFEST="$build/install_manifest.txt" -P "$source/cmake/Uninstall.cmake" >>install.log 2>&1 || fail "uninstall" install.log
[ "$(cd "$scratch/second" && find . -type f)" = ./share/doc/quern/mine ] || fail "uninstall left $(cd "$scratch/second" && find . -type f | head -n 5)"

# With a shared library nothing is built that needs functions which it does not export: no tests, no benchmarks.
cmake -S "$source" -B shared -G Ninja -DBUILD_SHARED_LIBS=ON >shared.log 2>&1 || fail "configuring a shared library" shared.log
[ "$(grep -c '^build [^ ]*: [A-Z_]*EXECUTABLE_LINKER' shared/build.ninja)" = 1 ] ||
    fail "with a shared library other programs than quern are built: $(grep '^build [^ ]*: [A-Z_]*EXECUTABLE_LINKER' shared/build.ninja | head -n 3)"

# The example with find_package, from a copy of its folder.
cp -r "$source/examples/dock_two_proteins" example
cmake -S example -B by-cmake -DCMAKE_PREFIX_PATH="$prefix" >cmake.log 2>&1 || fail "find_package(quern)" cmake.log
cmake --build by-cmake >>cmake.log 2>&1 || fail "building with find_package" cmake.log

# A user's own kernel, tuned through the installed library.
cp -r "$source/examples/tune_my_kernel" kernel
cmake -S kernel -B kernel-build -DCMAKE_PREFIX_PATH="$prefix" >kernel.log 2>&1 || fail "the kernel example" kernel.log
cmake --build kernel-build >>kernel.log 2>&1 || fail "building the kernel example" kernel.log
LD_LIBRARY_PATH="$library" QUERN_TUNING_STORE="$scratch/tuning.db" kernel-build/tune_my_kernel host 20000 >kernel.log 2>&1 ||
    fail "tune_my_kernel" kernel.log
grep -q 'times as fast as the fallback' kernel.log || fail "tune_my_kernel prints no result" kernel.log

# A user's own queries, on a frame of two waters whose oxygens are 0.15 nm apart across the boundary of the box, so that
# each is the other's contact: the C function, and the kernel, on OpenCL too where there is such a device.
cp -r "$source/examples/my_trajectory_query" query
cmake -S query -B query-build -DCMAKE_PREFIX_PATH="$prefix" >query.log 2>&1 || fail "the query example" query.log
cmake --build query-build >>query.log 2>&1 || fail "building the query example" query.log
cat >water.gro <<'GRO'
water
    6
    1SOL     OW    1   0.100   0.100   0.100
    1SOL    HW1    2   0.200   0.100   0.100
    1SOL    HW2    3   0.100   0.200   0.100
    2SOL     OW    4   0.950   0.100   0.100
    2SOL    HW1    5   0.950   0.100   0.200
    2SOL    HW2    6   0.950   0.200   0.100
   1.00000   1.00000   1.00000
GRO
devices=host
"$prefix/bin/quern" devices 2>/dev/null | grep -q '^opencl:0 ' && devices="host opencl:0"
for device in $devices; do
    LD_LIBRARY_PATH="$library" query-build/my_trajectory_query water.gro water.gro "queries $device" "$device" \
        >query.log 2>&1 || fail "my_trajectory_query on $device" query.log
    grep -q '^0 0\.8558' "queries $device/ends.xvg" || # (0.85² + 0.1²)^½ nm
        fail "my_trajectory_query did not find a distance of 0.856 nm" "queries $device/ends.xvg"
    grep -q '^0 2$' "queries $device/contacts.xvg" ||
        fail "my_trajectory_query did not find 2 contacts on $device" "queries $device/contacts.xvg"
done

# Screening from memory to memory, in a folder that stays empty.
cp -r "$source/examples/screen_in_memory" screening
cmake -S screening -B screening-build -DCMAKE_PREFIX_PATH="$prefix" >screening.log 2>&1 ||
    fail "the screening example" screening.log
cmake --build screening-build >>screening.log 2>&1 || fail "building the screening example" screening.log
awk '{print} /^\$\$\$\$/ && ++records == 2 {exit}' "$source/examples/1iep/kinase_inhibitors.sdf" >two.sdf
mkdir empty
(cd empty && LD_LIBRARY_PATH="$library" ../screening-build/screen_in_memory "$source/examples/1iep/1iep_receptor.pdb" \
    ../two.sdf "$source/examples/1iep/1iep_ligand.sdf" 0.1) >screening.log 2>&1 || fail "screen_in_memory" screening.log
grep -q '^2\. .*: -[0-9.]* kcal/mol$' screening.log || fail "screen_in_memory ranks no second molecule" screening.log
[ -z "$(ls -A empty)" ] || fail "screen_in_memory wrote a file: $(ls -A empty)"

# Potential maps in memory, in the folder that stays empty.
cp -r "$source/examples/potential_in_memory" mapping
cmake -S mapping -B mapping-build -DCMAKE_PREFIX_PATH="$prefix" >mapping.log 2>&1 || fail "the example of maps" mapping.log
cmake --build mapping-build >>mapping.log 2>&1 || fail "building the example of maps" mapping.log
(cd empty && LD_LIBRARY_PATH="$library" ../mapping-build/potential_in_memory "$source/examples/1iep/1iep_receptor.pdb" \
    "$source/examples/1iep/1iep_ligand.sdf") >mapping.log 2>&1 || fail "potential_in_memory" mapping.log
grep -q '^OA  *-[12]\.' mapping.log && grep -q '^O_A  *-[01]\.' mapping.log || fail "potential_in_memory lacks maps" mapping.log
[ -z "$(ls -A empty)" ] || fail "potential_in_memory wrote a file: $(ls -A empty)"

# Projection and reconstruction from memory to memory, in the folder that stays empty.
cp -r "$source/examples/reconstruct_in_memory" reconstruction
cmake -S reconstruction -B reconstruction-build -DCMAKE_PREFIX_PATH="$prefix" >reconstruction.log 2>&1 ||
    fail "the reconstruction example" reconstruction.log
cmake --build reconstruction-build >>reconstruction.log 2>&1 || fail "building the reconstruction example" reconstruction.log
(cd empty && LD_LIBRARY_PATH="$library" ../reconstruction-build/reconstruct_in_memory 500) >reconstruction.log 2>&1 ||
    fail "reconstruct_in_memory" reconstruction.log
grep -q '^correlation of the map with the volume: 0\.9[5-9]' reconstruction.log ||
    fail "reconstruct_in_memory does not reproduce the projected map" reconstruction.log
[ -z "$(ls -A empty)" ] || fail "reconstruct_in_memory wrote a file: $(ls -A empty)"

# A trajectory from memory to memory, in the folder that stays empty.
cp -r "$source/examples/trajectory_in_memory" trajectory
cmake -S trajectory -B trajectory-build -DCMAKE_PREFIX_PATH="$prefix" >trajectory.log 2>&1 ||
    fail "the trajectory example" trajectory.log
cmake --build trajectory-build >>trajectory.log 2>&1 || fail "building the trajectory example" trajectory.log
(cd empty && LD_LIBRARY_PATH="$library" ../trajectory-build/trajectory_in_memory 200) >trajectory.log 2>&1 ||
    fail "trajectory_in_memory" trajectory.log
# The mean of 1500 squares of normal numbers has a relative deviation of (2 / 1500)^½ = 3.7 %; three of them are allowed.
grep -q '^displacement after one step over that expected: \(0\.89\|0\.9\|1\.0\|1\.10\)' trajectory.log ||
    fail "trajectory_in_memory does not find the displacement that was made" trajectory.log
[ -z "$(ls -A empty)" ] || fail "trajectory_in_memory wrote a file: $(ls -A empty)"

# Clusters of frames in memory, in the folder that stays empty.
cp -r "$source/examples/cluster_in_memory" cluster
cmake -S cluster -B cluster-build -DCMAKE_PREFIX_PATH="$prefix" >cluster.log 2>&1 || fail "the cluster example" cluster.log
cmake --build cluster-build >>cluster.log 2>&1 || fail "building the cluster example" cluster.log
(cd empty && LD_LIBRARY_PATH="$library" ../cluster-build/cluster_in_memory 90) >cluster.log 2>&1 ||
    fail "cluster_in_memory" cluster.log
grep -q ', 0 frames in the wrong group$' cluster.log || fail "cluster_in_memory does not find the groups" cluster.log
[ -z "$(ls -A empty)" ] || fail "cluster_in_memory wrote a file: $(ls -A empty)"

# A bias along a path of structures: the toy molecule crosses its barrier with the bias, and stays without.
cp -r "$source/examples/bias_along_a_path" path
cmake -S path -B path-build -DCMAKE_PREFIX_PATH="$prefix" >path.log 2>&1 || fail "the path example" path.log
cmake --build path-build >>path.log 2>&1 || fail "building the path example" path.log
LD_LIBRARY_PATH="$library" path-build/bias_along_a_path >path.log 2>&1 || fail "bias_along_a_path" path.log
grep -q '^without bias: .* 0 crossings' path.log || fail "bias_along_a_path crosses the barrier by itself" path.log
grep -q '^with bias: .* to [89]\.[0-9], [1-9][0-9]* crossings' path.log || fail "bias_along_a_path stays in the basin" path.log

# The example with pkg-config. Its flags escape blanks for a shell, hence eval.
export PKG_CONFIG_PATH="$library/pkgconfig"
flags=$(pkg-config --cflags --libs quern) || fail "pkg-config quern"
eval "${CC:-cc} -std=c17 -o by-pkgconfig example/dock_two_proteins.c $flags" >pkgconfig.log 2>&1 ||
    fail "building with pkg-config" pkgconfig.log

export LD_LIBRARY_PATH="$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
for program in by-cmake/dock_two_proteins by-pkgconfig; do
    "$scratch/$program" 2>usage.log
    [ $? = 2 ] || fail "$program without arguments should exit 2" usage.log
    (cd empty && "$scratch/$program" "$source/examples/1ppe/1PPE_r_u.pdb" \
        "$source/examples/1ppe/1PPE_l_u_rnd.pdb" 8) >run.log 2>&1 || fail "$program" run.log
    grep -q '^the first model has [1-9][0-9]* atoms' run.log || fail "$program printed no model" run.log
    [ -z "$(ls -A empty)" ] || fail "$program wrote files: $(ls -A empty)"
done

# A machine without the libraries that are loaded at run time: empty files of their names come first and cannot be
# loaded. The program must start, report which libraries are missing, and still offer the host.
mkdir absent
for name in libOpenCL.so.1 libOpenCL.so libcuda.so.1 libcuda.so libnvrtc.so libnvrtc.so.11.2 libnvrtc.so.12 libnvrtc.so.13 \
    libcufft.so.11 libcufft.so.12 libfftw3f.so.3 libfftw3f.so libfftw3f_threads.so.3; do
    : >"absent/$name"
done
LD_LIBRARY_PATH="$scratch/absent:$LD_LIBRARY_PATH" "$prefix/bin/quern" devices >devices.txt 2>devices.err ||
    fail "quern devices without libraries" devices.err
grep -q '^host ' devices.txt || fail "the host is not listed" devices.txt
sed -n '/^Not usable:/,$p' devices.txt >unusable.txt
grep -q '^  opencl' unusable.txt || fail "the missing OpenCL is not reported" devices.txt
grep -q '^  cuda' unusable.txt || fail "the missing CUDA is not reported" devices.txt
LD_LIBRARY_PATH="$scratch/absent:$LD_LIBRARY_PATH" "$prefix/bin/quern" dock "$source/examples/1ppe/1PPE_r_u.pdb" \
    "$source/examples/1ppe/1PPE_l_u_rnd.pdb" -o bare --rotations 4 >bare.log 2>&1 ||
    fail "docking without any optional library" bare.log
cat unusable.txt
