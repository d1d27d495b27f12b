#include "screen/view/pose_view.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/scene.h"

enum { LABEL = 32, SHOWN = 20, NAME = 96 };

/* A body of the view with its memory. */
typedef struct body_data {
    qn_scene_body body;
    double *places;
    char *elements, *labels;
    qn_scene_residue *residues;
} body_data;

static qn_status create_body(const char *name, size_t atoms, body_data *data)
{
    void *memory;
    QN_TRY(qn_allocate(3 * atoms, sizeof(double), &memory));
    data->places = memory;
    QN_TRY(qn_allocate(atoms, 1, &memory));
    data->elements = memory;
    QN_TRY(qn_allocate(atoms, LABEL, &memory));
    data->labels = memory;
    QN_TRY(qn_allocate(atoms, sizeof *data->residues, &memory));
    data->residues = memory;
    data->body =
        (qn_scene_body){.name = name, .places = data->places, .elements = data->elements, .residues = data->residues};
    return QN_OK;
}

static void clear_body(body_data *data)
{
    qn_release(&data->places);
    qn_release(&data->elements);
    qn_release(&data->labels);
    qn_release(&data->residues);
}

static qn_scene_residue *begin_residue(body_data *data)
{
    const size_t r = data->body.residue_count++;
    data->residues[r] = (qn_scene_residue){data->labels + LABEL * r, 0, SIZE_MAX};
    return &data->residues[r];
}

static void add_atom(body_data *data, const double place[3], char element)
{
    memcpy(data->places + 3 * data->body.atom_count, place, 3 * sizeof(double));
    data->elements[data->body.atom_count++] = element;
    data->residues[data->body.residue_count - 1].atom_count++;
}

/* The element of the residue's atom at a place, which the receptor has from its molecule. */
static char element_at(const qn_molecule *molecule, const qn_residue *residue, const double place[3])
{
    for (size_t i = residue->first_atom; i < residue->first_atom + residue->atom_count; i++)
        if (memcmp(molecule->atoms[i].position_angstrom, place, 3 * sizeof(double)) == 0)
            return qn_scene_letter(molecule->atoms[i].element);
    return 'X';
}

static void fill_receptor(const qn_score_receptor *receptor, body_data *data)
{
    for (size_t i = 0; i < receptor->atom_count; i++) {
        const qn_residue *residue = &receptor->molecule->residues[receptor->residues[i]];
        const double *place = receptor->positions_angstrom + 3 * i;
        if (i == 0 || receptor->residues[i] != receptor->residues[i - 1]) {
            qn_scene_residue *begun = begin_residue(data);
            char insertion[2] = {residue->insertion, '\0'};
            snprintf(data->labels + LABEL * (size_t)(begun - data->residues), LABEL, "%s %s %d%s", residue->chain,
                     residue->name, residue->number, insertion);
        }
        add_atom(data, place, element_at(receptor->molecule, residue, place));
    }
}

/* The heavy atoms of a pose. */
static void fill_pose(const qn_compound *compound, body_data *data)
{
    begin_residue(data);
    for (size_t i = 0; i < compound->atom_count; i++)
        if (strcmp(compound->atoms[i].element, "H") != 0)
            add_atom(data, compound->positions_angstrom + 3 * i, qn_scene_letter(compound->atoms[i].element));
}

static qn_status add_scene(const body_data *data, const qn_screen_shown_pose *poses, size_t count, qn_report *report)
{
    qn_scene_body bodies[SHOWN + 1];
    qn_scene_model models[SHOWN];
    char names[SHOWN][NAME], texts[SHOWN][2 * NAME];
    for (size_t i = 0; i <= count; i++) bodies[i] = data[i].body;
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

qn_status qn_screen_report_view(const qn_score_receptor *receptor, const qn_screen_shown_pose *poses, size_t count,
                                qn_report *report)
{
    body_data data[SHOWN + 1] = {{{0}}};
    qn_status status = QN_OK;
    if (count > SHOWN) count = SHOWN;
    if (count == 0 || receptor->atom_count == 0) return QN_OK;
    if (!receptor->molecule || !receptor->residues || receptor->atom_count > QN_SCENE_ATOMS)
        return qn_report_paragraph(report, "The poses are not drawn here, because the receptor %s.",
                                   receptor->atom_count > QN_SCENE_ATOMS ? "has too many atoms"
                                                                         : "was read from MOL2, without residues");
    status = create_body("receptor", receptor->atom_count, &data[0]);
    if (status == QN_OK) fill_receptor(receptor, &data[0]);
    for (size_t i = 0; i < count && status == QN_OK; i++) {
        status = create_body("molecule", poses[i].compound->atom_count, &data[i + 1]);
        if (status == QN_OK) fill_pose(poses[i].compound, &data[i + 1]);
    }
    if (status == QN_OK) status = add_scene(data, poses, count, report);
    for (size_t i = 0; i <= count; i++) clear_body(&data[i]);
    return status;
}
