/* Fold the pairs of a receptor: two ramps to 0 for each ligand type and receptor atom, and a third where both a charge
 * and a desolvation term end beyond contact. */
#include "score/kernels/score_poses_receptor.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "runtime/host_variant.h"

/* A ramp to 0: slope · max(0, end − r). */
typedef struct ramp {
    double end, slope;
} ramp;

/* A float4 of score_poses.cl. */
typedef struct packed {
    float x, y, z, w;
} packed;

/* Fold a term that is constant up to contact and then falls to 0: a ramp that ends at 0, minus a ramp that ends at
 * contact. The end is rounded first and the slope is computed with the rounded end, since the errors of thousands of
 * pairs of the same types would add up. */
static ramp fold_term(double energy, double slope, double offset, double radius, ramp *contact)
{
    if (energy == 0) return (ramp){0};
    const double end = (double)(float)(offset / slope), fall = energy / (end - radius);
    if (radius > 0) contact->slope -= fall;
    return (ramp){end, fall};
}

/* Three ramps: one ends at contact, one at the end of the charge term (or of the desolvation term, when there is no
 * charge), one at the end of the desolvation term beside a charge. */
static void fold_pair(const qn_bude_pair *pair, ramp ramps[3])
{
    const double radius = pair->radius_angstrom;
    ramps[0] = (ramp){radius, radius > 0 ? pair->steric / radius : 0};
    const ramp charge = fold_term(pair->charge, pair->charge_slope, pair->charge_offset, radius, &ramps[0]);
    const ramp desolvation =
        fold_term(pair->desolvation, pair->desolvation_slope, pair->desolvation_offset, radius, &ramps[0]);
    ramps[1] = pair->charge != 0 ? charge : desolvation;
    ramps[2] = pair->charge != 0 ? desolvation : (ramp){0};
}

void qn_score_poses_reach(const qn_bude_type *ligand, const qn_bude_type *receptor, double reach_angstrom[2])
{
    const qn_bude_pair pair = qn_bude_pair_of(ligand, receptor);
    double reach[3];
    ramp ramps[3];
    fold_pair(&pair, ramps);
    for (int i = 0; i < 3; i++) reach[i] = ramps[i].slope != 0 ? ramps[i].end : 0;
    reach_angstrom[0] = fmax(reach[0], reach[1]);
    reach_angstrom[1] = reach[2];
}

static packed bent(ramp first, ramp second)
{
    return (packed){(float)first.end, (float)second.end, (float)first.slope, (float)second.slope};
}

/* As `bent`, for −2 r instead of r. */
static packed turned(ramp first, ramp second)
{
    return (packed){(float)(-2 * first.end), (float)(-2 * second.end), (float)(-0.5 * first.slope),
                    (float)(-0.5 * second.slope)};
}

static packed saturating(ramp first, ramp second)
{
    return (packed){first.end > 0 ? (float)(-1 / first.end) : 0, second.end > 0 ? (float)(-1 / second.end) : 0,
                    (float)(first.slope * first.end), (float)(second.slope * second.end)};
}

typedef enum fast_form { NO_FAST_FORM, SATURATING, TURNED_WHERE_ODD } fast_form;

static packed fast_pair(fast_form form, size_t atom, ramp first, ramp second)
{
    if (form == SATURATING) return saturating(first, second);
    return atom % 2 == 1 ? turned(first, second) : bent(first, second);
}

typedef struct folded_receptor {
    size_t stride, rows;
    fast_form form;
    packed *places;             /* stride */
    packed *pairs, *fast_pairs; /* rows × stride; fast_pairs only where there is a fast form */
    int32_t *second_rows;       /* second row of each type; −1: none */
} folded_receptor;

static void folded_clear(folded_receptor *folded)
{
    qn_release(&folded->places);
    qn_release(&folded->pairs);
    qn_release(&folded->fast_pairs);
    qn_release(&folded->second_rows);
}

/* Whether any receptor atom has both a charge and a desolvation term with a ligand type. */
static bool has_second_ramps(const qn_bude_force_field *force_field, int type, const int *types, size_t atom_count)
{
    for (size_t j = 0; j < atom_count; j++) {
        const qn_bude_pair pair = qn_bude_pair_of(&force_field->types[type], &force_field->types[types[j]]);
        if (pair.charge != 0 && pair.desolvation != 0) return true;
    }
    return false;
}

static void fold_type(const qn_bude_force_field *force_field, size_t type, const int *types, size_t atom_count,
                      folded_receptor *folded)
{
    const ramp nothing = {0};
    for (size_t j = 0; j < atom_count; j++) {
        const qn_bude_pair pair = qn_bude_pair_of(&force_field->types[type], &force_field->types[types[j]]);
        const size_t first = type * folded->stride + j;
        const size_t second = (size_t)folded->second_rows[type] * folded->stride + j;
        const bool both = folded->second_rows[type] >= 0;
        ramp ramps[3];
        fold_pair(&pair, ramps);
        folded->pairs[first] = bent(ramps[0], ramps[1]);
        if (both) folded->pairs[second] = bent(nothing, ramps[2]);
        if (folded->form == NO_FAST_FORM) continue;
        folded->fast_pairs[first] = fast_pair(folded->form, j, ramps[0], ramps[1]);
        if (both) folded->fast_pairs[second] = fast_pair(folded->form, j, nothing, ramps[2]);
    }
}

