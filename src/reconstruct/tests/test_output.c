/* Files of a run with invented maps and numbers: their places, their content, and failures to write them. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "check.h"
#include "html_page.h"
#include "math/random.h"
#include "math/symmetry_group.h"
#include "picture.h"
#include "reconstruct/output.h"

enum { SIDE = 16, SHELLS = SIDE / 2 + 1, PARTICLES = 50 };

static qn_context *context;

typedef struct made_run {
    qn_reconstruct_options options;
    qn_job job;
    qn_reconstruct_place place;
    qn_particle_set set;
    qn_particle particles[PARTICLES];
    qn_optics_group optics;
    char *stacks[1];
    size_t used[PARTICLES];
    qn_volume *volumes[5]; /* map, halves, weights, mask */
    qn_fsc fsc;
    double curves[5][SHELLS];
    qn_device_info device;
    const qn_device_info *devices[1];
    double (*operators)[9];
    qn_reconstruction run;
} made_run;

/* Value of a voxel. A different order of the axes would give different values. */
static float value_of(int volume, int x, int y, int z)
{
    return (float)(volume + 1) * (float)(x + 20 * y - 3 * z * z);
}

static qn_volume *make_volume(int which)
{
    qn_volume *volume;
    if (!CHECK_OK(qn_volume_create((const int[3]){SIDE, SIDE, SIDE}, 1.25, &volume))) exit(1);
    for (int z = 0; z < SIDE; z++)
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) volume->values[(z * SIDE + y) * SIDE + x] = value_of(which, x, y, z);
    for (int k = 0; k < 3; k++) volume->origin_angstrom[k] = -10;
    return volume;
}

static void set_particles(made_run *scene)
{
    scene->optics = (qn_optics_group){.number = 1, .pixel_angstrom = 1.25, .voltage_kv = 300};
    scene->stacks[0] = "stack that is gone.mrcs";
    for (int i = 0; i < PARTICLES; i++) {
        scene->particles[i] = (qn_particle){.row = (uint64_t)i + 1,
                                            .rot_degrees = 7.0 * i,
                                            .tilt_degrees = 3.0 * i,
                                            .weight = 1,
                                            .defocus_u_angstrom = 10000 + 300 * i,
                                            .defocus_v_angstrom = 10100 + 300 * i};
        scene->used[i] = (size_t)i;
    }
    scene->set = (qn_particle_set){.particles = scene->particles,
                                   .particle_count = PARTICLES,
                                   .optics = &scene->optics,
                                   .optics_count = 1,
                                   .stacks = scene->stacks,
                                   .stack_count = 1,
                                   .has_ctf = true,
                                   .has_angles = true,
                                   .name = "particles.star"};
}

static void set_correlation(made_run *scene)
{
    for (int s = 0; s < SHELLS; s++) {
        scene->curves[0][s] = s / (SIDE * 1.25);
        scene->curves[1][s] = 1 - s * 0.11;
        scene->curves[2][s] = 1 - s * 0.09;
        scene->curves[3][s] = 0.1;
        scene->curves[4][s] = 1 - s * 0.1;
    }
    scene->fsc = (qn_fsc){.shells = SHELLS,
                          .frequency_per_angstrom = scene->curves[0],
                          .unmasked = scene->curves[1],
                          .masked = scene->curves[2],
                          .randomised = scene->curves[3],
                          .corrected = scene->curves[4],
                          .randomised_from = 3,
                          .at_0_5 = {0.5, 6, 3.33, 4},
                          .at_0_143 = {0.143, 8, 2.5, 2.34},
                          .resolution_angstrom = 2.34};
}

