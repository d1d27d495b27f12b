#define _POSIX_C_SOURCE 200809L
#include "project/views.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <quern/particles.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "cryoem/memory_inputs.h"
#include "cryoem/pixel_size.h"
#include "cryoem/volume_check.h"

/* ---- files ---- */

static qn_status check_folder(const char *output)
{
    struct stat found;
    const char *slash = strrchr(output, '/');
    qn_text folder = {0};
    if (!slash) return QN_OK;
    QN_TRY(qn_text_append_bytes(&folder, output, slash == output ? 1 : (size_t)(slash - output)));
    const bool is_there = stat(folder.data, &found) == 0 && S_ISDIR(found.st_mode);
    qn_status status = QN_OK;
    if (!is_there)
        status = qn_error_raise(QN_NOT_FOUND, "%s: the folder %s is not there; expected one that exists", output,
                                folder.data);
    qn_text_clear(&folder);
    return status;
}

/* Find the stem of an output: "stack" of "stack.mrcs". */
static qn_status find_stem(const char *output, char **stem)
{
    static const char ending[] = ".mrcs";
    const size_t length = strlen(output), end = length - strlen(ending);
    qn_text text = {0};
    if (length <= strlen(ending) || strcmp(output + end, ending) != 0 || output[end - 1] == '/')
        return QN_FAIL(QN_INVALID_ARGUMENT, "the output is \"%s\"; expected a stack's name that ends in .mrcs", output);
    qn_status status = qn_text_append_bytes(&text, output, end);
    *stem = text.data;
    return status;
}

static qn_status refuse_input(const char *output, const char *input, const char *what)
{
    if (qn_file_is_same(output, input))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: is %s; expected an output that is none of the inputs", output, what);
    return QN_OK;
}

/* Refuse outputs that are inputs: the named files and the particles' own images. */
static qn_status check_outputs(const qn_project_options *options, const qn_particle_set *set, const char *stem)
{
    qn_text star = {0};
    if (!options->output) return QN_OK;
    QN_TRY(check_folder(options->output));
    if (options->map) QN_TRY(refuse_input(options->output, options->map, "the map"));
    qn_status status = qn_text_append(&star, "%s.star", stem);
    if (status == QN_OK && options->angles) status = refuse_input(star.data, options->angles, "the file of the angles");
    qn_text_clear(&star);
    QN_TRY(status);
    for (size_t i = 0; i < set->stack_count; i++)
        QN_TRY(refuse_input(options->output, set->stacks[i], "a stack of the particles"));
    return QN_OK;
}

/* ---- particles ---- */

static qn_status cut_range(const qn_project_options *options, qn_job *job, qn_particle_set *set)
{
    const uint64_t count = set->particle_count;
    if (options->first < 1 || options->last < options->first)
        return QN_FAIL(QN_INVALID_ARGUMENT, "particles %" PRIu64 " to %" PRIu64 "; expected numbers from 1, in order",
                       options->first, options->last);
    if (options->first > count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: the first particle wanted is %" PRIu64 "; expected at most %" PRIu64,
                       set->name, options->first, count);
    if (options->last > count && options->last != UINT64_MAX)
        QN_TRY(qn_job_warn(job, "%s: --last is %" PRIu64 ", but the last particle is %" PRIu64, set->name,
                           options->last, count));
    const uint64_t last = options->last < count ? options->last : count;
    set->particle_count = (size_t)(last - options->first + 1);
    memmove(set->particles, set->particles + (options->first - 1), set->particle_count * sizeof *set->particles);
    if (set->classes)
        memmove(set->classes, set->classes + (options->first - 1), set->particle_count * sizeof *set->classes);
    return QN_OK;
}

static qn_status check_particles(const qn_project_options *options, const qn_particle_set *set)
{
    if (set->particle_count == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has no particles; expected one or more", set->name);
    if (!set->has_angles)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has no angles; expected %s", set->name,
                       set->lacking_angles[0] ? set->lacking_angles : "rot, tilt and psi");
    if (options->ctf && !set->has_ctf)
        return QN_FAIL(QN_BAD_FORMAT, "%s: lacks what --ctf needs for the contrast transfer function; expected %s",
                       set->name, set->lacking_ctf[0] ? set->lacking_ctf : "a defocus");
    return QN_OK;
}

/* Spread directions evenly: each represents the same area of the sphere, and the longitudes of consecutive directions
 * are a golden angle apart (González 2010, doi 10.1007/s11004-009-9257-x). */
static void spread_views(qn_particle_set *set)
{
    const double golden_degrees = 137.50776405003785, degrees = 180 / 3.14159265358979323846;
    const double count = (double)set->particle_count;
    for (size_t i = 0; i < set->particle_count; i++) {
        const double rot = fmod((double)i * golden_degrees, 360);
        set->particles[i] = (qn_particle){.row = i + 1,
                                          .rot_degrees = rot > 180 ? rot - 360 : rot,
                                          .tilt_degrees = acos(1 - (2 * (double)i + 1) / count) * degrees,
                                          .weight = 1};
    }
}

