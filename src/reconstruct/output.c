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
    QN_FAIL(QN_INVALID_ARGUMENT, "output is %s%s; expected a name that ends in .mrc, or a folder", output, why);
}

static qn_status path_beside_map(const char *map, const char *name, char **path)
{
    if (strcmp(name, "map.mrc") == 0) return qn_text_copy(map, path);
    qn_text text = {0};
    const int stem = (int)(strrchr(map, '.') - map);
    qn_status status = qn_text_append(&text, "%.*s_%s", stem, map, name);
    if (status == QN_OK)
        *path = text.data;
    else
        qn_text_clear(&text);
    return status;
}

qn_status qn_reconstruct_path(const char *output, const char *name, char **path)
{
    static const char *const maps[] = {".mrc", ".map", ".ccp4"};
    static const char *const others[] = {".mrcs", ".gz", ".star", ".xmd", ".html", ".hdf"};
    *path = NULL;
    if (!output || !output[0]) QN_FAIL(QN_INVALID_ARGUMENT, "no output is named; expected map.mrc or a folder");
    if (!is_folder(output)) {
        if (ends_in_one_of(output, maps, sizeof maps / sizeof *maps)) return path_beside_map(output, name, path);
        if (ends_in_one_of(output, others, sizeof others / sizeof *others)) return refuse(output, "");
        if (qn_file_exists(output)) return refuse(output, ", a file");
    }
    return qn_path_join(output, name, path);
}

/* "out/map.mrc" → "out"; nothing to make for "map.mrc". */
static qn_status make_folder(const qn_reconstruction *run)
{
    char *path;
    QN_TRY(qn_reconstruct_path(run->options->output, "map.mrc", &path));
    char *slash = strrchr(path, '/');
    qn_status status = QN_OK;
    if (slash && slash != path) {
        *slash = '\0';
        status = qn_folder_create(path);
    }
    qn_release(&path);
    return status;
}

/* ---- volumes and tables ---- */

static qn_status write_volume(const qn_reconstruction *run, const qn_volume *volume, const char *what, const char *name)
{
    char label[81], *path;
    if (!volume) return QN_OK;
    QN_TRY(qn_reconstruct_path(run->options->output, name, &path));
    snprintf(label, sizeof label, "Quern %s: %s of %zu images, symmetry %s", qn_version(), what, run->used_count,
             run->symmetry);
    qn_status status = qn_volume_write(volume, label, path);
    qn_release(&path);
    return status;
}

static qn_status write_correlation(const qn_reconstruction *run)
{
    char *path;
    if (!run->fsc) return QN_OK;
    QN_TRY(qn_reconstruct_path(run->options->output, "fsc.csv", &path));
    qn_status status = qn_fsc_write_csv(run->fsc, path);
    qn_release(&path);
    QN_TRY(status);
    QN_TRY(qn_reconstruct_path(run->options->output, "fsc.star", &path));
    status = qn_fsc_write_star(run->fsc, path);
    qn_release(&path);
    return status;
}

size_t qn_reconstruct_list_files(const qn_reconstruction *run, const char *names[QN_RECONSTRUCT_MOST_FILES])
{
    size_t count = 0;
    if (run->map) names[count++] = "map.mrc";
    if (run->half[0]) names[count++] = "half1.mrc";
    if (run->half[1]) names[count++] = "half2.mrc";
    if (run->weight) names[count++] = "weights.mrc";
    if (run->mask) names[count++] = "mask.mrc";
    if (run->fsc) names[count++] = "fsc.csv";
    if (run->fsc) names[count++] = "fsc.star";
    names[count++] = "report.html";
    names[count++] = "run.json";
    return count;
}

double qn_reconstruct_images_per_s(const qn_reconstruction *run)
{
    const double inserted = (double)run->used_count - (double)run->resumed;
    return run->times.insert_s > 0 && inserted > 0 ? inserted / run->times.insert_s : 0;
}

qn_status qn_reconstruct_write(const qn_reconstruction *run)
{
    QN_TRY(make_folder(run));
    QN_TRY(write_volume(run, run->half[0], "half map 1", "half1.mrc"));
    QN_TRY(write_volume(run, run->half[1], "half map 2", "half2.mrc"));
    QN_TRY(write_volume(run, run->weight, "sums of weights", "weights.mrc"));
    QN_TRY(write_volume(run, run->mask, "mask", "mask.mrc"));
    QN_TRY(write_correlation(run));
    QN_TRY(qn_reconstruct_write_report(run));
    QN_TRY(qn_reconstruct_write_run_json(run));
    return write_volume(run, run->map, "map", "map.mrc");
}
