/* The options of quern deform, in one struct; each action has a table of those that it reads. */
#include <quern/deform.h>

#include <string.h>

#include "base/error.h"
#include "option/run_rows.h"

#define FIELD(name) offsetof(qn_deform_options, name)
#define RUN FIELD(run)

static const qn_option mesh_row = {.name = "mesh",
                                   .kind = QN_OPTION_PATH,
                                   .group = QN_OPTION_ARGUMENT,
                                   .argument = "MESH",
                                   .offset = FIELD(mesh),
                                   .required = true,
                                   .by_commands = true,
                                   .meaning =
                                       "mesh of tetrahedra with 4 or 10 nodes (Gmsh 1, 2.2, 4.1; VTK; VTU), in m"};

static const qn_option folder_row = {.name = "output",
                                     .is_output = true,
                                     .letter = 'o',
                                     .kind = QN_OPTION_PATH,
                                     .argument = "FOLDER",
                                     .offset = FIELD(output),
                                     .required = true,
                                     .by_commands = true,
                                     .meaning = "folder of the results, absent or empty"};

static const qn_option scale_row = {.name = "scale",
                                    .kind = QN_OPTION_NUMBER,
                                    .argument = "FACTOR",
                                    .offset = FIELD(scale),
                                    .least = 1e-12,
                                    .most = 1e12,
                                    .fallback = "1",
                                    .meaning = "m per unit of the mesh: 0.001 for a mesh in mm"};

static const qn_option material_row = {
    .name = "material",
    .kind = QN_OPTION_TEXT,
    .argument = "MATERIAL",
    .offset = FIELD(material),
    .required = true,
    .meaning = "svk:E,NU (St Venant-Kirchhoff; E in Pa, Poisson's ratio) or mooney-rivlin:C10,C01,KAPPA (Pa; KAPPA "
               "may be inf)"};

static const qn_option fix_row = {
    .name = "fix",
    .kind = QN_OPTION_TEXT,
    .argument = "SET",
    .offset = FIELD(fix),
    .required = true,
    .meaning = "nodes that do not move: nodes:1,5-9 (numbers of the file); of the surface x<0.02 (y, z, >), "
               "box:x0:x1,y0:y1,z0:z1, near:x,y,z,r; tag:NAME (a group of the file); a&b for nodes of both"};

static const qn_option contact_row = {
    .name = "contact",
    .kind = QN_OPTION_TEXT,
    .argument = "SET",
    .offset = FIELD(contact),
    .required = true,
    .meaning = "nodes that the tool holds, as in --fix; mean:SET moves only the mean of their displacements"};

static const qn_option order_row = {.name = "order",
                                    .kind = QN_OPTION_INTEGER,
                                    .argument = "ORDER",
                                    .offset = FIELD(order),
                                    .least = 1,
                                    .most = 2,
                                    .fallback = "1",
                                    .meaning = "of displacements within a tetrahedron: 1, linear, 4 nodes; 2, "
                                               "quadratic, 10 nodes, softer and nearer the truth"};

static const qn_option mixed_row = {
    .name = "mixed",
    .kind = QN_OPTION_ENUM,
    .argument = "WHETHER",
    .offset = FIELD(mixed),
    .choices = "auto yes no",
    .fallback = "auto",
    .meaning = "whether pressures are unknowns too, without which elements lock where a Mooney-Rivlin material hardly "
               "changes its volume; auto: where Poisson's ratio is above 0.45"};

static const qn_option refine_row = {.name = "refine",
                                     .kind = QN_OPTION_INTEGER,
                                     .argument = "TIMES",
                                     .offset = FIELD(refine),
                                     .most = 6,
                                     .fallback = "0",
                                     .meaning = "how often each tetrahedron is split in 8"};

static const qn_option tolerance_row = {.name = "tolerance",
                                        .kind = QN_OPTION_NUMBER,
                                        .argument = "SHARE",
                                        .offset = FIELD(tolerance),
                                        .least = 1e-13,
                                        .most = 1e-2,
                                        .fallback = "1e-8",
                                        .meaning = "residual at free nodes over the reactions, at which Newton's "
                                                   "method ends"};

