/* The view of the models in the report. */
#include "dock/output_view.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/scene.h"

enum { LABEL = 32, SHOWN = 20, NAME = 32 };

/* A body of the view with its memory. */
typedef struct body_data {
    double *places;
    char *elements, *labels;
    qn_scene_residue *residues;
} body_data;

static void clear_body(body_data *data)
{
    qn_release(&data->places);
    qn_release(&data->elements);
    qn_release(&data->labels);
    qn_release(&data->residues);
}

static qn_status create_body(const qn_molecule *molecule, body_data *data)
{
    void *memory;
    QN_TRY(qn_allocate(3 * molecule->atom_count, sizeof(double), &memory));
    data->places = memory;
    QN_TRY(qn_allocate(molecule->atom_count, 1, &memory));
    data->elements = memory;
    QN_TRY(qn_allocate(molecule->residue_count, LABEL, &memory));
    data->labels = memory;
    QN_TRY(qn_allocate(molecule->residue_count, sizeof *data->residues, &memory));
    data->residues = memory;
    return QN_OK;
}

/* A ribbon passes C-alphas of proteins and phosphorus atoms of nucleic acids. A calcium ion has the name of a C-alpha
 * and another element. */
static bool is_trace(const qn_atom *atom)
{
    return (strcmp(atom->name, "CA") == 0 && strcmp(atom->element, "C") == 0) ||
           (strcmp(atom->name, "P") == 0 && strcmp(atom->element, "P") == 0);
}

/* Take the heavy atoms of a partner, or only those of its trace. */
static void fill_body(const qn_dock_partner *partner, const char *name, bool coarse, body_data *data,
                      qn_scene_body *body)
{
    const qn_molecule *molecule = partner->molecule;
    *body = (qn_scene_body){
        .name = name, .places = data->places, .elements = data->elements, .residues = data->residues, .coarse = coarse};
    for (size_t r = 0; r < molecule->residue_count; r++) {
        const qn_residue *from = &molecule->residues[r];
        qn_scene_residue *to = &data->residues[body->residue_count];
        char *label = data->labels + LABEL * body->residue_count;
        char insertion[2] = {from->insertion, '\0'};
        *to = (qn_scene_residue){label, 0, SIZE_MAX};
        snprintf(label, LABEL, "%s %s %d%s", from->chain, from->name, from->number, insertion);
        for (size_t i = from->first_atom; i < from->first_atom + from->atom_count; i++) {
            const qn_atom *atom = &molecule->atoms[i];
            const bool trace = to->trace == SIZE_MAX && is_trace(atom);
            if (!partner->sites[i].heavy || (coarse && !trace)) continue;
            if (trace) to->trace = to->atom_count;
            memcpy(data->places + 3 * body->atom_count, atom->position_angstrom, 3 * sizeof(double));
            data->elements[body->atom_count++] = qn_scene_letter(atom->element);
            to->atom_count++;
        }
        if (to->atom_count > 0) body->residue_count++;
    }
}

/* Large partners are shown by their traces. Returns false if a partner has too many atoms even so. */
static bool fill_bodies(const qn_dock_state *run, body_data data[2], qn_scene_body bodies[2])
{
    static const char *const names[2] = {"receptor", "ligand"};
    const qn_dock_partner *partners[2] = {&run->receptor, &run->ligand};
    for (int i = 0; i < 2; i++) {
        fill_body(partners[i], names[i], false, &data[i], &bodies[i]);
        if (bodies[i].atom_count > QN_SCENE_ATOMS) fill_body(partners[i], names[i], true, &data[i], &bodies[i]);
        if (bodies[i].atom_count < 1 || bodies[i].atom_count > QN_SCENE_ATOMS) return false;
    }
    return true;
}

static qn_status add_scene(const qn_dock_state *run, const qn_dock_answer *answer, const qn_scene_body bodies[2],
                           qn_report *report)
{
    qn_scene_model models[SHOWN];
    char names[SHOWN][NAME], files[SHOWN][NAME];
    const size_t count = answer->cluster_count < SHOWN ? answer->cluster_count : SHOWN;
    const bool coarse = bodies[0].coarse || bodies[1].coarse;
    for (size_t i = 0; i < count; i++) {
        const qn_dock_pose *pose = qn_dock_model_pose(answer, i);
        snprintf(names[i], NAME, "%s%zu", i ? "" : "Model ", i + 1);
        qn_dock_model_name(run, i, files[i]);
        models[i] = (qn_scene_model){.name = names[i], .file = run->job->in_memory ? NULL : files[i], .body = 1};
        memcpy(models[i].rotation, pose->matrix, sizeof models[i].rotation);
        memcpy(models[i].translation_angstrom, pose->translation_angstrom, sizeof models[i].translation_angstrom);
    }
    const qn_scene scene = {
        "The models",
        coarse
            ? "Surface: the receptor, green where the ligand touches it. Ribbon: the ligand. A partner with many atoms "
              "is shown by its trace. Drag to turn, use two fingers, the buttons, or the wheel after a click to zoom."
            : "Surface: the receptor, green where the ligand touches it. Ribbon: the ligand. Sticks: residues with a "
              "heavy atom within 5 Å of the partner, green in the receptor, yellow in the ligand. Drag to turn, use "
              "two fingers, the buttons, or the wheel after a click to zoom.",
        bodies,
        2,
        models,
        count,
        false};
    return qn_report_scene(report, &scene);
}

qn_status qn_dock_report_view(const qn_dock_state *run, const qn_dock_answer *answer, qn_report *report)
{
    body_data data[2] = {{0}, {0}};
    qn_scene_body bodies[2];
    qn_status status = create_body(run->receptor.molecule, &data[0]);
    if (status == QN_OK) status = create_body(run->ligand.molecule, &data[1]);
    if (status == QN_OK) {
        if (fill_bodies(run, data, bodies))
            status = add_scene(run, answer, bodies, report);
        else
            status = qn_report_paragraph(report,
                                         "The models are not drawn here, because a partner has more than %d "
                                         "residues or no trace.",
                                         QN_SCENE_ATOMS);
    }
    for (int i = 0; i < 2; i++) clear_body(&data[i]);
    return status;
}
