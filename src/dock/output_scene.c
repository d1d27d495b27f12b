/* The view of the models in the report. */
#include "dock/output_scene.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "model/atom.h"
#include "report/scene.h"

enum { SHOWN = 20, NAME = 32 };

/* Take the heavy atoms of a partner, or only those of its trace: a ribbon passes C-alphas of proteins and phosphorus
 * atoms of nucleic acids. Residues without such atoms are left out. */
static void fill_body(const qn_dock_partner *partner, const char *name, bool coarse, qn_scene_filled *filled)
{
    const qn_molecule *molecule = partner->molecule;
    filled->body.name = name;
    filled->body.coarse = coarse;
    filled->body.atom_count = filled->body.residue_count = 0;
    for (size_t r = 0; r < molecule->residue_count; r++) {
        const qn_residue *residue = &molecule->residues[r];
        bool begun = false;
        for (size_t i = residue->first_atom; i < residue->first_atom + residue->atom_count; i++) {
            const qn_atom *atom = &molecule->atoms[i];
            const bool traced = qn_atom_marks_residue(molecule, atom);
            if (!partner->sites[i].heavy || (coarse && !traced)) continue;
            if (!begun)
                qn_scene_filled_residue(filled, residue->chain, residue->name, residue->number, residue->insertion);
            begun = true;
            qn_scene_filled_atom(filled, atom->position_angstrom, atom->element, traced);
        }
    }
}

/* Large partners are shown by their traces. Returns false if a partner has too many atoms even so. */
static bool fill_bodies(const qn_dock_state *run, qn_scene_filled filled[2])
{
    static const char *const names[2] = {"receptor", "ligand"};
    const qn_dock_partner *partners[2] = {&run->receptor, &run->ligand};
    for (int i = 0; i < 2; i++) {
        const qn_scene_body *body = &filled[i].body;
        fill_body(partners[i], names[i], false, &filled[i]);
        if (body->atom_count > QN_SCENE_ATOMS) fill_body(partners[i], names[i], true, &filled[i]);
        if (body->atom_count < 1 || body->atom_count > QN_SCENE_ATOMS) return false;
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

qn_status qn_dock_report_scene(const qn_dock_state *run, const qn_dock_answer *answer, qn_report *report)
{
    const qn_molecule *molecules[2] = {run->receptor.molecule, run->ligand.molecule};
    qn_scene_filled filled[2] = {{{0}}};
    qn_status status = QN_OK;
    for (int i = 0; i < 2 && status == QN_OK; i++)
        status = qn_scene_filled_create("", molecules[i]->residue_count, molecules[i]->atom_count, &filled[i]);
    if (status == QN_OK) {
        if (fill_bodies(run, filled))
            status = add_scene(run, answer, (const qn_scene_body[2]){filled[0].body, filled[1].body}, report);
        else
            status = qn_report_paragraph(report,
                                         "The models are not drawn here, because a partner has more than %d "
                                         "residues or no trace.",
                                         QN_SCENE_ATOMS);
    }
    for (int i = 0; i < 2; i++) qn_scene_filled_clear(&filled[i]);
    return status;
}
