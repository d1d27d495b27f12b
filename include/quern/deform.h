/* Deformable bodies: soft tissue that a tool pushes and pulls, in balance at each place of the tool.
 *
 * A body is a mesh of tetrahedra with a non-linear material. Some nodes are fixed, and a tool holds others: it moves
 * them by its place d. qn_deform_solve finds one state: shape, force and the change of both with d. qn_deform_space
 * finds the states of a grid of places, from which the force at any place follows.
 *
 * Units: m, Pa, N, J. Thread rule: one run per context at a time.
 *
 *     qn_deform_options options = qn_deform_default_options();
 *     qn_deform_result *result;
 *     options.mesh = "lobe.msh", options.material = "svk:10000,0.45";
 *     options.fix = "z<0.001", options.contact = "near:0,0,0.03,0.01", options.move = "0,0,-0.003";
 *     if (qn_deform_solve(context, &options, &result) != QN_OK) return 1;
 *     printf("%.3f N\n", result->force[2]);
 *     qn_deform_result_destroy(&result);
 */
#ifndef QUERN_DEFORM_H
#define QUERN_DEFORM_H

#include <quern/device.h>
#include <quern/mesh.h>
#include <quern/option.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef enum qn_deform_mixed {
    QN_DEFORM_MIXED_AUTO, /* pressures are unknowns where the material is Mooney-Rivlin with ν > 0.45 */
    QN_DEFORM_MIXED_YES,
    QN_DEFORM_MIXED_NO
} qn_deform_mixed;

typedef enum qn_deform_interpolation {
    QN_DEFORM_GRADIENT, /* of forces and stiffnesses: exact for quadratic forces, continuous */
    QN_DEFORM_ENERGY,   /* the gradient of an interpolated energy: exact for cubic forces, no work in a closed way */
    QN_DEFORM_LINEAR    /* of forces alone */
} qn_deform_interpolation;

typedef enum qn_deform_clock {
    QN_DEFORM_REAL,     /* ticks at their times, with the states that are there by then */
    QN_DEFORM_SIMULATED /* no time passes: each tick has its states; the same bytes on any machine */
} qn_deform_clock;

typedef struct qn_deform_options {
    size_t size;               /* of this struct in bytes */
    qn_run_options run;        /* `threads`, `seed`, progress */
    const char *mesh;          /* file (Gmsh, VTK, VTU) */
    const qn_mesh *given_mesh; /* in place of `mesh`; NULL: a file */
    const char *output;        /* solve: folder; space: file (.qcs). NULL: nothing is written */
    double scale;              /* m per unit of the file; default 1 */
    const char *material;      /* "svk:E,NU" or "mooney-rivlin:C10,C01,KAPPA", Pa */
    const char *fix;           /* set of nodes that do not move */
    const char *contact;       /* set of nodes that the tool holds; "mean:SET": it moves only their mean */
    int order;                 /* of displacements in an element: 1 or 2; default 1 */
    qn_deform_mixed mixed;     /* default auto */
    int refine;                /* how often each tetrahedron is split in 8; default 0 */
    double tolerance;          /* of |residual| over |reactions|; default 1e-8 */
    const char *move;          /* solve: the tool's place, "X,Y,Z" in m */
    const char *calculix;      /* solve: also write the problem as a deck of CalculiX to this file; NULL: no */
    bool mesh_check;           /* solve: solve in the other order too, and compare the forces */
    double step;               /* space: between places, m; 0: chosen by `accuracy` */
    const char *reach;         /* space: "R" in m, along each axis, or a box "x0:x1,y0:y1,z0:z1"; default 0.03 */
    qn_deform_interpolation interpolation; /* space: the way whose error is reported; default energy */
    double accuracy;                       /* space: of the force, relative; default 0.01 */
    int checks;                            /* space: random places where the force is solved and compared; default 20 */
    const char *hand;                      /* simulate: "min-jerk:SEED,SPEED,REACH" or a file of t, x, y, z (s, m) */
    const char *space;     /* simulate, serve: states of this file (.qcs) need not be solved; NULL: none */
    qn_deform_clock clock; /* simulate: default real */
    double duration_s;     /* simulate: default 60, and at most that of the hand's file */
    double rate_hz;        /* simulate, serve: ticks a second; default 1000 */
    uint64_t cache_bytes;  /* simulate, serve: memory of states; default 1 GiB */
    double force_limit;    /* N; default 20 */
    double slew;           /* largest change of the force, N/s; default 200 */
    const char *listen;    /* serve: "unix:PATH" or "tcp:HOST:PORT" */
} qn_deform_options;