static const qn_option step_row = {.name = "step",
                                   .kind = QN_OPTION_NUMBER,
                                   .argument = "METRES",
                                   .offset = FIELD(step),
                                   .most = 1e6,
                                   .fallback = "0",
                                   .fallback_meaning =
                                       "the largest whose error is below --accuracy in three trial cells",
                                   .meaning = "distance in m between places of the tool along each axis"};

static const qn_option reach_row = {
    .name = "reach",
    .kind = QN_OPTION_TEXT,
    .argument = "REACH",
    .offset = FIELD(reach),
    .fallback = "0.03",
    .meaning = "how far the tool goes from rest along each axis, in m, or a box x0:x1,y0:y1,z0:z1"};

static const qn_option interpolation_row = {
    .name = "interpolation",
    .kind = QN_OPTION_ENUM,
    .argument = "WAY",
    .offset = FIELD(interpolation),
    .choices = "gradient energy linear",
    .fallback = "energy",
    .meaning = "how forces between states are found, where their error is reported: gradient, from forces and "
               "stiffnesses; energy, from energies too, so that closed ways take no work; linear, from forces "
               "alone"};

static const qn_option accuracy_row = {.name = "accuracy",
                                       .kind = QN_OPTION_NUMBER,
                                       .argument = "SHARE",
                                       .offset = FIELD(accuracy),
                                       .least = 1e-6,
                                       .most = 1,
                                       .fallback = "0.01",
                                       .meaning = "relative error of forces that the default of --step allows"};

static const qn_option solve_rows[] = {
    {.like = &mesh_row},
    {.like = &folder_row},
    {.like = &material_row},
    {.like = &fix_row},
    {.like = &contact_row},
    {.name = "move",
     .kind = QN_OPTION_TEXT,
     .argument = "X,Y,Z",
     .offset = FIELD(move),
     .required = true,
     .meaning = "way of the tool from where it touches the body at rest, in m"},
    {.like = &scale_row},
    {.like = &order_row},
    {.like = &mixed_row},
    {.like = &refine_row},
    {.like = &tolerance_row},
    {.name = "calculix",
     .kind = QN_OPTION_PATH,
     .argument = "FILE",
     .offset = FIELD(calculix),
     .is_output = true,
     .meaning = "also write the problem as a deck of CalculiX (displacements only), to compare the reactions"},
    {.name = "mesh-check",
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(mesh_check),
     .meaning = "solve in the other order too, and print the ratio of the forces: far from 1, the mesh is too coarse"},
    {.like = &qn_run_rows[QN_RUN_THREADS], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_OVERWRITE], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_QUIET], .offset = RUN},
    {0}};

static const qn_option space_rows[] = {
    {.like = &mesh_row},
    {.name = "output",
     .is_output = true,
     .letter = 'o',
     .kind = QN_OPTION_PATH,
     .argument = "FILE",
     .offset = FIELD(output),
     .required = true,
     .by_commands = true,
     .meaning = "file of the states (.qcs); a report and run.json get its name"},
    {.like = &material_row},
    {.like = &fix_row},
    {.like = &contact_row},
    {.like = &step_row},
    {.like = &reach_row},
    {.like = &interpolation_row},
    {.like = &accuracy_row},
    {.name = "checks",
     .kind = QN_OPTION_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(checks),
     .most = 100000,
     .fallback = "20",
     .meaning = "random places at which the force is also solved, to measure the error of interpolated ones"},
    {.like = &scale_row},
    {.like = &order_row},
    {.like = &mixed_row},
    {.like = &refine_row},
    {.like = &tolerance_row},
    {.like = &qn_run_rows[QN_RUN_DEVICES],
     .offset = RUN,
     .fallback = "host",
     .meaning = "host: processors, in double precision; else devices, in batches in single precision, whose forces are "
                "within 1e-4 (several, separated by commas; all: every GPU)"},
    {.like = &qn_run_rows[QN_RUN_BATCH], .offset = RUN, .meaning = "states at once on a device"},
    {.like = &qn_run_rows[QN_RUN_SEED], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_THREADS], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_MEMORY], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_EXPLAIN], .offset = RUN, .meaning = "tell how much memory the run will take"},
    {.like = &qn_run_rows[QN_RUN_RESUME], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_OVERWRITE], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_QUIET], .offset = RUN},
    {0}};

