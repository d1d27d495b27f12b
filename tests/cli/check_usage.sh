#!/usr/bin/env bash
# labels: unsanitized
# Command lines and their outcome, as a table: exit code, stream, and message. Arguments: source folder, quern binary,
# build folder.
set -u
quern=$2
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
checks=0
failures=0

wrong() {
    failures=$((failures + 1))
    printf 'quern %s\n  %s\n  stdout: %s\n  stderr: %s\n' "$line" "$1" "$(head -c 300 out)" "$(head -c 300 err)"
}

# expect CODE STREAM LINES PATTERN arguments...
#   STREAM  out or err: the stream that holds PATTERN (a basic regular expression); the other one must be empty
#   LINES   number of lines of that stream; - for any number
expect() {
    local code=$1 stream=$2 lines=$3 pattern=$4 other=err actual
    shift 4
    line="$*"
    [ "$stream" = err ] && other=out
    "$quern" "$@" >out 2>err </dev/null
    actual=$?
    checks=$((checks + 1))
    if [ "$actual" != "$code" ]; then wrong "exit code $actual, expected $code"
    elif ! grep -q -- "$pattern" "$stream"; then wrong "std$stream lacks: $pattern"
    elif [ -s "$other" ]; then wrong "std$other should be empty"
    elif [ "$lines" != - ] && [ "$(wc -l <"$stream")" != "$lines" ]; then wrong "std$stream should have $lines lines"
    fi
}

d="dock a.pdb b.pdb -o out.d"
# The program itself.
expect 2 err - '^Usage: quern COMMAND'
expect 0 out - '^Usage: quern COMMAND' -h
expect 0 out - '^Usage: quern COMMAND' --help
expect 0 out - '^Usage: quern COMMAND' help
expect 0 out - '^quern [0-9]*\.[0-9]*\.[0-9]*$' --version
expect 0 out - '^commit:     [0-9a-f]\{12\}\( with changes\)\{0,1\}$\|^commit:     not known' --version
expect 0 out - '^compiler:   [A-Za-z]* [0-9.]*, [a-z0-9_]*, [A-Za-z]*$' --version
expect 0 out - '^built with: zlib [0-9.]*, Jansson [0-9.]*, LibYAML [0-9.]*, SQLite [0-9.]*, libtiff [0-9.]*, Qhull ' --version
expect 0 out - '^\(not \)\{0,1\}found: .*OpenCL' --version
expect 0 out - '^Usage: quern dock RECEPTOR' --help dock
expect 0 out - '^Usage: quern trajectory rdf' trajectory help rdf
expect 0 out - '^Usage: quern trajectory rdf' trajectory -h rdf
expect 0 out - '^Usage: quern tune ACTION' tune help
expect 2 err 1 'unknown action "rdg"; did you mean rdf?' trajectory help rdg
expect 0 out - '^quern [0-9]*\.[0-9]*\.[0-9]*$' version
expect 0 out - '^quern [0-9]*\.[0-9]*\.[0-9]*$' -V
expect 2 err 1 'there is no workload "transposee"; did you mean benchmark/transpose?' tune run transposee --device host
expect 2 err 1 'there is no workload "a.pdb"; expected one of quern tune list, or a T1 file' tune run a.pdb --device host
expect 2 err 1 'unknown command "dokc"; did you mean dock?' dokc
expect 2 err 1 'unknown command "qwertyuiop" (see quern -h)$' qwertyuiop
expect 2 err 1 'unknown command "nothing"' help nothing
expect 2 err 1 'unknown option --frobnicate' --frobnicate
for command in dock evaluate fsc cluster devices "fft advise" "tune run" "tune list" "tune simulate" "tune explain" "trajectory run" \
    "trajectory list" "trajectory convert" "trajectory gyration"; do
    expect 0 out - "^Usage: quern $command" $command -h
    expect 0 out - "^Usage: quern $command" $command --help
    expect 0 out - "^Usage: quern $command" help $command
    expect 2 err 1 "unknown option --frobnicate (see quern $command -h)\$" $command --frobnicate
done
# Misspelt, missing and repeated options.
expect 2 err 1 'unknown option --spacng; did you mean --spacing?' $d --spacng 1
expect 2 err 1 'unknown option --rotation; did you mean --rotations?' $d --rotation=12
expect 2 err 1 'unknown option -Z ' $d -Z
expect 2 err 1 'screen: --exhaustiveness is an option of AutoDock Vina that is not taken here; --effort multiplies' \
    screen --receptor a.pdb --ligand b.sdf --exhaustiveness 8
expect 2 err 1 'trajectory gyration: -s md.tpr is as in GROMACS; the topology is the first argument' \
    trajectory gyration -s md.tpr -f md.xtc
expect 1 err - 'a.pdb: cannot open' screen --receptor a.pdb --ligand b.sdf -o out.d --center_x 1 --center_y 2 --center_z 3 \
    --size_x 9 --size_y 9 --size_z 9
