#include "screen/scene/pose_scene.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "report/scene.h"

enum { SHOWN = 20, NAME = 96 };

/* The element of the residue's atom at a place, which the receptor has from its molecule. */
static const char *element_at(const qn_molecule *molecule, const qn_residue *residue, const double place[3])
{
    for (size_t i = residue->first_atom; i < residue->first_atom + residue->atom_count; i++)
        if (memcmp(molecule->atoms[i].position_angstrom, place, 3 * sizeof(double)) == 0)
            return molecule->atoms[i].element;
    return "";
}

static void fill_receptor(const qn_score_receptor *receptor, qn_scene_filled *filled)
{
    for (size_t i = 0; i < receptor->atom_count; i++) {
        const qn_residue *residue = &receptor->molecule->residues[receptor->residues[i]];
        const double *place = receptor->positions_angstrom + 3 * i;
        if (i == 0 || receptor->residues[i] != receptor->residues[i - 1])
            qn_scene_filled_residue(filled, residue->chain, residue->name, residue->number, residue->insertion);
        qn_scene_filled_atom(filled, place, element_at(receptor->molecule, residue, place), false);
    }
}

/* The heavy atoms of a pose, as one residue. */
static void fill_pose(const qn_compound *compound, qn_scene_filled *filled)
{
    qn_scene_filled_residue(filled, "", "", 1, '\0');
    for (size_t i = 0; i < compound->atom_count; i++)
        if (strcmp(compound->atoms[i].element, "H") != 0)
            qn_scene_filled_atom(filled, compound->positions_angstrom + 3 * i, compound->atoms[i].element, false);
}

static qn_status add_scene(const qn_scene_filled *filled, const qn_screen_shown_pose *poses, size_t count,
                           qn_report *report)
{
    qn_scene_body bodies[SHOWN + 1];
    qn_scene_model models[SHOWN];
    char names[SHOWN][NAME], texts[SHOWN][2 * NAME];
    for (size_t i = 0; i <= count; i++) bodies[i] = filled[i].body;
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], NAME, "%zu", poses[i].rank);
        snprintf(texts[i], 2 * NAME, "%s, %s", poses[i].title, poses[i].energy);
        models[i] = (qn_scene_model){
            .name = names[i], .text = texts[i], .body = i + 1, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    }
    const qn_scene scene = {"Poses in the pocket",
                            "The best pose of each of the best molecules, in yellow, and the residues of the receptor "
                            "with a heavy atom within 5 Å, in green. The receptor's surface is cut away in front of "
                            "the molecule. Drag to turn; use two fingers, the buttons, or the wheel after a click to "
                            "zoom.",
                            bodies,
                            count + 1,
                            models,
                            count,
                            true};
    return qn_report_scene(report, &scene);
}

qn_status qn_screen_report_scene(const qn_score_receptor *receptor, const qn_screen_shown_pose *poses, size_t count,
                                 qn_report *report)
{
    qn_scene_filled filled[SHOWN + 1] = {{{0}}};
    qn_status status = QN_OK;
    if (count > SHOWN) count = SHOWN;
    if (count == 0 || receptor->atom_count == 0) return QN_OK;
    if (!receptor->molecule || !receptor->residues || receptor->atom_count > QN_SCENE_ATOMS)
        return qn_report_paragraph(report, "The poses are not drawn here, because the receptor %s.",
                                   receptor->atom_count > QN_SCENE_ATOMS ? "has too many atoms"
                                                                         : "was read from MOL2, without residues");
    status = qn_scene_filled_create("receptor", receptor->atom_count, receptor->atom_count, &filled[0]);
    if (status == QN_OK) fill_receptor(receptor, &filled[0]);
    for (size_t i = 0; i < count && status == QN_OK; i++) {
        status = qn_scene_filled_create("molecule", 1, poses[i].compound->atom_count, &filled[i + 1]);
        if (status == QN_OK) fill_pose(poses[i].compound, &filled[i + 1]);
    }
    if (status == QN_OK) status = add_scene(filled, poses, count, report);
    for (size_t i = 0; i <= count; i++) qn_scene_filled_clear(&filled[i]);
    return status;
}