static qn_status make_set(uint64_t views, qn_particle_set **out)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_particle_set *set = *out = memory;
    QN_TRY(qn_allocate((size_t)views, sizeof *set->particles, &memory));
    set->particles = memory;
    set->particle_count = (size_t)views;
    QN_TRY(qn_allocate(1, sizeof *set->optics, &memory));
    set->optics = memory;
    set->optics_count = 1;
    set->optics[0] = (qn_optics_group){.number = 1, .pixel_angstrom = 1, .pixel_assumed = true};
    set->has_angles = true;
    spread_views(set);
    return qn_text_copy("the views", &set->name);
}

/* ---- pixels ---- */

/* Pixel size of the images: the map's voxel size, or, if its header states none, the pixel size of the particles. */
static double choose_voxel(const qn_volume *map, const qn_particle_set *set)
{
    if (map->voxel_assumed)
        for (size_t i = 0; i < set->optics_count; i++)
            if (!set->optics[i].pixel_assumed) return set->optics[i].pixel_angstrom;
    return map->voxel_angstrom[0];
}

static qn_status compare_pixels(const qn_project_options *options, const qn_volume *map, qn_job *job, double voxel,
                                qn_particle_set *set)
{
    bool is_stated = !map->voxel_assumed;
    for (size_t i = 0; i < set->optics_count; i++) is_stated |= !set->optics[i].pixel_assumed;
    if (!is_stated && options->ctf)
        return QN_FAIL(QN_BAD_FORMAT, "%s: does not state the size of its voxels; expected one for --ctf: give --pixel",
                       map->name);
    if (map->voxel_assumed)
        QN_TRY(qn_job_warn(job, "%s: does not state the size of its voxels; %g Å is %s: --pixel states it", map->name,
                           voxel, is_stated ? "used, as the particles have" : "assumed"));
    for (size_t i = 0; i < set->optics_count; i++) {
        const qn_optics_group *group = &set->optics[i];
        if (group->pixel_assumed) qn_particle_set_change_pixel(set, i, voxel);
        if (!qn_voxels_differ(group->pixel_angstrom, voxel)) continue;
        return qn_job_warn(job, "%s: optics group %d has pixels of %g Å, the map voxels of %g Å; images get the map's",
                           set->name, group->number, group->pixel_angstrom, voxel);
    }
    return QN_OK;
}

/* Change the set to describe the new images: no mirrored images, and a CTF only if it was applied. */
static void describe_images(const qn_project_options *options, int side, double voxel, qn_particle_set *set)
{
    for (size_t i = 0; i < set->optics_count; i++) {
        set->optics[i].pixel_angstrom = voxel;
        set->optics[i].pixel_assumed = false;
        set->optics[i].image_size = side;
    }
    for (size_t i = 0; i < set->particle_count; i++) {
        set->particles[i].stack = 0;
        set->particles[i].image = i;
        set->particles[i].flipped = false;
    }
    if (!options->ctf) set->has_ctf = false;
}

/* Replace the set's stacks by the output. Without an output, the set has no stacks. */
static qn_status name_stack(const char *output, qn_particle_set *set)
{
    void *memory;
    for (size_t i = 0; i < set->stack_count; i++) qn_release(&set->stacks[i]);
    qn_release(&set->stacks);
    set->stack_count = 0;
    set->has_images = output != NULL;
    if (!output) return QN_OK;
    QN_TRY(qn_allocate(1, sizeof *set->stacks, &memory));
    set->stacks = memory;
    QN_TRY(qn_text_copy(output, &set->stacks[0]));
    set->stack_count = 1;
    return QN_OK;
}

static qn_status make_views(const qn_project_options *options, const qn_volume *map, qn_job *job, qn_views *views)
{
    if (options->output) QN_TRY(find_stem(options->output, &views->stem));
    if (options->particle_set)
        QN_TRY(qn_particle_set_take(options->particle_set, &views->set));
    else if (options->angles)
        QN_TRY(qn_particle_set_read(options->angles, &views->set));
    else
        QN_TRY(make_set(options->views, &views->set));
    QN_TRY(check_outputs(options, views->set, views->stem));
    QN_TRY(check_particles(options, views->set));
    QN_TRY(cut_range(options, job, views->set));
    views->first = options->first;
    views->voxel_angstrom = choose_voxel(map, views->set);
    QN_TRY(compare_pixels(options, map, job, views->voxel_angstrom, views->set));
    describe_images(options, map->counts[0], views->voxel_angstrom, views->set);
    return name_stack(options->output, views->set);
}

qn_status qn_views_create(const qn_project_options *options, const qn_volume *map, qn_job *job, qn_views *views)
{
    *views = (qn_views){0};
    qn_status status = make_views(options, map, job, views);
    if (status != QN_OK) qn_views_clear(views);
    return status;
}

void qn_views_clear(qn_views *views)
{
    qn_particle_set_destroy(&views->set);
    qn_release(&views->stem);
}