static const qn_option space_row = {
    .name = "space",
    .kind = QN_OPTION_PATH,
    .argument = "FILE",
    .offset = FIELD(space),
    .meaning = "states of quern deform space (.qcs) of the same mesh, material and sets, which need not be solved; its "
               "step and reach are taken"};

static const qn_option rate_row = {.name = "rate",
                                   .kind = QN_OPTION_NUMBER,
                                   .argument = "HERTZ",
                                   .offset = FIELD(rate_hz),
                                   .least = 1,
                                   .most = 20000,
                                   .fallback = "1000",
                                   .unit = "Hz",
                                   .meaning = "forces a second"};

static const qn_option cache_row = {.name = "cache",
                                    .kind = QN_OPTION_BYTES,
                                    .argument = "SIZE",
                                    .offset = FIELD(cache_bytes),
                                    .least = 1,
                                    .most = 0x1p50,
                                    .fallback = "1GiB",
                                    .unit = "GiB",
                                    .meaning = "memory of states; those farthest from the hand are dropped"};

static const qn_option force_limit_row = {.name = "force-limit",
                                          .kind = QN_OPTION_NUMBER,
                                          .argument = "NEWTON",
                                          .offset = FIELD(force_limit),
                                          .least = 1e-9,
                                          .most = 1e9,
                                          .fallback = "20",
                                          .unit = "N",
                                          .meaning = "largest force in N that the hand feels"};

static const qn_option slew_row = {.name = "slew",
                                   .kind = QN_OPTION_NUMBER,
                                   .argument = "RATE",
                                   .offset = FIELD(slew),
                                   .least = 1e-9,
                                   .most = 1e12,
                                   .fallback = "200",
                                   .unit = "N/s",
                                   .meaning = "largest change of that force, in N/s"};

static const char live_device_meaning[] = "host: processors, in double precision; else a device that solves up to 64 "
                                          "states at once in single precision, whose "
                                          "forces are within 1e-4, with the real clock";

static const qn_option simulate_rows[] = {
    {.like = &mesh_row},
    {.like = &folder_row},
    {.like = &material_row},
    {.like = &fix_row},
    {.like = &contact_row},
    {.name = "hand",
     .kind = QN_OPTION_TEXT,
     .argument = "HAND",
     .offset = FIELD(hand),
     .required = true,
     .meaning =
         "min-jerk:SEED,SPEED,REACH: moves between random places within REACH (m) of rest at a mean SPEED (m/s); "
         "or a file of t,x,y,z in s and m, with cubics between its rows"},
    {.name = "duration",
     .kind = QN_OPTION_SECONDS,
     .argument = "TIME",
     .offset = FIELD(duration_s),
     .least = 1e-3,
     .most = 1e6,
     .unit = "s",
     .fallback = "60",
     .meaning = "time of the hand, at most that of its file"},
    {.name = "clock",
     .kind = QN_OPTION_ENUM,
     .argument = "WHICH",
     .offset = FIELD(clock),
     .choices = "real simulated",
     .fallback = "real",
     .meaning = "real: forces come at their times, with the states that are there by then; simulated: each force waits "
                "for its states, and is the same on any machine"},
    {.like = &space_row},
    {.like = &step_row},
    {.like = &reach_row},
    {.like = &interpolation_row},
    {.like = &accuracy_row},
    {.like = &rate_row},
    {.like = &cache_row},
    {.like = &force_limit_row},
    {.like = &slew_row},
    {.name = "checks",
     .kind = QN_OPTION_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(checks),
     .most = 100000,
     .fallback = "50",
     .meaning = "places of the path at which the force is also solved, to measure the error of felt ones"},
    {.like = &scale_row},
    {.like = &order_row},
    {.like = &mixed_row},
    {.like = &refine_row},
    {.like = &tolerance_row, .fallback = "1e-5"},
    {.like = &qn_run_rows[QN_RUN_DEVICE], .offset = RUN, .fallback = "host", .meaning = live_device_meaning},
    {.like = &qn_run_rows[QN_RUN_THREADS], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_OVERWRITE], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_QUIET], .offset = RUN},
    {0}};

