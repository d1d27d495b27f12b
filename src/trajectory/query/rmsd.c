/* Root mean square deviation from a reference structure, after superposition or without. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "frames/whole.h"
#include "math/superpose.h"
#include "trajectory/query/queries.h"
#include "trajectory/query/series.h"
#include "trajectory/query/setup.h"
#include "trajectory/query/structure_atoms.h"

typedef enum rmsd_fit { FIT_NONE, FIT_TRANSLATION, FIT_ROTATION } rmsd_fit;

/* A selection, and its positions in the reference. */
typedef struct rmsd_group {
    qn_structure_atoms atoms;
    double *reference; /* count × 3, nm */
} rmsd_group;

typedef struct rmsd_state {
    qn_series series;
    rmsd_fit fit;
    rmsd_group measured, fitted; /* `fitted` without atoms: `measured` is fitted */
} rmsd_state;

static const qn_query_parameter parameters[] = {
    {"reference", QN_PARAMETER_CHOICE, "first", 0, 0, "first topology",
     "structure to compare with: the first frame, or the positions in the topology"},
    {"fit", QN_PARAMETER_CHOICE, "rotation", 0, 0, "rotation translation none",
     "motion that first superposes the second selection (or the first) on the reference"},
    {"weights", QN_PARAMETER_CHOICE, "mass", 0, 0, "mass none", "weights of atoms in the fit and in the deviation"},
    {0},
};
static const qn_query_column columns[] = {{"RMSD", "nm", 1}};
static const qn_series_layout layout = {{{"", "Root mean square deviation", columns, 1, 0, NULL}}};

static void clear_group(rmsd_group *group)
{
    qn_structure_atoms_clear(&group->atoms);
    qn_release(&group->reference);
}

static void destroy(void *state)
{
    rmsd_state *rmsd = state;
    qn_series_clear(&rmsd->series);
    clear_group(&rmsd->measured);
    clear_group(&rmsd->fitted);
    qn_release(&rmsd);
}

/* Copy the topology's positions, and make molecules whole if there are bonds: a reference must not be cut by its box.
 */
static qn_status copy_topology_positions(const qn_topology *topology, float **positions)
{
    qn_trajectory_frame frame = {.time_ps = NAN, .step = -1, .atom_count = topology->atom_count};
    qn_whole_plan *plan = NULL;
    void *memory;
    if (!topology->positions_nm)
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "reference is topology, but %s has no positions; expected a topology with positions (TPR, GRO, PDB, mmCIF)",
            topology->name ? topology->name : "the topology");
    QN_TRY(qn_allocate(topology->atom_count, 3 * sizeof(float), &memory));
    *positions = frame.positions_nm = memory;
    memcpy(memory, topology->positions_nm, topology->atom_count * 3 * sizeof(float));
    memcpy(frame.box_nm, topology->box_nm, sizeof frame.box_nm);
    if (!topology->has_bonds) return QN_OK;
    QN_TRY(qn_whole_plan_create(topology, &plan));
    qn_status status = qn_whole_apply(plan, &frame);
    qn_whole_plan_destroy(&plan);
    return status;
}

static qn_status fill_group(const qn_query_setup *setup, int selection, const float *positions, rmsd_group *group)
{
    void *memory;
    QN_TRY(qn_structure_atoms_take(setup, selection, &group->atoms));
    QN_TRY(qn_allocate(group->atoms.count, 3 * sizeof(double), &memory));
    group->reference = memory;
    qn_structure_atoms_gather(&group->atoms, positions, group->reference);
    return QN_OK;
}

static qn_status fill_groups(const qn_query_setup *setup, rmsd_state *rmsd)
{
    const qn_trajectory_frame *first = qn_query_setup_first_frame(setup);
    const bool of_topology = strcmp(qn_query_setup_text(setup, "reference"), "topology") == 0;
    float *copy = NULL;
    if (!of_topology && !(first && first->positions_nm))
        return QN_FAIL(QN_INVALID_ARGUMENT, "there is no first frame; expected one to compare with");
    qn_status status = of_topology ? copy_topology_positions(qn_query_setup_topology(setup), &copy) : QN_OK;
    const float *positions = of_topology ? copy : first->positions_nm;
    if (status == QN_OK) status = fill_group(setup, 0, positions, &rmsd->measured);
    if (status == QN_OK) status = fill_group(setup, 1, positions, &rmsd->fitted);
    qn_release(&copy);
    return status;
}