expect 2 err 1 'RECEPTOR is missing' dock
expect 2 err 1 'LIGAND is missing' dock a.pdb
expect 2 err 1 '\-\-output FOLDER is missing' dock a.pdb b.pdb
expect 2 err 1 'unexpected argument "c.pdb"' $d c.pdb
expect 2 err 1 'unexpected argument "-q"' $d -- -q
expect 2 err 1 '\-\-output needs a value: FOLDER' dock a.pdb b.pdb -o
expect 2 err 1 '\-\-output needs a value: FOLDER' dock a.pdb b.pdb -o --quiet
expect 2 err 1 '\-\-output is empty' dock a.pdb b.pdb -o ''
expect 2 err 1 'RECEPTOR is empty' dock '' b.pdb -o out.d
expect 2 err 1 '\-\-resume takes no value, but "yes"' $d --resume=yes
expect 2 err 1 'MODELS is missing' evaluate --reference a b
expect 2 err 1 '\-\-reference RECEPTOR LIGAND is missing' evaluate models
expect 2 err 1 '\-\-reference needs two values' evaluate models --reference a
expect 2 err 1 'unexpected argument "extra"' devices extra
expect 2 err 1 'PLAN is missing' trajectory run
expect 2 err 1 'unexpected argument "b.yaml"' trajectory run a.yaml b.yaml
expect 2 err 1 'TOPOLOGY is missing' trajectory gyration
expect 2 err 1 'TRAJECTORY is missing' trajectory convert -o b.dcd
expect 2 err 1 '\-\-output FILE is missing' trajectory convert a.xtc
expect 2 err 1 'unknown action "gyratoin"; did you mean gyration?' trajectory gyratoin
expect 2 err 1 'cluster: --output FOLDER is missing' cluster a.pdb
expect 2 err 1 'the structures: given neither as files nor in memory' cluster -o out.d -k 2
expect 2 err 1 'neither --clusters nor a --cutoff above 0 is given' cluster a.pdb -o out.d
expect 2 err 1 '\-\-clusters and --cutoff are both given' cluster a.pdb -o out.d -k 2 -c 1
expect 2 err 1 '\-\-method gromos needs a --cutoff above 0' cluster a.pdb -o out.d --method gromos -k 2
expect 2 err 1 '\-\-method kmedoids needs --clusters' cluster a.pdb -o out.d --method kmedoids --cutoff 2
expect 2 err 1 '\-\-distances and --write-matrix are both given' cluster --distances d.npy -k 2 --write-matrix -o out.d
expect 2 err 1 '\-\-method is "kmeans"; expected one of: average complete single ward gromos kmedoids dbscan' \
    cluster a.pdb -o out.d --method kmeans
