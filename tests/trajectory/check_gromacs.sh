#!/usr/bin/env bash
# check_gromacs.sh SOURCE QUERN BUILD: a simulation by GROMACS, if installed, is analysed while it runs (IMD version 2)
# and again from its TRR file. Queries that do not depend on the positions of molecules must give the same results.
set -u
quern=$2
water=$(cd "$1/examples/water" && pwd)
command -v gmx >/dev/null || { echo "gmx is not installed"; exit 77; }
. "$1/tests/support/script.sh"
cd "$work" || exit 1
export QUERN_TUNE=off
rows() { grep -v '^[#@]' "$1"; }
# near FILE FILE TOLERANCE FIRST LAST: columns FIRST to LAST of both files agree within the tolerance.
near() {
    paste -d ' ' <(rows "$1") <(rows "$2") | awk -v tolerance="$3" -v first="$4" -v last="$5" '
        { for (i = first; i <= last; i++) { d = $i - $(i + NF / 2); if (d < 0) d = -d; if (!(d <= tolerance)) bad++ } }
        NF % 2 || NF < 2 * last { bad++ } END { exit bad > 0 || NR == 0 }'
}

printf '#include "oplsaa.ff/%s.itp"\n' forcefield spce >topol.top
printf '[ system ]\nwater\n[ molecules ]\nSOL 466\n' >>topol.top
cat >run.mdp <<'EOF'
integrator = md
nsteps = 200
dt = 0.002
coulombtype = reaction-field
epsilon-rf = 78
rcoulomb = 0.9
rvdw = 0.9
constraints = h-bonds
nstxout = 20
imd-group = System
EOF
gmx -quiet grompp -f run.mdp -c "$water/water.gro" -p topol.top -o run.tpr -maxwarn 5 >log 2>&1 ||
    { echo "gmx grompp cannot prepare a run here: $(tail -n 3 log)"; exit 77; }
cat >plan.yaml <<'EOF'
topology: run.tpr
trajectory: run.trr
whole: yes
queries:
  - dipole
  - query: msd
    of: molecules
  - query: rdf
    select: name OW
    max: 1
EOF
for molecule in $(seq 1 22); do # 25 queries of one connection in all
    kind=gyration
    [ $((molecule % 2)) = 0 ] && kind=inertia
    printf '  - {query: %s, name: molecule%d, select: resid %d}\n' $kind "$molecule" "$molecule"
done >>plan.yaml

gmx -quiet mdrun -deffnm run -imdwait -imdport 0 -ntmpi 1 -ntomp 1 >log 2>&1 &
simulation=$!
for _ in $(seq 100); do
    port=$(sed -n 's/.*Listening for IMD connection on port \([0-9]*\).*/\1/p' log)
    [ -n "$port" ] && break
    sleep 0.1
done
[ -n "$port" ] || { kill $simulation; echo "gmx mdrun prints no port: $(tail -n 3 log)"; exit 77; }
"$quern" trajectory run plan.yaml --quiet --live "localhost:$port" --live-every 20 --live-step 0.002 --output live 2>err || fail "the live run: $(cat err)"
wait $simulation || fail "the simulation: $(tail -n 3 log)"
"$quern" trajectory run plan.yaml --quiet --output file 2>err || fail "the TRR: $(cat err)"

# 11 frames; positions that come over IMD were converted to Å and back, which changes them by up to 3e-7 nm. Pairs
# within that distance of a bin's edge may change bins.
[ "$(rows live/dipole.xvg | wc -l)" = 11 ] || fail "$(rows live/dipole.xvg | wc -l) frames came, expected 11"
near live/dipole.xvg file/dipole.xvg 0.0021 1 1 || fail "times differ by more than the one step that GROMACS counts ahead"
near live/dipole.xvg file/dipole.xvg 1e-5 2 5 || fail "dipoles differ"
near live/msd.xvg file/msd.xvg 1e-5 1 5 || fail "displacements differ"
near live/rdf.xvg file/rdf.xvg 0.02 1 2 || fail "radial distributions differ"
for molecule in $(seq 1 22); do
    near live/molecule$molecule.xvg file/molecule$molecule.xvg 1e-5 2 4 || fail "molecule $molecule differs"
done
[ $failures -eq 0 ]