static qn_status fill(const qn_query_setup *setup, void *state)
{
    rmsd_state *rmsd = state;
    const char *fit = qn_query_setup_text(setup, "fit");
    qn_series_start(&rmsd->series, &layout);
    rmsd->fit = strcmp(fit, "none") == 0 ? FIT_NONE : strcmp(fit, "rotation") == 0 ? FIT_ROTATION : FIT_TRANSLATION;
    QN_TRY(fill_groups(setup, rmsd));
    const size_t count = rmsd->fitted.atoms.count ? rmsd->fitted.atoms.count : rmsd->measured.atoms.count;
    if (rmsd->fit == FIT_ROTATION && count < 3)
        return QN_FAIL(QN_INVALID_ARGUMENT, "fit is rotation with %s; expected at least 3, or fit translation or none",
                       qn_count_of(count, "atom").text);
    return QN_OK;
}

static qn_status create(const qn_query_setup *setup, void **state)
{
    return qn_query_state_create(setup, sizeof(rmsd_state), fill, destroy, state);
}

/* Add to `translation`, which is 0 before, the shift that makes the weighted centres coincide. */
static void fit_centres(const rmsd_group *group, const double *positions, double translation[3])
{
    double weights = 0;
    for (size_t i = 0; i < group->atoms.count; i++) {
        weights += group->atoms.weights[i];
        for (int axis = 0; axis < 3; axis++)
            translation[axis] += group->atoms.weights[i] * (group->reference[3 * i + axis] - positions[3 * i + axis]);
    }
    for (int axis = 0; axis < 3; axis++) translation[axis] /= weights;
}

/* √(Σ w |R x + t − y|² / Σ w). */
static double deviation(const rmsd_group *group, const double *positions, const double r[9], const double t[3])
{
    double sum = 0, weights = 0;
    for (size_t i = 0; i < group->atoms.count; i++) {
        const double *x = positions + 3 * i, *y = group->reference + 3 * i;
        weights += group->atoms.weights[i];
        for (int axis = 0; axis < 3; axis++) {
            const double *row = r + 3 * axis;
            const double difference = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + t[axis] - y[axis];
            sum += group->atoms.weights[i] * difference * difference;
        }
    }
    return sqrt(sum / weights);
}

static qn_status measure(const void *state, const qn_query_frame *frame, double *partial)
{
    const rmsd_state *rmsd = state;
    const rmsd_group *fitted = rmsd->fitted.atoms.count ? &rmsd->fitted : &rmsd->measured;
    double rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, translation[3] = {0};
    if (!*frame->scratch)
        QN_TRY(qn_allocate(rmsd->measured.atoms.count + rmsd->fitted.atoms.count, 3 * sizeof(double), frame->scratch));
    double *positions = *frame->scratch;
    qn_structure_atoms_gather(&fitted->atoms, frame->frame->positions_nm, positions);
    if (rmsd->fit == FIT_ROTATION)
        QN_TRY(qn_superpose_weighted(positions, fitted->reference, fitted->atoms.weights, fitted->atoms.count, rotation,
                                     translation, NULL));
    if (rmsd->fit == FIT_TRANSLATION) fit_centres(fitted, positions, translation);
    if (rmsd->fitted.atoms.count)
        qn_structure_atoms_gather(&rmsd->measured.atoms, frame->frame->positions_nm, positions);
    partial[0] = deviation(&rmsd->measured, positions, rotation, translation);
    return QN_OK;
}

static void scratch_destroy(void *scratch)
{
    qn_release(&scratch);
}

const qn_query_class qn_query_rmsd = {
    .size = sizeof(qn_query_class),
    .name = "rmsd",
    .meaning = "root mean square deviation from a reference structure",
    .parameters = parameters,
    .selections = 2,
    .needs = QN_QUERY_FIXED_ATOMS,
    .create = create,
    .partial_count = qn_series_partial_count,
    .measure = measure,
    .scratch_destroy = scratch_destroy,
    .collect = qn_series_collect,
    .finish = qn_series_finish,
    .destroy = destroy,
};
