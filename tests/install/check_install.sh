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
mv "$scratch/first" "$prefix" # nothing may depend on where it was installed to
library=$(dirname "$(find "$prefix" -name 'libquern.*' | head -n 1)")
for file in bin/quern include/quern/dock.h; do [ -f "$prefix/$file" ] || fail "$file is not installed"; done
find "$prefix" -name '*.h' | grep -v '/include/quern/' && fail "a header outside include/quern is installed"
grep -rlF "$source" "$prefix/include" "$library/cmake" "$library/pkgconfig" && fail "the source folder is named above"
"$prefix/bin/quern" --version >/dev/null || fail "quern --version"

# The example with find_package, from a copy of its folder.
cp -r "$source/examples/dock_two_proteins" example
cmake -S example -B by-cmake -DCMAKE_PREFIX_PATH="$prefix" >cmake.log 2>&1 || fail "find_package(quern)" cmake.log
cmake --build by-cmake >>cmake.log 2>&1 || fail "building with find_package" cmake.log

# A kernel of one's own, tuned through the installed library.
cp -r "$source/examples/tune_my_kernel" kernel
cmake -S kernel -B kernel-build -DCMAKE_PREFIX_PATH="$prefix" >kernel.log 2>&1 || fail "the kernel example" kernel.log
cmake --build kernel-build >>kernel.log 2>&1 || fail "building the kernel example" kernel.log
LD_LIBRARY_PATH="$library" QUERN_TUNING_STORE="$scratch/tuning.db" kernel-build/tune_my_kernel host 20000 >kernel.log 2>&1 ||
    fail "tune_my_kernel" kernel.log
grep -q 'times as fast as the fallback' kernel.log || fail "tune_my_kernel says nothing" kernel.log

# Queries of one's own, on a frame of two waters whose oxygens are 0.15 nm apart around the boundary of the box, where each
# is the other's contact: the C function, and the kernel also as OpenCL where there is such a device.
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
        fail "my_trajectory_query found another distance than 0.856 nm" "queries $device/ends.xvg"
    grep -q '^0 2$' "queries $device/contacts.xvg" ||
        fail "my_trajectory_query found other contacts than 2 on $device" "queries $device/contacts.xvg"
done

# The example with pkg-config. Its flags escape blanks for a shell, hence eval.
export PKG_CONFIG_PATH="$library/pkgconfig"
flags=$(pkg-config --cflags --libs quern) || fail "pkg-config quern"
eval "${CC:-cc} -std=c17 -o by-pkgconfig example/dock_two_proteins.c $flags" >pkgconfig.log 2>&1 ||
    fail "building with pkg-config" pkgconfig.log

export LD_LIBRARY_PATH="$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
for program in by-cmake/dock_two_proteins ./by-pkgconfig; do
    "$program" 2>usage.log
    [ $? = 2 ] || fail "$program without arguments should exit 2" usage.log
    "$program" "$source/examples/1ppe/1PPE_r_u.pdb" "$source/examples/1ppe/1PPE_l_u_rnd.pdb" \
        "results of $(basename "$program")" 8 >run.log 2>&1 || fail "$program" run.log
    [ -s "results of $(basename "$program")/poses.csv" ] || fail "$program wrote no poses.csv" run.log
done

# A machine without the libraries that are loaded at run time: empty files of their names come first and cannot be
# loaded. The program must start, say what it lacks, and still have the host.
mkdir absent
for name in libOpenCL.so.1 libOpenCL.so libcuda.so.1 libcuda.so libnvrtc.so libnvrtc.so.11.2 libnvrtc.so.12 libnvrtc.so.13 \
    libcufft.so.11 libcufft.so.12 libfftw3f.so.3 libfftw3f.so libfftw3f_threads.so.3; do
    : >"absent/$name"
done
LD_LIBRARY_PATH="$scratch/absent:$LD_LIBRARY_PATH" "$prefix/bin/quern" devices >devices.txt 2>devices.err ||
    fail "quern devices without libraries" devices.err
grep -q '^host ' devices.txt || fail "the host is not listed" devices.txt
sed -n '/^Not usable:/,$p' devices.txt >unusable.txt
grep -q '^  opencl' unusable.txt || fail "the lack of OpenCL is not said" devices.txt
grep -q '^  cuda' unusable.txt || fail "the lack of CUDA is not said" devices.txt
LD_LIBRARY_PATH="$scratch/absent:$LD_LIBRARY_PATH" "$prefix/bin/quern" dock "$source/examples/1ppe/1PPE_r_u.pdb" \
    "$source/examples/1ppe/1PPE_l_u_rnd.pdb" -o bare --rotations 4 >bare.log 2>&1 ||
    fail "docking without any optional library" bare.log
cat unusable.txt