/* Make a run with every kind of result, of symmetry D2. */
static void set(made_run *scene, const char *output)
{
    int operators = 0;
    memset(scene, 0, sizeof *scene);
    scene->options = (qn_reconstruct_options){.size = sizeof(qn_reconstruct_options),
                                              .particles = "no such particles.star",
                                              .output = output,
                                              .symmetry = "D2",
                                              .ctf = true,
                                              .halves = true,
                                              .mask = "auto",
                                              .padding = 2,
                                              .first = 1,
                                              .last = UINT64_MAX,
                                              .run.seed = UINT64_MAX,
                                              .run.device = "auto",
                                              .write_weights = true,
                                              .checkpoint_s = 600};
    set_particles(scene);
    set_correlation(scene);
    for (int i = 0; i < 5; i++) scene->volumes[i] = make_volume(i);
    CHECK_OK(qn_symmetry_group("D2", &scene->operators, &operators));
    scene->device = (qn_device_info){.identifier = "host", .name = "a <CPU>", .driver = "host", .compute_units = 2};
    scene->devices[0] = &scene->device;
    scene->options.run.overwrite = true; /* replace files of an earlier test */
    CHECK_OK(qn_job_open(context, "reconstruct", &scene->options.run, &scene->job));
    CHECK_OK(qn_reconstruct_find_place(output, false, &scene->place));
    scene->run =
        (qn_reconstruction){.options = &scene->options,
                            .job = &scene->job,
                            .map_name = scene->place.map,
                            .half_names = {scene->place.halves[0], scene->place.halves[1]},
                            .particles = &scene->set,
                            .used = scene->used,
                            .used_count = PARTICLES - 1,
                            .skipped = 1,
                            .resumed = 9,
                            .symmetry = "D2",
                            .operator_count = operators,
                            .operators = (const double(*)[9])scene->operators,
                            .image_side = SIDE,
                            .padded_side = 2 * SIDE,
                            .voxel_angstrom = 1.25,
                            .max_resolution_angstrom = 2.5,
                            .map = scene->volumes[0],
                            .half = {scene->volumes[1], scene->volumes[2]},
                            .weight = scene->volumes[3],
                            .mask = scene->volumes[4],
                            .fsc = &scene->fsc,
                            .finish = {.iterations = 3, .unevenness = 0.25, .untouched_share = 0.125},
                            .times = {.metadata_s = 0.5, .insert_s = 2, .finish_s = 1, .total_s = 4, .kernel_s = 1.5},
                            .memory_bytes = 1 << 20,
                            .slabs = 1,
                            .ranks = 1,
                            .threads = 2,
                            .device_count = 1,
                            .devices = scene->devices,
                            .split = "at random by seed 1"};
}

/* Write the files as a run does. */
static qn_status write(made_run *scene)
{
    if (qn_file_exists(scene->options.particles))
        QN_TRY(qn_job_input_add(&scene->job, "particles", scene->options.particles, QN_JOB_READ_ALL));
    QN_TRY(qn_view_bins_create(&scene->run, &scene->run.views));
    QN_TRY(qn_job_output(&scene->job, &scene->place.output, false));
    return qn_reconstruct_write(&scene->run);
}

static void clear(made_run *scene, qn_status status)
{
    CHECK_FAILS(qn_job_close(&scene->job, status), status);
    qn_reconstruct_place_clear(&scene->place);
    for (int i = 0; i < 5; i++) qn_volume_destroy(&scene->volumes[i]);
    qn_release(&scene->operators);
    qn_release(&scene->run.views.counts);
}

/* Path in the scratch folder; released by the caller. */
static char *scratch(const char *name)
{
    char *path = NULL;
    CHECK_OK(qn_path_join(check_scratch_folder(), name, &path));
    return path;
}

static bool is_there(const char *name)
{
    char *path = scratch(name);
    const bool there = qn_file_exists(path);
    qn_release(&path);
    return there;
}

static char *content(const char *name)
{
    char *path = scratch(name), *data = NULL;
    size_t size;
    if (!CHECK_OK(qn_file_read(path, &data, &size))) exit(1);
    qn_release(&path);
    return data;
}

static void check_has(const char *text, const char *part)
{
    if (!CHECK(strstr(text, part) != NULL)) printf("no \"%s\"\n", part);
}

/* ---- places of files ---- */

static void path_is(const char *output, const char *name, const char *expected)
{
    qn_reconstruct_place place;
    char *path = NULL;
    if (CHECK_OK(qn_reconstruct_find_place(output, false, &place)) &&
        CHECK_OK(qn_output_path(&place.output, name ? name : place.map, &path)))
        CHECK_TEXT(path, expected);
    qn_release(&path);
    qn_reconstruct_place_clear(&place);
}

/* Check a path in the scratch folder; name NULL: the map. */
static void check_path(const char *output, const char *name, const char *expected)
{
    char *from = scratch(output), *to = scratch(expected);
    path_is(from, name, to);
    qn_release(&to);
    qn_release(&from);
}

static void companions_are_beside_the_map(void)
{
    check_path("a.mrc", NULL, "a.mrc");
    check_path("a.mrc", "half1.mrc", "a_half1.mrc");
    check_path("b.c.MAP", "fsc.star", "b.c_fsc.star");
    check_path("b.c.MAP", NULL, "b.c.MAP");
    check_path("deep/er/x.ccp4", "run.json", "deep/er/x_run.json");
    CHECK(!is_there("deep"));
    path_is("map.mrc", "report.html", "map_report.html");
    path_is("map.mrc", "unfinished", "map_unfinished");
}

