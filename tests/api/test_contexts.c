/* labels: threads */
/* Four contexts in four threads: one docks, one screens, one analyses a trajectory and one reconstructs, all at once.
 * Each gives the digits that it gives alone, and its messages go to the log of its own context. Inputs and
 * results are in memory. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <quern/dock.h>
#include <quern/project.h>
#include <quern/reconstruct.h>
#include <quern/screen.h>
#include <quern/trajectory.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/thread.h"

enum { CONTEXTS = 4, SIDE = 24, VIEWS = 60 };

/* ---- inputs, which all threads read ---- */

static qn_molecule *receptor, *ligand, *kinase;
static char *library_text;
static qn_screen_content library;
static qn_project_result *projected;
static qn_topology *topology;
static qn_trajectory_convert_result *frames;

/* Write the path of the example file `name`. */
static void example_path(const char *name, char path[600])
{
    char below[200];
    snprintf(below, sizeof below, "../../examples/%s", name);
    snprintf(path, 600, "%s", check_data(below));
}

static qn_status read_molecule(const char *name, qn_molecule **molecule)
{
    char path[600];
    example_path(name, path);
    return qn_molecule_read(NULL, path, NULL, molecule);
}

/* The first three inhibitors of the example. */
static qn_status read_library(void)
{
    char path[600];
    size_t size;
    example_path("1iep/kinase_inhibitors.sdf", path);
    QN_TRY(qn_file_read(path, &library_text, &size));
    const char *end = library_text;
    for (int i = 0; i < 3 && end; i++) end = strstr(end + 1, "$$$$\n");
    if (!end) return QN_FAIL(QN_BAD_FORMAT, "%s has fewer than three molecules", path);
    library = (qn_screen_content){"library.sdf", library_text, (size_t)(end + 5 - library_text)};
    return QN_OK;
}

/* Images of a volume of two blobs. */
static qn_status make_images(void)
{
    qn_context *context;
    qn_volume *volume;
    qn_project_options options = qn_project_default_options();
    QN_TRY(qn_volume_create((const int[]){SIDE, SIDE, SIDE}, 2.0, &volume));
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        const int x = i % SIDE - SIDE / 2, y = i / SIDE % SIDE - SIDE / 2, z = i / SIDE / SIDE - SIDE / 2;
        volume->values[i] =
            (float)(exp(-(x * x + y * y + z * z) / 18.0) + exp(-((x - 5) * (x - 5) + (y + 3) * (y + 3) + z * z) / 8.0));
    }
    options.map_volume = volume;
    options.views = VIEWS;
    options.snr = 4;
    options.run.device = "host";
    options.run.tune = QN_TUNE_OFF;
    qn_status status = qn_context_create(NULL, &context);
    if (status == QN_OK) status = qn_project_run(context, &options, &projected);
    qn_context_destroy(&context);
    qn_volume_destroy(&volume);
    return status;
}

/* Topology and frames of the example's water. */
static qn_status read_water(void)
{
    char path[600];
    const char *const paths[] = {path};
    qn_context *context;
    qn_trajectory_convert_options options = qn_trajectory_default_convert_options();
    example_path("water/water.tpr", path);
    QN_TRY(qn_topology_read(NULL, path, &topology));
    example_path("water/water.xtc", path);
    options.trajectories = paths;
    options.trajectory_count = 1;
    QN_TRY(qn_context_create(NULL, &context));
    const qn_status status = qn_trajectory_convert(context, &options, &frames);
    qn_context_destroy(&context);
    return status;
}

static qn_status make_inputs(void)
{
    QN_TRY(read_molecule("1ppe/1PPE_r_u.pdb", &receptor));
    QN_TRY(read_molecule("1ppe/1PPE_l_u_rnd.pdb", &ligand));
    QN_TRY(read_molecule("1iep/1iep_receptor.pdb", &kinase));
    QN_TRY(read_library());
    QN_TRY(read_water());
    return make_images();
}

static void release_inputs(void)
{
    qn_molecule_destroy(&receptor);
    qn_molecule_destroy(&ligand);
    qn_molecule_destroy(&kinase);
    qn_release(&library_text);
    qn_topology_destroy(&topology);
    qn_trajectory_convert_result_destroy(&frames);
    qn_project_result_destroy(&projected);
}

/* ---- programs: each writes all digits of its results as text ---- */

