# Tests that are scripts source this file, . "$1/tests/support/script.sh". It gives them a folder $work that is deleted
# at the end (KEEP=1 keeps it), a count of failures, and runs of several processes.
work=$(mktemp -d "${TMPDIR:-/tmp}/quern-test-XXXXXX") || exit 1
trap 'if [ -n "${KEEP:-}" ]; then echo "kept $work"; else rm -rf "$work"; fi' EXIT
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# use_mpi BUILD: succeeds if several processes can run here; otherwise prints the reason.
use_mpi() {
  export QUERN_MPI_LIBRARY=$1/libquern_mpi.so OMPI_MCA_btl_base_warn_component_unused=0
  command -v mpirun >/dev/null || { echo "without several processes: mpirun is not installed"; return 1; }
  [ -f "$QUERN_MPI_LIBRARY" ] || { echo "without several processes: built without an MPI"; return 1; }
  # the leak sanitizer must not report memory that MPI itself keeps until the end
  export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
}
mpirun=(mpirun --oversubscribe --allow-run-as-root)
ranks() { "${mpirun[@]}" -n "$1" "${@:2}"; } # ranks COUNT PROGRAM...
