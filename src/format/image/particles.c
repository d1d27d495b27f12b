/* Particle sets of RELION and Xmipp. Values of a row go straight into the set. Values that depend on other tables (the
 * optics group of a number, the length of a pixel) are resolved after all tables are read, so that tables may come in
 * any order. */
#include <quern/particles.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/image/image_stack.h"
#include "format/image/particle_file.h"
#include "format/image/stack_names.h"
#include "format/image/star.h"
#include "format/number.h"

enum field {
    IMAGE,
    ROT,
    TILT,
    PSI,
    X_ANGSTROM,
    Y_ANGSTROM,
    X_PIXELS,
    Y_PIXELS,
    OPTICS_GROUP,
    SUBSET,
    CLASS,
    DEFOCUS_U,
    DEFOCUS_V,
    DEFOCUS_ANGLE,
    PHASE_SHIFT,
    B_FACTOR,
    WEIGHT,
    BEAM_TILT_X,
    BEAM_TILT_Y,
    FLIP,
    ENABLED,
    /* of optics: in a table of their own, or repeated in every row */
    GROUP_NAME,
    PIXEL,
    OLD_PIXEL,
    DETECTOR_PIXEL,
    MAGNIFICATION,
    IMAGE_SIZE,
    DIMENSIONS,
    VOLTAGE,
    SPHERICAL_ABERRATION,
    AMPLITUDE_CONTRAST,
    ODD_ZERNIKE,
    EVEN_ZERNIKE,
    MAGNIFICATION_00,
    MAGNIFICATION_01,
    MAGNIFICATION_10,
    MAGNIFICATION_11,
    PREMULTIPLIED,
    FIELD_COUNT
};

/* Column names of RELION and Xmipp; NULL: not read. */
static const char *const column_names[FIELD_COUNT][2] = {
    [IMAGE] = {"rlnImageName", "image"},
    [ROT] = {"rlnAngleRot", "angleRot"},
    [TILT] = {"rlnAngleTilt", "angleTilt"},
    [PSI] = {"rlnAnglePsi", "anglePsi"},
    [X_ANGSTROM] = {"rlnOriginXAngst", NULL},
    [Y_ANGSTROM] = {"rlnOriginYAngst", NULL},
    [X_PIXELS] = {"rlnOriginX", "shiftX"},
    [Y_PIXELS] = {"rlnOriginY", "shiftY"},
    [OPTICS_GROUP] = {"rlnOpticsGroup", NULL},
    [SUBSET] = {"rlnRandomSubset", NULL},
    [CLASS] = {"rlnClassNumber", NULL},
    [DEFOCUS_U] = {"rlnDefocusU", NULL},
    [DEFOCUS_V] = {"rlnDefocusV", NULL},
    [DEFOCUS_ANGLE] = {"rlnDefocusAngle", NULL},
    [PHASE_SHIFT] = {"rlnPhaseShift", NULL},
    [B_FACTOR] = {"rlnCtfBfactor", NULL},
    [WEIGHT] = {"rlnParticleFigureOfMerit", "weight"},
    [BEAM_TILT_X] = {"rlnBeamTiltX", NULL},
    [BEAM_TILT_Y] = {"rlnBeamTiltY", NULL},
    [FLIP] = {NULL, "flip"},
    [ENABLED] = {NULL, "enabled"},
    [GROUP_NAME] = {"rlnOpticsGroupName", NULL},
    [PIXEL] = {"rlnImagePixelSize", "samplingRate"},
    [OLD_PIXEL] = {"rlnPixelSize", NULL},
    [DETECTOR_PIXEL] = {"rlnDetectorPixelSize", NULL},
    [MAGNIFICATION] = {"rlnMagnification", NULL},
    [IMAGE_SIZE] = {"rlnImageSize", NULL},
    [DIMENSIONS] = {"rlnImageDimensionality", NULL},
    [VOLTAGE] = {"rlnVoltage", NULL},
    [SPHERICAL_ABERRATION] = {"rlnSphericalAberration", NULL},
    [AMPLITUDE_CONTRAST] = {"rlnAmplitudeContrast", NULL},
    [ODD_ZERNIKE] = {"rlnOddZernike", NULL},
    [EVEN_ZERNIKE] = {"rlnEvenZernike", NULL},
    [MAGNIFICATION_00] = {"rlnMagMat00", NULL},
    [MAGNIFICATION_01] = {"rlnMagMat01", NULL},
    [MAGNIFICATION_10] = {"rlnMagMat10", NULL},
    [MAGNIFICATION_11] = {"rlnMagMat11", NULL},
    [PREMULTIPLIED] = {"rlnCtfDataAreCtfPremultiplied", NULL},
};