static qn_status dock(qn_context *context, qn_text *digits)
{
    qn_dock_options options = qn_dock_default_options();
    qn_dock_result *result;
    options.receptor_molecule = receptor;
    options.ligand_molecule = ligand;
    options.score = QN_DOCK_RPSC;
    options.rotations = 40;
    options.spacing_angstrom = 3;
    options.keep = 20;
    options.run.device = "host";
    options.run.tune = QN_TUNE_OFF;
    QN_TRY(qn_dock_run(context, &options, &result));
    qn_status status = QN_OK;
    for (size_t i = 0; i < result->pose_count && status == QN_OK; i++) {
        const qn_dock_result_pose *pose = &result->poses[i];
        status =
            qn_text_append(digits, "%d %d %a %a %a %a\n", pose->rotation_index, pose->cluster, pose->energy,
                           pose->translation_angstrom[0], pose->translation_angstrom[1], pose->translation_angstrom[2]);
    }
    for (size_t i = 0; i < result->cluster_count && status == QN_OK; i++)
        status = qn_text_append(digits, "%zu %a\n", result->clusters[i].pose_count, result->clusters[i].model.energy);
    qn_dock_result_destroy(&result);
    return status;
}

static qn_status screen(qn_context *context, qn_text *digits)
{
    qn_screen_options options = qn_screen_default_options();
    qn_screen_result *result;
    options.receptor_molecule = kinase;
    options.library_contents = &library;
    options.library_content_count = 1;
    options.rigid = true;
    options.score = QN_SCREEN_BUDE;
    options.poses = 64;
    options.generations = 2;
    for (int axis = 0; axis < 3; axis++) {
        options.box_centre_angstrom[axis] = (const double[]){15.2, 53.9, 16.9}[axis];
        options.box_side_angstrom[axis] = 4;
    }
    options.run.device = "host";
    options.run.tune = QN_TUNE_OFF;
    QN_TRY(qn_screen_run(context, &options, &result));
    qn_status status = QN_OK;
    for (size_t i = 0; i < result->molecule_count && status == QN_OK; i++)
        status = qn_text_append(digits, "%s %a\n", result->molecules[i].name, result->molecules[i].energy);
    for (size_t i = 0; i < result->pose_count && status == QN_OK; i++)
        status = qn_text_append(digits, "%s", result->poses[i].record);
    qn_screen_result_destroy(&result);
    return status;
}

static qn_status analyse(qn_context *context, qn_text *digits)
{
    const qn_frame_array array = {.positions_nm = frames->positions_nm,
                                  .frame_count = (size_t)frames->frame_count,
                                  .atom_count = frames->atom_count,
                                  .boxes_nm = frames->boxes_nm,
                                  .times_ps = frames->times_ps};
    const qn_trajectory_query queries[] = {{.size = sizeof queries[0], .query_class = "gyration"},
                                           {.size = sizeof queries[0], .query_class = "rdf"}};
    qn_trajectory_options options = qn_trajectory_default_options();
    qn_trajectory_result *result;
    options.topology_in_memory = topology;
    options.frames = &array;
    options.queries = queries;
    options.query_count = 2;
    options.run.device = "host";
    options.run.tune = QN_TUNE_OFF;
    QN_TRY(qn_trajectory_run(context, &options, &result));
    qn_status status = QN_OK;
    for (size_t query = 0; query < result->query_count; query++) {
        const qn_trajectory_result_table *table = &result->queries[query].tables[0];
        for (size_t i = 0; i < table->row_count * table->column_count && status == QN_OK; i++)
            status = qn_text_append(digits, "%a\n", table->values[i]);
    }
    qn_trajectory_result_destroy(&result);
    return status;
}

static qn_status reconstruct(qn_context *context, qn_text *digits)
{
    const qn_image_array images = {
        .values = projected->images, .count = (size_t)projected->image_count, .side = projected->image_side};
    qn_reconstruct_options options = qn_reconstruct_default_options();
    qn_reconstruct_result *result;
    options.particle_set = projected->particle_set;
    options.images = &images;
    options.halves = true;
    options.deterministic = true;
    options.run.device = "host";
    options.run.tune = QN_TUNE_OFF;
    QN_TRY(qn_reconstruct_run(context, &options, &result));
    qn_status status = qn_text_append(digits, "%a\n", result->resolution_angstrom);
    for (int i = 0; i < SIDE * SIDE * SIDE && status == QN_OK; i++)
        status = qn_text_append(digits, "%a\n", (double)result->map->values[i]);
    qn_reconstruct_result_destroy(&result);
    return status;
}

