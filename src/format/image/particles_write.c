/* Particle sets as RELION 3.1 and later write them: data_optics and data_particles. */
#include <math.h>
#include <quern/particles.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/image/stack_names.h"

/* The optional columns that are written. */
typedef struct columns {
    bool pixel, image_size, lens, origins, weights, b_factors;
} columns;

typedef struct particle_writer {
    const qn_particle_set *set;
    const char *path;
    char **stacks; /* paths relative to the file's folder */
    char *quotes;  /* around images of each stack; 0: none */
    columns columns;
    qn_text text;
    int column_number;
} particle_writer;

/* Write a blank and a number with six decimals; printf's decimal point depends on the locale. */
static qn_status put_number(particle_writer *w, double value)
{
    char digits[24], text[32] = " ";
    int count = 0, length = 1;
    if (!(fabs(value) < 9e12))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: a particle has the value %g; expected a number below 9e12", w->path,
                       value);
    const long long units = llround(value * 1e6);
    for (long long size = units < 0 ? -units : units; size > 0 || count < 7; size /= 10)
        digits[count++] = (char)('0' + size % 10);
    if (units < 0) text[length++] = '-';
    while (count > 0) {
        if (count == 6) text[length++] = '.';
        text[length++] = digits[--count];
    }
    return qn_text_append_bytes(&w->text, text, (size_t)length);
}

static qn_status put_column(particle_writer *w, const char *name)
{
    return qn_text_append(&w->text, "_%s #%d\n", name, ++w->column_number);
}

/* Find the quotation mark that a value needs; 0: none. */
static qn_status find_quote(const particle_writer *w, const char *value, char *quote)
{
    const bool plain = *value && !strpbrk(value, " \t\n\r\v\f") && !strchr("_#'\"", *value);
    *quote = plain ? '\0' : strchr(value, '"') ? '\'' : '"';
    if (strpbrk(value, "\n\r\v\f") || (!plain && strchr(value, '"') && strchr(value, '\'')))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s: the name %s has line ends, or blanks and both kinds of quotes; STAR cannot hold "
                       "it",
                       w->path, value);
    return QN_OK;
}

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

static qn_status put_optics_head(particle_writer *w)
{
    w->column_number = 0;
    QN_TRY(qn_text_append(&w->text, "\n# version 30001\n\ndata_optics\n\nloop_\n"));
    QN_TRY(put_column(w, "rlnOpticsGroup"));
    QN_TRY(put_column(w, "rlnOpticsGroupName"));
    if (w->columns.lens) {
        QN_TRY(put_column(w, "rlnVoltage"));
        QN_TRY(put_column(w, "rlnSphericalAberration"));
        QN_TRY(put_column(w, "rlnAmplitudeContrast"));
    }
    if (w->columns.pixel) QN_TRY(put_column(w, "rlnImagePixelSize"));
    if (w->columns.image_size) QN_TRY(put_column(w, "rlnImageSize"));
    return put_column(w, "rlnImageDimensionality");
}

static qn_status put_optics(particle_writer *w)
{
    QN_TRY(put_optics_head(w));
    for (size_t i = 0; i < w->set->optics_count; i++) {
        const qn_optics_group *g = &w->set->optics[i];
        char marks[2] = "";
        QN_TRY(qn_text_append(&w->text, "%d ", g->number));
        QN_TRY(find_quote(w, g->name, marks));
        if (g->name[0])
            QN_TRY(qn_text_append(&w->text, "%s%s%s", marks, g->name, marks));
        else
            QN_TRY(qn_text_append(&w->text, "opticsGroup%d", g->number));
        if (w->columns.lens) {
            QN_TRY(put_number(w, g->voltage_kv));
            QN_TRY(put_number(w, g->spherical_aberration_mm));
            QN_TRY(put_number(w, g->amplitude_contrast));
        }
        if (w->columns.pixel) QN_TRY(put_number(w, g->pixel_angstrom));
        if (w->columns.image_size) QN_TRY(qn_text_append(&w->text, " %d", g->image_size));
        QN_TRY(qn_text_append(&w->text, " 2\n"));
    }
    return qn_text_append(&w->text, "\n");
}