enum { RELION, XMIPP };
enum { OPTICS_MAX = 4096 }; /* a linear search finds them */

/* Particles of rows, and their classes where the file has them. */
typedef struct particle_list {
    qn_particle *particles;
    int *classes;
    size_t count, capacity, class_capacity;
} particle_list;

typedef struct particle_reader {
    qn_pool *pool;
    particle_list list; /* becomes the set's when its table is read */
    qn_star_reader *star;
    qn_particle_set *set;
    qn_stack_names *stacks;
    size_t optics_capacity, last_optics;
    const qn_star_table *table; /* the current table */
    const qn_star_value *values;
    int dialect, columns[FIELD_COUNT]; /* of the current table; −1: absent */
    bool has_table, has_optics_table, names_optics, has_defocus, has_lens;
} particle_reader;

static bool has(const particle_reader *r, enum field field)
{
    return r->columns[field] >= 0;
}

static qn_status refuse(const particle_reader *r, qn_status status, enum field field, const char *expected)
{
    const qn_star_value value = r->values[r->columns[field]];
    return QN_FAIL(status, "%s: line %llu (row %llu of data_%s): _%s is \"%s\"; expected %s", qn_star_name(r->star),
                   (unsigned long long)qn_star_line(r->star), (unsigned long long)qn_star_row(r->star), r->table->block,
                   column_names[field][r->dialect], qn_quote(value.text, value.length).text, expected);
}

static void find_columns(particle_reader *r, const qn_star_table *table, int dialect)
{
    r->table = table;
    r->dialect = dialect;
    for (int f = 0; f < FIELD_COUNT; f++)
        r->columns[f] = column_names[f][dialect] ? qn_star_column(table, column_names[f][dialect]) : -1;
}

/* Read the number in the column; where the column is absent, *number keeps its value. */
static qn_status get_number(const particle_reader *r, enum field field, double *number)
{
    if (!has(r, field)) return QN_OK;
    const qn_star_value value = r->values[r->columns[field]];
    return qn_number_parse(value.text, value.length, number) ? QN_OK : refuse(r, QN_BAD_FORMAT, field, "a number");
}

static qn_status get_positive(const particle_reader *r, enum field field, double *number)
{
    QN_TRY(get_number(r, field, number));
    return !has(r, field) || *number > 0 ? QN_OK : refuse(r, QN_BAD_FORMAT, field, "a number above 0");
}

static qn_status get_whole(const particle_reader *r, enum field field, int least, int most, const char *expected,
                           int *whole)
{
    double number = 0;
    if (!has(r, field)) return QN_OK;
    const qn_star_value value = r->values[r->columns[field]];
    if (!qn_number_parse(value.text, value.length, &number) || number != floor(number) || number < least ||
        number > most)
        return refuse(r, QN_BAD_FORMAT, field, expected);
    *whole = (int)number;
    return QN_OK;
}

/* Refuse a value other than `expected`, whose correction is not implemented. */
static qn_status demand(const particle_reader *r, enum field field, double expected, const char *sentence)
{
    double number = expected;
    QN_TRY(get_number(r, field, &number));
    return number == expected ? QN_OK : refuse(r, QN_UNSUPPORTED, field, sentence);
}

/* Refuse coefficients other than zeros, such as "[0,0,0]". */
static qn_status demand_zeros(const particle_reader *r, enum field field)
{
    if (!has(r, field)) return QN_OK;
    const qn_star_value value = r->values[r->columns[field]];
    for (size_t i = 0; i < value.length; i++) {
        size_t begin = i;
        double number;
        while (i < value.length && value.text[i] != ',' && value.text[i] != '[' && value.text[i] != ']') i++;
        if (i == begin) continue;
        if (!qn_number_parse(value.text + begin, i - begin, &number))
            return refuse(r, QN_BAD_FORMAT, field, "numbers such as [0,0,0]");
        if (number != 0) return refuse(r, QN_UNSUPPORTED, field, "zeros: Zernike terms are not corrected");
    }
    return QN_OK;
}