static void files_in_a_folder_have_plain_names(void)
{
    check_path("out/", "half2.mrc", "out/half2.mrc");
    check_path("out", NULL, "out/map.mrc");
    check_path("new/folder", "mask.mrc", "new/folder/mask.mrc");
    CHECK(!is_there("new"));
    char *path = scratch("folder.mrc");
    CHECK_OK(qn_folder_create(path));
    qn_release(&path);
    check_path("folder.mrc", NULL, "folder.mrc/map.mrc");
    check_path("slash.mrc/", NULL, "slash.mrc/map.mrc");
}

static void outputs_that_are_neither_map_nor_folder_are_refused(void)
{
    static const char *const wrong[] = {"stack.mrcs", "map.mrc.gz", "particles.STAR"};
    qn_reconstruct_place place;
    for (int i = 0; i < 3; i++) {
        CHECK_FAILS(qn_reconstruct_find_place(wrong[i], false, &place), QN_INVALID_ARGUMENT);
        CHECK_MESSAGE_HAS(wrong[i]);
        CHECK_MESSAGE_HAS("expected a name that ends in .mrc, or a folder");
    }
    char *file = scratch("notes");
    CHECK_OK(qn_file_write(file, "x", 1));
    CHECK_FAILS(qn_reconstruct_find_place(file, false, &place), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("notes, a file; expected a name that ends in .mrc, or a folder");
    qn_release(&file);
    CHECK_FAILS(qn_reconstruct_find_place("", false, &place), QN_INVALID_ARGUMENT);
    if (CHECK_OK(qn_reconstruct_find_place(NULL, false, &place))) CHECK(!place.output.folder && !place.output.stem);
}

/* ---- content of files ---- */

static void check_volume(const char *name, int which)
{
    char *path = scratch(name);
    qn_volume *volume = NULL;
    if (CHECK_OK(qn_volume_read(path, &volume))) {
        double difference = 0;
        CHECK(volume->counts[0] == SIDE && volume->counts[1] == SIDE && volume->counts[2] == SIDE);
        for (int i = 0; i < SIDE * SIDE * SIDE; i++)
            difference += fabs(volume->values[i] - value_of(which, i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE));
        CHECK(difference == 0);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(volume->voxel_angstrom[k], 1.25, 1e-6);
            CHECK_NEAR(volume->origin_angstrom[k], -10, 1e-6);
        }
    }
    qn_volume_destroy(&volume);
    qn_release(&path);
}

static void check_all_volumes(const char *prefix)
{
    static const char *const names[] = {"map.mrc", "half1.mrc", "half2.mrc", "weights.mrc", "mask.mrc"};
    for (int i = 0; i < 5; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", prefix, i == 0 && prefix[strlen(prefix) - 1] == '_' ? "" : names[i]);
        if (i == 0 && prefix[strlen(prefix) - 1] == '_') strcpy(name + strlen(prefix) - 1, ".mrc");
        check_volume(name, i);
    }
}

static void maps_are_written_in_both_forms(void)
{
    static const char *const outputs[] = {"new/whole/", "other/virus.mrc"}, *const prefixes[] = {"new/whole/",
                                                                                                 "other/virus_"};
    for (int form = 0; form < 2; form++) {
        made_run scene;
        char *output = scratch(outputs[form]), name[64];
        set(&scene, output);
        CHECK_OK(write(&scene));
        check_all_volumes(prefixes[form]);
        static const char *const others[] = {"fsc.csv", "fsc.star", "report.html", "run.json"};
        for (int i = 0; i < 4; i++) {
            snprintf(name, sizeof name, "%s%s", prefixes[form], others[i]);
            CHECK(is_there(name));
        }
        clear(&scene, QN_OK);
        qn_release(&output);
    }
}

