/* Molecular dipoles in slabs along an axis of the box: polarisation, orientation. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "trajectory/query/molecules.h"
#include "trajectory/query/queries.h"
#include "trajectory/query/setup.h"
#include "trajectory/query/slabs.h"

enum { PX, PY, PZ, NUMBER, COSINE, VALUES }; /* of each slab, per nm³: dipole in e nm, molecules, sum of cosines */

typedef struct profile_state {
    qn_slabs slabs;
    qn_molecules molecules;
    qn_atom_weights masses; /* of the group whose centre is the middle */
    double *sums;           /* [count][VALUES], then the height; summed over frames */
    size_t frame_count;
} profile_state;

static const qn_query_parameter parameters[] = {
    QN_SLABS_PARAMETERS,
    QN_CENTRE_PARAMETER,
    {0},
};

static void destroy(void *state)
{
    profile_state *profile = state;
    qn_molecules_clear(&profile->molecules);
    qn_atom_weights_clear(&profile->masses);
    qn_release(&profile->sums);
    qn_release(&profile);
}

static size_t partial_count(const void *state)
{
    return (size_t)((const profile_state *)state)->slabs.count * VALUES + 1;
}

static qn_status fill(const qn_query_setup *setup, void *state)
{
    profile_state *profile = state;
    void *memory;
    profile->slabs.centred = qn_query_setup_flag(setup, "centre");
    QN_TRY(qn_slabs_create(setup, &profile->slabs));
    QN_TRY(qn_molecules_create(setup, true, &profile->molecules));
    if (profile->slabs.centred) QN_TRY(qn_atom_weights_create(setup, QN_ALL_ATOMS, QN_WEIGHT_MASS, &profile->masses));
    QN_TRY(qn_allocate(partial_count(profile), sizeof *profile->sums, &memory));
    profile->sums = memory;
    return QN_OK;
}

static qn_status create(const qn_query_setup *setup, void **state)
{
    return qn_query_state_create(setup, sizeof(profile_state), fill, destroy, state);
}

static void add_molecule(const qn_slabs *slabs, const qn_box *box, double shift, const qn_molecule_sums *sums,
                         double *partial)
{
    double centre[3], dipole[3];
    if (!qn_molecule_centre(sums, centre)) return;
    const int slab = qn_slabs_find(slabs, box, shift, centre);
    if (slab < 0) return;
    const double norm = qn_molecule_dipole(sums, centre, dipole);
    double *values = partial + slab * VALUES;
    for (int axis = 0; axis < 3; axis++) values[PX + axis] += dipole[axis];
    values[NUMBER]++;
    values[COSINE] += norm > 0 ? dipole[slabs->axis] / norm : 0;
}

/* Add each molecule's dipole about its centre of mass to the slab in which the centre lies. */
static qn_status measure(const void *state, const qn_query_frame *frame, double *partial)
{
    const profile_state *profile = state;
    const qn_slabs *slabs = &profile->slabs;
    const qn_molecule_sums *sums;
    qn_molecule_walk walk;
    double shift[3];
    qn_box box;
    QN_TRY(qn_box_from_vectors(frame->frame->box_nm, &box));
    QN_TRY(qn_molecule_walk_start(&profile->molecules, frame, &walk));
    qn_slabs_shift(slabs->centred, frame, &profile->masses, &box, shift);
    memset(partial, 0, partial_count(state) * sizeof *partial);
    for (size_t count; (count = qn_molecule_walk_next(&walk, &sums)) > 0;)
        for (size_t k = 0; k < count; k++) add_molecule(slabs, &box, shift[slabs->axis], &sums[k], partial);
    const double scale = slabs->count / box.volume_nm3;
    for (int k = 0; k < slabs->count * VALUES; k++) partial[k] *= scale;
    partial[slabs->count * VALUES] = qn_slabs_height_nm(slabs, &box);
    return QN_OK;
}

static qn_status collect(void *state, const qn_trajectory_frame *frame, const double *partial)
{
    profile_state *profile = state;
    (void)frame;
    for (size_t k = 0; k < partial_count(state); k++) profile->sums[k] += partial[k];
    profile->frame_count++;
    return QN_OK;
}

static qn_status finish(const void *state, qn_query_tables *tables)
{
    const profile_state *profile = state;
    const qn_slabs *slabs = &profile->slabs;
    const double frames = profile->frame_count ? (double)profile->frame_count : 1;
    const double height_nm = profile->sums[slabs->count * VALUES] / frames;
    const qn_query_column columns[] = {
        {qn_slabs_label(slabs), "nm", 1},
        {"Px", "e/nm²", -2},
        {"Py", "e/nm²", -2},
        {"Pz", "e/nm²", -2},
        {"molecules", "1/nm³", -3},
        {"mean dipole x", "D", 0},
        {"mean dipole y", "D", 0},
        {"mean dipole z", "D", 0},
        {"mean cosine", "", 0},
    };
    const qn_query_table table = {.name = "",
                                  .title = "Dipoles along an axis",
                                  .columns = columns,
                                  .column_count = 9,
                                  .plotted = 3,
                                  .note = "P is the dipole of a slab's molecules over its volume; the cosine is that "
                                          "of a molecule's dipole with the axis."};
    QN_TRY(qn_query_tables_begin(tables, &table));
    for (int k = 0; k < slabs->count; k++) {
        const double *sums = profile->sums + k * VALUES, number = sums[NUMBER];
        double row[9] = {qn_slabs_middle_nm(slabs, k, height_nm)};
        for (int axis = 0; axis < 3; axis++) {
            row[1 + axis] = sums[PX + axis] / frames;
            row[5 + axis] = number > 0 ? sums[PX + axis] / number * QN_DEBYE_PER_E_NM : 0;
        }
        row[4] = number / frames;
        row[8] = number > 0 ? sums[COSINE] / number : 0;
        QN_TRY(qn_query_tables_row(tables, row));
    }
    return QN_OK;
}

const qn_query_class qn_query_dipole_profile = {
    .size = sizeof(qn_query_class),
    .name = "dipole-profile",
    .meaning = "molecular dipoles along an axis of the box: polarisation and orientation",
    .parameters = parameters,
    .selections = 2,
    .needs = QN_QUERY_MASSES | QN_QUERY_CHARGES | QN_QUERY_BOX | QN_QUERY_WHOLE,
    .create = create,
    .partial_count = partial_count,
    .measure = measure,
    .scratch_destroy = qn_molecules_scratch_destroy,
    .collect = collect,
    .finish = finish,
    .destroy = destroy,
};
