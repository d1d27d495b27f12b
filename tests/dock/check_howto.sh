#!/usr/bin/env bash
# labels: long unsanitized
# check_howto.sh SOURCE QUERN BUILD: the commands of every page in docs/howto work as written. A page is run in a copy
# that stands for a fresh clone; tests/dock/howto/shim replaces programs that a test machine lacks (network, packages,
# viewers, a cluster) and lowers large rotation counts. HOWTO_REAL=1 keeps the counts as written, HOWTO_KEEP=FOLDER
# keeps the output of the pages, HOWTO_REFRESH=FOLDER writes the pages with the figures that were printed into FOLDER
# (together with HOWTO_REAL=1), and HOWTO_PAGES names the pages that are run instead of all.
set -u
source=$1 quern=$2
here=$source/tests/dock/howto
if [ -n "${HOWTO_KEEP:-}" ]; then
    mkdir -p "$HOWTO_KEEP" && work=$(cd "$HOWTO_KEEP" && pwd) || exit 1
else
    work=$(mktemp -d "${TMPDIR:-/tmp}/quern-howto-XXXXXX") || exit 1
    trap 'rm -rf "$work"' EXIT
fi
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

mkdir -p "$work/bin" "$work/clone/scripts"
for name in quern curl cmake sudo pymol chimerax chromium xdg-open sbatch srun; do ln -sf "$here/shim" "$work/bin/$name"; done
ln -sf "$here/shim" "$work/clone/scripts/install-deps"
ln -sfn "$source/examples" "$work/clone/examples"
ln -sfn "$source/bench" "$work/clone/bench"
cp "$source/CMakePresets.json" "$work/clone/"
export QUERN_TUNING_STORE=$work/tuning.db
export PATH=$work/bin:$PATH HOWTO_QUERN=$quern HOWTO_EXAMPLES=$source/examples
cd "$work/clone" || exit 1

# refuse EXPECTED LINES: a page with these lines must fail with a message that contains EXPECTED.
refuse() {
    local message
    printf '```sh\n%s\n```\n' "$2" >"$work/broken.md"
    message=$(HOWTO_REFRESH='' bash "$here/run_page" "$work/broken.md" 2>&1) && fail "a page passed that runs: $2"
    case $message in *"$1"*) ;; *) fail "expected \"$1\" of a page that runs \"$2\", got: $message" ;; esac
}
refuse "broken.md:3: exit code 1" $'true\nfalse\ntrue'
refuse "broken.md:2: exit code 1" 'false | cat'
refuse "broken.md:2: exit code 1" 'false && true'
refuse "broken.md:2: the block ends within" 'echo "open'
refuse "broken.md:2: exit code 2" 'quern dock a.pdb b.pdb --no-such-option'
refuse "exit code 1" 'quern dock missing.pdb missing.pdb -o nowhere'
refuse "exit code 22" 'curl -fO https://files.rcsb.org/download/0XYZ.pdb.gz'
refuse "missing.pml does not exist" 'pymol -cq missing.pml'
refuse "missing.html does not exist" 'xdg-open missing.html'
refuse "no preset \"realese\"" 'cmake --preset realese'
refuse "missing.cxc does not exist" 'chimerax --offscreen --cmd "open missing.cxc; exit"'
refuse "exit code 3" 'sbatch --wrap="exit 3"'

refuse "is not printed (any more): two 7" $'printf "one 5\\ntwo\\n"\n```\n\n```text\none 5\ntwo 7'
refuse "the page says: one 5" $'echo one 6.5\n```\n\n```text\none 5'
refuse "the page says: one 5.00 Å" $'echo one 5.20 Å\n```\n\n```text\none 5.00 Å'

[ -z "${HOWTO_REFRESH:-}" ] || { mkdir -p "$HOWTO_REFRESH" && HOWTO_REFRESH=$(cd "$HOWTO_REFRESH" && pwd) && export HOWTO_REFRESH; } || exit 1
for page in "$source"/docs/howto/${HOWTO_PAGES:-*}.md; do
    [ -f "$page" ] || { fail "docs/howto holds no page"; break; }
    tr '\n' ' ' <"$page" | grep -q 'Start in the folder of the source, which has the folder `examples`' ||
        fail "$(basename "$page") does not say where it starts"
    bash "$here/run_page" "$page" 2>&1 || fail "docs/howto/$(basename "$page")"
done
[ $failures -eq 0 ]