static qn_status demand_plain_optics(const particle_reader *r)
{
    static const char straight[] = "0: beam tilt is not corrected";
    static const char round[] = "the unit matrix: anisotropic magnification is not corrected";
    QN_TRY(demand(r, BEAM_TILT_X, 0, straight));
    QN_TRY(demand(r, BEAM_TILT_Y, 0, straight));
    QN_TRY(demand_zeros(r, ODD_ZERNIKE));
    QN_TRY(demand_zeros(r, EVEN_ZERNIKE));
    QN_TRY(demand(r, MAGNIFICATION_00, 1, round));
    QN_TRY(demand(r, MAGNIFICATION_01, 0, round));
    QN_TRY(demand(r, MAGNIFICATION_10, 0, round));
    QN_TRY(demand(r, MAGNIFICATION_11, 1, round));
    QN_TRY(demand(r, PREMULTIPLIED, 0, "0: images that are multiplied with their CTF are not read"));
    return demand(r, DIMENSIONS, 2, "2: images, not volumes");
}

static qn_status read_optics_values(const particle_reader *r, qn_optics_group *group)
{
    double detector_um = 0, magnification = 0;
    QN_TRY(demand_plain_optics(r));
    QN_TRY(get_positive(r, DETECTOR_PIXEL, &detector_um));
    QN_TRY(get_positive(r, MAGNIFICATION, &magnification));
    if (magnification > 0) group->pixel_angstrom = 10000 * detector_um / magnification; /* µm to Å */
    QN_TRY(get_positive(r, OLD_PIXEL, &group->pixel_angstrom));
    QN_TRY(get_positive(r, PIXEL, &group->pixel_angstrom));
    QN_TRY(get_whole(r, IMAGE_SIZE, 1, 1 << 20, "a number of pixels", &group->image_size));
    QN_TRY(get_positive(r, VOLTAGE, &group->voltage_kv));
    QN_TRY(get_number(r, SPHERICAL_ABERRATION, &group->spherical_aberration_mm));
    QN_TRY(get_number(r, AMPLITUDE_CONTRAST, &group->amplitude_contrast));
    if (fabs(group->amplitude_contrast) > 1)
        return refuse(r, QN_BAD_FORMAT, AMPLITUDE_CONTRAST, "a fraction of at most 1");
    return QN_OK;
}

/* List the columns that the current table lacks of `wanted`, after those already in `list`. */
static void list_absent(const particle_reader *r, const enum field *wanted, size_t count, char *list, size_t bytes)
{
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(list);
        if (!has(r, wanted[i]))
            snprintf(list + length, bytes - length, "%s%s", length > 0 ? ", " : "",
                     column_names[wanted[i]][column_names[wanted[i]][r->dialect] ? r->dialect : RELION]);
    }
}

/* Find the columns of the lens, in the table of optics or in that of particles. */
static void find_lens(particle_reader *r)
{
    static const enum field lens[] = {VOLTAGE, SPHERICAL_ABERRATION, AMPLITUDE_CONTRAST};
    r->set->lacking_ctf[0] = '\0';
    list_absent(r, lens, sizeof lens / sizeof *lens, r->set->lacking_ctf, sizeof r->set->lacking_ctf);
    r->has_lens = r->set->lacking_ctf[0] == '\0';
}

static qn_status add_optics(particle_reader *r, const qn_optics_group *group)
{
    void *memory = r->set->optics;
    if (r->set->optics_count == OPTICS_MAX)
        return QN_FAIL(QN_UNSUPPORTED, "%s: line %llu adds one more than %d kinds of optics", qn_star_name(r->star),
                       (unsigned long long)qn_star_line(r->star), OPTICS_MAX);
    qn_status status = qn_grow(&memory, &r->optics_capacity, r->set->optics_count + 1, sizeof *group);
    r->set->optics = memory;
    QN_TRY(status);
    r->set->optics[r->set->optics_count++] = *group;
    return QN_OK;
}

static qn_status read_optics_row(particle_reader *r)
{
    qn_optics_group group = {0};
    QN_TRY(get_whole(r, OPTICS_GROUP, 1, 1 << 30, "a number from 1 on", &group.number));
    for (size_t i = 0; i < r->set->optics_count; i++)
        if (r->set->optics[i].number == group.number) return refuse(r, QN_BAD_FORMAT, OPTICS_GROUP, "each number once");
    if (has(r, GROUP_NAME)) {
        const qn_star_value value = r->values[r->columns[GROUP_NAME]];
        const size_t most = sizeof group.name - 1;
        memcpy(group.name, value.text, value.length < most ? value.length : most);
    }
    QN_TRY(read_optics_values(r, &group));
    return add_optics(r, &group);
}