expect 2 err 1 '\-\-cutoff is "-1"; expected a number from 0' cluster a.pdb -o out.d --cutoff -1
expect 2 err 1 '\-\-least-items is "0"; expected a whole number from 1' cluster a.pdb -o out.d --least-items 0
expect 2 err 1 'weights is "mass", and --distances names distances' cluster --distances d.npy -k 2 -o out.d -w mass
expect 1 err 1 'd.npy: cannot be opened: No such file' cluster --distances d.npy -k 2 -o out.d
# Values out of range or of the wrong kind name the range.
expect 2 err 1 '\-\-rotations is "0"; expected a whole number from 1 to 10000000' $d --rotations 0
expect 2 err 1 '\-\-rotations is "-5"; expected' $d -n -5
expect 2 err 1 '\-\-rotations is "12x"; expected' $d -n12x
expect 2 err 1 '\-\-rotations is "99999999999999999999"; expected' $d --rotations=99999999999999999999
expect 2 err 1 '\-\-rotations is "3.5"; expected a whole number' $d --rotations 3.5
expect 2 err 1 '\-\-stride is "0"; expected a whole number from 1 to' trajectory run a.yaml --stride 0
expect 2 err 1 '\-\-first is "-1"; expected a whole number from 0' trajectory run a.yaml --first -1
expect 2 err 1 '\-\-begin is "now"; expected a number' trajectory run a.yaml --begin now
expect 2 err 1 '\-\-live-timeout is "0"; expected a time from 0.1' trajectory run a.yaml --live-timeout 0
expect 2 err 1 '\-\-live-step is "-1"; expected a number from 0' trajectory run a.yaml --live-step -1
expect 2 err 1 '\-\-live-every is "-1"; expected a whole number from 0' trajectory run a.yaml --live-every -1
expect 2 err 1 '\-\-format is "txt"; expected one of: xvg csv both' trajectory run a.yaml --format txt
expect 2 err 1 '\-\-memory is "-1"; expected a size from 0 to 16 TiB, such as 512MiB' trajectory run a.yaml --memory -1
expect 2 err 1 '\-\-memory is "1 parsec"; expected a size' trajectory run a.yaml --memory '1 parsec'
expect 2 err 1 '\-\-tune is "maybe"; expected one of: auto online offline known off' trajectory run a.yaml --tune maybe
expect 2 err 1 '\-\-units is "pm"; expected one of: nm angstrom' trajectory com a.gro --units pm
expect 2 err 1 '\-\-whole is "never"; expected one of: auto yes no' trajectory com a.gro --whole never
expect 2 err 1 '\-\-precision is "0"; expected a number from 1' trajectory convert a.xtc -o b.xtc --precision 0
expect 2 err 1 '\-\-spacing is "0"; expected a number from 0.3 to 4' $d --spacing 0
expect 2 err 1 '\-\-spacing is "nan"; expected a number' $d --spacing nan
expect 2 err 1 '\-\-spacing is "1,2"; expected a number' $d --spacing 1,2
expect 2 err 1 '\-\-per-rotation is "17"; expected a whole number from 1 to 16' $d --per-rotation 17
expect 2 err 1 '\-\-seed is "-1"; expected a whole number from 0 to 18446744073709551615' $d --seed -1
expect 2 err 1 '\-\-seed is "18446744073709551616"; expected' $d --seed 18446744073709551616
expect 2 err 1 '\-\-score is "nonsense"; expected one of: piper rpsc' $d --score nonsense
expect 2 err 1 '\-\-terms is "19"; expected a whole number from 0 to 18' $d --terms 19
expect 2 err 1 '\-\-terms is "-1"; expected' $d --terms=-1
expect 2 err 1 '\-\-coefficients is empty' $d --coefficients ''
expect 2 err 1 '\-\-coefficients needs a value: SETS' $d -w
expect 2 err 1 '\-\-block is empty' $d -b receptor:A --block ''
expect 2 err 1 '\-\-attract needs a value: RESIDUES' $d --attract
expect 2 err 1 '\-\-block-penalty is "-1"; expected a number from 0 to 1000000' $d --block-penalty -1
expect 2 err 1 '\-\-attract-bonus is "inf"; expected a number' $d --attract-bonus inf
expect 2 err 1 '\-\-restraints is empty' $d --restraints ''
expect 2 err 1 '\-\-restraints-required is "1.5"; expected a whole number from 0' $d --restraints-required 1.5
expect 2 err 1 '\-\-no-refinement takes no value' $d --no-refinement=1
expect 2 err 1 '\-\-zdock takes no value' $d --zdock=file
expect 2 err 1 '\-\-fft is "ff"; expected one of: auto fused fused-half own fftw vkfft cufft' $d --fft ff
expect 2 err 1 'movie: --output FOLDER is missing' movie a.mrcs
expect 2 err 1 'no movies are given; expected a STAR file, movies, or a folder to watch' movie -o out.d
expect 2 err 1 '\-\-watch in.d and movies are both given' movie a.mrcs --watch in.d -o out.d
expect 2 err 1 '\-\-idle is given without --watch' movie a.mrcs --idle 5min -o out.d
expect 2 err 1 '\-\-dose and --total-dose are both given' movie a.mrcs -o out.d --dose 1 --total-dose 40
expect 2 err 1 '\-\-eer-dose needs the dose of all frames; expected --total-dose' movie a.eer -o out.d --eer-dose 1
expect 2 err 1 '\-\-gain-flip is given without a gain; expected --gain' movie a.mrcs -o out.d --gain-flip 1
expect 2 err 1 '\-\-patches is "5"; expected auto, none, or two numbers up to 64 such as 5x5' movie a.mrcs -o out.d -p 5
expect 2 err 1 '\-\-filter is "-3"; expected auto or a number above 0' movie a.mrcs -o out.d --filter -3
expect 2 err 1 '\-\-frames is "9-3"' movie a.mrcs -o out.d --frames 9-3
expect 1 err 1 'm.star: cannot open: No such file' movie m.star -o out.d -q
expect 1 err 1 'g.mrc: cannot open: No such file' movie a.mrcs -o out.d --gain g.mrc -q
expect 2 err 1 'screen: RECEPTOR is missing' screen
expect 2 err 1 'screen: LIBRARY is missing' screen r.pdb -o out.d
expect 2 err 1 'screen pack: LIBRARY is missing' screen pack -o out.qlib
expect 2 err 1 'screen pack: --output FILE is missing' screen pack l.sdf
expect 2 err 1 '\-\-output FOLDER is missing' screen r.pdb l.sdf --site s.sdf
expect 2 err 1 'one of --box, --site and --pocket' screen r.pdb l.sdf -o out.d
expect 2 err 1 'one of --box, --site and --pocket' screen r.pdb l.sdf -o out.d --site s.sdf --pocket A:3
expect 2 err 1 '\-\-box is "1,2,3"; expected centre and side in Å' screen r.pdb l.sdf -o out.d --box 1,2,3
expect 2 err 1 '\-\-box is "1,2,3,0"; expected' screen r.pdb l.sdf -o out.d --box 1,2,3,0
expect 2 err 1 '\-\-box is "1,2,3,nan"; expected' screen r.pdb l.sdf -o out.d --box 1,2,3,nan
expect 2 err 1 '\-\-box is "1,2,3,4,5,6,7"; expected' screen r.pdb l.sdf -o out.d --box 1,2,3,4,5,6,7
expect 2 err 1 'screen deck: DECK is missing' screen deck
expect 2 err 1 'unexpected argument "r.pdb"' screen deck bm1 r.pdb
expect 2 err 1 'screen deck: unknown option --output' screen deck bm1 --output out.d
expect 2 err 1 'screen: unknown option --energies' screen r.pdb l.sdf -o out.d --energies e.txt
expect 2 err 1 'screen pack: unknown option --site' screen pack l.sdf -o out.qlib --site s.sdf
expect 2 err 1 'vina has no exact form' screen --rigid r.pdb l.sdf --box 1,2,3,4 -o out.d --exact --score vina --device host -q
expect 2 err 1 '\-\-poses is "100"; expected a multiple of 64' screen --rigid r.pdb l.sdf --box 1,2,3,4 -o out.d -n 100
expect 2 err 1 '\-\-no-cull belongs to --score bude' screen --rigid r.pdb l.sdf -o out.d --site s.sdf --score vina --no-cull
expect 2 err 1 'score-only is of molecules whose bonds turn, but --rigid is given' screen --rigid r.pdb l.sdf -o out.d --box 1,2,3,4 --score-only
expect 2 err 1 'flex is of molecules whose bonds turn, but --rigid is given' screen --rigid r.pdb l.sdf -o out.d --box 1,2,3,4 --flex A:3
expect 2 err 1 'receptor-energy is of molecules whose bonds turn' screen --rigid r.pdb l.sdf -o out.d --box 1,2,3,4 --receptor-energy exact
for option in 'walkers 64' 'effort 1' 'types own' 'receptor-energy maps'; do
  expect 2 err 1 "\-\-${option%% *} is of molecules whose bonds turn" screen --rigid r.pdb l.sdf -o out.d --box 1,2,3,4 --$option
