/* Sets of particles from columns in memory. */
#include <math.h>
#include <quern/particles.h>

#include "base/error.h"
#include "base/memory.h"
#include "cryoem/view.h"
#include "math/rotation.h"

static const double ROTATION_ERROR_MAX = 1e-3; /* limit of |R·Rᵀ − 1|; matrices in single precision are within 1e-6 */

/* A column, and the field of a particle that it fills. */
typedef struct filled_column {
    const char *name;
    const qn_column *column;
    size_t offset;
} filled_column;

/* Address of the numbers of particle `index`; each particle has `count` of them. */
static const double *at(const qn_column *column, size_t index, size_t count)
{
    const ptrdiff_t packed = (ptrdiff_t)(count * sizeof(double));
    const ptrdiff_t stride = column->stride_bytes ? column->stride_bytes : packed;
    return (const double *)(const void *)((const char *)column->values + stride * (ptrdiff_t)index);
}

static qn_status fill(const filled_column *filled, qn_particle_set *set)
{
    for (size_t i = 0; filled->column->values && i < set->particle_count; i++) {
        const double value = *at(filled->column, i, 1);
        if (!isfinite(value))
            return QN_FAIL(QN_INVALID_ARGUMENT, "column %s: particle %zu has %g; expected a finite number",
                           filled->name, i + 1, value);
        *(double *)(void *)((char *)&set->particles[i] + filled->offset) = value;
    }
    return QN_OK;
}

static qn_status fill_numbers(const qn_particle_columns *columns, qn_particle_set *set)
{
    const qn_column *v =
        columns->defocus_v_angstrom.values ? &columns->defocus_v_angstrom : &columns->defocus_u_angstrom;
    const filled_column filled[] = {
        {"rot_degrees", &columns->rot_degrees, offsetof(qn_particle, rot_degrees)},
        {"tilt_degrees", &columns->tilt_degrees, offsetof(qn_particle, tilt_degrees)},
        {"psi_degrees", &columns->psi_degrees, offsetof(qn_particle, psi_degrees)},
        {"origin_x_angstrom", &columns->origin_x_angstrom, offsetof(qn_particle, origin_angstrom[0])},
        {"origin_y_angstrom", &columns->origin_y_angstrom, offsetof(qn_particle, origin_angstrom[1])},
        {"defocus_u_angstrom", &columns->defocus_u_angstrom, offsetof(qn_particle, defocus_u_angstrom)},
        {"defocus_v_angstrom", v, offsetof(qn_particle, defocus_v_angstrom)},
        {"defocus_angle_degrees", &columns->defocus_angle_degrees, offsetof(qn_particle, defocus_angle_degrees)},
        {"phase_shift_degrees", &columns->phase_shift_degrees, offsetof(qn_particle, phase_shift_degrees)},
        {"b_factor_angstrom2", &columns->b_factor_angstrom2, offsetof(qn_particle, b_factor_angstrom2)},
        {"weight", &columns->weight, offsetof(qn_particle, weight)},
    };
    for (size_t i = 0; i < sizeof filled / sizeof *filled; i++) QN_TRY(fill(&filled[i], set));
    return QN_OK;
}

static qn_status fill_matrices(const qn_particle_columns *columns, qn_particle_set *set)
{
    for (size_t i = 0; columns->matrices.values && i < set->particle_count; i++) {
        const double *matrix = at(&columns->matrices, i, 9);
        qn_particle *particle = &set->particles[i];
        const double error = qn_rotation_error(matrix);
        if (!(error <= ROTATION_ERROR_MAX))
            return QN_FAIL(QN_INVALID_ARGUMENT, "column matrices: particle %zu has a matrix that is %g off a rotation",
                           i + 1, error);
        qn_view_angles(matrix, &particle->rot_degrees, &particle->tilt_degrees, &particle->psi_degrees);
    }
    return QN_OK;
}

static qn_status fill_subsets(const qn_particle_columns *columns, qn_particle_set *set)
{
    set->has_subsets = columns->subset.values != NULL;
    for (size_t i = 0; set->has_subsets && i < set->particle_count; i++) {
        const double subset = *at(&columns->subset, i, 1);
        if (subset != 0 && subset != 1 && subset != 2)
            return QN_FAIL(QN_INVALID_ARGUMENT, "column subset: particle %zu has %g; expected 1, 2 or 0 (none)", i + 1,
                           subset);
        set->particles[i].subset = (int)subset;
    }
    return QN_OK;
}

static qn_status check(const qn_particle_columns *columns)
{
    const int angles = (columns->rot_degrees.values != NULL) + (columns->tilt_degrees.values != NULL) +
                       (columns->psi_degrees.values != NULL);
    if (angles != (columns->matrices.values ? 0 : 3))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%d of the angles rot, tilt and psi are given and %s; expected "
                       "all three or matrices",
                       angles, columns->matrices.values ? "matrices" : "no matrices");
    if (!(columns->pixel_angstrom > 0) || !isfinite(columns->pixel_angstrom))
        return QN_FAIL(QN_INVALID_ARGUMENT, "the pixel size of the particles' images is %g Å; expected more than 0",
                       columns->pixel_angstrom);
    if (columns->defocus_u_angstrom.values && !(columns->voltage_kv > 0))
        return QN_FAIL(QN_INVALID_ARGUMENT, "the particles have a defocus and a voltage of %g kV; expected more than 0",
                       columns->voltage_kv);
    return QN_OK;
}

qn_status qn_particle_set_from_columns(const qn_particle_columns *columns, qn_particle_set **out)
{
    *out = NULL;
    QN_TRY(check(columns));
    QN_TRY(qn_particle_set_create(columns->count, 1, out));
    qn_particle_set *set = *out;
    set->optics[0].pixel_angstrom = columns->pixel_angstrom;
    set->optics[0].voltage_kv = columns->voltage_kv;
    set->optics[0].spherical_aberration_mm = columns->spherical_aberration_mm;
    set->optics[0].amplitude_contrast = columns->amplitude_contrast;
    set->has_ctf = columns->defocus_u_angstrom.values != NULL;
    qn_status status = fill_numbers(columns, set);
    if (status == QN_OK) status = fill_matrices(columns, set);
    if (status == QN_OK) status = fill_subsets(columns, set);
    if (status != QN_OK) qn_particle_set_destroy(out);
    return status;
}
