#!/usr/bin/env bash
# check_meshio.sh SOURCE QUERN BUILD: Python's meshio reads our VTU files with all their values. Skipped without meshio
# (MESHIO_PYTHON: the interpreter that has it).
set -u
. "$1/tests/support/script.sh"
test=$3/tests/test_format_mesh_vtu_write
for python in "${MESHIO_PYTHON:-python3}" /usr/bin/python3 ''; do
  "${python:-false}" -c 'import meshio' 2>/dev/null && break
done
[ -n "$python" ] || { echo "Python's meshio is not installed"; exit 77; }
[ -x "$test" ] || { echo "$test is not built"; exit 77; }
"$test" write "$work" >"$work/out" 2>&1 || fail "files are not written: $(cat "$work/out")"
"$python" - "$work" "$1/tests/data/mesh" <<'CODE' || fail "meshes differ"
import sys
import meshio, numpy
for name, kind, nodes in ('box', 'tetra', 4), ('box2', 'tetra10', 10):
    ours = meshio.read('%s/%s.vtu' % (sys.argv[1], name))
    gmsh = meshio.read('%s/%s.vtk' % (sys.argv[2], name))
    assert [block.type for block in ours.cells] == [kind], ours
    cells = ours.cells[0].data
    assert (cells == gmsh.cells_dict[kind]).all()
    assert (ours.points == gmsh.points).all()
    for count, values in (len(ours.points), ours.point_data), (len(cells), {k: v[0] for k, v in ours.cell_data.items()}):
        assert sorted(values) == ['displacement', 'energy', 'part', 'stress & "strain" <9>'], sorted(values)
        def expected(components):
            return 10 * numpy.arange(count)[:, None] + numpy.arange(components)
        assert (values['stress & "strain" <9>'].reshape(count, 9) == expected(9) + 0.5).all()
        assert values['displacement'].dtype == numpy.float32 and (values['displacement'] == expected(3) + 0.5).all()
        assert values['part'].dtype == numpy.int32 and (values['part'] == expected(1)[:, 0] % 30).all()
        assert (values['energy'] == expected(1)[:, 0] + 0.5).all()
print('both files are equal')
CODE
[ $failures -eq 0 ]