/* ---- runs ---- */

typedef qn_status (*program)(qn_context *context, qn_text *digits);

static const program programs[CONTEXTS] = {dock, screen, analyse, reconstruct};

/* One run of a program in a context of its own. */
typedef struct run {
    program program;
    qn_status status;
    qn_text digits, messages;
    int failed_messages; /* number of messages that were lost for lack of memory */
} run;

static void keep_message(qn_log_level level, const char *message, void *user)
{
    run *own = user;
    (void)level;
    own->failed_messages += qn_text_append(&own->messages, "%s\n", message) != QN_OK;
}

static qn_status run_in_context(void *user)
{
    run *own = user;
    qn_context *context;
    qn_context_options options = qn_context_default_options();
    options.threads = 2;
    options.explain = true; /* so that each run logs messages */
    options.log = keep_message;
    options.log_user = own;
    QN_TRY(qn_context_create(&options, &context));
    own->status = own->program(context, &own->digits);
    qn_context_destroy(&context);
    return own->status;
}

static void clear_run(run *own)
{
    qn_text_clear(&own->digits);
    qn_text_clear(&own->messages);
}

/* Number of lines of `messages` that are not in `others`. */
static int count_foreign(const char *messages, const char *others)
{
    int foreign = 0;
    char line[2000];
    for (const char *at = messages, *end; at && (end = strchr(at, '\n')); at = end + 1) {
        snprintf(line, sizeof line, "%.*s", (int)(end + 1 - at), at);
        foreign += strstr(others, line) == NULL;
    }
    return foreign;
}

static void check_same_run(const run *alone, const run *together)
{
    if (!CHECK(alone->digits.length > 0 && alone->messages.length > 0 && together->messages.length > 0)) return;
    CHECK(together->digits.length == alone->digits.length &&
          memcmp(together->digits.data, alone->digits.data, alone->digits.length) == 0);
    CHECK(alone->failed_messages == 0 && together->failed_messages == 0);
    CHECK(count_foreign(alone->messages.data, together->messages.data) == 0);
    CHECK(count_foreign(together->messages.data, alone->messages.data) == 0);
}

static run alone[CONTEXTS];

static void each_program_runs_alone(void)
{
    for (int i = 0; i < CONTEXTS; i++) {
        alone[i] = (run){.program = programs[i]};
        CHECK_OK(run_in_context(&alone[i]));
    }
    /* Each program logs messages that no other one logs; otherwise the test could not detect a mixed log. */
    for (int i = 0; i < CONTEXTS; i++)
        for (int k = 0; k < CONTEXTS; k++)
            if (i != k && CHECK(alone[i].messages.data && alone[k].messages.data))
                CHECK(count_foreign(alone[i].messages.data, alone[k].messages.data) > 0);
}

static void four_programs_at_once_give_the_same(void)
{
    run together[CONTEXTS];
    qn_thread threads[CONTEXTS] = {0};
    for (int i = 0; i < CONTEXTS; i++) together[i] = (run){.program = programs[i]};
    for (int i = 0; i < CONTEXTS; i++) CHECK_OK(qn_thread_start(&threads[i], run_in_context, &together[i]));
    CHECK_OK(qn_threads_join(threads, CONTEXTS));
    for (int i = 0; i < CONTEXTS; i++) {
        check_same_run(&alone[i], &together[i]);
        clear_run(&together[i]);
    }
}

/* Two threads dock and two screen: state that the runs of a program share would change the results. */
static void the_same_programs_at_once_give_the_same(void)
{
    run together[CONTEXTS];
    qn_thread threads[CONTEXTS] = {0};
    for (int i = 0; i < CONTEXTS; i++) together[i] = (run){.program = programs[i % 2]};
    for (int i = 0; i < CONTEXTS; i++) CHECK_OK(qn_thread_start(&threads[i], run_in_context, &together[i]));
    CHECK_OK(qn_threads_join(threads, CONTEXTS));
    for (int i = 0; i < CONTEXTS; i++) {
        check_same_run(&alone[i % 2], &together[i]);
        clear_run(&together[i]);
    }
}

int main(void)
{
    if (!CHECK_OK(make_inputs())) return check_finish();
    RUN(each_program_runs_alone);
    RUN(four_programs_at_once_give_the_same);
    RUN(the_same_programs_at_once_give_the_same);
    for (int i = 0; i < CONTEXTS; i++) clear_run(&alone[i]);
    release_inputs();
    return check_finish();
}
