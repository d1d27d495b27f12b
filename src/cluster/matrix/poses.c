/* Poses of one small molecule, from SDF, MOL2 and PDBQT files: their heavy atoms in the order of the first pose. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "chemistry/bonds.h"
#include "cluster/matrix/models.h"
#include "format/compound/compound_stream.h"

enum { MAPPINGS_MAX = 4096 };

/* ---- one file ---- */

static const char *name_of(const qn_compound *compound)
{
    return compound->name[0] ? compound->name : "no name";
}

static qn_status make_room(qn_model_set *set)
{
    void *memory = set->origins;
    qn_status status = qn_grow(&memory, &set->origin_capacity, set->count + 1, sizeof *set->origins);
    set->origins = memory;
    QN_TRY(status);
    memory = set->poses;
    status = qn_grow(&memory, &set->pose_capacity, set->count + 1, sizeof *set->poses);
    set->poses = memory;
    return status;
}

static qn_status check_pose(const char *path, size_t number, const qn_compound *pose)
{
    if (pose->conformer_count != 1)
        return QN_FAIL(QN_BAD_FORMAT, "%s: molecule %zu has %zu conformers; expected poses, with one each", path,
                       number, pose->conformer_count);
    if (pose->flat && pose->atom_count > 1)
        return QN_FAIL(QN_BAD_FORMAT, "%s: molecule %zu (%s) is a flat drawing, since all z are 0; expected poses",
                       path, number, name_of(pose));
    return QN_OK;
}

/* Move the poses of one name (NULL: all) from `compounds` to the set. */
static qn_status take_poses(const char *name, const char *path, qn_compound **compounds, size_t count,
                            qn_model_set *set)
{
    for (size_t i = 0; i < count; i++) {
        if (name && strcmp(compounds[i]->name, name) != 0) continue;
        QN_TRY(check_pose(path, i + 1, compounds[i]));
        QN_TRY(make_room(set));
        set->origins[set->count] =
            (qn_model_origin){.path = path, .number = i + 1, .time_ps = (double)NAN, .alone = count == 1};
        set->poses[set->count++] = compounds[i];
        set->pose_count = set->count;
        compounds[i] = NULL;
    }
    return QN_OK;
}

qn_status qn_model_set_read_poses(const char *molecule, const char *path, qn_model_set *set)
{
    qn_compound **compounds;
    size_t count;
    QN_TRY(qn_compound_read_file(path, &compounds, &count));
    const qn_status status = take_poses(molecule, path, compounds, count, set);
    for (size_t i = 0; i < count; i++) qn_compound_destroy(&compounds[i]);
    qn_release(&compounds);
    return status;
}

/* Whether a file has small molecules in a format that no models have. */
static bool has_small_molecules(const char *path)
{
    qn_compound_stream *stream = NULL;
    qn_compound_record record = {0};
    bool has = false;
    if (qn_compound_stream_open(path, &stream) == QN_OK && qn_compound_stream_next(stream, &record) == QN_OK)
        has = record.size > 0 && (record.format == QN_COMPOUND_SDF || record.format == QN_COMPOUND_MOL2);
    qn_compound_record_clear(&record);
    qn_compound_stream_close(&stream);
    return has;
}

qn_status qn_poses_suggest(const char *path, qn_status status)
{
    qn_error_trail trail;
    if (status != QN_BAD_FORMAT && status != QN_UNSUPPORTED) return status;
    qn_error_save(status, &trail);
    if (!has_small_molecules(path)) return qn_error_restore(&trail);
    return QN_FAIL(QN_INVALID_ARGUMENT, "%s: has small molecules; expected --measure ligand-rmsd for their poses",
                   path);
}

/* ---- atoms in one order ---- */

/* Whether both have the same atoms and bonds in the same order, as poses of one program have. PDBQT files have no bonds
 * of their own; those of the first pose stand for all. */
static bool is_alike(const qn_compound *first, const qn_compound *pose, bool with_bonds)
{
    if (first->atom_count != pose->atom_count) return false;
    for (size_t i = 0; i < first->atom_count; i++)
        if (strcmp(first->atoms[i].element, pose->atoms[i].element) != 0) return false;
    if (!with_bonds) return true;
    if (first->bond_count != pose->bond_count) return false;
    for (size_t i = 0; i < first->bond_count; i++)
        if (first->bonds[i].first != pose->bonds[i].first || first->bonds[i].second != pose->bonds[i].second)
            return false;
    return true;
}

