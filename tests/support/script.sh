# Sourced by scripts that are tests, . "$1/tests/support/script.sh": a folder $work that goes with the script (KEEP=1: stays),
# failures that are counted, several processes.
work=$(mktemp -d "${TMPDIR:-/tmp}/quern-test-XXXXXX") || exit 1
trap 'if [ -n "${KEEP:-}" ]; then echo "kept $work"; else rm -rf "$work"; fi' EXIT
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# use_mpi BUILD: whether several processes can be run here; if not, a line says why.
use_mpi() {
  export QUERN_MPI_LIBRARY=$1/libquern_mpi.so OMPI_MCA_btl_base_warn_component_unused=0
  command -v mpirun >/dev/null || { echo "without several processes: mpirun is not installed"; return 1; }
  [ -f "$QUERN_MPI_LIBRARY" ] || { echo "without several processes: built without an MPI"; return 1; }
  # what MPI itself keeps until the end is not ours to free
  export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
}
mpirun=(mpirun --oversubscribe --allow-run-as-root)
ranks() { "${mpirun[@]}" -n "$1" "${@:2}"; } # ranks COUNT PROGRAM...