static qn_status read_optics_table(particle_reader *r, const qn_star_table *table)
{
    find_columns(r, table, RELION);
    if (r->has_optics_table)
        return QN_FAIL(QN_BAD_FORMAT, "%s: line %llu begins a second table data_optics", qn_star_name(r->star),
                       (unsigned long long)table->line);
    if (!has(r, OPTICS_GROUP))
        return QN_FAIL(QN_BAD_FORMAT, "%s: table data_optics at line %llu has no column _rlnOpticsGroup",
                       qn_star_name(r->star), (unsigned long long)table->line);
    if (r->set->optics_count > 0)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: table data_optics at line %llu comes after particles that have their own optics",
                       qn_star_name(r->star), (unsigned long long)table->line);
    r->has_optics_table = true;
    find_lens(r);
    for (;;) {
        QN_TRY(qn_star_next_row(r->star, &r->values));
        if (!r->values) return QN_OK;
        QN_TRY(read_optics_row(r));
    }
}

/* "000012@stack" counts from 1; without a number the file is one image. Xmipp may end the name
 * with ":" and a format. */
static qn_status read_image_name(const particle_reader *r, qn_particle *particle)
{
    static const char expected[] = "such as \"000001@particles.mrcs\", counting from 1";
    const qn_star_value value = r->values[r->columns[IMAGE]];
    const char *at = memchr(value.text, '@', value.length), *name = at ? at + 1 : value.text;
    size_t length = value.length - (size_t)(name - value.text);
    uint64_t number = 0;
    for (const char *c = value.text; at && c < at; c++) {
        if (*c < '0' || *c > '9' || number > UINT64_MAX / 100) return refuse(r, QN_BAD_FORMAT, IMAGE, expected);
        number = 10 * number + (uint64_t)(*c - '0');
    }
    if (r->dialect == XMIPP)
        for (size_t i = length; i-- > 0 && name[i] != '/';)
            if (name[i] == ':') length = i;
    if ((at && number == 0) || length == 0 || memchr(name, '\0', length))
        return refuse(r, QN_BAD_FORMAT, IMAGE, expected);
    particle->image = at ? number - 1 : 0;
    return qn_stack_names_find(r->stacks, name, length, &particle->stack);
}

static qn_status read_pose(const particle_reader *r, qn_particle *particle)
{
    int flip = 0;
    double *origin =
        particle->origin_angstrom; /* in pixels until all tables are read, where the columns are in pixels */
    QN_TRY(get_number(r, ROT, &particle->rot_degrees));
    QN_TRY(get_number(r, TILT, &particle->tilt_degrees));
    QN_TRY(get_number(r, PSI, &particle->psi_degrees));
    QN_TRY(get_number(r, r->set->origins_in_pixels ? X_PIXELS : X_ANGSTROM, &origin[0]));
    QN_TRY(get_number(r, r->set->origins_in_pixels ? Y_PIXELS : Y_ANGSTROM, &origin[1]));
    QN_TRY(get_whole(r, FLIP, 0, 1, "0 or 1", &flip));
    particle->flipped = flip == 1;
    return QN_OK;
}

static qn_status read_ctf(const particle_reader *r, qn_particle *particle)
{
    QN_TRY(get_number(r, DEFOCUS_U, &particle->defocus_u_angstrom));
    particle->defocus_v_angstrom = particle->defocus_u_angstrom;
    QN_TRY(get_number(r, DEFOCUS_V, &particle->defocus_v_angstrom));
    QN_TRY(get_number(r, DEFOCUS_ANGLE, &particle->defocus_angle_degrees));
    QN_TRY(get_number(r, PHASE_SHIFT, &particle->phase_shift_degrees));
    return get_number(r, B_FACTOR, &particle->b_factor_angstrom2);
}

static bool same_optics(const qn_optics_group *a, const qn_optics_group *b)
{
    return a->pixel_angstrom == b->pixel_angstrom && a->image_size == b->image_size && a->voltage_kv == b->voltage_kv &&
           a->spherical_aberration_mm == b->spherical_aberration_mm && a->amplitude_contrast == b->amplitude_contrast;
}

