/* An interactive view of molecules in a report: the first body as a surface, another as a ribbon or, without a trace,
 * as sticks, and the residues between them as sticks. The page draws it with WebGL 2 (pages/scene.js); browsers
 * without it show a sentence and links to the models' files.
 *
 *     qn_scene_body bodies[2] = {{.name = "receptor", …}, {.name = "ligand", …}};
 *     qn_scene_model model = {.name = "Model 1", .file = "cluster_01.pdb", .body = 1, …};
 *     QN_TRY(qn_report_scene(report, &(qn_scene){"Models", caption, bodies, 2, &model, 1, false}));
 *
 * Places are stored in 16 bits each, in steps of at least 0.001 Å: their error is at most half a step, 0.005 Å for a
 * body of 650 Å. */
#ifndef QN_REPORT_SCENE_H
#define QN_REPORT_SCENE_H

#include "report/html.h"

/* A residue of a body. Its atoms follow those of the residue before it. */
typedef struct qn_scene_residue {
    const char *label; /* "A ARG 42" */
    size_t atom_count; /* at most QN_SCENE_RESIDUE_ATOMS */
    size_t trace;      /* the atom, from 0, that a ribbon passes: C-alpha or phosphorus; SIZE_MAX: none */
} qn_scene_residue;

typedef struct qn_scene_body {
    const char *name;                 /* in sentences: "receptor" */
    const double *places;             /* atom_count × 3, Å; finite */
    const char *elements;             /* a letter for each atom: C, N, O, S, P, or X for all others */
    size_t atom_count;                /* 1 … QN_SCENE_ATOMS */
    const qn_scene_residue *residues; /* their atoms add up to atom_count */
    size_t residue_count;
    bool coarse; /* atoms are those of the trace alone */
} qn_scene_body;

/* A body that is filled residue by residue, with its memory. */
typedef struct qn_scene_filled {
    qn_scene_body body; /* of what was added so far */
    double *places;
    char *elements, *labels;
    qn_scene_residue *residues;
} qn_scene_filled;

typedef struct qn_scene_model {
    const char *name;                            /* of its button: "Model 1" */
    const char *text;                            /* in the sentence below the view; NULL: the name */
    const char *file;                            /* a link, relative to the report; NULL: none */
    size_t body;                                 /* that is placed: 1 … body_count − 1 */
    double rotation[9], translation_angstrom[3]; /* place ← rotation · place + translation; rows first */
} qn_scene_model;

typedef struct qn_scene {
    const char *title, *caption;
    const qn_scene_body *bodies; /* the first stays in its place */
    size_t body_count;
    const qn_scene_model *models; /* the first is shown first */
    size_t model_count;
    bool focus; /* show the placed body in a pocket of the first, whose surface in front of it is cut away */
} qn_scene;

/* The most atoms of a body: with two bodies the view takes less than 1.5 MiB of the page. */
enum { QN_SCENE_ATOMS = 60000, QN_SCENE_RESIDUE_ATOMS = 65535 };

/* The letter of an element in upper case, for qn_scene_body. */
char qn_scene_letter(const char *element);

/* Begin an empty body of at most that many residues and atoms. */
QN_MUST_CHECK qn_status qn_scene_filled_create(const char *name, size_t residues, size_t atoms,
                                               qn_scene_filled *filled);
void qn_scene_filled_clear(qn_scene_filled *filled);

/* Begin a residue. `insertion` is '\0' if it has none. */
void qn_scene_filled_residue(qn_scene_filled *filled, const char *chain, const char *name, int number, char insertion);

/* Add an atom to the last residue; the first that is `traced` is the residue's trace. */
void qn_scene_filled_atom(qn_scene_filled *filled, const double place[3], const char *element, bool traced);

/* QN_INVALID_ARGUMENT: a count is beyond its limits, or counts disagree. */
QN_MUST_CHECK qn_status qn_report_scene(qn_report *report, const qn_scene *scene);

#endif