done
expect 2 err 1 '\-\-receptor-energy is "grids"; expected' screen r.pdb l.sdf -o out.d --flexible --receptor-energy grids
expect 2 err 1 'keeps side chains of --flex in the box' screen r.pdb l.sdf -o out.d --box 1,2,3,4 --flexible --flex A:3 --confine-atoms
expect 2 err 1 'score-only and --local-only are both given' screen r.pdb l.sdf -o out.d --flexible --score-only --local-only
expect 2 err 1 'flexible is of molecules whose bonds turn, but --rigid is given' screen --rigid r.pdb l.sdf -o out.d --box 1,2,3,4 --flexible
for option in 'conformers 5' 'generations 8' 'rounds 1' 'poses 64' 'score bude' exact no-cull 'batch 5' \
  'conformers 0' 'generations 55' 'rounds 12' 'poses 0'; do
  expect 2 err 1 "\-\-${option%% [0-9]*} is of rigid molecules, but bonds turn; expected --rigid too" screen r.pdb l.sdf -o out.d --box 1,2,3,4 --$option
done
expect 2 err 1 'exact is of rigid molecules' screen r.pdb l.sdf -o out.d --flexible --box 1,2,3,4 --exact
expect 2 err 1 'one of --box, --site and --pocket' screen r.pdb l.sdf -o out.d --flexible
expect 2 err 1 '\-\-margin is "3", but there is no --site' screen r.pdb l.sdf -o out.d --box 1,2,3,4 --margin 3
expect 2 err 1 'distance: --output FILE is missing' distance a.pdb
expect 2 err 1 '\-\-measure is "rmsf"; expected one of: drmsd' distance a.pdb -o a.npy --measure rmsf
expect 2 err 1 '\-\-matrix is "uint8"; expected one of: float32 uint16' distance a.pdb -o a.npy --matrix uint8
expect 2 err 1 'neither as files nor in memory' distance -o a.npy --device host -q
expect 2 err 1 '\-\-output is "a.txt"; expected a name that ends in .npy or .csv' distance a.pdb -o a.txt --device host -q
expect 2 err 1 '\-\-to and --between both name references' distance a.pdb -o a.npy --to b.pdb --between c --device host -q
expect 2 err 1 'weights is "mass", but tm-score has no weights' distance a.pdb -o a.npy -m tm-score -w mass --device host -q
expect 2 err 1 'contact-share is "reference", but there are no references' \
    distance a.pdb -o a.npy -m contact --contact-share reference --device host -q