/* Rows with their own optics share a group where the optics are equal. */
static qn_status read_own_optics(particle_reader *r, qn_particle *particle)
{
    qn_optics_group group = {.number = (int)r->set->optics_count + 1};
    QN_TRY(read_optics_values(r, &group));
    particle->optics = (uint32_t)r->last_optics;
    if (r->set->optics_count > 0 && same_optics(&group, &r->set->optics[r->last_optics])) return QN_OK;
    for (r->last_optics = 0; r->last_optics < r->set->optics_count; r->last_optics++)
        if (same_optics(&group, &r->set->optics[r->last_optics])) break;
    if (r->last_optics == r->set->optics_count) QN_TRY(add_optics(r, &group));
    particle->optics = (uint32_t)r->last_optics;
    return QN_OK;
}

/* Where the row has the number of an optics group, store the number until all tables are read. */
static qn_status read_optics_of_row(particle_reader *r, qn_particle *particle)
{
    int number = 1;
    if (!r->names_optics && !r->has_optics_table) return read_own_optics(r, particle);
    QN_TRY(demand_plain_optics(r));
    QN_TRY(get_whole(r, OPTICS_GROUP, 1, 1 << 30, "a number from 1 on", &number));
    particle->optics = (uint32_t)number;
    return QN_OK;
}

/* Make room for particles, and for their classes where the file has them. */
static qn_status grow(const particle_reader *r, particle_list *list, size_t count)
{
    void *memory = list->particles;
    qn_status status = qn_grow(&memory, &list->capacity, count, sizeof *list->particles);
    list->particles = memory;
    QN_TRY(status);
    if (!has(r, CLASS)) return QN_OK;
    memory = list->classes;
    status = qn_grow(&memory, &list->class_capacity, count, sizeof *list->classes);
    list->classes = memory;
    return status;
}

static qn_status read_particle(particle_reader *r, particle_list *list)
{
    qn_particle particle = {.weight = 1, .row = qn_star_row(r->star), .line = qn_star_line(r->star)};
    int enabled = 1, class_number = 0;
    QN_TRY(get_whole(r, ENABLED, -1, 1, "1, 0 or -1", &enabled));
    if (enabled < 1) return QN_OK;
    QN_TRY(read_image_name(r, &particle));
    QN_TRY(read_pose(r, &particle));
    QN_TRY(read_ctf(r, &particle));
    QN_TRY(get_whole(r, SUBSET, 0, 2, "1 or 2 (0: none)", &particle.subset));
    QN_TRY(get_number(r, WEIGHT, &particle.weight));
    QN_TRY(read_optics_of_row(r, &particle));
    QN_TRY(get_whole(r, CLASS, 0, 1 << 30, "a whole number", &class_number));
    QN_TRY(grow(r, list, list->count + 1));
    list->particles[list->count] = particle;
    if (has(r, CLASS)) list->classes[list->count] = class_number;
    list->count++;
    return QN_OK;
}

static qn_status read_particles(particle_reader *r, particle_list *list)
{
    for (;;) {
        QN_TRY(qn_star_next_row(r->star, &r->values));
        if (!r->values) return QN_OK;
        QN_TRY(read_particle(r, list));
    }
}

/* ---- rows on many threads ---- */

enum { PARTS_OF_THREAD = 4, PART_BYTES = 1 << 18 };

/* A part of a block of rows. Its stacks are numbered by first mention in the parts at this place. */
typedef struct row_part {
    qn_stack_names *stacks;
    uint32_t *stack_of; /* of each of its stacks: the index in the set */
    size_t stack_count, stack_capacity;
    particle_list list;
    bool failed;
    size_t first;         /* place of its first particle in the set */
    uint64_t rows, lines; /* before it */
} row_part;

typedef struct row_parts {
    particle_reader *reader;
    row_part *parts;
    qn_star_reader **stars; /* of each part */
    size_t count;
} row_parts;

static qn_status read_rows(const row_parts *all, size_t index)
{
    row_part *part = &all->parts[index];
    particle_reader own = *all->reader;
    own.star = all->stars[index];
    own.stacks = part->stacks;
    part->list.count = 0;
    return read_particles(&own, &part->list);
}