static const qn_option serve_rows[] = {
    {.like = &mesh_row},
    {.like = &material_row},
    {.like = &fix_row},
    {.like = &contact_row},
    {.name = "listen",
     .kind = QN_OPTION_TEXT,
     .argument = "ADDRESS",
     .offset = FIELD(listen),
     .required = true,
     .meaning = "socket of the hand: unix:PATH or tcp:HOST:PORT"},
    {.like = &space_row},
    {.like = &step_row},
    {.like = &reach_row},
    {.like = &interpolation_row},
    {.like = &accuracy_row},
    {.like = &rate_row},
    {.like = &cache_row},
    {.like = &force_limit_row},
    {.like = &slew_row},
    {.like = &scale_row},
    {.like = &order_row},
    {.like = &mixed_row},
    {.like = &refine_row},
    {.like = &tolerance_row, .fallback = "1e-5"},
    {.like = &qn_run_rows[QN_RUN_DEVICE], .offset = RUN, .fallback = "host", .meaning = live_device_meaning},
    {.like = &qn_run_rows[QN_RUN_THREADS], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_QUIET], .offset = RUN},
    {0}};

static qn_status check_live(const void *user)
{
    const qn_deform_options *options = user;
    if (options->clock == QN_DEFORM_SIMULATED && strcmp(options->run.device, "host") != 0)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--device is \"%s\" with --clock simulated, whose states come from processors; expected host",
                       options->run.device);
    return QN_OK;
}

/* A file of states has its own grid. */
static qn_status check_live_given(const void *user, const char *name)
{
    const qn_deform_options *options = user;
    if (options->space && (strcmp(name, "step") == 0 || strcmp(name, "reach") == 0 || strcmp(name, "accuracy") == 0))
        return QN_FAIL(QN_INVALID_ARGUMENT, "--%s is given with --space, whose grid is that of the file", name);
    return QN_OK;
}

const qn_option_table *qn_deform_solve_option_table(void)
{
    static const qn_option_table table = {"deform solve", sizeof(qn_deform_options), solve_rows, NULL};
    return &table;
}

const qn_option_table *qn_deform_space_option_table(void)
{
    static const qn_option_table table = {"deform space", sizeof(qn_deform_options), space_rows, NULL};
    return &table;
}

const qn_option_table *qn_deform_simulate_option_table(void)
{
    static const qn_option_table table = {"deform simulate", sizeof(qn_deform_options), simulate_rows, check_live,
                                          check_live_given};
    return &table;
}

const qn_option_table *qn_deform_serve_option_table(void)
{
    static const qn_option_table table = {"deform serve", sizeof(qn_deform_options), serve_rows, NULL,
                                          check_live_given};
    return &table;
}

/* The common defaults are those of space; simulate has more. */
qn_deform_options qn_deform_default_options(void)
{
    qn_deform_options options, others;
    qn_option_defaults(qn_deform_space_option_table(), &options, sizeof options);
    qn_option_defaults(qn_deform_simulate_option_table(), &others, sizeof others);
    options.clock = others.clock;
    options.duration_s = others.duration_s;
    options.rate_hz = others.rate_hz;
    options.cache_bytes = others.cache_bytes;
    options.force_limit = others.force_limit;
    options.slew = others.slew;
    return options;
}