expect 2 err 1 'align is given, but drmsd is not for models' distance a.pdb -o a.npy --align --device host -q
expect 2 err 1 'molecule is "X", but drmsd compares no poses' distance a.sdf -o a.npy --molecule X --device host -q
expect 2 err 1 'but ligand-rmsd compares all heavy atoms' distance a.sdf -o a.npy -m ligand-rmsd -s all --device host -q
expect 2 err 1 '\-\-first is "3" and --last is "2"' distance a.pdb -o a.npy --first 3 --last 2 --device host -q
expect 2 err 1 '\-\-threads is "-1"; expected' devices --threads=-1
expect 2 err 1 'fft: unknown action "advice"; did you mean advise?' fft advice 64
expect 2 err 1 'SIZE is missing' fft advise
expect 2 err 1 '\-\-memory is "-1"; expected a size from 0' fft advise 64 --memory -1
expect 2 err 1 '\-\-candidates is "32"; expected a whole number from 1 to 31' fft advise 64 -n 32
expect 2 err 1 '\-\-kind is "double"; expected one of: complex complex-inverse real real-inverse' fft advise 64 -k double
expect 2 err 1 '\-\-engine is "fft"; expected one of: auto own fftw vkfft cufft' fft advise 64 --engine fft
expect 0 out - '^Usage: quern tune ACTION' tune -h
expect 2 err - '^Usage: quern tune ACTION' tune
expect 2 err 1 'tune: unknown action "rum"; did you mean run?' tune rum gemm
expect 2 err 1 'NAME is missing' tune run
expect 2 err 1 '\-\-budget is "5 parsecs"; expected a time from 0.001 to 1000000000 s, such as 60s, 5min or 2h' tune run gemm --budget '5 parsecs'
expect 2 err 1 '\-\-size is "12x"; expected 1 to 5 whole numbers from 1 to 2147483647 joined by x' tune run gemm --device host --size 12x
expect 2 err 1 '\-\-size is "1x2x3x4"; expected rowsxcolumnsxinner' tune run gemm --device host --size 1x2x3x4
expect 2 err 1 'there is no workload "gem"; did you mean benchmark/gemm?' tune run gem --device host --store off
expect 2 err 1 'there is no workload "gem"; did you mean benchmark/gemm?' tune run transpose gem --device host --store off
expect 2 err 1 'there is no workload "gem"; did you mean benchmark/gemm?' tune export gem --device host -o a.json
expect 2 err 1 'there is no workload "gem"; did you mean benchmark/gemm?' tune import gem a.json --device host
expect 2 err 1 'there is no searcher "nobody"; there are auto' tune run bicg --searcher nobody --device host --store off --quiet
expect 2 err 1 'there is no searcher "ranom"; did you mean random?' tune simulate absent.json --searcher climb,ranom
expect 2 err 1 'there is no kernel family "corelate"; did you mean correlate?' tune explain corelate --store off
expect 2 err - '^Usage: quern tune model ACTION' tune model
p="potential r.pdbqt -o out.d"
expect 2 err 1 'potential: no output is given; expected --output with a folder, or --gpf' potential r.pdbqt --npts 20
expect 2 err 1 'no receptor is given; expected a PDBQT, PDB or mmCIF file, or --gpf' potential -o out.d --npts 20
expect 2 err 1 'the extent of the grid is not given; expected one of --size, --npts and --site' $p
expect 2 err 1 '\-\-size and --npts are both given' $p --size 20x20x20 --npts 20
expect 2 err 1 '\-\-npts is "20x"; expected' $p --npts 20x
expect 2 err 1 '\-\-npts has 21; expected even numbers of spacings' $p --npts 21
expect 2 err 1 '\-\-npts is "4000"; expected' $p --npts 4000
expect 2 err 1 '\-\-size is "20x20"; expected three lengths in Å' $p --size 20x20
expect 2 err 1 '\-\-size is "20x20x9000", and the spacing is 0.375 Å; expected 2 to 2048 spacings' $p --size 20x20x9000
expect 2 err 1 '\-\-center is "1,2"; expected auto, or x,y,z in Å' $p --npts 20 --center 1,2
expect 2 err 1 '\-\-types is "C,,N"; expected up to 64 atom types' $p --npts 20 --types C,,N
expect 2 err 1 '\-\-types is "C,N,C"; expected each type once' $p --npts 20 --types C,N,C
expect 2 err 1 '\-\-dielectric is 0; expected' $p --npts 20 --dielectric 0
expect 2 err 1 '\-\-spacing is "0"; expected a number from 0.001' $p --npts 20 --spacing 0
expect 2 err 1 '\-\-smooth is given beside --gpf, which has this value' $p --gpf run.gpf --smooth 0.1
expect 2 err 1 '\-\-types is given beside --coulomb' $p --npts 20 --coulomb --types C
expect 2 err 1 'unexpected argument "b.pdbqt"' $p b.pdbqt
expect 2 err 1 '\-\-ligand and --types are both given' $p --npts 20 --types C --ligand l.sdf
expect 2 err 1 '\-\-margin is "3", but there is no --site' $p --npts 20 --margin 3
expect 2 err 1 '\-\-site is given beside --gpf, which has this value' $p --gpf run.gpf --site l.sdf
expect 2 err 1 '\-\-format is "map,ccp4"; expected map, dx or mrc' $p --npts 20 --format map,ccp4
expect 2 err 1 '\-\-types is "C_H,OA"; expected Vina.s types' $p --npts 20 --score vina --types C_H,OA
t="tunnel r.pdb -o out.d"
expect 2 err 1 'start' $t
expect 2 err 1 '\-\-shell-radius is 3 and --probe is 3.5; expected a shell that is wider' $t --start 1,2,3 --probe 3.5
expect 2 err 1 '\-\-most is "0"; expected' $t --start 1,2,3 --most 0
expect 2 err 1 '\-\-hydrogens' $t --start 1,2,3 --hydrogens
t="transport r.pdb l.sdf --tunnel t.dsd -o out.d"
expect 2 err 1 'direction' $t
expect 2 err 1 '\-\-direction is "up"; expected in or out' $t --direction up
expect 2 err 1 '\-\-tunnel' transport r.pdb l.sdf --direction in -o out.d
expect 2 err 1 '\-\-poses is "0"; expected' $t --direction in --poses 0
expect 2 err 1 '\-\-bound is "middle"; expected' $t --direction in --bound middle
# Refused by the library: one sentence, nothing on standard output.
expect 1 err 1 'absent.pdb' dock absent.pdb absent.pdb -o out.d --device host --quiet
expect 1 err 1 'absent.pdbqt' potential absent.pdbqt --npts 20 -o out.d --device host --quiet
expect 1 err 1 'absent.pdb' tunnel absent.pdb --start 1,2,3 -o out.d --quiet
expect 0 err 1 '^warning: .*: no atom is within 8 Å of the grid, whose centre is 500.0, 0.0, 0.0 Å; the nearest is 46[0-9] Å away' \
    potential "$1/examples/1iep/1iep_receptor.pdb" --center 500,0,0 --size 3x3x3 --types C -o far.d --device host -q