static qn_status refuse_other(const qn_model_set *first, const qn_model_set *set, size_t index)
{
    const qn_model_origin *origin = &set->origins[index], *of_first = &first->origins[0];
    return QN_FAIL(QN_BAD_FORMAT,
                   "%s: molecule %zu (%s) is another one than molecule %zu of %s (%s); expected poses of one molecule, "
                   "or --molecule with a name",
                   origin->path, (size_t)origin->number, name_of(set->poses[index]), (size_t)of_first->number,
                   of_first->path, name_of(first->poses[0]));
}

/* The place of each heavy atom of the first pose among the heavy atoms of `set->poses[index]`. */
static qn_status map_pose(const qn_model_set *first, bool has_bonds, qn_model_set *set, size_t index, int *mapping)
{
    qn_compound *pose = set->poses[index];
    const bool bonds = pose->bond_count > 0;
    bool found = true;
    for (size_t i = 0; i < first->atom_count; i++) mapping[i] = (int)i;
    if (is_alike(first->poses[0], pose, has_bonds && bonds)) return QN_OK;
    if (!bonds) QN_TRY(qn_bonds_connect(pose));
    QN_TRY(qn_symmetry_match(first->poses[0], pose, mapping, &found));
    return found ? QN_OK : refuse_other(first, set, index);
}

/* Append the heavy atoms of a pose as rows of x, y and z. `heavy` has room for as many atoms. */
static void place_atoms(const qn_compound *pose, const int *mapping, size_t atoms, int *heavy, float *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < pose->atom_count; i++)
        if (!qn_compound_atom_is_hydrogen(&pose->atoms[i])) heavy[count++] = (int)i;
    for (size_t i = 0; i < atoms; i++)
        for (size_t axis = 0; axis < 3; axis++)
            rows[axis * atoms + i] = (float)pose->positions_angstrom[3 * (size_t)heavy[mapping[i]] + axis];
}

static qn_status align_set(const qn_model_set *first, bool has_bonds, qn_model_set *set, int *mapping)
{
    const size_t atoms = first->atom_count;
    void *memory;
    set->atom_count = atoms;
    QN_TRY(qn_allocate(set->count, 3 * atoms * sizeof(float), &memory));
    set->positions_angstrom = memory;
    for (size_t i = 0; i < set->count; i++) {
        QN_TRY(map_pose(first, has_bonds, set, i, mapping));
        place_atoms(set->poses[i], mapping, atoms, mapping + atoms, set->positions_angstrom + 3 * atoms * i);
    }
    return QN_OK;
}

static qn_status find_symmetry(qn_job *job, qn_compound *first, qn_symmetry *symmetry)
{
    bool complete;
    if (first->bond_count == 0) QN_TRY(qn_bonds_connect(first));
    QN_TRY(qn_symmetry_find(first, MAPPINGS_MAX, symmetry, &complete));
    if (complete) return QN_OK;
    return qn_job_warn(job,
                       "%s has more ways to exchange equivalent atoms than are tried, %zu; some RMSDs may be too "
                       "large",
                       name_of(first), symmetry->count);
}

static qn_status refuse_no_poses(const qn_structure_input *input, const char *path)
{
    if (input->molecule)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: no molecule has the name \"%s\"; expected the title of some", path,
                       input->molecule);
    return QN_FAIL(QN_BAD_FORMAT, "%s: has no molecule; expected poses", path);
}

qn_status qn_poses_align(qn_job *job, const qn_structure_input *input, const char *path, qn_model_set *sets,
                         size_t input_count, size_t count, qn_symmetry *symmetry)
{
    size_t first = 0;
    void *mapping;
    while (first < input_count && sets[first].count == 0) first++;
    if (first == input_count) return refuse_no_poses(input, path);
    const bool has_bonds = sets[first].poses[0]->bond_count > 0;
    QN_TRY(find_symmetry(job, sets[first].poses[0], symmetry));
    sets[first].atom_count = symmetry->atom_count;
    if (symmetry->atom_count == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: molecule %zu (%s) has no heavy atoms; expected some",
                       sets[first].origins[0].path, (size_t)sets[first].origins[0].number,
                       name_of(sets[first].poses[0]));
    QN_TRY(qn_allocate(2 * symmetry->atom_count, sizeof(int), &mapping));
    qn_status status = QN_OK;
    for (size_t i = 0; i < count && status == QN_OK; i++)
        status = align_set(&sets[first], has_bonds, &sets[i], mapping);
    qn_release(&mapping);
    return status;
}
