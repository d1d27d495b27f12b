/* Particle sets as RELION 3.1 and later write them: data_optics and data_particles. */
#include <quern/particles.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/image/stack_names.h"
#include "format/image/star_write.h"

/* The optional columns that are written. */
typedef struct columns {
    bool pixel, image_size, lens, origins, weights, b_factors;
} columns;

typedef struct particle_writer {
    const qn_particle_set *set;
    char **stacks; /* paths relative to the file's folder */
    columns columns;
    qn_star_writer star;
    qn_text image; /* name of an image */
} particle_writer;

static columns choose_columns(const qn_particle_set *set)
{
    columns c = {.image_size = set->optics_count > 0, .lens = set->has_ctf, .origins = set->has_angles};
    for (size_t i = 0; i < set->optics_count; i++) {
        c.lens = c.lens || set->optics[i].voltage_kv > 0;
        c.pixel = c.pixel || !set->optics[i].pixel_assumed;
        c.image_size = c.image_size && set->optics[i].image_size > 0;
    }
    for (size_t i = 0; i < set->particle_count; i++) {
        const qn_particle *p = &set->particles[i];
        c.origins = c.origins || p->origin_angstrom[0] != 0 || p->origin_angstrom[1] != 0;
        c.weights = c.weights || p->weight != 1;
        c.b_factors = c.b_factors || p->b_factor_angstrom2 != 0;
    }
    return c;
}

enum { COLUMNS_MAX = 20 };

/* The names of the columns of a table. */
typedef struct column_list {
    const char *names[COLUMNS_MAX];
    size_t count;
} column_list;

static void add(column_list *list, const char *name, bool wanted)
{
    if (wanted) list->names[list->count++] = name;
}

static qn_status put_optics_head(particle_writer *w)
{
    const columns *c = &w->columns;
    column_list list = {.count = 0};
    add(&list, "rlnOpticsGroup", true);
    add(&list, "rlnOpticsGroupName", true);
    add(&list, "rlnVoltage", c->lens);
    add(&list, "rlnSphericalAberration", c->lens);
    add(&list, "rlnAmplitudeContrast", c->lens);
    add(&list, "rlnImagePixelSize", c->pixel);
    add(&list, "rlnImageSize", c->image_size);
    add(&list, "rlnImageDimensionality", true);
    return qn_star_begin_loop(&w->star, "optics", list.names, list.count);
}

static qn_status put_group_name(particle_writer *w, const qn_optics_group *group)
{
    char name[32];
    if (group->name[0]) return qn_star_put_text(&w->star, group->name);
    snprintf(name, sizeof name, "opticsGroup%d", group->number);
    return qn_star_put_text(&w->star, name);
}

static qn_status put_optics(particle_writer *w)
{
    qn_star_writer *star = &w->star;
    QN_TRY(put_optics_head(w));
    for (size_t i = 0; i < w->set->optics_count; i++) {
        const qn_optics_group *g = &w->set->optics[i];
        QN_TRY(qn_star_put_whole(star, g->number));
        QN_TRY(put_group_name(w, g));
        if (w->columns.lens) {
            QN_TRY(qn_star_put_number(star, g->voltage_kv));
            QN_TRY(qn_star_put_number(star, g->spherical_aberration_mm));
            QN_TRY(qn_star_put_number(star, g->amplitude_contrast));
        }
        if (w->columns.pixel) QN_TRY(qn_star_put_number(star, g->pixel_angstrom));
        if (w->columns.image_size) QN_TRY(qn_star_put_whole(star, g->image_size));
        QN_TRY(qn_star_put_whole(star, 2));
        QN_TRY(qn_star_end_row(star));
    }
    return QN_OK;
}

static qn_status put_particles_head(particle_writer *w)
{
    static const char *const angles[] = {"rlnAngleRot", "rlnAngleTilt", "rlnAnglePsi"};
    static const char *const ctf[] = {"rlnDefocusU", "rlnDefocusV", "rlnDefocusAngle", "rlnPhaseShift"};
    const columns *c = &w->columns;
    column_list list = {.count = 0};
    add(&list, "rlnImageName", true);
    add(&list, "rlnOpticsGroup", true);
    for (int k = 0; k < 3; k++) add(&list, angles[k], w->set->has_angles);
    add(&list, "rlnOriginXAngst", c->origins);
    add(&list, "rlnOriginYAngst", c->origins);
    for (int k = 0; k < 4; k++) add(&list, ctf[k], w->set->has_ctf);
    add(&list, "rlnCtfBfactor", c->b_factors);
    add(&list, "rlnRandomSubset", w->set->has_subsets);
    add(&list, "rlnParticleFigureOfMerit", c->weights);
    return qn_star_begin_loop(&w->star, "particles", list.names, list.count);
}

