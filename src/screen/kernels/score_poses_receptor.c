/* Folding a receptor's pairs: two ramps to zero for each ligand type and receptor atom, a third where both a charge and
 * a desolvation term end beyond contact. */
#include "screen/kernels/score_poses_receptor.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* float4 [contact, end, contact energy, end energy] of score_poses.cl */
typedef struct folded_pair {
    float contact, end, contact_energy, end_energy;
} folded_pair;

typedef struct place {
    float x, y, z, unused;
} place;

/* Ramp `energy` · sat(offset − r · slope), 1 up to contact: as energy · sat, its part that ends at offset / slope is
 * end_energy · max(0, 1 + r · end); *contact_energy gets what must be taken off the ramp that ends at contact. */
static void fold_ramp(double energy, double slope, double offset, double radius, float *end, float *end_energy,
                      double *contact_energy)
{
    *end = (float)(-slope / offset);
    *end_energy = (float)(energy * offset);
    *contact_energy -= energy * slope * radius;
}

/* *second gets the desolvation's ramp when the charge's takes the first place. */
static void fold_pair(const qn_bude_pair *pair, folded_pair *first, folded_pair *second)
{
    const double radius = pair->radius_angstrom;
    double contact_energy = pair->steric;
    *first = *second = (folded_pair){0};
    if (pair->charge != 0)
        fold_ramp(pair->charge, pair->charge_slope, pair->charge_offset, radius, &first->end, &first->end_energy,
                  &contact_energy);
    if (pair->desolvation != 0) {
        folded_pair *free_one = pair->charge != 0 ? second : first;
        fold_ramp(pair->desolvation, pair->desolvation_slope, pair->desolvation_offset, radius, &free_one->end,
                  &free_one->end_energy, &contact_energy);
    }
    first->contact = radius > 0 ? (float)(-1 / radius) : 0;
    first->contact_energy = radius > 0 ? (float)contact_energy : 0;
}

static size_t filled_up(size_t count)
{
    return (count + QN_SCORE_POSES_RECEPTOR_STEP - 1) / QN_SCORE_POSES_RECEPTOR_STEP * QN_SCORE_POSES_RECEPTOR_STEP;
}

typedef struct folded_receptor {
    size_t stride, type_count, extra_count, extra_capacity;
    place *places;      /* stride, then extra_count */
    folded_pair *pairs; /* type_count × stride, then extra_count */
    int32_t *extra_starts;
} folded_receptor;

static void folded_clear(folded_receptor *folded)
{
    qn_release(&folded->places);
    qn_release(&folded->pairs);
    qn_release(&folded->extra_starts);
}

/* Most second ramps there can be: one for each type and atom that have one, each type's filled up. */
static size_t count_extras(const qn_bude_force_field *force_field, const int *types, size_t atom_count)
{
    size_t all = 0;
    for (int type = 0; type < force_field->type_count; type++) {
        size_t count = 0;
        for (size_t j = 0; j < atom_count; j++) {
            qn_bude_pair pair = qn_bude_pair_of(&force_field->types[type], &force_field->types[types[j]]);
            count += pair.charge != 0 && pair.desolvation != 0;
        }
        all += filled_up(count);
    }
    return all;
}

static void fold_type(const qn_bude_force_field *force_field, int type, const int *types, size_t atom_count,
                      folded_receptor *folded)
{
    const size_t stride = folded->stride, extras = folded->type_count * stride;
    folded->extra_starts[type] = (int32_t)folded->extra_count;
    for (size_t j = 0; j < atom_count; j++) {
        const qn_bude_pair pair = qn_bude_pair_of(&force_field->types[type], &force_field->types[types[j]]);
        folded_pair second;
        fold_pair(&pair, &folded->pairs[(size_t)type * stride + j], &second);
        if (second.end_energy == 0) continue;
        folded->places[stride + folded->extra_count] = folded->places[j];
        folded->pairs[extras + folded->extra_count++] = second;
    }
    folded->extra_count = filled_up(folded->extra_count);
    folded->extra_starts[type + 1] = (int32_t)folded->extra_count;
}