static qn_status fold(const qn_bude_force_field *force_field, const double *positions, const int *types,
                      size_t atom_count, folded_receptor *folded)
{
    const size_t type_count = (size_t)force_field->type_count;
    folded->rows = type_count;
    QN_TRY(qn_allocate(type_count, sizeof(int32_t), (void **)&folded->second_rows));
    for (int type = 0; type < force_field->type_count; type++)
        folded->second_rows[type] =
            has_second_ramps(force_field, type, types, atom_count) ? (int32_t)folded->rows++ : -1;
    QN_TRY(qn_allocate(folded->stride, sizeof(packed), (void **)&folded->places));
    QN_TRY(qn_allocate(folded->rows * folded->stride, sizeof(packed), (void **)&folded->pairs));
    if (folded->form != NO_FAST_FORM)
        QN_TRY(qn_allocate(folded->rows * folded->stride, sizeof(packed), (void **)&folded->fast_pairs));
    for (size_t j = 0; j < atom_count; j++)
        folded->places[j] =
            (packed){(float)positions[3 * j], (float)positions[3 * j + 1], (float)positions[3 * j + 2], 0};
    for (size_t type = 0; type < type_count; type++) fold_type(force_field, type, types, atom_count, folded);
    return QN_OK;
}

static qn_status upload(qn_queue *queue, const void *data, size_t bytes, qn_buffer **buffer)
{
    QN_TRY(qn_buffer_create(qn_queue_device(queue), bytes, buffer));
    return qn_queue_write(queue, *buffer, 0, data, bytes, NULL);
}

static qn_status upload_all(qn_queue *queue, const folded_receptor *folded, qn_score_poses_receptor *receptor)
{
    const size_t pair_bytes = folded->rows * folded->stride * sizeof(packed);
    QN_TRY(upload(queue, folded->places, folded->stride * sizeof(packed), &receptor->places));
    QN_TRY(upload(queue, folded->pairs, pair_bytes, &receptor->pairs));
    if (folded->fast_pairs) QN_TRY(upload(queue, folded->fast_pairs, pair_bytes, &receptor->fast_pairs));
    QN_TRY(upload(queue, folded->second_rows, (size_t)receptor->type_count * sizeof(int32_t), &receptor->second_rows));
    return qn_queue_finish(queue);
}

static fast_form fast_form_of(const qn_device_info *info)
{
    if (info->kind != QN_DEVICE_CPU) return SATURATING;
    const bool is_host = strstr(info->identifier, "host"); /* or "checking:host" */
    return is_host && qn_host_level() == 4 ? TURNED_WHERE_ODD : NO_FAST_FORM;
}

static qn_status check_atoms(const qn_bude_force_field *force_field, const double *positions, const int *types,
                             size_t atom_count)
{
    if (atom_count < 1 || atom_count > QN_SCORE_POSES_ATOMS_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "score/score_poses: a receptor of %zu atoms; expected 1 to %d", atom_count,
                       QN_SCORE_POSES_ATOMS_MAX);
    for (size_t j = 0; j < atom_count; j++) {
        if (types[j] < 0 || types[j] >= force_field->type_count)
            return QN_FAIL(QN_INVALID_ARGUMENT, "score/score_poses: receptor atom %zu has type %d; expected 0 to %d", j,
                           types[j], force_field->type_count - 1);
        for (size_t axis = 0; axis < 3; axis++)
            if (!(fabs(positions[3 * j + axis]) <= QN_SCORE_POSES_FARTHEST_ANGSTROM))
                return QN_FAIL(QN_INVALID_ARGUMENT,
                               "score/score_poses: receptor atom %zu is at %g; expected coordinates within %g Å", j,
                               positions[3 * j + axis], QN_SCORE_POSES_FARTHEST_ANGSTROM);
    }
    return QN_OK;
}

qn_status qn_score_poses_receptor_create(qn_device *device, const qn_bude_force_field *force_field,
                                         const double *positions, const int *types, size_t atom_count,
                                         qn_score_poses_receptor **out)
{
    folded_receptor folded = {.form = fast_form_of(qn_device_get_info(device))};
    qn_queue *queue = NULL;
    void *memory;
    *out = NULL;
    QN_TRY(check_atoms(force_field, positions, types, atom_count));
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    *out = memory;
    const size_t step = QN_SCORE_POSES_RECEPTOR_STEP;
    folded.stride = (atom_count + QN_SCORE_POSES_SPARE_ATOMS + step - 1) / step * step;
    qn_status status = fold(force_field, positions, types, atom_count, &folded);
    (*out)->atom_count = (int)atom_count;
    (*out)->stride = (int)folded.stride;
    (*out)->type_count = force_field->type_count;
    (*out)->row_count = (int)folded.rows;
    (*out)->second_row_of_type = folded.second_rows;
    (*out)->odd_turned = folded.form == TURNED_WHERE_ODD;
    if (status == QN_OK) status = qn_queue_create(device, &queue);
    if (status == QN_OK) status = upload_all(queue, &folded, *out);
    qn_queue_destroy(&queue);
    folded.second_rows = NULL; /* now owned by the receptor */
    folded_clear(&folded);
    if (status != QN_OK) qn_score_poses_receptor_destroy(out);
    return status;
}

void qn_score_poses_receptor_destroy(qn_score_poses_receptor **receptor)
{
    if (!receptor || !*receptor) return;
    qn_buffer_release(&(*receptor)->places);
    qn_buffer_release(&(*receptor)->second_rows);
    qn_buffer_release(&(*receptor)->pairs);
    qn_buffer_release(&(*receptor)->fast_pairs);
    qn_release(&(*receptor)->second_row_of_type);
    qn_release(receptor);
}