library=$1/examples/1iep/kinase_inhibitors.sdf
kinase="screen $1/examples/1iep/1iep_receptor.pdb $library --site $library -o out.d --device host -q"
expect 2 err 2 'has 1189 heavy atoms, many for a ligand; the box lies around their middle' $kinase
expect 2 err 2 'the box around 0.0, 0.0, 0.0 is 29 Å away from the receptor' $kinase
# Nothing is left of a run that finds nothing, so the corrected command can begin.
expect 2 err 1 'the start 500,0,0 .* is outside: the surface of the nearest atom is 463.0 Å away' \
    tunnel "$1/examples/1iep/1iep_receptor.pdb" --start 500,0,0 -o out.d --quiet
[ ! -e out.d ] || wrong 'left its folder'
: >empty.tif
expect 1 err - 'none of 1 movie could be used, because: empty.tif: is no movie' movie empty.tif -o out.d --quiet --device host
[ ! -e out.d ] || wrong 'left its folder'
expect 1 err 1 'absent.dsd' transport absent.pdb --tunnel absent.dsd --direction in -o out.d --quiet
expect 1 err 1 'absent.sdf' potential r.pdbqt --site absent.sdf -o out.d --device host --quiet
expect 1 err 1 'absent.gpf' potential --gpf absent.gpf --device host --quiet
expect 1 err 1 'absent.pdb' screen absent.pdb absent.sdf --box 1,2,3,4 -o out.d --device host --quiet
expect 1 err 1 'absent.pdb' distance absent.pdb -o out.npy --device host --quiet
expect 1 err 1 'absent.d/' screen deck absent.d --device host --quiet
expect 1 err 1 'absent.sdf' screen pack absent.sdf -o out.qlib
expect 1 err 1 'absent.json' tune run absent.json --device host --store off --quiet
expect 1 err 1 'absent.json' tune simulate absent.json
echo '{' >cut.json
expect 1 err 1 '^quern: cut.json:[12]: no JSON' tune simulate cut.json
expect 1 err 1 'absent' evaluate absent --reference absent.pdb absent.pdb
expect 2 err 1 'floppy:0' dock a.pdb b.pdb -o out.d --device floppy:0
expect 1 err 1 'opencl:99' dock a.pdb b.pdb -o out.d --device opencl:99
expect 1 err 1 'cuda' devices --device cuda:77
# Options whose values the library reads are wrong usage too.
expect 2 err 1 'device "bogus": expected auto' devices --device bogus
expect 2 err 1 '--tune-budget is "abc"' $d --tune-budget abc
expect 2 err 1 '"abc" is not a symmetry group' reconstruct a.star -o out.mrc --symmetry abc --device host
printf 'sequence s\ninput x: vector(n)\noutput r: scalar\nr = dot(x, x)\n' >s.qf
printf 'sequence s\noutput r: scalar\nr = dto(2)\n' >wrong.qf
expect 0 out - '^s: 1 call in 1 kernel and 1 fold$' fuse explain s.qf
expect 0 out - '^dot(x(i), y(i)) -> r()$' fuse list
expect 0 out 2 'point { r += x \* y; }' fuse list dot
expect 1 err 1 'wrong.qf:3:5: found the unknown function "dto"; .* (did you mean "dot"?)' fuse explain wrong.qf
expect 2 err 1 '\-\-output .*' fuse s.qf
expect 2 err 1 '\-\-language is "fortran"; expected one of: quern opencl cuda c' fuse s.qf -o fused --language fortran
expect 0 out - '^wrote fused/s.h, fused/s.c$' fuse s.qf -o fused --language c
expect 2 err 1 'fused/s.h exists; --overwrite replaces it' fuse s.qf -o fused --language c
expect 1 err 1 'there is no function "dto"; did you mean dot?' fuse list dto
expect 2 err 1 '\-\-size names "m", which no value of s has; expected one of: n' fuse explain s.qf --size m=3
expect 2 err 1 '\-\-size has "n=0"; expected a whole number from 1' fuse explain s.qf --size n=0
expect 2 err 1 '\-\-fusion names "q", which is no result of s; expected one of: r' fuse explain s.qf --fusion q
expect 2 err 1 'the size of n, which x has, is not given; expected \-\-size n=NUMBER' fuse run s.qf -d host
expect 0 out - '^r: all 1 equal$' fuse run s.qf --size n=100 --values signs --repeat 1 --budget 0 -d host
expect 1 err 1 'absent.qf' fuse explain absent.qf
expect 2 err 1 'bogus' fft advise 64 --device bogus
# Deformable bodies: a problem is refused with the option, the value and what was expected.
cp "$1/examples/deform/lobe.msh" .
patch=near:0.08,0.035,0.02,0.015
f="--fix tag:held --contact $patch"
s="--material svk:10000,0.3"
m="--material mooney-rivlin:1400,280,2e5"
v="deform solve lobe.msh -o out.d -q --move 0,0.001,0"
expect 2 err - '^Usage: quern deform ACTION' deform
expect 2 err 1 'unknown action "sovle"; did you mean solve?' deform sovle
expect 2 err 1 'MESH is missing' deform solve
expect 2 err 1 '\-\-output FOLDER is missing' deform solve lobe.msh $f $s --move 0,0,0
expect 2 err 1 '\-\-material MATERIAL is missing' $v $f
expect 2 err 1 '\-\-fix SET is missing' $v $s --contact $patch
expect 2 err 1 '\-\-contact SET is missing' $v $s --fix tag:held
expect 2 err 1 '\-\-move X,Y,Z is missing' deform solve lobe.msh -o out.d $f $s
expect 2 err 1 '\-\-material is "steel"; expected svk:E,NU or mooney-rivlin:C10,C01,KAPPA' $v $f --material steel
expect 2 err 1 '\-\-material is "svk:1e4"; expected two numbers' $v $f --material svk:1e4
expect 2 err 1 "Young's modulus of -1 Pa; expected more than 0" $v $f --material svk:-1,0.3
expect 2 err 1 "Poisson's ratio of 0.5; expected more than -1 and less than 0.5" $v $f --material svk:1e4,0.5
expect 2 err 1 'C10 + C01 = 0 Pa; expected more than 0' $v $f --material mooney-rivlin:100,-100,2e5
expect 2 err 1 'a bulk modulus of 0 Pa; expected more than 0' $v $f --material mooney-rivlin:100,10,0
expect 2 err 1 '\-\-mixed is "yes" and --material svk; expected mooney-rivlin' $v $f $s --mixed yes
expect 2 err 1 'has an infinite bulk modulus; expected --mixed yes or auto' \
    $v $f --material mooney-rivlin:1,1,inf --mixed no