static void absent_results_are_not_written(void)
{
    made_run scene;
    char *output = scratch("little");
    set(&scene, output);
    scene.run.half[0] = scene.run.half[1] = scene.run.weight = scene.run.mask = NULL;
    scene.run.fsc = NULL;
    CHECK_OK(write(&scene));
    CHECK(is_there("little/map.mrc") && is_there("little/report.html") && is_there("little/run.json"));
    CHECK(!is_there("little/half1.mrc") && !is_there("little/half2.mrc") && !is_there("little/weights.mrc"));
    CHECK(!is_there("little/mask.mrc") && !is_there("little/fsc.csv") && !is_there("little/fsc.star"));
    char *page = content("little/report.html"), *text = content("little/run.json");
    CHECK(html_is_balanced(page));
    CHECK(strstr(page, "FSC") == NULL && html_occurrences(page, "class=\"pictures\"") == 1);
    json_t *json = json_loads(text, 0, NULL);
    CHECK(json && json_is_null(json_object_get(json, "halves")));
    CHECK(json_array_size(json_object_get(json, "files")) == 3);
    json_decref(json);
    free(text);
    free(page);
    clear(&scene, QN_OK);
    qn_release(&output);
}

/* The number at "a.b.c". */
static double number(const json_t *json, const char *path)
{
    char key[64];
    for (size_t length; json && *path; path += length + (path[length] == '.')) {
        length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        json = json_object_get(json, key);
    }
    return json && json_is_number(json) ? json_number_value(json) : (double)NAN;
}

static void run_json_has_the_facts_of_the_run(void)
{
    made_run scene;
    char *output = scratch("said"), *star = scratch("particles.star");
    CHECK_OK(qn_file_write(star, "abc", 3));
    set(&scene, output);
    scene.options.particles = star;
    scene.run.finish.unevenness = (double)NAN;
    CHECK_OK(write(&scene));
    char *text = content("said/run.json");
    json_t *json = json_loads(text, 0, NULL);
    if (CHECK(json != NULL)) {
        const json_t *input = json_array_get(json_object_get(json, "inputs"), 0);
        CHECK_TEXT(json_string_value(json_object_get(input, "file")), star);
        CHECK_TEXT(json_string_value(json_object_get(json, "program")), "reconstruct");
        CHECK(number(json, "particles.used") == PARTICLES - 1);
        CHECK(number(json, "particles.skipped") == 1 && number(json, "particles.resumed") == 9);
        CHECK_NEAR(number(json, "images_per_s"), (PARTICLES - 1 - 9) / 2.0, 1e-9);
        CHECK_NEAR(number(json, "halves.resolution_angstrom"), 2.34, 1e-9);
        CHECK_NEAR(number(json, "halves.at_0_5.shell_angstrom"), 3.33, 1e-9);
        CHECK_NEAR(number(json, "timings.within_insert.kernel_s"), 1.5, 1e-9);
        CHECK(number(json, "map.operators") == 4 && number(json, "map.padded_side") == 32);
        CHECK(json_is_null(json_object_get(json_object_get(json, "map"), "unevenness_of_views")));
        const json_t *options = json_object_get(json, "options");
        CHECK_TEXT(json_string_value(json_object_get(options, "seed")), "18446744073709551615");
        CHECK(json_is_null(json_array_get(json_object_get(options, "particles"), 1)));
        CHECK(json_is_true(json_object_get(options, "ctf")));
        CHECK(json_array_size(json_object_get(json, "files")) == 9);
        CHECK(json_array_size(json_object_get(json, "warnings")) == 2); /* one skipped, gaps */
    }
    json_decref(json);
    free(text);
    clear(&scene, QN_OK);
    qn_release(&star);
    qn_release(&output);
}

/* Make the map a cube of density: the invented values fall so evenly that nothing stands out. */
static void add_density(made_run *scene)
{
    for (int z = 0; z < SIDE; z++)
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) {
                const bool inside = x >= 4 && x < 10 && y >= 5 && y < 11 && z >= 6 && z < 12;
                scene->volumes[0]->values[(z * SIDE + y) * SIDE + x] = inside ? 100 : 0;
            }
}