static qn_status put_particles_head(particle_writer *w)
{
    static const char *const angles[] = {"rlnAngleRot", "rlnAngleTilt", "rlnAnglePsi"};
    static const char *const ctf[] = {"rlnDefocusU", "rlnDefocusV", "rlnDefocusAngle", "rlnPhaseShift"};
    w->column_number = 0;
    QN_TRY(qn_text_append(&w->text, "\n# version 30001\n\ndata_particles\n\nloop_\n"));
    QN_TRY(put_column(w, "rlnImageName"));
    QN_TRY(put_column(w, "rlnOpticsGroup"));
    for (int k = 0; k < 3 && w->set->has_angles; k++) QN_TRY(put_column(w, angles[k]));
    if (w->columns.origins) {
        QN_TRY(put_column(w, "rlnOriginXAngst"));
        QN_TRY(put_column(w, "rlnOriginYAngst"));
    }
    for (int k = 0; k < 4 && w->set->has_ctf; k++) QN_TRY(put_column(w, ctf[k]));
    if (w->columns.b_factors) QN_TRY(put_column(w, "rlnCtfBfactor"));
    if (w->set->has_subsets) QN_TRY(put_column(w, "rlnRandomSubset"));
    return w->columns.weights ? put_column(w, "rlnParticleFigureOfMerit") : QN_OK;
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

static qn_status put_particle(particle_writer *w, const qn_particle *particle)
{
    const qn_particle p = unflip(particle);
    const char mark[2] = {w->quotes[p.stack], '\0'};
    QN_TRY(qn_text_append(&w->text, "%s%06llu@%s%s", mark, (unsigned long long)p.image + 1, w->stacks[p.stack], mark));
    QN_TRY(qn_text_append(&w->text, " %d", w->set->optics[p.optics].number));
    if (w->set->has_angles) {
        QN_TRY(put_number(w, p.rot_degrees));
        QN_TRY(put_number(w, p.tilt_degrees));
        QN_TRY(put_number(w, p.psi_degrees));
    }
    for (int k = 0; k < 2 && w->columns.origins; k++) QN_TRY(put_number(w, p.origin_angstrom[k]));
    if (w->set->has_ctf) {
        QN_TRY(put_number(w, p.defocus_u_angstrom));
        QN_TRY(put_number(w, p.defocus_v_angstrom));
        QN_TRY(put_number(w, p.defocus_angle_degrees));
        QN_TRY(put_number(w, p.phase_shift_degrees));
    }
    if (w->columns.b_factors) QN_TRY(put_number(w, p.b_factor_angstrom2));
    if (w->set->has_subsets) QN_TRY(qn_text_append(&w->text, " %d", p.subset));
    if (w->columns.weights) QN_TRY(put_number(w, p.weight));
    return qn_text_append(&w->text, "\n");
}

static qn_status check_set(const particle_writer *w)
{
    const qn_particle_set *set = w->set;
    for (size_t i = 0; i < set->optics_count; i++)
        for (size_t j = 0; j < i; j++)
            if (set->optics[i].number == set->optics[j].number)
                return QN_FAIL(QN_INVALID_ARGUMENT, "%s: two optics groups have the number %d", w->path,
                               set->optics[i].number);
    for (size_t i = 0; i < set->particle_count; i++)
        if (set->particles[i].stack >= set->stack_count || set->particles[i].optics >= set->optics_count)
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: particle %zu names a stack or an optics group that does not exist",
                           w->path, i + 1);
    return QN_OK;
}

static qn_status name_stacks(particle_writer *w)
{
    void *memory;
    QN_TRY(qn_allocate(w->set->stack_count, sizeof *w->stacks, &memory));
    w->stacks = memory;
    QN_TRY(qn_allocate(w->set->stack_count, 1, &memory));
    w->quotes = memory;
    for (size_t i = 0; i < w->set->stack_count; i++) {
        QN_TRY(qn_stack_name_from(w->path, w->set->stacks[i], &w->stacks[i]));
        QN_TRY(find_quote(w, w->stacks[i], &w->quotes[i]));
    }
    return QN_OK;
}

static qn_status write_all(particle_writer *w)
{
    QN_TRY(check_set(w));
    QN_TRY(name_stacks(w));
    QN_TRY(put_optics(w));
    QN_TRY(put_particles_head(w));
    for (size_t i = 0; i < w->set->particle_count; i++) QN_TRY(put_particle(w, &w->set->particles[i]));
    QN_TRY(qn_text_append(&w->text, "\n"));
    return qn_file_write(w->path, w->text.data, w->text.length);
}

qn_status qn_particle_set_write(const qn_particle_set *set, const char *path)
{
    particle_writer writer = {.set = set, .path = path, .columns = choose_columns(set)};
    qn_status status = write_all(&writer);
    for (size_t i = 0; i < set->stack_count && writer.stacks; i++) qn_release(&writer.stacks[i]);
    qn_release(&writer.stacks);
    qn_release(&writer.quotes);
    qn_text_clear(&writer.text);
    return status;
}