expect 2 err 1 '\-\-move is "0,0"; expected three numbers in m' deform solve lobe.msh -o out.d $f $s --move 0,0
expect 2 err 1 '\-\-order is "3"; expected a whole number from 1 to 2' $v $f $s --order 3
expect 2 err 1 '\-\-refine is "7"; expected a whole number from 0 to 6' $v $f $s --refine 7
expect 2 err 1 '\-\-scale is "0"; expected a number from 1e-12' $v $f $s --scale 0
expect 2 err 1 '\-\-calculix is given with pressures as unknowns; expected --mixed no' $v $f $m --calculix deck.inp
expect 2 err 1 'the mesh has no group "hold"; expected one of: held top lobe' $v $s --fix tag:hold --contact $patch
expect 2 err 1 'no node of the surface has "x<-1"; x of the surface goes from 0 to 0.1194 m' \
    $v $s --fix 'x<-1' --contact $patch
expect 2 err 1 'no node of the surface is in "near:1,0,0,0.1"' $v $s --fix tag:held --contact near:1,0,0,0.1
expect 2 err 1 'node 1 is in --contact "x<0.01" and in --fix "tag:held"' $v $s --fix tag:held --contact 'x<0.01'
expect 2 err 1 'the body can turn about a line through all nodes of --fix "nodes:1" and --contact "nodes:200"' \
    $v $s --fix nodes:1 --contact nodes:200
expect 2 err 1 'a line through all nodes of --fix "nodes:1"; expected three' $v $s --fix nodes:1 --contact mean:$patch
expect 1 err 1 'absent.msh: cannot open' deform solve absent.msh -o out.d -q --move 0,0,0 $f $s
expect 1 err 1 'no balance was found beyond .* of 1 m (relative residual .*, least J ' \
    deform solve lobe.msh -o out.d -q --move 0,-1,0 $f $s
# The corners of the first tetrahedron the other way round, and a hexahedron.
awk '/^\$Elements/ { inside = 1 } inside && $2 == 4 && !done { last = $NF; $NF = $(NF - 1); $(NF - 1) = last; done = 1 }
    { print }' lobe.msh >inverted.msh
printf '%s\n' '# vtk DataFile Version 2.0' box ASCII 'DATASET UNSTRUCTURED_GRID' 'POINTS 8 double' \
    '0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1' 'CELLS 1 9' '8 0 1 2 3 4 5 6 7' 'CELL_TYPES 1' 12 >box.vtk
expect 1 err 1 'inverted.msh: element .* has volume -.*; expected > 0 m³ (1 of 720 elements is inverted)' \
    deform solve inverted.msh -o out.d -q --move 0,0,0 $f $s
expect 1 err 1 'box.vtk: element 0 is a hexahedron of 8 points; expected tetrahedra' \
    deform solve box.vtk -o out.d -q --move 0,0,0 $f $s
expect 0 err 1 'warning: lobe.msh: the mesh is 239 m wide; expected m (for a mesh in mm give --scale 0.001)' \
    deform solve lobe.msh -o wide.d -q --scale 2000 --fix tag:held --contact 'x>220' $s --move 0,-1,0
