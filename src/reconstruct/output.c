#define _POSIX_C_SOURCE 200809L
#include "reconstruct/output.h"

#include <quern/version.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "reconstruct/output_parts.h"

/* ---- where files go ---- */

static bool ends_in(const char *text, const char *ending)
{
    const size_t length = strlen(text), ending_length = strlen(ending);
    return length > ending_length && strcasecmp(text + length - ending_length, ending) == 0;
}

static bool ends_in_one_of(const char *text, const char *const *endings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ends_in(text, endings[i])) return true;
    return false;
}

static bool is_folder(const char *path)
{
    struct stat information;
    return stat(path, &information) == 0 && S_ISDIR(information.st_mode);
}

static qn_status refuse(const char *output, const char *why)
{
    return QN_FAIL(QN_INVALID_ARGUMENT, "output is %s%s; expected a name that ends in .mrc, or a folder", output, why);
}

/* Place the files beside a map: the map keeps its name, the other names begin with the stem. */
static qn_status place_beside_map(const char *map, qn_reconstruct_place *place)
{
    static const char *const companions[] = {"weights.mrc", "mask.mrc",    "fsc.csv",
                                             "fsc.star",    "report.html", "run.json"};
    const size_t before = 3;
    QN_TRY(qn_text_copy(map, &place->stem));
    char *ending = strrchr(place->stem, '.');
    place->map = map + (ending - place->stem);
    *ending = '\0';
    place->names[0] = place->map;
    for (size_t k = 0; k < 2; k++) place->names[1 + k] = place->halves[k];
    for (size_t i = 0; i < sizeof companions / sizeof *companions; i++) place->names[before + i] = companions[i];
    place->output.stem = place->stem;
    place->output.names = place->names;
    return QN_OK;
}

/* RELION's names begin with "run", for which a stem stands if there is one. */
static void name_halves(bool relion_names, bool with_stem, qn_reconstruct_place *place)
{
    static const char *const own[] = {"half1.mrc", "half2.mrc"};
    static const char *const relion[] = {"run_half1_class001_unfil.mrc", "run_half2_class001_unfil.mrc"};
    for (int k = 0; k < 2; k++) place->halves[k] = relion_names ? relion[k] + (with_stem ? strlen("run_") : 0) : own[k];
}

qn_status qn_reconstruct_find_place(const char *output, bool relion_names, qn_reconstruct_place *place)
{
    static const char *const maps[] = {".mrc", ".map", ".ccp4"};
    static const char *const others[] = {".mrcs", ".gz", ".star", ".xmd", ".html", ".hdf"};
    *place = (qn_reconstruct_place){.map = "map.mrc", .output = {.journal_folder = "unfinished", .aside = "sums."}};
    name_halves(relion_names, false, place);
    if (!output) {
        place->output = (qn_output){0};
        return QN_OK;
    }
    if (!output[0]) return QN_FAIL(QN_INVALID_ARGUMENT, "no output is named; expected map.mrc or a folder");
    if (!is_folder(output)) {
        if (ends_in_one_of(output, maps, sizeof maps / sizeof *maps)) {
            name_halves(relion_names, true, place);
            return place_beside_map(output, place);
        }
        if (ends_in_one_of(output, others, sizeof others / sizeof *others)) return refuse(output, "");
        if (qn_file_exists(output)) return refuse(output, ", a file");
    }
    place->output.folder = output;
    return QN_OK;
}

void qn_reconstruct_place_clear(qn_reconstruct_place *place)
{
    qn_release(&place->stem);
}

/* ---- volumes and tables ---- */

static qn_status write_volume(const qn_reconstruction *run, const qn_volume *volume, const char *what, const char *name)
{
    char label[81], *path;
    if (!volume) return QN_OK;
    QN_TRY(qn_job_path(run->job, name, &path));
    snprintf(label, sizeof label, "Quern %s: %s of %zu image%s, symmetry %s", qn_version(), what, run->used_count,
             run->used_count == 1 ? "" : "s", run->symmetry);
    qn_status status = qn_volume_write(volume, label, path);
    qn_release(&path);
    return status;
}

static qn_status write_curve(const qn_reconstruction *run, const char *name,
                             qn_status (*write)(const qn_fsc *fsc, const char *path))
{
    char *path;
    if (!run->fsc) return QN_OK;
    QN_TRY(qn_job_path(run->job, name, &path));
    const qn_status status = write(run->fsc, path);
    qn_release(&path);
    return status;
}

double qn_reconstruct_images_per_s(const qn_reconstruction *run)
{
    const double inserted = (double)run->used_count - (double)run->resumed;
    return run->times.insert_s > 0 && inserted > 0 ? inserted / run->times.insert_s : 0;
}

qn_status qn_reconstruct_write(const qn_reconstruction *run)
{
    if (run->job->in_memory) return qn_reconstruct_find_warnings(run);
    QN_TRY(write_volume(run, run->half[0], "half map 1", run->half_names[0]));
    QN_TRY(write_volume(run, run->half[1], "half map 2", run->half_names[1]));
    QN_TRY(write_volume(run, run->weight, "sums of weights", "weights.mrc"));
    QN_TRY(write_volume(run, run->mask, "mask", "mask.mrc"));
    QN_TRY(write_curve(run, "fsc.csv", qn_fsc_write_csv));
    QN_TRY(write_curve(run, "fsc.star", qn_fsc_write_star));
    QN_TRY(write_volume(run, run->map, "map", run->map_name));
    QN_TRY(qn_reconstruct_find_warnings(run));
    QN_TRY(qn_reconstruct_write_report(run));
    return qn_reconstruct_write_run_json(run);
}