/* Replace a mirrored image, which RELION does not have, by an image in another orientation. Let D be the half turn
 * about y. D equals the mirror along x except for the sign of z, which projection loses. So the mirrored image of A =
 * Rz(ψ) Ry(θ) Rz(φ) is the image of D·A = Rz(−ψ) Ry(θ + 180°) Rz(φ). */
static qn_particle unflip(const qn_particle *particle)
{
    qn_particle p = *particle;
    if (!p.flipped) return p;
    p.flipped = false;
    p.psi_degrees = -p.psi_degrees;
    p.tilt_degrees += 180;
    p.origin_angstrom[0] = -p.origin_angstrom[0];
    return p;
}

static qn_status put_image(particle_writer *w, const qn_particle *p)
{
    w->image.length = 0;
    QN_TRY(qn_text_append(&w->image, "%06llu@%s", (unsigned long long)p->image + 1, w->stacks[p->stack]));
    return qn_star_put_text(&w->star, w->image.data);
}

static qn_status put_particle(particle_writer *w, const qn_particle *particle)
{
    const qn_particle p = unflip(particle);
    qn_star_writer *star = &w->star;
    QN_TRY(put_image(w, &p));
    QN_TRY(qn_star_put_whole(star, w->set->optics[p.optics].number));
    if (w->set->has_angles) {
        QN_TRY(qn_star_put_number(star, p.rot_degrees));
        QN_TRY(qn_star_put_number(star, p.tilt_degrees));
        QN_TRY(qn_star_put_number(star, p.psi_degrees));
    }
    for (int k = 0; k < 2 && w->columns.origins; k++) QN_TRY(qn_star_put_number(star, p.origin_angstrom[k]));
    if (w->set->has_ctf) {
        QN_TRY(qn_star_put_number(star, p.defocus_u_angstrom));
        QN_TRY(qn_star_put_number(star, p.defocus_v_angstrom));
        QN_TRY(qn_star_put_number(star, p.defocus_angle_degrees));
        QN_TRY(qn_star_put_number(star, p.phase_shift_degrees));
    }
    if (w->columns.b_factors) QN_TRY(qn_star_put_number(star, p.b_factor_angstrom2));
    if (w->set->has_subsets) QN_TRY(qn_star_put_whole(star, p.subset));
    if (w->columns.weights) QN_TRY(qn_star_put_number(star, p.weight));
    return qn_star_end_row(star);
}

static qn_status check_set(const particle_writer *w)
{
    const qn_particle_set *set = w->set;
    for (size_t i = 0; i < set->optics_count; i++)
        for (size_t j = 0; j < i; j++)
            if (set->optics[i].number == set->optics[j].number)
                return QN_FAIL(QN_INVALID_ARGUMENT, "%s: two optics groups have the number %d", w->star.path,
                               set->optics[i].number);
    for (size_t i = 0; i < set->particle_count; i++)
        if (set->particles[i].stack >= set->stack_count || set->particles[i].optics >= set->optics_count)
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: particle %zu names a stack or an optics group that does not exist",
                           w->star.path, i + 1);
    return QN_OK;
}

static qn_status name_stacks(particle_writer *w)
{
    void *memory;
    QN_TRY(qn_allocate(w->set->stack_count, sizeof *w->stacks, &memory));
    w->stacks = memory;
    for (size_t i = 0; i < w->set->stack_count; i++)
        QN_TRY(qn_stack_name_from(w->star.path, w->set->stacks[i], &w->stacks[i]));
    return QN_OK;
}

static qn_status write_all(particle_writer *w)
{
    QN_TRY(check_set(w));
    QN_TRY(name_stacks(w));
    QN_TRY(put_optics(w));
    QN_TRY(put_particles_head(w));
    for (size_t i = 0; i < w->set->particle_count; i++) QN_TRY(put_particle(w, &w->set->particles[i]));
    return qn_star_write(&w->star);
}

qn_status qn_particle_set_write(const qn_particle_set *set, const char *path)
{
    particle_writer writer = {.set = set, .star.path = path, .columns = choose_columns(set)};
    qn_status status = write_all(&writer);
    for (size_t i = 0; i < set->stack_count && writer.stacks; i++) qn_release(&writer.stacks[i]);
    qn_release(&writer.stacks);
    qn_text_clear(&writer.image);
    qn_star_writer_clear(&writer.star);
    return status;
}