static void the_report_shows_all_results(void)
{
    made_run scene;
    char *output = scratch("page");
    set(&scene, output);
    add_density(&scene);
    scene.run.pixel_size_assumed = true;
    CHECK_OK(write(&scene));
    char *page = content("page/report.html");
    CHECK(html_is_balanced(page));
    CHECK(html_occurrences(page, "<img ") == 12); /* three slices of the map, of each half, of the mask */
    check_has(page, "<h1>Reconstruction of no such particles.star</h1>");
    check_has(page, "<dt>Resolution (FSC 0.143, masked)</dt><dd>2.34 Å</dd>");
    check_has(page, "<dt>Images</dt><dd>49</dd>");
    check_has(page, "<dt>Symmetry</dt><dd>D2, 4 copies</dd>");
    check_has(page, "Split into halves: at random by seed 1.");
    check_has(page, "falls below 0.143 at 2.34 Å (shell 8) and falls below 0.5 at 4.00 Å (shell 6)");
    check_has(page, "Every particle counts once for each of its 4 symmetric copies.");
    check_has(page, ">0.143</text>");
    check_has(page, ">0.5</text>");
    check_has(page, ">resolution (Å)</text>");
    check_has(page, "differ from those around them by 25 % (root mean square)");
    check_has(page, "Gridding weights corrected for it.");
    check_has(page, "a &lt;CPU&gt;");
    check_has(page, "</strong> 1 particle of weight 0 or less was left out");
    check_has(page, "</strong> the views leave gaps: 12 % of the transform");
    check_has(page, "<b>Defocus</b>");
    check_has(page, "<figure class=\"scene density\" data-label=\"Surface\">");
    check_has(page, "<b>Guinier plot</b>");
    check_has(page, "of the map within the mask in each shell. Weighted:");
    free(page);
    clear(&scene, QN_OK);
    qn_release(&output);
}

/* In a map of 90³ voxels noise of deviation 1 hides a ball of height 1.5: voxels above three deviations are everywhere.
 * The view would average cubes of 8 voxels, and in these averages the ball stands out: it alone is shown. Its radius is
 * 20 voxels, so that its box has 20 averages and the margin, not all 45. */
static void noise_does_not_hide_the_surface_of_large_maps(void)
{
    enum { LARGE = 90 };
    made_run scene;
    char *output = scratch("large");
    int size[3] = {0};
    set(&scene, output);
    qn_volume_destroy(&scene.volumes[0]);
    if (!CHECK_OK(qn_volume_create((const int[3]){LARGE, LARGE, LARGE}, 1.25, &scene.volumes[0]))) exit(1);
    for (int i = 0; i < LARGE * LARGE * LARGE; i++) {
        const int x = i % LARGE - 40, y = i / LARGE % LARGE - 50, z = i / LARGE / LARGE - 45;
        const double a = qn_random_uniform(1, 1, (uint64_t)i), b = qn_random_uniform(1, 2, (uint64_t)i);
        const double noise = sqrt(-2 * log(1 - a)) * cos(6.283185307179586 * b);
        scene.volumes[0]->values[i] = (float)(noise + (x * x + y * y + z * z <= 400 ? 1.5 : 0));
    }
    scene.run.map = scene.volumes[0];
    scene.run.mask = NULL;
    scene.run.fsc = NULL;
    CHECK_OK(write(&scene));
    char *page = content("large/report.html");
    const char *grid = strstr(page, "class=\"grid\"");
    check_has(page, "These voxels of 2.5 Å are the means of 8 of the map.");
    if (CHECK(grid &&
              sscanf(strstr(grid, "data-size=\""), "data-size=\"%d %d %d\"", &size[0], &size[1], &size[2]) == 3))
        for (int k = 0; k < 3; k++) CHECK(size[k] >= 20 && size[k] <= 20 + 2 * (3 + 2));
    free(page);
    clear(&scene, QN_OK);
    qn_release(&output);
}

/* Each central plane of the map has one dense voxel; its pixel must be the lightest. Rows of pictures start at the top,
 * those of slices at the bottom. */
static void slices_show_the_central_planes(void)
{
    static const int dense[3][3] = {{SIDE / 2, 3, 11}, {5, SIDE / 2, 14}, {2, 9, SIDE / 2}};
    static const int expected[3][2] = {{3, 11}, {5, 14}, {2, 9}}; /* to the right, upwards: y z, x z, x y */
    made_run scene;
    char *output = scratch("slices");
    set(&scene, output);
    memset(scene.volumes[0]->values, 0, sizeof(float) * SIDE * SIDE * SIDE);
    for (int i = 0; i < 3; i++) scene.volumes[0]->values[(dense[i][2] * SIDE + dense[i][1]) * SIDE + dense[i][0]] = 1;
    CHECK_OK(write(&scene));
    char *page = content("slices/report.html");
    for (int i = 0; i < 3; i++) {
        const check_picture *picture = picture_of(page, i);
        if (!CHECK(picture->width == SIDE && picture->height == SIDE)) continue;
        CHECK(picture->pixels[(SIDE - 1 - expected[i][1]) * SIDE + expected[i][0]] == 255);
    }
    free(page);
    clear(&scene, QN_OK);
    qn_release(&output);
}