static qn_status fold(const qn_bude_force_field *force_field, const double *positions, const int *types,
                      size_t atom_count, folded_receptor *folded)
{
    const size_t type_count = (size_t)force_field->type_count, stride = filled_up(atom_count);
    const size_t extras = count_extras(force_field, types, atom_count);
    folded->stride = stride;
    folded->type_count = type_count;
    QN_TRY(qn_allocate(stride + extras, sizeof(place), (void **)&folded->places));
    QN_TRY(qn_allocate(type_count * stride + extras, sizeof(folded_pair), (void **)&folded->pairs));
    QN_TRY(qn_allocate(type_count + 1, sizeof(int32_t), (void **)&folded->extra_starts));
    for (size_t j = 0; j < atom_count; j++)
        folded->places[j] =
            (place){(float)positions[3 * j], (float)positions[3 * j + 1], (float)positions[3 * j + 2], 0};
    for (int type = 0; type < force_field->type_count; type++) fold_type(force_field, type, types, atom_count, folded);
    return QN_OK;
}

static qn_status upload(qn_queue *queue, const void *data, size_t bytes, qn_buffer **buffer)
{
    QN_TRY(qn_buffer_create(qn_queue_device(queue), bytes, buffer));
    return qn_queue_write(queue, *buffer, 0, data, bytes, NULL);
}

static qn_status upload_all(qn_device *device, const folded_receptor *folded, qn_score_poses_receptor *receptor)
{
    const size_t extras = folded->extra_count;
    qn_queue *queue;
    QN_TRY(qn_queue_create(device, &queue));
    qn_status status = upload(queue, folded->places, (folded->stride + extras) * sizeof(place), &receptor->places);
    if (status == QN_OK)
        status = upload(queue, folded->pairs, (folded->type_count * folded->stride + extras) * sizeof(folded_pair),
                        &receptor->pairs);
    if (status == QN_OK)
        status =
            upload(queue, folded->extra_starts, (folded->type_count + 1) * sizeof(int32_t), &receptor->extra_starts);
    if (status == QN_OK) status = qn_queue_finish(queue);
    qn_queue_destroy(&queue);
    return status;
}

static qn_status check_atoms(const qn_bude_force_field *force_field, const double *positions, const int *types,
                             size_t atom_count)
{
    if (atom_count < 1 || atom_count > QN_SCORE_POSES_MOST_ATOMS)
        QN_FAIL(QN_INVALID_ARGUMENT, "screen/score_poses: a receptor of %zu atoms; expected 1 to %d", atom_count,
                QN_SCORE_POSES_MOST_ATOMS);
    for (size_t j = 0; j < atom_count; j++) {
        if (types[j] < 0 || types[j] >= force_field->type_count)
            QN_FAIL(QN_INVALID_ARGUMENT, "screen/score_poses: receptor atom %zu has type %d; expected 0 to %d", j,
                    types[j], force_field->type_count - 1);
        for (int axis = 0; axis < 3; axis++)
            if (!(fabs(positions[3 * j + (size_t)axis]) < 1e6))
                QN_FAIL(QN_INVALID_ARGUMENT,
                        "screen/score_poses: receptor atom %zu is at %g; expected coordinates within 1e6 Å", j,
                        positions[3 * j + (size_t)axis]);
    }
    return QN_OK;
}

qn_status qn_score_poses_receptor_create(qn_device *device, const qn_bude_force_field *force_field,
                                         const double *positions, const int *types, size_t atom_count,
                                         qn_score_poses_receptor **out)
{
    folded_receptor folded = {0};
    void *memory;
    *out = NULL;
    QN_TRY(check_atoms(force_field, positions, types, atom_count));
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    *out = memory;
    qn_status status = fold(force_field, positions, types, atom_count, &folded);
    (*out)->atom_count = (int)atom_count;
    (*out)->stride = (int)folded.stride;
    (*out)->type_count = (int)folded.type_count;
    if (status == QN_OK) status = upload_all(device, &folded, *out);
    folded_clear(&folded);
    if (status != QN_OK) qn_score_poses_receptor_destroy(out);
    return status;
}

void qn_score_poses_receptor_destroy(qn_score_poses_receptor **receptor)
{
    if (!receptor || !*receptor) return;
    qn_buffer_release(&(*receptor)->places);
    qn_buffer_release(&(*receptor)->pairs);
    qn_buffer_release(&(*receptor)->extra_starts);
    qn_release(receptor);
}