/* A failure is found again with the numbers of row and line, which follow from the parts before it. */
static qn_status read_part(size_t index, int worker, void *user)
{
    const row_parts *all = user;
    (void)worker;
    all->parts[index].failed = read_rows(all, index) != QN_OK;
    if (all->parts[index].failed) qn_error_clear();
    return QN_OK;
}

static qn_status find_failure(const row_parts *all, size_t index)
{
    qn_star_restart(all->reader->star, all->stars[index]);
    QN_TRY(read_rows(all, index));
    return QN_FAIL(QN_OUT_OF_MEMORY, "%s: no memory for the rows from line %llu on", qn_star_name(all->reader->star),
                   (unsigned long long)qn_star_lines(all->reader->star) + 1);
}

/* Number the stacks that this part mentions first. */
static qn_status number_stacks(particle_reader *r, row_part *part)
{
    for (const char *name; (name = qn_stack_names_text(part->stacks, part->stack_count));) {
        void *memory = part->stack_of;
        const qn_status status = qn_grow(&memory, &part->stack_capacity, part->stack_count + 1, sizeof *part->stack_of);
        part->stack_of = memory;
        QN_TRY(status);
        QN_TRY(qn_stack_names_find(r->stacks, name, strlen(name), &part->stack_of[part->stack_count]));
        part->stack_count++;
    }
    return QN_OK;
}

/* Take the parts in order. *used: those up to the end of the table. */
static qn_status pass_parts(row_parts *all, size_t *used, bool *ended)
{
    particle_reader *r = all->reader;
    size_t total = r->list.count;
    *ended = false;
    for (*used = 0; *used < all->count && !*ended; ++*used) {
        row_part *part = &all->parts[*used];
        if (part->failed) return find_failure(all, *used);
        QN_TRY(number_stacks(r, part));
        part->first = total;
        part->rows = qn_star_row(r->star);
        part->lines = qn_star_lines(r->star);
        total += part->list.count;
        qn_star_pass(r->star, all->stars[*used], ended);
    }
    return QN_OK;
}

static qn_status copy_part(size_t index, int worker, void *user)
{
    const row_parts *all = user;
    const row_part *part = &all->parts[index];
    const particle_list *list = &all->reader->list;
    (void)worker;
    for (size_t i = 0; i < part->list.count; i++) {
        qn_particle *particle = &list->particles[part->first + i];
        *particle = part->list.particles[i];
        particle->stack = part->stack_of[particle->stack];
        particle->row += part->rows;
        particle->line += part->lines;
        if (list->classes) list->classes[part->first + i] = part->list.classes[i];
    }
    return QN_OK;
}

/* Make room for the rows that were read, and for as many as their share of the file lets expect. */
static qn_status make_room(particle_reader *r, size_t count)
{
    const double share = qn_star_share(r->star), expected = share > 0 ? 1.01 * (double)count / share : 0;
    if (count <= r->list.capacity) return QN_OK;
    if (expected > (double)count && expected < 0x1p40) {
        if (grow(r, &r->list, (size_t)expected) == QN_OK) return QN_OK;
        qn_error_clear(); /* the expectation may be wrong */
    }
    return grow(r, &r->list, count);
}

static qn_status read_blocks(row_parts *all)
{
    particle_reader *r = all->reader;
    for (bool ended = false; !ended;) {
        size_t used;
        QN_TRY(qn_star_divide(r->star, all->count * PART_BYTES, all->count, all->stars, &ended));
        if (ended) return QN_OK;
        QN_TRY(qn_pool_run(r->pool, all->count, read_part, all));
        QN_TRY(pass_parts(all, &used, &ended));
        const row_part *last = &all->parts[used - 1];
        QN_TRY(make_room(r, last->first + last->list.count));
        QN_TRY(qn_pool_run(r->pool, used, copy_part, all));
        r->list.count = last->first + last->list.count;
    }
    return QN_OK;
}

static void clear_list(particle_list *list)
{
    qn_release(&list->particles);
    qn_release(&list->classes);
}