p="deform space lobe.msh -o space.qcs -q $f $s"
expect 2 err 1 '\-\-reach is "up"; expected a length in m, as 0.03, or a box with rest (0, 0, 0) inside' $p --reach up
expect 2 err 1 '\-\-reach is "-1"; expected a length' $p --reach=-1
expect 2 err 1 '\-\-reach is "0.01:0.02,0:1,0:1"; expected' $p --reach 0.01:0.02,0:1,0:1
expect 2 err 1 '\-\-step 1e-05 m and --reach "0.03" make a grid of .* states or more; expected at most' $p --step 1e-5
expect 2 err 1 '\-\-step is 0.1 m and --reach "0.03"; expected a reach of at least one step' $p --step 0.1
expect 1 err 1 'states of 648 unknowns take about .* MiB; expected at most the 1.0 MiB of --memory' \
    $p --step 0.001 --memory 1MiB
expect 2 err 1 '\-\-interpolation is "cubic"; expected one of: gradient energy linear' $p --interpolation cubic
expect 2 err 1 'the body has no balance half-way to --reach "1"; expected a shorter reach, or a --step' $p --reach 1
# One of the trial cells has no balance. The others choose a step of 1 cm, so that the box has 3 × 4 × 3 places.
expect 0 err 2 '^warning: [0-9]* states of 36 without a balance' deform space lobe.msh -o soft.qcs -q $f \
    --material svk:1e4,0.45 --reach=-0.01:0.01,-0.02:0.01,-0.01:0.01 --checks 0
"$quern" $p --step 0.01 --reach 0:0.01,0:0.01,0:0.01 --checks 0 2>err || { line=$p; wrong 'no space was made'; }
h="deform simulate lobe.msh -o out.d -q $f"
expect 2 err 1 '\-\-hand HAND is missing' $h $s
expect 2 err 1 'the hand "min-jerk:1,0.1" does not have three numbers; expected' $h $s --hand min-jerk:1,0.1
expect 1 err 1 'absent.csv: cannot open' $h $s --hand absent.csv
printf 't,x,y,z\n0,0,0,0\n1,0,0,0.01\n1,0,0,0\n' >hand.csv
expect 1 err 1 'hand.csv:4: the time 1 s follows 1 s; expected times that rise' $h $s --hand hand.csv
j="--hand min-jerk:1,0.1,0.01 --duration 1s"
expect 2 err 1 '\-\-device is "opencl:0" with --clock simulated' $h $s $j --clock simulated --device opencl:0
expect 2 err 1 '\-\-step is given with --space, whose grid is that of the file' $h $s $j --space space.qcs --step 0.01
expect 2 err 1 '\-\-reach is given with --space' $h $s $j --space space.qcs --reach 0.01
expect 1 err 1 'absent.qcs: cannot open' $h $s $j --space absent.qcs
expect 1 err 1 'hand.csv: has 35 bytes; expected at least 128 of a configuration space (.qcs)' $h $s $j --space hand.csv
expect 1 err 1 'lobe.msh: does not begin with QCS1; expected a configuration space (.qcs)' $h $s $j --space lobe.msh
expect 2 err 1 'space.qcs: was made with order=1; expected 2 as in this run' $h $s $j --space space.qcs --order 2
expect 2 err 1 'space.qcs: was made with material=svk:10000,0.3; expected svk:10000,0.2 as in this run' \
    $h --material svk:10000,0.2 $j --space space.qcs
awk '/^\$Nodes/ { inside = 1 } inside && $1 == 210 && NF == 4 { $2 += 0.001; inside = 0 } { print }' lobe.msh >other.msh
expect 2 err 1 'space.qcs: is of another mesh than other.msh; expected states of the same' \
    deform simulate other.msh -o out.d -q $f $s $j --space space.qcs
expect 2 err 1 'has room for .* states of .* bytes; expected at least 36' $h $s $j --step 0.01 --cache 100KiB
l="deform serve lobe.msh -q $f $s --step 0.01 --reach 0.01"
expect 2 err 1 '\-\-listen ADDRESS is missing' $l
expect 2 err 1 'the address "pipe:x" begins with neither unix: nor tcp:' $l --listen pipe:x
expect 1 err 1 'unix:absent/x: the folder does not exist' $l --listen unix:absent/x
expect 1 err 1 'unix:lobe.msh: the file exists and is no socket; expected another path' $l --listen unix:lobe.msh
"$quern" $l --listen unix:hand 2>/dev/null >/dev/null &
server=$!
for ((i = 0; i < 100; i++)); do [ -S hand ] && break; sleep 0.1; done
expect 1 err 1 'unix:hand: another program listens there; expected a free path' $l --listen unix:hand
kill "$server"
wait "$server"
# Every way of writing an option sets the same value: a refused value shows that it arrived.
for way in '--per-rotation 99' '--per-rotation=99'; do expect 2 err 1 '"99"' $d $way; done
for way in '-n 0' '-n0' '--rotations 0' '--rotations=0'; do expect 2 err 1 '"0"' $d $way; done
expect 0 out - '^Device ' devices
"$quern" devices | grep -q 'HSTR' && { line=devices; wrong 'the name of the processor stands in the version of its driver'; }

line='devices >/dev/full'
"$quern" devices >/dev/full 2>err
[ $? = 1 ] && grep -q 'cannot write to standard output' err || wrong 'a full disk should be an error'
checks=$((checks + 1))

printf '%d checks, %d failed\n' "$checks" "$failures"
[ "$failures" = 0 ]