/* The bars of defocus count all 49 particles, and the bins of views count all their symmetric copies. */
static void defocus_and_views_count_every_particle(void)
{
    made_run scene;
    char *output = scratch("counted");
    set(&scene, output);
    for (int i = 0; i < PARTICLES; i++) scene.particles[i].rot_degrees = 40, scene.particles[i].tilt_degrees = 40;
    CHECK_OK(write(&scene));
    char *page = content("counted/report.html");
    check_has(page, ">49 views</text>");
    /* The copies of rot 40°, tilt 40° in D2, in bins of 6 rows and 12 columns: cos(tilt) = ±0.766 lies in the
     * outermost rows. */
    static const int expected[4][2] = {{7, 0}, {1, 0}, {10, 5}, {4, 5}}; /* rot 40, −140, 140, −40 */
    const check_picture *views = picture_of(page, 12);
    if (CHECK(views->width == 12 && views->height == 6)) {
        int light = 0;
        for (int i = 0; i < 72; i++) light += views->pixels[3 * i] == 0xfd;
        CHECK(light == 4);
        for (int i = 0; i < 4; i++) CHECK(views->pixels[3 * (expected[i][1] * 12 + expected[i][0])] == 0xfd);
    }
    double sum = 0;
    for (const char *at = strstr(page, "<b>Defocus</b>"); at && (at = strstr(at, "<title>")); at++) {
        const char *end = strstr(at, "</title>"), *last = end;
        while (last > at && last[-1] != '\n' && last[-1] != ' ') last--;
        sum += strtod(last, NULL);
    }
    CHECK(sum == PARTICLES - 1);
    free(page);
    clear(&scene, QN_OK);
    qn_release(&output);
}

static void without_a_ctf_defocus_is_not_plotted(void)
{
    made_run scene;
    char *output = scratch("plain");
    set(&scene, output);
    scene.options.ctf = false;
    CHECK_OK(write(&scene));
    char *page = content("plain/report.html");
    CHECK(strstr(page, "<b>Defocus</b>") == NULL && strstr(page, "data-label=\"Surface\"") == NULL);
    check_has(page, "The map has no surface: nothing stands out from its noise.");
    check_has(page, "the particles have a defocus, but there is no --ctf");
    free(page);
    clear(&scene, QN_OK);
    qn_release(&output);
}

/* ---- failures ---- */

/* If one of the files cannot be written, none of them is left. */
static void no_file_is_left_if_one_cannot_be_written(void)
{
    static const char *const names[] = {"half1.mrc", "half2.mrc",   "weights.mrc", "mask.mrc", "fsc.csv",
                                        "fsc.star",  "report.html", "map.mrc",     "run.json"};
    for (int i = 0; i < 9; i++) {
        made_run scene;
        char folder[32], obstacle[64];
        snprintf(folder, sizeof folder, "failed%d", i);
        snprintf(obstacle, sizeof obstacle, "%s/%s", folder, names[i]);
        char *output = scratch(folder), *path = scratch(obstacle);
        set(&scene, output);
        CHECK_OK(qn_job_output(&scene.job, &scene.place.output, false));
        CHECK_OK(qn_folder_create(path));
        CHECK_FAILS(qn_reconstruct_write(&scene.run), QN_IO_ERROR);
        CHECK_MESSAGE_HAS(names[i]);
        clear(&scene, QN_IO_ERROR);
        for (int k = 0; k < 9; k++) {
            snprintf(obstacle, sizeof obstacle, "%s/%s", folder, names[k]);
            CHECK(k == i || !is_there(obstacle));
        }
        qn_release(&path);
        qn_release(&output);
    }
}

int main(void)
{
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 1}, &context)))
        return check_finish();
    RUN(companions_are_beside_the_map);
    RUN(files_in_a_folder_have_plain_names);
    RUN(outputs_that_are_neither_map_nor_folder_are_refused);
    RUN(maps_are_written_in_both_forms);
    RUN(absent_results_are_not_written);
    RUN(run_json_has_the_facts_of_the_run);
    RUN(the_report_shows_all_results);
    RUN(noise_does_not_hide_the_surface_of_large_maps);
    RUN(slices_show_the_central_planes);
    RUN(defocus_and_views_count_every_particle);
    RUN(without_a_ctf_defocus_is_not_plotted);
    RUN(no_file_is_left_if_one_cannot_be_written);
    qn_context_destroy(&context);
    return check_finish();
}