static qn_status read_on_threads(particle_reader *r)
{
    const size_t count = PARTS_OF_THREAD * (size_t)qn_pool_threads(r->pool);
    void *parts = NULL, *stars = NULL;
    qn_status status = qn_allocate(count, sizeof(row_part), &parts);
    if (status == QN_OK) status = qn_allocate(count, sizeof(qn_star_reader *), &stars);
    row_parts all = {r, parts, stars, count};
    for (size_t p = 0; p < count && status == QN_OK; p++) status = qn_stack_names_create(NULL, &all.parts[p].stacks);
    if (status == QN_OK) status = read_blocks(&all);
    for (size_t p = 0; p < count && stars; p++) {
        qn_star_close(&all.stars[p]);
        qn_stack_names_destroy(&all.parts[p].stacks);
        qn_release(&all.parts[p].stack_of);
        clear_list(&all.parts[p].list);
    }
    qn_release(&parts);
    qn_release(&stars);
    return status;
}

/* Optics of rows are numbered while they are read, which one thread does. */
static qn_status read_all_rows(particle_reader *r)
{
    const bool own_optics = !r->names_optics && !r->has_optics_table;
    const qn_status status = own_optics ? read_particles(r, &r->list) : read_on_threads(r);
    r->set->particles = r->list.particles;
    r->set->classes = r->list.classes;
    r->set->particle_count = r->list.count;
    return status;
}

/* A single coordinate of the origins is a mistake: without the other one every image would be misplaced. */
static qn_status check_origins(const particle_reader *r)
{
    static const enum field pairs[][2] = {{X_ANGSTROM, Y_ANGSTROM}, {X_PIXELS, Y_PIXELS}};
    for (int i = 0; i < 2; i++) {
        const bool has_x = has(r, pairs[i][0]);
        if (has_x == has(r, pairs[i][1])) continue;
        return QN_FAIL(QN_BAD_FORMAT, "%s: table data_%s at line %llu has column _%s, but not _%s; expected both",
                       qn_star_name(r->star), r->table->block, (unsigned long long)r->table->line,
                       column_names[pairs[i][has_x ? 0 : 1]][r->dialect],
                       column_names[pairs[i][has_x ? 1 : 0]][r->dialect]);
    }
    return QN_OK;
}

static qn_status read_particle_table(particle_reader *r, const qn_star_table *table)
{
    static const enum field angles[] = {ROT, TILT, PSI};
    if (r->has_table)
        return QN_FAIL(QN_UNSUPPORTED, "%s: has another table of images at line %llu (data_%s); expected one",
                       qn_star_name(r->star), (unsigned long long)table->line, table->block);
    r->has_table = true;
    r->set->has_images = true;
    list_absent(r, angles, sizeof angles / sizeof *angles, r->set->lacking_angles, sizeof r->set->lacking_angles);
    r->set->has_angles = r->set->lacking_angles[0] == '\0';
    r->set->has_subsets = has(r, SUBSET);
    QN_TRY(check_origins(r));
    r->set->origins_in_pixels = has(r, X_PIXELS) && !has(r, X_ANGSTROM);
    r->names_optics = has(r, OPTICS_GROUP);
    r->has_defocus = has(r, DEFOCUS_U);
    if (!r->has_optics_table) find_lens(r);
    return read_all_rows(r);
}

static qn_status read_tables(particle_reader *r)
{
    for (;;) {
        const qn_star_table *table;
        QN_TRY(qn_star_next_table(r->star, &table));
        if (!table) return QN_OK;
        if (strcmp(table->block, "optics") == 0) {
            QN_TRY(read_optics_table(r, table));
            continue;
        }
        find_columns(r, table, RELION);
        if (!has(r, IMAGE)) find_columns(r, table, XMIPP);
        if (has(r, IMAGE))
            QN_TRY(read_particle_table(r, table));
        else if (strcmp(table->block, "particles") == 0)
            return QN_FAIL(QN_BAD_FORMAT, "%s: table data_particles at line %llu has no column _rlnImageName",
                           qn_star_name(r->star), (unsigned long long)table->line);
    }
}

/* Replace numbers of optics groups by indices. Without the table of optics (RELION's own projections lack it) each
 * number becomes a group with unknown optics. */
