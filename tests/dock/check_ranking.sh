#!/usr/bin/env bash
# labels: unsanitized
# check_ranking.sh SOURCE QUERN BUILD: the score of the first model is the highest of all candidates, whose features
# quern_bench_dock_rank computes from poses.csv, by the weights of a model of our own: score = sum of weight times
# (feature - mean) / standard deviation over the candidates. By weight, the scores are sums over poses.csv.
set -u
source=$1 quern=$2 bench=$3/bench/quern_bench_dock_rank
. "$1/tests/support/script.sh"
example=$source/examples/1ppe
[ -x "$bench" ] || { fail "$bench is missing"; exit 1; }
cat >"$work/model.txt" <<'MODEL'
poses 100
candidates 60
spread 3
feature rank_best -1
feature rank_mean -0.7
feature rank_sets 0.5
feature core -0.3
feature electrostatic -0.4
feature area 0.2
feature consensus 0.6
MODEL
"$quern" dock "$example/1PPE_r_u.pdb" "$example/1PPE_l_u_rnd.pdb" --spacing 2 --rotations 200 --ranking model \
  --ranking-model "$work/model.txt" --device host --tune off --quiet -o "$work/out" || fail "quern dock: exit code $?"
"$bench" "$example"/1PPE_{r_u,l_u_rnd,r_b-matched,l_b-matched}.pdb "$work/out/poses.csv" others "$work/model.txt" \
  "$work/candidates.csv" || fail "quern_bench_dock_rank: exit code $?"
python3 - "$work" <<'PYTHON' || fail "the scores differ"
import csv, math, sys
work = sys.argv[1]
weights = {line.split()[1]: float(line.split()[2]) for line in open(f"{work}/model.txt") if line.startswith("feature")}
rows = list(csv.DictReader(open(f"{work}/candidates.csv")))
scores = [0.0] * len(rows)
for name, weight in weights.items():
    values = [float(row[name]) for row in rows]
    mean = sum(values) / len(values)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    for i, value in enumerate(values):
        scores[i] += weight * (value - mean) / deviation if deviation > 0 else 0
models = [float(row["score"]) for row in csv.DictReader(open(f"{work}/out/clusters.csv"))]
print(f"{len(rows)} candidates, highest score {max(scores):.6f}; first model {models[0]:.6f}")
sys.exit(len(rows) < 30 or abs(models[0] - max(scores)) > 1e-3 or models != sorted(models, reverse=True))
PYTHON

# By weight, the score of a model is the sum of the weights of its poses: exp(-z / 2) of each set's energies, shared out.
"$quern" dock "$example/1PPE_r_u.pdb" "$example/1PPE_l_u_rnd.pdb" --spacing 2 --rotations 200 --ranking weight \
  --device host --tune off --quiet -o "$work/weight" || fail "quern dock --ranking weight: exit code $?"
python3 - "$work/weight" <<'PYTHON' || fail "the weights differ"
import csv, math, statistics, sys
poses = list(csv.DictReader(open(f"{sys.argv[1]}/poses.csv")))
models = list(csv.DictReader(open(f"{sys.argv[1]}/clusters.csv")))
sums = [0.0] * len(models)
sizes = [0] * len(models)
sets = sorted({pose["coefficients"] for pose in poses})
for name in sets:
    energies = [float(pose["energy"]) for pose in poses if pose["coefficients"] == name]
    mean, deviation = statistics.fmean(energies), statistics.pstdev(energies)
    weights = [math.exp((mean - energy) / deviation / 2) for energy in energies]
    for pose, weight in zip([pose for pose in poses if pose["coefficients"] == name], weights):
        if pose["cluster"]:
            sums[int(pose["cluster"]) - 1] += weight / sum(weights) / len(sets)
            sizes[int(pose["cluster"]) - 1] += 1
scores = [float(model["score"]) for model in models]
print(f"{len(sets)} sets, {len(models)} models, first {scores[0]:.6f}, all {sum(scores):.6f}")
sys.exit(len(sets) != 3 or len(models) < 10 or scores != sorted(scores, reverse=True)
         or any(abs(a - b) > 2e-6 for a, b in zip(scores, sums)) or sizes != [int(model["size"]) for model in models])
PYTHON
grep -q 'ordered by the weight of the poses around them' "$work/weight/report.html" || fail "the report states another order"
[ $failures -eq 0 ]