/* Each action has a table of the options that it reads; see <quern/option.h>. */
const qn_option_table *qn_deform_solve_option_table(void);
const qn_option_table *qn_deform_space_option_table(void);
const qn_option_table *qn_deform_simulate_option_table(void);
const qn_option_table *qn_deform_serve_option_table(void);
qn_deform_options qn_deform_default_options(void);

typedef struct qn_deform_result {
    double force[3];                    /* of the tool on the body, N */
    double stiffness[9];                /* ∂force[i]/∂place[j], N/m, row by row */
    double energy;                      /* J */
    double residual;                    /* relative */
    double least_volume, least_stretch; /* of the body: least J = det F, least principal stretch */
    double other_force[3];              /* mesh check: of the other order; else NaN */
    int newton_steps, load_steps;
    bool mixed;
    size_t node_count, element_count, freedom_count;
    const double *positions;     /* node_count × 3, m, at rest */
    const double *displacements; /* node_count × 3, m */
    const double *reactions;     /* node_count × 3, N; 0 at nodes that are neither fixed nor held */
    const double *pressures;     /* node_count, Pa; NaN at nodes without one. NULL: not mixed */
    const char *folder;          /* of the files; "" when nothing was written */
    double seconds;
} qn_deform_result;

/* Find the state at options->move. `result` may be NULL; on failure *result is NULL.
 *
 * Errors: QN_NOT_FOUND (file), QN_BAD_FORMAT (mesh), QN_INVALID_ARGUMENT (options; a set that is empty; a fixed node in
 * the contact), QN_ALREADY_EXISTS, QN_UNSUPPORTED (no balance was found: the message has the residual and the least J),
 * QN_OUT_OF_MEMORY, QN_CANCELLED, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_deform_solve(qn_context *context, const qn_deform_options *options,
                                        qn_deform_result **result);
void qn_deform_result_destroy(qn_deform_result **result);

/* Facts of a configuration space. */
typedef struct qn_deform_space_result {
    double step;               /* m */
    int32_t least[3], most[3]; /* of the grid's points */
    uint64_t state_count;      /* of the grid */
    uint64_t unsolved_count;   /* without a balance */
    uint64_t fold_count;       /* pairs of neighbours with two answers between them */
    double largest_force;      /* N */
    double error;              /* largest relative error of interpolated forces at the checked places; NaN: none */
    const char *file;          /* "" when nothing was written */
    double seconds;
} qn_deform_space_result;

/* Find the states of a grid. Errors as above. */
QN_MUST_CHECK qn_status qn_deform_space(qn_context *context, const qn_deform_options *options,
                                        qn_deform_space_result **result);
void qn_deform_space_result_destroy(qn_deform_space_result **result);

/* Ticks of a hand. Times are of the tick's work, and from its planned moment to its beginning; a tick that answers a
 * frame of a server's hand has no planned moment and is left out of the second. */
typedef struct qn_deform_live_result {
    uint64_t ticks;
    uint64_t late;                     /* a state of the hand's cell was not there yet, after the first second */
    uint64_t late_at_first;            /* the same within the first second */
    uint64_t extrapolated;             /* the force came from one state */
    uint64_t fold;                     /* a fold or an unsolved state was in the cell */
    uint64_t limited;                  /* by --force-limit or --slew */
    uint64_t clamped;                  /* the hand was beyond the reach */
    uint64_t missed;                   /* moments without a tick, since the tick before took too long */
    uint64_t solved;                   /* states */
    double work_us[3], lateness_us[3]; /* of ticks: median, 99 %, 99.9 %; NaN with a simulated clock */
    double machine_lateness_us[3];     /* of an empty loop on this machine, likewise */
    double largest_force;              /* N */
    double error;                      /* largest relative error of forces at places of the path; NaN: not checked */
    bool has_priority;                 /* the loop ran before all other work (SCHED_FIFO) */
    const char *folder;                /* "" when nothing was written */
    double seconds;
} qn_deform_live_result;

/* Move a hand through a body and write what it feels. Errors as above. */
QN_MUST_CHECK qn_status qn_deform_simulate(qn_context *context, const qn_deform_options *options,
                                           qn_deform_live_result **result);

/* Serve the hand of another program through a socket until the progress callback asks to stop
 * (docs/formats/haptic_protocol.md). Errors as above; QN_ALREADY_EXISTS: the socket is in use. */
QN_MUST_CHECK qn_status qn_deform_serve(qn_context *context, const qn_deform_options *options,
                                        qn_deform_live_result **result);
void qn_deform_live_result_destroy(qn_deform_live_result **result);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