static qn_status settle_optics(particle_reader *r)
{
    const qn_particle_set *set = r->set;
    size_t index = 0;
    if (!r->names_optics && r->has_optics_table && set->optics_count != 1)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has %zu optics groups, but no column _rlnOpticsGroup", set->name,
                       set->optics_count);
    if (!r->names_optics && !r->has_optics_table) return QN_OK;
    r->has_lens = r->has_lens && r->has_optics_table;
    for (size_t i = 0; i < set->particle_count; i++) {
        qn_particle *p = &set->particles[i];
        const qn_optics_group unknown = {.number = (int)p->optics};
        if (!r->names_optics) p->optics = (uint32_t)set->optics[0].number;
        if (index >= set->optics_count || (uint32_t)set->optics[index].number != p->optics)
            for (index = 0; index < set->optics_count; index++)
                if ((uint32_t)set->optics[index].number == p->optics) break;
        if (index == set->optics_count && r->has_optics_table)
            return QN_FAIL(
                QN_BAD_FORMAT, "%s: line %llu (row %llu): _rlnOpticsGroup is \"%lu\", which data_optics does not have",
                set->name, (unsigned long long)p->line, (unsigned long long)p->row, (unsigned long)p->optics);
        if (index == set->optics_count) QN_TRY(add_optics(r, &unknown));
        p->optics = (uint32_t)index;
    }
    return QN_OK;
}

/* Take the pixel size from the header of the group's first stack. A missing stack is reported when it is opened, not
 * here. */
static void find_pixel(const qn_particle_set *set, uint32_t optics, qn_optics_group *group)
{
    qn_image_stack *stack;
    size_t i = 0;
    while (i < set->particle_count && set->particles[i].optics != optics) i++;
    if (i < set->particle_count && qn_image_stack_open(set->stacks[set->particles[i].stack], &stack) == QN_OK) {
        group->pixel_angstrom = qn_image_stack_pixel_angstrom(stack);
        qn_image_stack_close(&stack);
    }
    group->pixel_of_stack = group->pixel_angstrom > 0;
    group->pixel_assumed = !group->pixel_of_stack;
    if (group->pixel_assumed) group->pixel_angstrom = 1;
}

static void add_defocus(qn_particle_set *set)
{
    char others[sizeof set->lacking_ctf];
    memcpy(others, set->lacking_ctf, sizeof others);
    snprintf(set->lacking_ctf, sizeof set->lacking_ctf, "%s%s%.100s", column_names[DEFOCUS_U][RELION],
             others[0] ? ", " : "", others);
}

static qn_status settle(particle_reader *r)
{
    qn_particle_set *set = r->set;
    if (!r->has_table)
        return QN_FAIL(QN_BAD_FORMAT, "%s: no table has a column _rlnImageName (RELION) or _image (Xmipp)", set->name);
    if (set->particle_count == 0) return QN_FAIL(QN_BAD_FORMAT, "%s: holds no particles", set->name);
    QN_TRY(settle_optics(r));
    QN_TRY(qn_stack_names_take(r->stacks, &set->stacks, &set->stack_count));
    for (size_t i = 0; i < set->optics_count; i++)
        if (!(set->optics[i].pixel_angstrom > 0)) find_pixel(set, (uint32_t)i, &set->optics[i]);
    for (size_t i = 0; i < set->particle_count && set->origins_in_pixels; i++) {
        qn_particle *p = &set->particles[i];
        for (int k = 0; k < 2; k++) p->origin_angstrom[k] *= set->optics[p->optics].pixel_angstrom;
    }
    if (r->names_optics && !r->has_optics_table)
        snprintf(set->lacking_ctf, sizeof set->lacking_ctf, "table data_optics");
    if (!r->has_defocus) add_defocus(set);
    set->has_ctf = r->has_defocus && r->has_lens;
    return QN_OK;
}

static qn_status read_all(particle_reader *r, const char *path)
{
    QN_TRY(qn_star_open(path, &r->star));
    QN_TRY(qn_text_copy(qn_star_name(r->star), &r->set->name));
    QN_TRY(qn_stack_names_create(path, &r->stacks));
    QN_TRY(read_tables(r));
    return settle(r);
}

qn_status qn_particle_set_read(const char *path, qn_particle_set **set)
{
    return qn_particle_file_read(path, NULL, set);
}

qn_status qn_particle_file_read(const char *path, qn_pool *pool, qn_particle_set **set)
{
    particle_reader reader = {.pool = pool};
    void *memory;
    *set = NULL;
    QN_TRY(qn_allocate(1, sizeof **set, &memory));
    reader.set = memory;
    qn_status status = read_all(&reader, path);
    qn_star_close(&reader.star);
    qn_stack_names_destroy(&reader.stacks);
    if (status != QN_OK) qn_particle_set_destroy(&reader.set);
    *set = reader.set;
    return status;
}
